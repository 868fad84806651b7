"""Progress of a step of the work, told as that of the whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    Progress = Callable[[int, int], None]

_STEPS = 10_000


def share(progress: Progress, low: float, high: float) -> Progress:
    """What a step tells, which takes the work from ``low`` to ``high`` of its length.

    >>> share(lambda done, total: print(done / total), 0.5, 1.0)(1, 4)
    0.625
    """
    return lambda done, total: progress(int((low + (high - low) * done / max(total, 1)) * _STEPS), _STEPS)
