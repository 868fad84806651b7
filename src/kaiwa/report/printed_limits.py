"""Limits of intervals as people read them: cut at the ends of the scale. JSON, CSV and data frames keep them uncut."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING

from kaiwa.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.compare.baseline import BaselineComparison
    from kaiwa.compare.comparison import Comparison


@dataclass(frozen=True)
class Scale:
    """The smallest and the largest value of a statistic; infinite where there is none or it is not known."""

    low: float = -inf
    high: float = inf

    def cut(self, limit: float) -> float:
        """The limit, no further than the scale goes.

        >>> UNIT.cut(-0.02), UNIT.cut(0.5), Scale().cut(-0.02)
        (0.0, 0.5, -0.02)
        """
        return min(max(limit, self.low), self.high)

    def note(self, limits: Sequence[float], *, uncut: str) -> list[str]:
        """A sentence on where limits were cut, and what has them ``uncut``; none if no limit was cut.

        >>> UNIT.note([-0.02, 0.5], uncut="the data files have")
        ['Limits are cut at 0, the end of the scale; the data files have them uncut.']
        """
        below, above = any(limit < self.low for limit in limits), any(limit > self.high for limit in limits)
        ends = [f"{end:g}" for end, is_passed in ((self.low, below), (self.high, above)) if is_passed]
        which = "the end" if len(ends) == 1 else "the ends"
        return [f"Limits are cut at {' and '.join(ends)}, {which} of the scale; {uncut} them uncut."] if ends else []


UNIT, CORRELATION = Scale(0.0, 1.0), Scale(-1.0, 1.0)


def scale_of(comparison: Comparison) -> Scale:
    """The scale of the means: from 0 to 1 for a measure of Kaiwa, unbounded for scores of any other name."""
    return _known(comparison.measure, UNIT, [standing.mean for standing in comparison.standings])


def difference_scale(comparison: Comparison | BaselineComparison) -> Scale:
    """The scale of differences between means: from -1 to 1 for a measure of Kaiwa, else unbounded."""
    return _known(comparison.measure, CORRELATION, [pair.diff for pair in comparison.pairs])


def _known(measure: str, scale: Scale, values: Sequence[float]) -> Scale:
    """The scale, if the measure is known and every value is inside it; z-scores keep their measure's name."""
    from kaiwa.measure.chosen_measure import choose

    try:
        choose(measure)
    except InputError:
        return Scale()
    return scale if all(scale.cut(value) == value for value in values) else Scale()
