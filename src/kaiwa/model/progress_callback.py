"""How long work reports its progress: a function of the amount done and the total."""

from __future__ import annotations

from collections.abc import Callable

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
