"""Power by simulation, with the tests by resampling among those simulated."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING
from zlib import crc32

import numpy as np

from kaiwa.compare.hsd import randomised_hsd
from kaiwa.compare.robust import robust_hsd
from kaiwa.registry import Names
from kaiwa.stats.topic_draws import block_generator, trial_key
from kaiwa.stats.trial_blocks import ONE_THREAD, Workers
from kaiwa.topicset.designed_tests import ROBUST
from kaiwa.topicset.simulation.power_simulation import (
    Simulated,
    drawn_sets,
    is_discrete,
    kept_sets,
    simulated_power,
    simulated_size,
)
from kaiwa.topicset.simulation.test_verdicts import VERDICTS, Rejects

if TYPE_CHECKING:
    from collections.abc import Callable

    from kaiwa.compare.hsd import RangeTest
    from kaiwa.model.ids import FloatArray
    from kaiwa.topicset import Design

PERMUTATIONS = 500


def simulated_tests(rng: np.random.Generator) -> Names[Rejects]:
    """The tests that can be simulated: the analytic ones, the randomised Tukey HSD and the robust test."""
    key = trial_key(rng)
    randomised: Rejects = partial(_best_and_worst, randomised_hsd, key=key)
    robust: Rejects = partial(_best_and_worst, robust_hsd, key=key)
    return Names("simulated test", {**VERDICTS, "randomised-hsd": randomised, ROBUST: robust})


def simulated_design(
    pilot: FloatArray,
    answer: Design,
    *,
    test: str,
    trials: int,
    rng: np.random.Generator,
    workers: Workers = ONE_THREAD,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Simulated, ...]:
    """Simulated powers at the designed n and, until one reaches the target, at better guesses; the last counts.

    The robust test is simulated on runs of the pilot as they are, the others on scores dealt to the systems.
    """
    rejects = simulated_tests(rng)[test]
    whole = test == ROBUST and answer.systems <= pilot.shape[1] and not is_discrete(pilot)

    def power_at(n: int) -> Simulated:
        return simulated_power(
            pilot,
            rejects,
            n=n,
            systems=answer.systems,
            min_diff=answer.min_diff,
            alpha=answer.alpha,
            trials=trials,
            rng=rng,
            workers=workers,
            draw=kept_sets if whole else drawn_sets,
            progress=progress,
        )

    if answer.solved != "n":
        return (power_at(answer.n),)
    return simulated_size(power_at, start=answer.n, target=answer.asked.power or 0.8)


def _best_and_worst(test: Callable[..., RangeTest], sets: FloatArray, *, alpha: float, key: int) -> FloatArray:
    """Whether the first system and the last differ by a test, per set."""
    return np.where(np.array([_p_of_ends(test, by_topic, key) for by_topic in sets]) <= alpha, 1.0, 0.0)


def _p_of_ends(test: Callable[..., RangeTest], by_topic: FloatArray, key: int) -> float:
    """The p of the first system against the last; the trials are keyed by the scores, wherever they are made."""
    rng = block_generator(key, crc32(by_topic.tobytes()))
    return float(test(by_topic, trials=PERMUTATIONS, rng=rng).p_values()[0, -1])
