"""How a command is stopped early: temporary files are removed, and one line describes how to continue."""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import FrameType

_OLD_OR_NEW = "every output is complete, or as it was before; run the same command again"
_LEFT = {
    "demo": "the folder holds the finished steps; the same command starts from the beginning",
    "run": "the folder holds the finished steps; the same command continues",
    "clean": "the repository is complete, or as it was before; run the same command again",
    "index": "the index is complete, or as it was before; run the same command again",
}
"""What a stopped verb has written. A signal can come when the outputs have their names and the work is over."""

_SIGNALS = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, name))


class Stopped(KeyboardInterrupt):
    """A signal asked the command to stop."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_code = 128 + number


def what_is_left(verb: str | None) -> str:
    """What a stopped verb has written, and how to continue.

    >>> what_is_left("score")
    'every output is complete, or as it was before; run the same command again'
    """
    return _LEFT.get(verb or "", _OLD_OR_NEW)


def catch_signals() -> None:
    """Make Ctrl-C, a kill and a closed terminal raise Stopped; a signal that the caller ignores stays ignored."""
    for number in _SIGNALS:
        if signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, _raise_stopped)


def _raise_stopped(number: int, _: FrameType | None) -> None:
    for each in _SIGNALS:
        if signal.getsignal(each) == _raise_stopped:
            signal.signal(each, _second_signal)
    raise Stopped(number)


def _second_signal(number: int, _: FrameType | None) -> None:
    """A second signal does not interrupt the removal of temporary files; a third ends the process immediately."""
    signal.signal(number, signal.SIG_DFL)
    sys.stderr.write("kaiwa: removing temporary files; repeat the signal to stop immediately\n")


def leave_closed_pipe() -> None:
    """End as other tools do when the reader closes the pipe: no message, the exit code of SIGPIPE."""
    _drop_output()
    sys.exit(128 + signal.SIGPIPE)


def drop_unwritable() -> None:
    """Drop a result that stdout does not take, closed or on a full disk; else Python tries again when it ends."""
    try:
        sys.stdout.flush()
    except OSError:
        _drop_output()


def _drop_output() -> None:
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
