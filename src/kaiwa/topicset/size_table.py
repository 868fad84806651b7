"""The table of the papers: the number of topics for every number of systems and every difference."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.stats.solvers import LARGEST_N
from kaiwa.topicset.requirement import Requirement, completed
from kaiwa.topicset.sizes import topics_needed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

GRID_SYSTEMS = (2, 5, 10, 50, 100)
GRID_DIFFERENCES = (0.05, 0.1, 0.15, 0.2)


@dataclass(frozen=True)
class SizeTable:
    """``sizes`` is differences x systems; None if a size is too large. ``asked`` is what all cells have in common."""

    asked: Requirement
    systems: tuple[int, ...]
    min_diffs: tuple[float, ...]
    sizes: tuple[tuple[int | None, ...], ...]


def size_table(
    asked: Requirement,
    *,
    systems: Sequence[int] = GRID_SYSTEMS,
    min_diffs: Sequence[float] = GRID_DIFFERENCES,
    ratio_of: Callable[[int], float] = lambda _systems: 1.0,
) -> SizeTable:
    """The sizes for every number of systems and every difference, one row per difference as in the papers.

    ``ratio_of`` is the range ratio of so many runs of a pilot, for the robust test.

    >>> size_table(Requirement(0.0643), systems=(2, 10), min_diffs=(0.15,)).sizes
    ((46, 91),)
    """
    cells = [completed(replace(asked, systems=m, min_diff=d)) for m in systems for d in min_diffs]
    one = cells[0]
    columns = [_column(one, m, min_diffs, ratio_of(m)) for m in systems]
    sizes = tuple(tuple(n if n <= LARGEST_N else None for n in row) for row in zip(*columns, strict=True))
    return SizeTable(one, tuple(systems), tuple(min_diffs), sizes)


def _column(one: Requirement, systems: int, min_diffs: Sequence[float], range_ratio: float) -> list[int]:
    """The sizes for one number of systems."""
    sizes: list[int] = topics_needed(
        systems=np.array(systems),
        min_diff=np.array(min_diffs),
        variance=np.array(one.error_variance),
        alpha=one.alpha or 0.05,
        power=one.power or 0.8,
        test=one.test,
        method=one.method,
        range_ratio=range_ratio,
    ).tolist()
    return sizes
