"""The all-pairs test that keeps variances and correlations, and the estimated error of the tests that do not."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from kaiwa.comparison.allpairs import (
    ALL_PAIRS,
    KEEPING,
    RangeTest,
    familywise_error,
    randomised_hsd,
    robust_hsd,
    robust_step_down,
)
from kaiwa.comparison.leaderboard import Leaderboard, compare_runs
from kaiwa.errors import InputError
from kaiwa.nouns.ids import FloatArray
from kaiwa.nouns.matrix import Matrix
from kaiwa.stats.anova import residual_variance
from kaiwa.stats.resampling import Threads

Draw = Callable[[np.random.Generator], FloatArray]


def team(rng: np.random.Generator, topics: int = 40) -> FloatArray:
    """28 near-duplicates of one run and two other runs; all have the same mean."""
    ones = rng.normal(0.4, 0.25, (topics, 1)) + rng.normal(0, 0.03, (topics, 28))
    return np.hstack((ones, rng.normal(0.4, 0.25, (topics, 2))))


def exchangeable(rng: np.random.Generator, topics: int = 40) -> FloatArray:
    """Eight runs with equal variances and correlations, and the same mean."""
    return rng.normal(0.4, 0.2, (topics, 1)) + rng.normal(0, 0.15, (topics, 8))


def error(test: Callable[..., RangeTest], draw: Draw, simulations: int = 300) -> float:
    """How often any of the runs of equal means differ significantly."""
    rng = np.random.default_rng(11)
    found = (test(draw(rng), trials=99, rng=rng).p_values().min() <= 0.05 for _ in range(simulations))
    return float(np.mean(list(found)))


def compared(values: FloatArray, test: str = "hsd", **options: object) -> Leaderboard:
    """The comparison of a matrix."""
    topics, runs = (tuple(map(str, range(size))) for size in values.shape)
    scores = Matrix("AP", topics, runs, values)
    return compare_runs(scores, test=test, rng=np.random.default_rng(1), **options)  # type: ignore[arg-type]


def test_near_duplicate_runs_of_one_team_break_the_shuffles_and_not_the_robust_test() -> None:
    """The audit's case: nominal .05, .28 to .40 by shuffling among runs."""
    assert error(randomised_hsd, team, simulations=60) > 0.2
    assert error(robust_hsd, team) == pytest.approx(0.05, abs=0.035)


def test_unequal_variances_break_the_shuffles_and_not_the_robust_test() -> None:
    """Equal means and residual standard deviations from .02 to .4."""

    def unequal(rng: np.random.Generator) -> FloatArray:
        return rng.normal(0.4, 0.2, (40, 1)) + rng.normal(0, 1, (40, 8)) * np.geomspace(0.02, 0.4, 8)

    assert error(randomised_hsd, unequal) > 0.12
    assert error(robust_hsd, unequal) == pytest.approx(0.05, abs=0.035)


def test_on_exchangeable_runs_both_tests_hold_the_error() -> None:
    """Where shuffling is exact, resampling topics is not worse."""
    assert error(randomised_hsd, exchangeable) == pytest.approx(0.05, abs=0.035)
    assert error(robust_hsd, exchangeable) == pytest.approx(0.05, abs=0.035)


def test_p_values_approach_exhaustive_enumeration() -> None:
    """Six topics: every pattern of signs, the range over the trial's own two-way residual standard deviation."""
    by_topic = np.random.default_rng(8).random((6, 3)) + np.array([0.0, 0.2, 0.4])
    residuals = (by_topic - by_topic.mean(axis=0)) * np.sqrt(6 / 5)
    flipped = [np.array(signs)[:, None] * residuals for signs in itertools.product((1, -1), repeat=6)]
    means = [each.mean(axis=0) for each in flipped]
    null = np.array([np.ptp(mean) for mean in means]) / np.sqrt([residual_variance(each) for each in flipped])
    observed = by_topic.mean(axis=0)
    cuts = np.abs(observed[:, None] - observed) / np.sqrt(residual_variance(by_topic))
    exact = np.maximum((null[:, None, None] >= cuts - 1e-9).mean(axis=0), 1 / 32)
    sampled = robust_hsd(by_topic, trials=40_000, rng=np.random.default_rng(5), p_rule="share").p_values()
    assert np.abs(sampled - exact).max() <= 4 * np.sqrt(0.25 / 40_000)


def test_step_down_is_never_less_powerful_and_starts_with_the_same_p() -> None:
    """On the same trials no step-down p is above the single-step one; the largest difference keeps its p."""
    by_topic = np.random.default_rng(1).random((12, 6)) + np.linspace(0, 0.5, 6)
    stepped = robust_step_down(by_topic, trials=2000, rng=np.random.default_rng(2))
    single = robust_hsd(by_topic, trials=2000, rng=np.random.default_rng(2)).p_values()
    assert (stepped.p <= single + 1e-15).all()
    largest = np.unravel_index(np.abs(np.subtract.outer(*[by_topic.mean(axis=0)] * 2)).argmax(), single.shape)
    assert stepped.p[largest] == single[largest]


def test_few_topics_are_never_significant_however_equal_their_differences() -> None:
    """Five topics: p is at least 2^-4, above .05; with six topics the same difference is significant."""
    five, six = (compared(np.tile([0.9, 0.1], (topics, 1)), "robust") for topics in (5, 6))
    assert (five.pairs[0].p, five.significant_pairs, five.critical_difference) == (1 / 16, 0, float("inf"))
    assert (six.pairs[0].p, six.significant_pairs) == (1 / 32, 1)


def test_harder_topics_and_another_scale_change_no_p() -> None:
    """What is added to every run on a topic cancels in the differences."""
    by_topic = np.random.default_rng(4).integers(0, 21, (30, 4)) / 16
    moved = 8 * by_topic + np.arange(30)[:, None]
    first, second = (
        robust_hsd(each, trials=499, rng=np.random.default_rng(1)).p_values() for each in (by_topic, moved)
    )
    assert np.array_equal(first, second)


def test_the_error_of_a_test_is_estimated_from_the_data() -> None:
    """Far above alpha for the team, near alpha for exchangeable runs; the robust test says alpha."""
    broken, fine = compared(team(np.random.default_rng(2))), compared(exchangeable(np.random.default_rng(2)))
    assert broken.familywise > 0.15
    assert not broken.error_held
    assert fine.familywise == pytest.approx(0.05, abs=0.025)
    assert fine.error_held
    held = compared(team(np.random.default_rng(2)), "robust")
    assert held.familywise == pytest.approx(0.05, abs=0.001)
    assert held.error_held


@pytest.mark.parametrize("test", [name for name in ALL_PAIRS if name not in KEEPING])
def test_every_test_that_assumes_equal_runs_estimates_its_error(test: str) -> None:
    """Step-down and Tukey share it."""
    assert compared(team(np.random.default_rng(2)), test, trials=999).familywise > 0.15


def test_the_estimate_leaves_the_generator_of_the_test_alone() -> None:
    """A seed gives the same p-values as before the error was estimated, and the same draws after the test."""
    rng = np.random.default_rng(7)
    values = exchangeable(np.random.default_rng(2))
    scores = Matrix("AP", tuple(map(str, range(40))), tuple("ABCDEFGH"), values)
    found = compare_runs(scores, test="hsd", trials=99, rng=rng)
    again = np.random.default_rng(7)
    assert found.pairs[0].p == randomised_hsd(values, trials=99, rng=again).p_values()[0, 1]
    assert rng.random() == again.random()


def test_without_a_critical_difference_there_is_no_error() -> None:
    """Nothing exceeds infinity."""
    values = exchangeable(np.random.default_rng(2))
    assert familywise_error(values, float("inf"), rng=np.random.default_rng(1)) == 0


def test_automatic_trials_run_with_robust_and_not_with_its_step_down() -> None:
    """The same rule as for hsd: trials double until no pair is near alpha."""
    clear = np.tile([0.9, 0.1], (12, 1)) + np.eye(12, 2) / 100
    assert compared(clear, "robust", trials="auto").trials == 5_000
    with pytest.raises(InputError, match="give the step-down test a number"):
        compared(clear, "robust-step-down", trials="auto")


def clustered(rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Twelve clusters of five topics, on which a run is good or bad together; all runs have the same mean."""
    labels = np.repeat(np.arange(12.0), 5)
    together = rng.normal(0, 0.15, (12, 6))[labels.astype(int)]
    return rng.normal(0.4, 0.2, (60, 1)) + together + rng.normal(0, 0.1, (60, 6)), labels


def test_dependent_topics_break_the_test_unless_they_are_resampled_as_clusters() -> None:
    """Five variants of one topic are not five topics: the error is far above .05, and .05 with clusters."""
    rng = np.random.default_rng(4)
    found = []
    for _ in range(300):
        values, labels = clustered(rng)
        both = [
            robust_hsd(values, trials=99, rng=rng, clusters=given).p_values().min() <= 0.05 for given in (None, labels)
        ]
        found.append(both)
    alone, together = np.mean(found, axis=0)
    assert alone > 0.3
    assert together == pytest.approx(0.05, abs=0.035)


def test_clusters_are_the_same_test_on_their_sums() -> None:
    """Equal clusters: the p-values of the matrix of cluster means, with the limit of so many clusters."""
    values, labels = clustered(np.random.default_rng(5))
    sums = values.reshape(12, 5, 6).mean(axis=1)
    one, other = (
        robust_hsd(matrix, trials=999, rng=np.random.default_rng(1), clusters=given).p_values()
        for matrix, given in ((values, labels), (sums, None))
    )
    assert one == pytest.approx(other)
    ends = [
        robust_step_down(matrix, trials=999, rng=np.random.default_rng(1), clusters=given).p
        for matrix, given in ((values, labels), (sums, None))
    ]
    assert ends[0] == pytest.approx(ends[1])
    few = robust_hsd(
        values + np.arange(6), trials=999, rng=np.random.default_rng(1), clusters=np.arange(60) % 5
    )  # fmt: skip
    assert few.p_values().min() == 1 / 16


def test_threads_change_no_bit() -> None:
    """The trials are the same on any number of threads."""
    values = exchangeable(np.random.default_rng(2))
    one, three = (
        robust_hsd(values, trials=999, rng=np.random.default_rng(1), workers=Threads(n)).ranges for n in (1, 3)
    )
    assert np.array_equal(one, three)
