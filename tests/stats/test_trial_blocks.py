"""Trials that are computed elsewhere, in another order, after a journey as bytes, have the same results."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import pytest

from kaiwa.comparison.baseline import compare_with_baseline
from kaiwa.comparison.family import compare_family
from kaiwa.comparison.leaderboard import compare_runs
from kaiwa.comparison.tau import rank_agreement
from kaiwa.comparison.variance import pooled_variance
from kaiwa.nouns.matrix import Matrix
from kaiwa.stats.resampling import Threads, Workers, drawn_counts, drawn_places, drawn_pluses, trial_blocks
from kaiwa.topicset.decisions import topics_for_decision
from kaiwa.topicset.pilots import simulated_tests
from kaiwa.topicset.rounds import planned_rounds
from kaiwa.topicset.simulation import simulated_power

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Result = TypeVar("Result")
CHANCE = np.random.default_rng(3)
VALUES = CHANCE.beta(1, 2, (30, 1)) * 0.5 + CHANCE.random((30, 4)) * 0.5 + np.array([0, 0.1, 0.2, 0.3])
TOPICS, RUNS = tuple(map(str, range(30))), tuple("ABCD")
SCORES = Matrix("AP", TOPICS, RUNS, VALUES)
OTHER = Matrix("P+", TOPICS, RUNS, VALUES + CHANCE.normal(0, 0.2, VALUES.shape))


class Elsewhere:
    """Workers that get each block as bytes, the last one first."""

    def results(self, block: Callable[[int, int], Result], spans: Sequence[tuple[int, int]]) -> list[Result]:
        """``block(start, count)`` of each span, in order."""
        sent = pickle.dumps(block)
        found = [pickle.loads(sent)(*span) for span in reversed(spans)]  # noqa: S301  our own bytes
        return found[::-1]


def _power(workers: Workers, test: str) -> object:
    rng = np.random.default_rng(1)
    rejects = simulated_tests(rng)[test]
    return simulated_power(
        VALUES, rejects, n=12, systems=3, min_diff=0.2, trials=1_100, tolerance=0.03, rng=rng, workers=workers
    )


def _rounds(workers: Workers) -> object:
    rng = np.random.default_rng(1)
    return planned_rounds(
        [10, 20], systems=3, min_diff=0.3, variance=0.1, shared_topics=True, trials=3_000, rng=rng, workers=workers
    )


VERBS: dict[str, Callable[[Workers], object]] = {
    **{
        test: lambda workers, test=test: compare_runs(  # type: ignore[misc]
            SCORES, test=test, trials=400, rng=np.random.default_rng(1), workers=workers
        )
        for test in ("hsd", "step-down", "tukey", "robust", "robust-step-down")
    },
    **{
        f"baseline by {test}": lambda workers, test=test: compare_with_baseline(  # type: ignore[misc]
            SCORES, "A", test=test, trials=400, rng=np.random.default_rng(1), workers=workers
        )
        for test in ("randomisation", "bootstrap")
    },
    "family": lambda workers: compare_family(
        [SCORES, OTHER], trials=400, rng=np.random.default_rng(1), workers=workers
    ),
    "variance": lambda workers: pooled_variance([VALUES], trials=400, rng=np.random.default_rng(1), workers=workers),
    "tau": lambda workers: rank_agreement(
        SCORES, OTHER, interval="bootstrap", trials=400, rng=np.random.default_rng(1), workers=workers
    ),
    "tau of other topics": lambda workers: rank_agreement(
        SCORES, Matrix("P+", tuple("abc"), RUNS, VALUES[:3]), trials=400, rng=np.random.default_rng(1), workers=workers
    ),
    "power": lambda workers: _power(workers, "two-way"),
    "power of shuffles": lambda workers: _power(workers, "hsd"),
    "decision": lambda workers: topics_for_decision(
        VALUES, goal="top", target=0.8, draws=200, rng=np.random.default_rng(1), workers=workers
    ),
    "rounds": _rounds,
}


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks so small that every verb has several."""
    for cells in ("BLOCK_CELLS", "DRAW_CELLS", "SHUFFLE_CELLS"):
        monkeypatch.setattr(f"kaiwa.stats.resampling.{cells}", 2_000)
    monkeypatch.setattr("kaiwa.topicset.simulation.BATCH_CELLS", 3_600)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("workers", [Threads(3), Elsewhere()], ids=["threads", "elsewhere"])
@pytest.mark.parametrize("verb", VERBS)
def test_a_result_does_not_depend_on_the_workers(verb: str, workers: Workers) -> None:
    """p-values, intervals, limits and numbers of topics are equal to the last bit."""
    assert repr(VERBS[verb](workers)) == repr(VERBS[verb](Threads()))


def test_blocks_are_computed_as_they_are_used() -> None:
    """A caller that stops early has computed no more blocks than there are workers beyond the last one used."""
    seen: list[int] = []

    def block(start: int, count: int) -> int:
        seen.append(start)
        return count

    found = trial_blocks(block, trials=100, size=10, workers=Threads(2))
    assert [next(found), next(found), next(found)] == [10, 10, 10]
    assert max(seen) <= 30


@pytest.mark.parametrize("draw", [drawn_places, drawn_counts, drawn_pluses])
def test_a_trial_has_its_draws_wherever_its_block_starts(draw: Callable[[int, int, int, int], object]) -> None:
    """The draws of trial 7 are the same in a block that starts at 0 and in one that starts at 5."""
    early, late = np.asarray(draw(9, 0, 10, 33)), np.asarray(draw(9, 5, 3, 33))
    assert (early[5:8] == late).all()
    assert (early[0] != early[1]).any()


def test_signs_and_places_are_equally_likely() -> None:
    """Half of the signs are a plus; each place is drawn once per trial on average."""
    assert drawn_pluses(1, 0, 4_000, 70).mean(axis=0) == pytest.approx(0.5, abs=0.04)
    assert drawn_counts(1, 0, 4_000, 7).mean(axis=0) == pytest.approx(1, abs=0.06)
