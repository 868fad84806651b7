"""How far two rankings agree: the parts of the answer, its defaults, and runs that only one side has."""

from __future__ import annotations

import numpy as np
import pytest

from kaiwa.compare.rank_agreement import RankAgreement, rank_agreement
from kaiwa.compare.rank_overlap import rank_biased_overlap
from kaiwa.errors import InputError
from kaiwa.model.scores import Scores
from kaiwa.stats.kendall import kendall_tau


def table(measure: str, runs: str, means: list[float]) -> Scores:
    """One topic per measure, so that the scores are the means."""
    return Scores(measure, ("q1",), tuple(runs), np.array([means]))


def agreement(first: Scores, second: Scores, **options: object) -> RankAgreement:
    """The agreement with a fixed seed."""
    return rank_agreement(first, second, **options, rng=np.random.default_rng(1))  # type: ignore[arg-type]  # any option


@pytest.mark.parametrize(
    ("runs", "overlap"),
    [
        ("ABCDEFGHIJ", {1: 0.0, 3: 2 / 3, 5: 4 / 5, 10: 1.0}),
        ("ABCDEFGHI", {1: 0.0, 3: 2 / 3, 5: 4 / 5}),
        ("ABCDE", {1: 0.0, 3: 2 / 3, 5: 1.0}),
    ],
)
def test_the_overlap_is_given_at_1_3_5_and_10_as_far_as_there_are_runs(runs: str, overlap: dict[int, float]) -> None:
    """The second ranking moves the first run to the last place, so every top of k loses one run but the whole."""
    first = [float(-place) for place in range(len(runs))]
    second = [-100.0, *first[1:]]
    assert agreement(table("AP", runs, first), table("Q", runs, second)).overlap == pytest.approx(overlap)


def test_defaults_are_a_95_percent_interval_of_2000_draws_and_a_persistence_of_9_tenths() -> None:
    """The same as the parts computed with these numbers by name."""
    x, y = np.random.default_rng(2).random((2, 40))
    runs = tuple(f"r{place}" for place in range(40))
    first, second = (Scores(name, ("q1",), runs, means[None]) for name, means in (("AP", x), ("Q", y)))
    found = agreement(first, second, interval="bootstrap")
    named = kendall_tau(
        x, y, interval="bootstrap", confidence=0.95, trials=2000, rng=np.random.default_rng(1), ties="tau-b"
    )
    assert found.tau == named
    assert found.rbo == rank_biased_overlap(x, y, persistence=0.9)
    assert found.persistence == 0.9


def test_runs_that_only_one_side_has_are_left_out_and_named() -> None:
    """Those of the first side first; the sides have the names of their measures, or their own."""
    first, second = table("AP", "ABC", [0.3, 0.2, 0.1]), table("Q", "BCD", [0.3, 0.2, 0.1])
    found = agreement(first, second)
    assert (found.a, found.b, found.runs, found.left_out) == ("AP", "Q", ("B", "C"), ("A", "D"))
    assert agreement(first, second, names=("old", "new")).a == "old"
    with pytest.raises(InputError, match="share no run"):
        agreement(first, table("Q", "DE", [0.2, 0.1]))
