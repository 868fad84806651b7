from itertools import permutations, product

import numpy as np
import pytest

from kaiwa.comparison.allpairs import AUTO_CAP, AUTO_FIRST, randomised_hsd, step_down_hsd
from kaiwa.comparison.leaderboard import compare_runs
from kaiwa.errors import InputError
from kaiwa.nouns.ids import FloatArray
from kaiwa.nouns.matrix import Matrix
from kaiwa.stats.p_values import PRule

SMALL = {
    "three runs, four topics": np.array([[0.7, 0.5, 0.0], [0.3, 0.1, 0.0], [0.2, 0.0, 0.2], [0.6, 0.2, 0.1]]),
    "three-valued scores with ties": np.array([[1.0, 0, 1 / 3], [1, 1 / 3, 0], [1 / 3, 0, 0], [1, 1, 1 / 3]]),
    "two runs, six topics": np.array([[0.1, 0.3], [0.2, 0.9], [0.5, 0.4], [0.3, 0.8], [0.6, 0.7], [0.1, 0.2]]),
    "four runs, two topics": np.array([[0.1, 0.4, 0.3, 0.9], [0.5, 0.2, 0.3, 0.8]]),
}


def every_shuffle(by_topic: FloatArray) -> FloatArray:
    """The run means under every possible shuffle, "shuffles x runs"."""
    orders = product(*(list(permutations(row)) for row in by_topic.tolist()))
    return np.array([np.mean(rows, axis=0) for rows in orders])


@pytest.mark.parametrize("name", SMALL)
def test_p_values_approach_exhaustive_enumeration(name: str) -> None:
    """Sampled p-values lie within four standard errors of the p-values over every shuffle."""
    by_topic = SMALL[name]
    means = every_shuffle(by_topic)
    ranges = means.max(axis=1) - means.min(axis=1)
    observed = by_topic.mean(axis=0)
    cuts = np.abs(observed[:, None] - observed)
    exact = (ranges[:, None, None] >= cuts - 1e-12).mean(axis=0)
    sampled = randomised_hsd(by_topic, trials=40_000, rng=np.random.default_rng(5), p_rule="share").p_values()
    assert np.abs(sampled - exact).max() <= 4 * np.sqrt(0.25 / 40_000)


@pytest.mark.parametrize("name", SMALL)
def test_step_down_p_values_approach_exhaustive_enumeration(name: str) -> None:
    """Each pair is compared with the largest difference among the pairs with no larger difference."""
    by_topic = SMALL[name]
    means = every_shuffle(by_topic)
    observed = by_topic.mean(axis=0)
    a, b = np.triu_indices(by_topic.shape[1], 1)
    order = np.argsort(-np.abs(observed[a] - observed[b]), kind="stable")
    a, b = a[order], b[order]
    shuffled = np.abs(means[:, a] - means[:, b])
    exact = [
        (shuffled[:, place:].max(axis=1) >= abs(observed[a[place]] - observed[b[place]]) - 1e-12).mean()
        for place in range(len(a))
    ]
    exact = np.maximum.accumulate(exact)
    sampled = step_down_hsd(by_topic, trials=40_000, rng=np.random.default_rng(5), p_rule="share").p[a, b]
    assert np.abs(sampled - exact).max() <= 4 * np.sqrt(0.25 / 40_000)


def test_step_down_is_never_less_powerful() -> None:
    """On the same trials no step-down p exceeds the single-step one."""
    by_topic = np.random.default_rng(1).random((12, 6)) + np.linspace(0, 0.5, 6)
    result = step_down_hsd(by_topic, trials=2000, rng=np.random.default_rng(2))
    assert (result.p <= result.single_step.p_values() + 1e-15).all()


def test_p_value_is_never_zero() -> None:
    """However large the difference, p is (count + 1) / (trials + 1)."""
    by_topic = np.tile([1.0, 0.0], (50, 1))
    assert randomised_hsd(by_topic, trials=99, rng=np.random.default_rng(1)).p_values()[0, 1] == pytest.approx(0.01)


def test_share_of_trials_can_be_zero() -> None:
    """The compatible rule count / trials does reach zero."""
    by_topic = np.tile([1.0, 0.0], (50, 1))
    hsd = randomised_hsd(by_topic, trials=99, rng=np.random.default_rng(1), p_rule="share")
    assert hsd.p_values()[0, 1] == 0


def test_all_equal_scores_give_p_one() -> None:
    """Without any difference every shuffle is at least as extreme."""
    hsd = randomised_hsd(np.full((5, 3), 0.25), trials=99, rng=np.random.default_rng(1))
    assert (hsd.p_values() == 1).all()


def test_same_seed_same_bits() -> None:
    """A seed fixes every range."""
    by_topic = np.random.default_rng(1).random((9, 5))
    first, second = (randomised_hsd(by_topic, trials=500, rng=np.random.default_rng(8)).ranges for _ in range(2))
    assert np.array_equal(first, second)


def test_automatic_trials_stop_when_no_pair_is_close() -> None:
    """Runs far apart or alike need no more than the first 5,000 trials."""
    scores = Matrix("m", tuple(map(str, range(50))), ("A", "B"), np.tile([1.0, 0.0], (50, 1)))
    assert compare_runs(scores, test="hsd", trials="auto", rng=np.random.default_rng(1)).trials == 5_000


def test_automatic_trials_stop_at_the_cap() -> None:
    """A p that sits on alpha is never settled, so the cap ends the search."""
    scores = Matrix("m", tuple("123456"), ("A", "B"), np.array([[1.0, 0.0]] * 6))  # exact p is 2/64
    rng = np.random.default_rng(1)
    assert compare_runs(scores, test="hsd", trials="auto", alpha=2 / 64, rng=rng, cap=30_000).trials == 30_000


@pytest.mark.parametrize(("p_rule", "trials"), [("plus-one", 99), ("plus-one", 999), ("share", 100), ("share", 1000)])
@pytest.mark.parametrize("alpha", [0.01, 0.05, 0.07])
def test_p_falls_to_alpha_just_above_the_critical_difference(p_rule: PRule, trials: int, alpha: float) -> None:
    """At the critical difference p is above alpha; also where alpha times the trials is a whole number."""
    by_topic = np.random.default_rng(3).random((12, 4))
    hsd = randomised_hsd(by_topic, trials=trials, rng=np.random.default_rng(1), p_rule=p_rule)
    cut = hsd.critical_difference(alpha)
    assert hsd.p_of(np.array(cut)) > alpha >= hsd.p_of(np.array(cut + 1e-9))


def test_too_few_trials_make_nothing_significant() -> None:
    """With 18 trials the smallest p is 1/19, above .05."""
    hsd = randomised_hsd(np.tile([1.0, 0.0], (9, 1)), trials=18, rng=np.random.default_rng(1))
    assert hsd.critical_difference(0.05) == float("inf")


@pytest.mark.parametrize("by_topic", [np.zeros((3, 1)), np.zeros((1, 3)), np.array([[1.0, np.nan], [0.0, 1.0]])])
def test_a_matrix_that_cannot_be_compared_is_refused(by_topic: FloatArray) -> None:
    """One run, one topic, or a score that is not a number: one clear line."""
    with pytest.raises(InputError):
        randomised_hsd(by_topic, trials=99, rng=np.random.default_rng(1))


def test_automatic_trials_start_at_5000_and_end_at_320000() -> None:
    """A pair whose p stays at alpha is tried until the end."""
    assert (AUTO_FIRST, AUTO_CAP) == (5_000, 320_000)
