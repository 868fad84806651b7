"""A whole comparison of runs: every pair, the ranks and groups that follow, and what was done to find them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from kaiwa.compare.anova import AnovaTable, require_matrix, two_way_anova
from kaiwa.compare.groups import best_first, group_letters, tied_ranks
from kaiwa.compare.hsd import (
    AUTO_CAP,
    PRule,
    fewest_trials,
    monte_carlo_error,
    randomised_hsd,
    randomised_hsd_until_clear,
    too_close,
)
from kaiwa.compare.stepdown import step_down_hsd
from kaiwa.compare.tukey import tukey_hsd
from kaiwa.errors import InputError, UnknownName

if TYPE_CHECKING:
    from collections.abc import Callable

    from kaiwa.model import FloatArray, Scores

Trials = int | Literal["auto"]
TESTS = ("hsd", "step-down", "tukey")


@dataclass(frozen=True)
class PairResult:
    """One pair of runs: the difference a - b with its interval, its p and what that p is worth.

    ``effect_size`` is ES_HSD, the difference over the residual standard deviation; None where nothing is
    left over. ``close`` marks a p that more trials could carry across alpha.
    """

    a: str
    b: str
    diff: float
    low: float
    high: float
    p: float
    error: float
    effect_size: float | None
    significant: bool
    close: bool


@dataclass(frozen=True)
class Standing:
    """One run's line of the leaderboard; two runs whose intervals do not overlap differ significantly."""

    run: str
    mean: float
    low: float
    high: float
    rank: int
    groups: str


@dataclass(frozen=True)
class Comparison:
    """All pairs of runs under one measure, compared."""

    measure: str
    test: str
    alpha: float
    trials: int | None
    p_rule: PRule
    topics: int
    pairs: tuple[PairResult, ...]
    standings: tuple[Standing, ...]
    critical_difference: float
    anova: AnovaTable
    unranked: tuple[str, ...] = ()

    @property
    def ranks(self) -> dict[str, int]:
        """Each run's rank: 1 + the number of runs significantly better."""
        return {standing.run: standing.rank for standing in self.standings}

    @property
    def significant_pairs(self) -> int:
        """How many pairs differ significantly."""
        return sum(pair.significant for pair in self.pairs)

    @property
    def discriminative_power(self) -> float:
        """The share of pairs that differ significantly (Sakai 2006)."""
        return self.significant_pairs / len(self.pairs)

    @property
    def close_pairs(self) -> tuple[PairResult, ...]:
        """The pairs too close to alpha to call with these trials."""
        return tuple(pair for pair in self.pairs if pair.close)


@dataclass(frozen=True, eq=False)
class _AllPairs:
    p: FloatArray
    critical_difference: float
    trials: int | None


def compare_runs(
    scores: Scores,
    *,
    test: str = "hsd",
    trials: Trials = 5_000,
    alpha: float = 0.05,
    rng: np.random.Generator,
    p_rule: PRule = "plus-one",
    cap: int = AUTO_CAP,
    threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Comparison:
    """Every pair of runs compared, with ranks and groups.

    >>> from kaiwa.model import Scores
    >>> scores = Scores("nG@1", tuple("123456"), ("A", "B"), np.array([[1.0, 0.0]] * 6))
    >>> compare_runs(scores, trials=999, rng=np.random.default_rng(1)).ranks
    {'A': 1, 'B': 2}
    """
    _require_settings(scores, test, trials, alpha, p_rule)
    if test == "tukey":
        analytic = tukey_hsd(scores.values, alpha=alpha)
        found = _AllPairs(analytic.p, analytic.critical_difference, None)
    elif test == "step-down":
        stepped = step_down_hsd(
            scores.values, trials=int(trials), rng=rng, p_rule=p_rule, threads=threads, progress=progress
        )
        found = _AllPairs(stepped.p, stepped.single_step.critical_difference(alpha), stepped.single_step.trials)
    else:
        if trials == "auto":
            single = randomised_hsd_until_clear(
                scores.values, alpha=alpha, rng=rng, cap=cap, p_rule=p_rule, threads=threads, progress=progress
            )
        else:
            single = randomised_hsd(
                scores.values, trials=trials, rng=rng, p_rule=p_rule, threads=threads, progress=progress
            )
        found = _AllPairs(single.p_values(), single.critical_difference(alpha), single.trials)
    return _comparison(scores, test, alpha, p_rule, found)


def _comparison(scores: Scores, test: str, alpha: float, p_rule: PRule, found: _AllPairs) -> Comparison:
    anova = two_way_anova(scores.values)
    return Comparison(
        measure=scores.measure,
        test=test,
        alpha=alpha,
        trials=found.trials,
        p_rule=p_rule,
        topics=len(scores.topics),
        pairs=_pairs(scores, found, alpha, anova.v_e2),
        standings=_standings(scores, found, alpha),
        critical_difference=found.critical_difference,
        anova=anova,
    )


def _pairs(scores: Scores, found: _AllPairs, alpha: float, v_e2: float) -> tuple[PairResult, ...]:
    means = scores.values.mean(axis=0)
    first, second = np.triu_indices(len(means), 1)
    p = found.p[first, second]
    error = monte_carlo_error(p, found.trials) if found.trials else np.zeros(len(p))
    close = too_close(p, alpha, found.trials) if found.trials else np.zeros(len(p), dtype=bool)
    rows = zip(first.tolist(), second.tolist(), p.tolist(), error.tolist(), close.tolist(), strict=True)
    return tuple(
        PairResult(
            a=scores.runs[a],
            b=scores.runs[b],
            diff=(diff := float(means[a] - means[b])),
            low=diff - found.critical_difference,
            high=diff + found.critical_difference,
            p=p_ab,
            error=error_ab,
            effect_size=diff / v_e2**0.5 if v_e2 else None,
            significant=p_ab <= alpha,
            close=bool(close_ab),
        )
        for a, b, p_ab, error_ab, close_ab in rows
    )


def _standings(scores: Scores, found: _AllPairs, alpha: float) -> tuple[Standing, ...]:
    means = scores.values.mean(axis=0)
    differs = found.p <= alpha
    ranks = tied_ranks(means, differs)
    letters = group_letters(means, differs)
    reach = found.critical_difference / 2
    return tuple(
        Standing(scores.runs[run], mean := float(means[run]), mean - reach, mean + reach, ranks[run], letters[run])
        for run in best_first(means).tolist()
    )


def _require_settings(scores: Scores, test: str, trials: Trials, alpha: float, p_rule: PRule) -> None:
    try:
        require_matrix(scores.values)
    except InputError as fault:
        raise InputError(f"{scores.measure}: {fault}") from None
    if test not in TESTS:
        raise UnknownName.among("test", test, TESTS)
    if not 0 < alpha < 1:
        raise InputError(f"alpha {alpha} is not between 0 and 1; give 0.05, say")
    if trials == "auto" and test == "step-down":
        raise InputError("automatic trials are for the single-step test; give the step-down test a number of trials")
    if trials != "auto" and test != "tukey" and trials < (fewest := fewest_trials(alpha, p_rule)):
        raise InputError(f"{trials} trials cannot make any pair significant at {alpha:g}; give at least {fewest}")
