"""Power by simulation, with the randomised test among those simulated."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.compare.hsd import randomised_hsd
from kaiwa.registry import Names
from kaiwa.topicset.simulation.power_simulation import Simulated, simulated_power, simulated_size
from kaiwa.topicset.simulation.test_verdicts import VERDICTS, Rejects

if TYPE_CHECKING:
    from collections.abc import Callable

    from kaiwa.model.ids import FloatArray
    from kaiwa.topicset import Design

PERMUTATIONS = 500


def simulated_tests(rng: np.random.Generator) -> Names[Rejects]:
    """The tests that can be simulated: the analytic ones, and the randomised Tukey HSD."""
    randomised: Rejects = partial(_randomised_hsd, rng=rng)
    return Names("simulated test", {**VERDICTS, "randomised-hsd": randomised})


def simulated_design(
    pilot: FloatArray,
    answer: Design,
    *,
    test: str,
    trials: int,
    rng: np.random.Generator,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Simulated, ...]:
    """Simulated powers at the designed n and, until one reaches the target, at better guesses; the last counts."""
    rejects = simulated_tests(rng)[test]

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
            progress=progress,
        )

    if answer.solved != "n":
        return (power_at(answer.n),)
    return simulated_size(power_at, start=answer.n, target=answer.asked.power or 0.8)


def _randomised_hsd(sets: FloatArray, *, alpha: float, rng: np.random.Generator) -> FloatArray:
    """Whether the first system and the last differ by the randomised Tukey HSD, per set."""
    found = [randomised_hsd(by_topic, trials=PERMUTATIONS, rng=rng).p_values()[0, -1] for by_topic in sets]
    return np.where(np.array(found) <= alpha, 1.0, 0.0)
