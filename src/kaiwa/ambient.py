"""Where progress and remarks go: the one thing that work does not take as an argument.

The command shows both on stderr; in Python nothing is printed, and what a reader must know stands in the result.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    Moved = Callable[[int, int], None]


class Channel(Protocol):
    """Who shows progress and remarks."""

    def remark(self, line: str) -> None:
        """Show a line."""

    def progress(self, label: str) -> AbstractContextManager[Moved]:
        """A block of work, whose progress is a function of the amount done and the total."""


class Silent:
    """Shows nothing."""

    def remark(self, line: str) -> None:
        """Show nothing."""

    def progress(self, label: str) -> AbstractContextManager[Moved]:  # noqa: ARG002  the protocol's
        """Show nothing."""
        return nullcontext(lambda _done, _total: None)


_CHANNEL: ContextVar[Channel] = ContextVar("channel", default=Silent())  # noqa: B039  Silent has no state


@contextmanager
def shown_by(channel: Channel) -> Iterator[None]:
    """A block whose progress and remarks a channel shows."""
    before = _CHANNEL.set(channel)
    try:
        yield
    finally:
        _CHANNEL.reset(before)


def channel() -> Channel:
    """Who shows the progress and the remarks of this work."""
    return _CHANNEL.get()


def remark(line: str) -> None:
    """Show a line to whoever waits for the work."""
    _CHANNEL.get().remark(line)


def progress(label: str) -> AbstractContextManager[Moved]:
    """A block of work that says how far it is.

    >>> with progress("resampling") as moved:
    ...     moved(1, 10)
    """
    return _CHANNEL.get().progress(label)


# How long work reports its progress: a function of the amount done and the total.


Progress = Callable[[int, int], None]

_STEPS = 10_000


def no_progress(_done: int, _total: int) -> None:
    """Report nothing."""


def share(progress: Progress, low: float, high: float) -> Progress:
    """A callback for one step of the work, which covers the share from ``low`` to ``high`` (0 to 1) of the whole.

    >>> share(lambda done, total: print(done / total), 0.5, 1.0)(1, 4)
    0.625
    """
    return lambda done, total: progress(int((low + (high - low) * done / max(total, 1)) * _STEPS), _STEPS)
