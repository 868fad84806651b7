"""Runs against one baseline: planned pairs, fewer than all pairs, so that the correction is smaller."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kaiwa.compare.equivalence import pair_verdict, require_margin
from kaiwa.compare.hsd import require_known_values, require_trials
from kaiwa.compare.paired_tests import against_baseline, differences_from
from kaiwa.errors import InputError, UnknownName, counted, option
from kaiwa.model.direction import TOPICS_AND_RUNS, Axes, Direction, Labelled, better_of
from kaiwa.model.late import verb
from kaiwa.model.shown import Shown
from kaiwa.stats.anova import require_matrix
from kaiwa.stats.p_values import enough_trials, fewest_trials, require_alpha, smallest_p
from kaiwa.stats.ties import tie_tolerance
from kaiwa.stats.trial_blocks import ONE_THREAD, Workers

if TYPE_CHECKING:
    import numpy as np

    from kaiwa.compare.equivalence import Verdict
    from kaiwa.compare.paired_tests import PairedTests
    from kaiwa.model.ids import FloatArray
    from kaiwa.model.scores import Scores
    from kaiwa.stats.p_values import PRule


@dataclass(frozen=True)
class PlannedPair:
    """A run (``a``) against the baseline (``b``): ``p`` is Holm-corrected, ``raw_p`` is not.

    ``diff`` is a - b; ``better`` is the run with the better mean, None if the means are equal. ``effect_size`` is the
    mean difference over the standard deviation of the per-topic differences. ``verdict`` is that on the run if a margin
    was given: ``better``, ``worse``, ``equivalent``, ``not inferior`` or ``undecided``.
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
    verdict: Verdict | None = None


@dataclass(frozen=True)
class BaselineComparison(Shown, Labelled):
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
    margin: float | None = None
    p_rule: PRule = "plus-one"

    def __repr__(self) -> str:
        size = f"{counted(self.topics, self.axes.topic)}, {counted(len(self.pairs), self.axes.run)}"
        return f"BaselineComparison({self.measure!r}, baseline {self.baseline!r}, {size})"

    @property
    def smallest_p(self) -> float:
        """The raw p of a difference that no trial reaches; 0 for an analytic test."""
        return smallest_p(self.trials, self.p_rule)

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
    trials: int | None = None,
    alpha: float = 0.05,
    rng: np.random.Generator,
    p_rule: PRule = "plus-one",
    workers: Workers = ONE_THREAD,
    margin: float | None = None,
) -> BaselineComparison:
    """Each run against the baseline by a paired test, Holm-corrected.

    By default there are as many trials as the comparisons need at ``alpha``, at least 5,000.

    >>> import numpy as np
    >>> from kaiwa.model.scores import Scores
    >>> scores = Scores("nG@1", tuple("123456"), ("A", "B"), np.array([[1.0, 0.0]] * 6))
    >>> compare_with_baseline(scores, "B", test="t", rng=np.random.default_rng(1)).pairs[0].significant
    True
    """
    try:
        require_matrix(scores.values, axes=scores.axes)
    except InputError as fault:
        raise InputError(f"{scores.measure}: {fault.marked}") from None
    if baseline not in scores.runs:
        raise UnknownName.among(scores.axes.run, baseline, scores.runs)
    require_alpha(alpha)
    require_known_values(trials=trials, p_rule=p_rule)
    require_margin(margin)
    drawn = 1 if test == "t" else _trials(trials, len(scores.runs) - 1, alpha, p_rule)
    column = scores.runs.index(baseline)
    tests = against_baseline(
        scores.values, column, test=test, trials=drawn, rng=rng, alpha=alpha, p_rule=p_rule, workers=workers
    )
    pairs = _planned_pairs(scores, baseline, tests, alpha)
    if margin is not None:
        pairs = tuple(replace(pair, verdict=pair_verdict(pair, margin, scores.direction)) for pair in pairs)
    return BaselineComparison(
        scores.measure,
        baseline,
        test,
        alpha,
        None if test == "t" else drawn,
        len(scores.topics),
        pairs,
        scores.direction,
        scores.axes,
        margin,
        p_rule,
    )


def _planned_pairs(scores: Scores, baseline: str, tests: PairedTests, alpha: float) -> tuple[PlannedPair, ...]:
    """The result of each other run, in the order of the runs."""
    effects = _effects(differences_from(scores.values, scores.runs.index(baseline)))
    tolerance = tie_tolerance(scores.values)
    others = [run for run in scores.runs if run != baseline]
    return tuple(
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
            better=better_of(run, baseline, 0.0 if abs(diff) <= tolerance else diff, scores.direction),
        )
        for place, run in enumerate(others)
    )


def _trials(given: int | None, comparisons: int, alpha: float, p_rule: PRule) -> int:
    """The given number of trials, if it can make a run significant; without one, as many as are enough."""
    if given is None:
        return enough_trials(alpha, comparisons=comparisons)
    require_trials(given)
    if given < (fewest := fewest_trials(alpha, p_rule, comparisons=comparisons)):
        what = f"{counted(given, 'trial')} cannot make any of {counted(comparisons, 'comparison')} significant"
        raise InputError(f"{what} at {alpha:g}; give at least {fewest:,}, or leave out {option('trials')}")
    return given


def _effects(differences: FloatArray) -> list[float | None]:
    spread = differences.std(axis=0, ddof=1)
    tolerance = tie_tolerance(differences)
    return [
        float(mean / sd) if sd > tolerance else None for mean, sd in zip(differences.mean(axis=0), spread, strict=True)
    ]
