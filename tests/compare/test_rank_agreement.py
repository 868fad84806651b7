"""How far two rankings agree: the parts of the answer, its defaults, and runs that only one side has."""

from __future__ import annotations

import numpy as np
import pytest

from kaiwa.comparison.tau import Correlation, rank_agreement, rank_biased_overlap
from kaiwa.errors import InputError
from kaiwa.nouns.matrix import Matrix
from kaiwa.stats.kendall import kendall_tau


def table(measure: str, runs: str, means: list[float]) -> Matrix:
    """One topic per measure, so that the scores are the means."""
    return Matrix(measure, ("q1",), tuple(runs), np.array([means]))


def agreement(first: Matrix, second: Matrix, **options: object) -> Correlation:
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
    first, second = (Matrix(name, ("q1",), runs, means[None]) for name, means in (("AP", x), ("Q", y)))
    found = agreement(first, second, interval="bootstrap")
    named = kendall_tau(
        x, y, interval="bootstrap", confidence=0.95, trials=2000, rng=np.random.default_rng(1), ties="tau-b"
    )
    assert {name: getattr(found, name) for name in vars(named)} == vars(named)
    assert found.rbo == rank_biased_overlap(x, y, persistence=0.9)
    assert found.persistence == 0.9


def test_runs_that_only_one_side_has_are_left_out_and_named() -> None:
    """Those of the first side first; the sides have the names of their measures, or their own."""
    first, second = table("AP", "ABC", [0.3, 0.2, 0.1]), table("Q", "BCD", [0.3, 0.2, 0.1])
    found = agreement(first, second)
    assert (found.a, found.b, found.runs, found.left_out) == ("AP", "Q", 2, ("A", "D"))
    assert agreement(first, second, names=("old", "new")).a == "old"
    with pytest.raises(InputError, match="share no run"):
        agreement(first, table("Q", "DE", [0.2, 0.1]))


def test_means_equal_up_to_rounding_are_ties() -> None:
    """Two runs with the same scores in another order: their means differ in the last digit, and they tie."""
    scores = np.array([[0.1, 0.3, 0.9, 0.0], [0.2, 0.2, 0.9, 0.1], [0.3, 0.1, 0.9, 0.0]])
    assert scores[:, 0].mean() != scores[:, 1].mean()
    other = np.array([[0.5, 0.4, 0.9, 0.1]] * 3)
    first, second = (
        Matrix(name, ("1", "2", "3"), tuple("ABCD"), values) for name, values in (("AP", scores), ("Q", other))
    )
    found = agreement(first, second)
    assert found.tau == pytest.approx(5 / (5 * 6) ** 0.5)
    swapped = Matrix("AP", first.topics, first.runs, scores[:, [1, 0, 2, 3]])
    assert agreement(swapped, second).tau_ap == found.tau_ap
    assert agreement(swapped, second).overlap == found.overlap


ROBUST_2003 = [
    *((18, 38, 0.505), (16, 38, 0.4995), (13, 39, 0.5135), (12, 36, 0.4471), (16, 38, 0.5031), (15, 55, 0.6152)),
    *((14, 37, 0.4801), (14, 42, 0.5068), (14, 43, 0.5459), (16, 41, 0.5467), (18, 35, 0.4957), (7, 39, 0.44)),
    *((15, 36, 0.4561), (14, 46, 0.5731), (9, 11, 0.2254), (10, 43, 0.5144), (16, 44, 0.5632)),
]
"""17 runs of the TREC 2003 Robust track: of 100 topics those with nG@1 1/3 and 1, and the mean nERR@10."""


def test_17_real_runs_agree_by_the_tau_of_their_exact_means() -> None:
    """The audit's case: .84659, by scipy's kendalltau on whole numbers; sums of thirds in any order differ."""
    rng = np.random.default_rng(1)
    columns = [rng.permutation(np.repeat([1 / 3, 1.0, 0.0], [a, b, 100 - a - b])) for a, b, _ in ROBUST_2003]
    means = np.array([mean for *_, mean in ROBUST_2003])
    topics, runs = tuple(map(str, range(100))), tuple(map(str, range(17)))
    first = Matrix("nG@1", topics, runs, np.stack(columns, axis=1))
    second = Matrix("nERR@10", topics, runs, np.tile(means, (100, 1)))
    plain = [float(sum(column)) / 100 for column in columns]
    assert len(set(plain)) > len({a + 3 * b for a, b, _ in ROBUST_2003})
    assert agreement(first, second).tau == pytest.approx(0.84659, abs=5e-6)


def test_scores_that_cancel_tie_by_the_scale_of_the_scores() -> None:
    """Standardised means are all 0 up to rounding: there is no order among them."""
    values = np.array([[0.1, -0.3, 0.7], [0.2, 0.1, -0.2], [-0.3, 0.2, -0.5]])
    scores = Matrix("z", ("1", "2", "3"), tuple("ABC"), values)
    with pytest.raises(InputError, match="all means are equal"):
        agreement(scores, scores)


def test_limits_over_topics_are_wider_with_fewer_topics_and_absent_with_one() -> None:
    """They are limits of the tau from as many other topics; the interval over runs does not depend on the topics."""
    rng = np.random.default_rng(1)
    many = rng.normal(0, 0.3, (200, 12)) + np.linspace(0, 1, 12)
    other = many + rng.normal(0, 0.3, (200, 12))

    def width(topics: int) -> float:
        first, second = (
            Matrix(name, tuple(map(str, range(topics))), tuple("ABCDEFGHIJKL"), values[:topics])
            for name, values in (("AP", many), ("Q", other))
        )
        found = agreement(first, second, trials=300)
        limits = (found.topics_low, found.topics_high)
        assert limits
        return limits[1] - limits[0]

    assert width(10) > width(50) > width(200) > 0
    found = agreement(table("AP", "AB", [0.1, 0.2]), table("Q", "AB", [0.3, 0.2]))
    assert (found.topics_low, found.topics_high) == (None, None)


def test_topics_in_another_order_are_drawn_together() -> None:
    """The two sides share their topics by name: the same measure agrees with itself on every draw."""
    values = np.random.default_rng(1).random((9, 5))
    first = Matrix("AP", tuple("123456789"), tuple("ABCDE"), values)
    second = Matrix("Q", tuple("987654321"), tuple("ABCDE"), values[::-1])
    found = agreement(first, second, trials=100)
    assert (found.topics_low, found.topics_high) == (1.0, 1.0)
