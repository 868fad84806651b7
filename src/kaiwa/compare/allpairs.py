"""The tests that compare all pairs of runs at once, by name, with the same arguments and the same kind of result."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from kaiwa.compare.hsd import AUTO_CAP, RangeTest, range_test, range_test_until_clear, shuffles
from kaiwa.compare.robust import familywise_error, least_p, topic_resamples
from kaiwa.compare.stepdown import StepDown, robust_step_down, step_down_hsd
from kaiwa.compare.tukey import tukey_hsd
from kaiwa.errors import InputError
from kaiwa.registry import Names
from kaiwa.stats.trial_blocks import ONE_THREAD, Workers

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from kaiwa.compare.hsd import NullMeans
    from kaiwa.model.ids import FloatArray
    from kaiwa.stats.p_values import PRule

Trials = int | Literal["auto"]


@dataclass(frozen=True)
class Settings:
    """How a test is run; ``trials="auto"`` adds trials until no pair is close to alpha, up to ``cap``."""

    trials: Trials
    alpha: float
    rng: np.random.Generator
    p_rule: PRule = "plus-one"
    cap: int = AUTO_CAP
    workers: Workers = ONE_THREAD
    progress: Callable[[int, int], None] | None = None


@dataclass(frozen=True, eq=False)
class AllPairs:
    """p per pair, runs x runs, the critical difference, and the number of trials (None for an analytic test).

    ``familywise`` is the estimated error of the test on runs with these variances and correlations.
    """

    p: FloatArray
    critical_difference: float
    trials: int | None
    familywise: float


def _hsd(by_topic: FloatArray, settings: Settings) -> AllPairs:
    null = shuffles(by_topic, settings.rng, settings.workers, settings.progress)
    return _assuming_equal(by_topic, settings, _single(_range_test(by_topic, null, settings), settings.alpha))


def _step_down(by_topic: FloatArray, settings: Settings) -> AllPairs:
    return _assuming_equal(by_topic, settings, _stepped(step_down_hsd, by_topic, settings))


def _tukey(by_topic: FloatArray, settings: Settings) -> AllPairs:
    found = tukey_hsd(by_topic, alpha=settings.alpha)
    return _assuming_equal(by_topic, settings, AllPairs(found.p, found.critical_difference, None, settings.alpha))


def _robust(by_topic: FloatArray, settings: Settings) -> AllPairs:
    null = topic_resamples(by_topic, settings.rng, settings.workers, settings.progress)
    return _single(_range_test(by_topic, null, settings, least_p(by_topic)), settings.alpha)


def _robust_step_down(by_topic: FloatArray, settings: Settings) -> AllPairs:
    return _stepped(robust_step_down, by_topic, settings)


ALL_PAIRS: Names[Callable[[FloatArray, Settings], AllPairs]] = Names(
    "test",
    {
        "hsd": _hsd,
        "step-down": _step_down,
        "tukey": _tukey,
        "robust": _robust,
        "robust-step-down": _robust_step_down,
    },
)
KEEPING = ("robust", "robust-step-down")
"""The tests that keep variances and correlations of the runs; the others assume that they are equal."""


def _range_test(by_topic: FloatArray, null: NullMeans, settings: Settings, least: float = 0.0) -> RangeTest:
    if settings.trials == "auto":
        return range_test_until_clear(
            by_topic, null, alpha=settings.alpha, cap=settings.cap, p_rule=settings.p_rule, least_p=least
        )
    return range_test(by_topic, null, trials=settings.trials, p_rule=settings.p_rule, least_p=least)


def _stepped(test: Callable[..., StepDown], by_topic: FloatArray, settings: Settings) -> AllPairs:
    if settings.trials == "auto":
        raise InputError(
            "trials 'auto' works with the tests hsd and robust only; give the step-down test a number of trials"
        )
    stepped = test(
        by_topic,
        trials=settings.trials,
        rng=settings.rng,
        p_rule=settings.p_rule,
        workers=settings.workers,
        progress=settings.progress,
    )
    return replace(_single(stepped.single_step, settings.alpha), p=stepped.p)


def _single(found: RangeTest, alpha: float) -> AllPairs:
    critical = found.critical_difference(alpha)
    beyond = float((found.ranges > critical + found.tolerance).mean())
    return AllPairs(found.p_values(), critical, found.trials, beyond)


def _assuming_equal(by_topic: FloatArray, settings: Settings, found: AllPairs) -> AllPairs:
    """The result with its error on such runs; a child of the generator draws, so later draws stay the same."""
    chance = settings.rng.spawn(1)[0]
    error = familywise_error(by_topic, found.critical_difference, rng=chance, workers=settings.workers)
    return replace(found, familywise=error)
