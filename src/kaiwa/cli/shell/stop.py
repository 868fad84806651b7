"""How a command is stopped before its end: what was begun is cleared away, and one line says how to go on."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

_NOTHING = "nothing was written; the same command starts again"
_WHOLE = "every file written so far is whole; the same command starts again"
_LEFT = {
    "demo": "the folder holds the finished steps; the same command starts anew",
    "init": _WHOLE,
    "clean": "no repository was made, an older one there is as it was; the same command starts again",
    "topics": _WHOLE,
    "index": "no index was made, an older one there still answers; the same command starts again",
    "check": "every mended copy that is there is whole; the same command starts again",
    "pool": _WHOLE,
    "compare": _WHOLE,
    "standardise": _WHOLE,
    "design": _WHOLE,
    "report": _WHOLE,
}
"""What a verb that writes more than one file leaves when it is stopped; the others write theirs at the end."""

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class Stopped(KeyboardInterrupt):
    """The user, or the system, wants the command to stop now."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_code = 128 + number


def what_is_left(verb: str | None) -> str:
    """What the user finds after stopping a verb, and how to go on.

    >>> what_is_left("score")
    'nothing was written; the same command starts again'
    """
    return _LEFT.get(verb or "", _NOTHING)


def heed_signals() -> None:
    """Let Ctrl-C, a kill or a closed terminal unwind the work; a signal that the caller ignores stays ignored."""
    for number in _SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _unwind)


def _unwind(number: int, _: FrameType | None) -> None:
    for each in _SIGNALS:
        if signal.getsignal(each) == _unwind:
            signal.signal(each, _insist)
    raise Stopped(number)


def _insist(number: int, _: FrameType | None) -> None:
    """A second signal leaves the clearing up undisturbed; a third ends the process at once."""
    signal.signal(number, signal.SIG_DFL)
    sys.stderr.write("kaiwa: clearing up; once more stops at once\n")


def leave_closed_pipe() -> None:
    """End as other tools do when the reader of their output has gone: no message, the code of SIGPIPE."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(128 + signal.SIGPIPE)
