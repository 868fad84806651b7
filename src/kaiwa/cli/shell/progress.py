"""Progress of long work: one line on the terminal after two seconds, removed when the work is done."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic
from typing import IO, TYPE_CHECKING

from kaiwa.cli.shell.output import is_quiet

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Tick = Callable[[int, int], None]

DELAY = 2.0
"""Seconds of silence: shorter work shows nothing."""
_EVERY = 0.25
_CLEAR = "\r\x1b[K"
_MINUTE, _HOUR = 60, 3600


@contextmanager
def progress(label: str, *, stream: IO[str] | None = None, delay: float = DELAY) -> Iterator[Tick]:
    """A function ``(done, total)`` that moves the line on stderr, silent without a terminal or with --quiet.

    Work that cannot count itself need not call it: the line then shows the time so far.
    """
    target = stream or sys.stderr
    if is_quiet() or not target.isatty():
        yield lambda _done, _total: None
        return
    line = _Line(label, target, delay)
    line.start()
    try:
        yield line.moved
    finally:
        line.finish()


class _Line(Thread):
    """Draws the line four times a second, from a thread of its own, so that long steps do not freeze it."""

    def __init__(self, label: str, target: IO[str], delay: float) -> None:
        super().__init__(daemon=True)
        self._label, self._target, self._delay = label, target, delay
        self._over = Event()
        self._begin = monotonic()
        self._at = (0, 0)

    def moved(self, done: int, total: int) -> None:
        """Remember how far the work is."""
        self._at = (done, total)

    def run(self) -> None:
        """Wait, then draw until the work is over."""
        if self._over.wait(self._delay):
            return
        while True:
            self._target.write(_CLEAR + progress_line(self._label, *self._at, elapsed=monotonic() - self._begin))
            self._target.flush()
            if self._over.wait(_EVERY):
                break
        self._target.write(_CLEAR)
        self._target.flush()

    def finish(self) -> None:
        """Clear the line."""
        self._over.set()
        self.join()


def progress_line(label: str, done: int, total: int, *, elapsed: float) -> str:
    """The share done and the time left at this pace, or the time so far if neither is known.

    >>> progress_line("indexing", 25, 100, elapsed=10)
    'indexing: 25%, 30 s left'
    >>> progress_line("indexing", 100, 100, elapsed=10)
    'indexing: finishing, 10 s so far'
    >>> progress_line("resampling", 0, 0, elapsed=200)
    'resampling: 3:20 so far'
    """
    if not 0 < done <= total:
        return f"{label}: {_time(elapsed)} so far"
    if done == total:
        return f"{label}: finishing, {_time(elapsed)} so far"
    return f"{label}: {100 * done // total}%, {_time(elapsed * (total - done) / done)} left"


def _time(seconds: float) -> str:
    whole = round(seconds)
    if whole < _MINUTE:
        return f"{whole} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE}:{whole % _MINUTE:02}"
    return f"{whole // _HOUR}:{whole % _HOUR // _MINUTE:02}:{whole % _MINUTE:02}"
