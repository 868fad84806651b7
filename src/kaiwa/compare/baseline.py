"""Runs against one baseline: planned pairs, fewer than all pairs, so that the correction is smaller."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.compare.hsd import require_known_values, require_trials, scale_tolerance
from kaiwa.compare.paired_tests import against_baseline
from kaiwa.errors import InputError, UnknownName, counted
from kaiwa.model.direction import TOPICS_AND_RUNS, Axes, Direction, better_of, labelled
from kaiwa.model.late import verb
from kaiwa.model.shown import Shown
from kaiwa.stats.anova import require_matrix

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray
    from kaiwa.model.scores import Scores
    from kaiwa.stats.p_values import PRule


@dataclass(frozen=True)
class PlannedPair:
    """A run (``a``) against the baseline (``b``): ``p`` is Holm-corrected, ``raw_p`` is not.

    ``diff`` is a - b; ``better`` is the run with the better mean, None if the means are equal. ``effect_size`` is the
    mean difference over the standard deviation of the per-topic differences.
    """

    a: str
    b: str
    diff: float
    low: float
    high: float
    p: float
    raw_p: float
    effect_size: float | None
    significant: bool
    better: str | None


@dataclass(frozen=True)
class BaselineComparison(Shown):
    """Every run against the baseline, under one measure.

    >>> import kaiwa, numpy
    >>> scores = kaiwa.Scores("nG@1", tuple("123456"), ("A", "B"), numpy.array([[1.0, 0.0]] * 6))
    >>> scores.compare_with_baseline("B", test="t")
    BaselineComparison('nG@1', baseline 'B', 6 topics, 1 run)
    """

    measure: str
    baseline: str
    test: str
    alpha: float
    trials: int | None
    topics: int
    pairs: tuple[PlannedPair, ...]
    direction: Direction = "higher"
    axes: Axes = TOPICS_AND_RUNS

    def __repr__(self) -> str:
        size = f"{counted(self.topics, self.axes.topic)}, {counted(len(self.pairs), self.axes.run)}"
        return f"BaselineComparison({self.measure!r}, baseline {self.baseline!r}, {size})"

    @property
    def label(self) -> str:
        """The measure's name for readers: ``ppl (lower is better)``."""
        return labelled(self.measure, self.direction)

    def methods(self) -> str:
        """The methods paragraph for a paper.

        >>> import kaiwa, numpy
        >>> scores = kaiwa.Scores("nG@1", tuple("123456"), ("A", "B", "C"), numpy.array([[1.0, 0.0, 0.5]] * 6))
        >>> scores.compare_with_baseline("B", test="t").methods().split(" by ")[0]
        'B was compared with 2 runs'
        """
        text: str = verb("BaselineComparison.methods")(self)
        return text


def compare_with_baseline(
    scores: Scores,
    baseline: str,
    *,
    test: str = "randomisation",
    trials: int = 5_000,
    alpha: float = 0.05,
    rng: np.random.Generator,
    p_rule: PRule = "plus-one",
) -> BaselineComparison:
    """Each run against the baseline by a paired test, Holm-corrected.

    >>> from kaiwa.model.scores import Scores
    >>> scores = Scores("nG@1", tuple("123456"), ("A", "B"), np.array([[1.0, 0.0]] * 6))
    >>> compare_with_baseline(scores, "B", test="t", rng=np.random.default_rng(1)).pairs[0].significant
    True
    """
    try:
        require_matrix(scores.values, axes=scores.axes)
    except InputError as fault:
        raise InputError(f"{scores.measure}: {fault}") from None
    if baseline not in scores.runs:
        raise UnknownName.among(scores.axes.run, baseline, scores.runs)
    if not 0 < alpha < 1:
        raise InputError(f"alpha {alpha} is not between 0 and 1; give 0.05, for example")
    require_known_values(trials=trials, p_rule=p_rule)
    require_trials(trials)
    column = scores.runs.index(baseline)
    tests = against_baseline(scores.values, column, test=test, trials=trials, rng=rng, alpha=alpha, p_rule=p_rule)
    effects = _effects(np.delete(scores.values, column, axis=1) - scores.values[:, [column]])
    others = [run for run in scores.runs if run != baseline]
    pairs = tuple(
        PlannedPair(
            a=run,
            b=baseline,
            diff=(diff := float(tests.differences[place])),
            low=float(tests.low[place]),
            high=float(tests.high[place]),
            p=float(tests.holm[place]),
            raw_p=float(tests.p[place]),
            effect_size=effects[place],
            significant=bool(tests.holm[place] <= alpha),
            better=better_of(run, baseline, diff, scores.direction),
        )
        for place, run in enumerate(others)
    )
    drawn = None if test == "t" else trials
    return BaselineComparison(
        scores.measure, baseline, test, alpha, drawn, len(scores.topics), pairs, scores.direction, scores.axes
    )


def _effects(differences: FloatArray) -> list[float | None]:
    spread = differences.std(axis=0, ddof=1)
    tolerance = scale_tolerance(differences)
    return [
        float(mean / sd) if sd > tolerance else None for mean, sd in zip(differences.mean(axis=0), spread, strict=True)
    ]
