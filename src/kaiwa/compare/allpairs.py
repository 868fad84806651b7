"""The tests that compare all pairs of runs at once, by name, with the same arguments and the same kind of result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from kaiwa.compare.hsd import AUTO_CAP, RandomisedHSD, randomised_hsd, randomised_hsd_until_clear
from kaiwa.compare.stepdown import step_down_hsd
from kaiwa.compare.tukey import tukey_hsd
from kaiwa.errors import InputError
from kaiwa.registry import Names

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

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
    threads: int = 1
    progress: Callable[[int, int], None] | None = None


@dataclass(frozen=True, eq=False)
class AllPairs:
    """p per pair, runs x runs, the critical difference, and the number of trials (None for an analytic test)."""

    p: FloatArray
    critical_difference: float
    trials: int | None


def _hsd(by_topic: FloatArray, settings: Settings) -> AllPairs:
    hsd = _until_clear(by_topic, settings) if settings.trials == "auto" else _fixed(by_topic, settings, settings.trials)
    return AllPairs(hsd.p_values(), hsd.critical_difference(settings.alpha), hsd.trials)


def _step_down(by_topic: FloatArray, settings: Settings) -> AllPairs:
    if settings.trials == "auto":
        raise InputError("trials 'auto' works with the test hsd only; give the step-down test a number of trials")
    stepped = step_down_hsd(
        by_topic,
        trials=settings.trials,
        rng=settings.rng,
        p_rule=settings.p_rule,
        threads=settings.threads,
        progress=settings.progress,
    )
    single = stepped.single_step
    return AllPairs(stepped.p, single.critical_difference(settings.alpha), single.trials)


def _tukey(by_topic: FloatArray, settings: Settings) -> AllPairs:
    found = tukey_hsd(by_topic, alpha=settings.alpha)
    return AllPairs(found.p, found.critical_difference, None)


ALL_PAIRS: Names[Callable[[FloatArray, Settings], AllPairs]] = Names(
    "test", {"hsd": _hsd, "step-down": _step_down, "tukey": _tukey}
)


def _fixed(by_topic: FloatArray, settings: Settings, trials: int) -> RandomisedHSD:
    return randomised_hsd(
        by_topic,
        trials=trials,
        rng=settings.rng,
        p_rule=settings.p_rule,
        threads=settings.threads,
        progress=settings.progress,
    )


def _until_clear(by_topic: FloatArray, settings: Settings) -> RandomisedHSD:
    return randomised_hsd_until_clear(
        by_topic,
        alpha=settings.alpha,
        rng=settings.rng,
        cap=settings.cap,
        p_rule=settings.p_rule,
        threads=settings.threads,
        progress=settings.progress,
    )
