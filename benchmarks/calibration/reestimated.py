"""Whether estimating the variance again between rounds keeps the error and the power, on real runs.

    python -m benchmarks.calibration.reestimated FOLDER --draws 12 > benchmarks/results/calibration/reestimated.md

FOLDER has score matrices (CSV, topics x runs), in folders or not; those of at least 40 runs are used. A pilot of 25
topics and 10 runs gives a design, which is tested after a third, two thirds and all of its topics, at the levels of
``kaiwa.design_rounds``. The plan is kept, or its last look moves after each look by the variance of the scores so far.
"""

from __future__ import annotations

import argparse
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.calibration.progress import steps
from benchmarks.calibration.real_runs import matrices
from kaiwa.comparison.allpairs import robust_hsd
from kaiwa.errors import DesignError
from kaiwa.nouns.matrix import Matrix
from kaiwa.topicset.design_review import ratio_limits
from kaiwa.topicset.pilots import required_design
from kaiwa.topicset.power_functions import estimated_variance
from kaiwa.topicset.requirement import Requirement
from kaiwa.topicset.rounds import Schedule, moved, p_values, schedule, spent_levels
from kaiwa.topicset.tests import ROBUST

if TYPE_CHECKING:
    from collections.abc import Callable

    from kaiwa.nouns.ids import FloatArray
    from kaiwa.topicset.sizes import Answer

    Moves = Callable[[FloatArray, Schedule], Schedule]

SEED = 3307
SYSTEMS, MIN_DIFF, ALPHA, POWER = 10, 0.1, 0.05, 0.8
ASKED = Requirement(1.0, None, POWER, MIN_DIFF, SYSTEMS, ALPHA, ROBUST)
PILOT = (25, 10)
TRIALS, LEVEL_TRIALS = 1_999, 20_000
"""The first level is about .0006: fewer trials have no p that small."""
FEWEST_RUNS, MOST_TOPICS = 40, 2_000
SIZES = (((25, 10), (50, 10)), ((50, 10), (100, 20)), ((50, 40), (50, 10)))


def named(values: FloatArray) -> Matrix:
    """Scores as the functions take them."""
    topics, runs = (tuple(map(str, range(size))) for size in values.shape)
    return Matrix("score", topics, runs, values)


def drawn(values: FloatArray, topics: int, runs: int, rng: np.random.Generator) -> FloatArray:
    """Topics with replacement and runs without."""
    columns = rng.choice(values.shape[1], runs, replace=False)
    picked: FloatArray = values[rng.integers(len(values), size=topics)][:, columns]
    return picked


def centred(values: FloatArray) -> FloatArray:
    """The matrix without its run means, scaled so that a draw of topics has the variance of the matrix."""
    scaled: FloatArray = (values - values.mean(axis=0)) * sqrt(len(values) / (len(values) - 1))
    return scaled


def kept(_seen: FloatArray, planned: Schedule) -> Schedule:
    """The plan as it was made."""
    return planned


def estimated_again(seen: FloatArray, planned: Schedule) -> Schedule:
    """The plan with the last look that the scores so far ask for."""
    asked: Answer = required_design(named(seen), ASKED)
    return moved(planned, len(seen), min(asked.n, MOST_TOPICS))


@cache
def levels_of(planned: Schedule) -> FloatArray:
    """The levels of a plan, as ``planned_rounds`` finds them, from fewer trials."""
    rng = np.random.default_rng(SEED)
    null = p_values(planned.sizes, SYSTEMS, True, means=np.zeros(SYSTEMS), trials=LEVEL_TRIALS, rng=rng, by="range")
    return spent_levels(null, planned.spent, exact_first=True)


def looked(
    errors: FloatArray, planned: Schedule, moves: Moves, rng: np.random.Generator
) -> tuple[bool, bool, int, int]:
    """Of one round: whether a look finds a difference where none is, and best and worst where they differ.

    Also the topics of the last look, and those used until the difference was found. ``robust`` removes the run means
    first, so one set of trials tests the runs without a difference and with it.
    """
    scores = drawn(errors, MOST_TOPICS + 1, SYSTEMS, rng)
    wrong = found = False
    used, place = 0, 0
    while place < len(planned.sizes):
        n = planned.sizes[place]
        test, means = robust_hsd(scores[:n], trials=TRIALS, rng=rng), scores[:n].mean(axis=0)
        null, pair = (
            test.p_of(np.array([np.ptp(means), abs(means[0] - means[-1] + MIN_DIFF)])) <= levels_of(planned)[place]
        )
        wrong = wrong or bool(null)
        used = used if found else n
        found = found or bool(pair)
        if place < len(planned.sizes) - 1:
            planned = moves(scores[:n], planned)
        place += 1
    return wrong, found, planned.sizes[-1], used


def plan_from(pilot: FloatArray, rng: np.random.Generator) -> Schedule | None:
    """Looks after a third, two thirds and all of the topics that a pilot asks for; None if it asks for too many."""
    try:
        n = required_design(named(drawn(pilot, *PILOT, rng)), ASKED).n
    except (DesignError, ValueError):
        return None
    return schedule([n // 3, 2 * n // 3, n]) if 15 <= n <= MOST_TOPICS else None


def rounds_row(
    name: str,
    moves: Moves,
    other: bool,  # noqa: FBT001  a column of a table
    *,
    population: list[FloatArray],
    draws: int,
) -> str:
    """The error, the power and the topics of one way to plan; the pilot is of the same matrix or of another one."""
    rng = np.random.default_rng(SEED)
    each = []
    for values in steps(name, population):
        found = []
        for _ in range(draws):
            pilot = population[rng.integers(len(population))] if other else values
            planned = plan_from(pilot, rng)
            if planned is not None:
                found.append(looked(centred(values), planned, moves, rng))
        each.append(np.array(found, dtype=np.float64))
    everything, means = np.concatenate(each), np.array([one.mean(axis=0) for one in each])
    error, power = everything[:, 0].mean(), everything[:, 1].mean()
    low, high = np.quantile(means[:, 1], [0.1, 0.9])
    cells = [
        name,
        len(everything),
        *(f"{share:.3f} ± {sqrt(share * (1 - share) / len(everything)):.3f}" for share in (error, power)),
        f"{low:.2f} to {high:.2f}",
        f"{np.median(everything[:, 2]):.0f}",
        f"{everything[:, 3].mean():.0f}",
    ]
    return "| " + " | ".join(map(str, cells)) + " |"


def limits_row(first: tuple[int, int], then: tuple[int, int], population: list[FloatArray], draws: int) -> str:
    """How often the limits of the ratio of two variances hold 1, and lie above or below it, where nothing changed."""
    rng = np.random.default_rng(SEED)
    found = []
    for values in population:
        for _ in range(draws):
            both = [estimated_variance([drawn(values, *size, rng)], shared_topics=True) for size in (then, first)]
            low, high = ratio_limits(*both)
            found.append((low <= 1 <= high, low > 1, high < 1))
    inside, above, below = np.array(found).mean(axis=0)
    error = sqrt(inside * (1 - inside) / len(found))
    names = [f"{topics} x {runs}" for topics, runs in (first, then)]
    return f"| {names[0]} | {names[1]} | {len(found)} | {inside:.3f} ± {error:.3f} | {above:.3f} | {below:.3f} |"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--draws", type=int, default=20, help="Rounds of each matrix.")
    parser.add_argument("--workers", type=int, default=1, help="Processes.")
    options = parser.parse_args()
    population = [values for values in matrices(options.folder).values() if values.shape[1] >= FEWEST_RUNS]
    plans = [
        ("pilot of the same collection, plan kept", kept, False),
        ("the same, estimated again", estimated_again, False),
        ("pilot of any collection, plan kept", kept, True),
        ("the same, estimated again", estimated_again, True),
    ]
    row = partial(rounds_row, population=population, draws=options.draws)
    with ProcessPoolExecutor(options.workers) as pool:
        rows = list(pool.map(row, *zip(*plans, strict=True)))
    limits = [limits_row(first, then, population, 5 * options.draws) for first, then in SIZES]
    print(f"""# The variance estimated again, between rounds and after a round

Made by `python -m benchmarks.calibration.reestimated FOLDER --draws {options.draws}`. Seed {SEED}, alpha {ALPHA}, \
{SYSTEMS} runs, best
and worst differ by {MIN_DIFF}, the others lie midway; `robust` with {TRIALS:,} trials; {len(population)} TREC \
matrices of at least {FEWEST_RUNS} runs.
± is a standard error.

## Three looks, O'Brien-Fleming (required: error .05, power .80)

A pilot of {PILOT[0]} topics x {PILOT[1]} runs asks for n topics; the looks are at n/3, 2n/3 and n. The plan is kept, \
or after each look but
the last the variance of the scores so far gives a new n, and the levels that remain are those of `kaiwa design rounds
--so-far`. The topics of a round are drawn with replacement, its runs have no means of their own (error), or the two of
them differ (power: some look finds this pair). The spread is that of the power over matrices, the middle 80%.

| plan | rounds | error | power | spread | last look, median | topics used, mean |
|---|---|---|---|---|---|---|
{chr(10).join(rows)}

## The limits of the ratio of two variances (required: .95 hold 1)

A pilot and a round of the same matrix, each with topics and runs of its own, so that the true ratio is 1; `V_E2` and
the limits of `kaiwa design review`.

| pilot | round | draws | hold 1 | above 1 | below 1 |
|---|---|---|---|---|---|
{chr(10).join(limits)}""")


if __name__ == "__main__":
    main()
