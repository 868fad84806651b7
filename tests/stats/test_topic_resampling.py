import itertools

import numpy as np
import pytest

from kaiwa.nouns.ids import FloatArray
from kaiwa.stats.resampling import Scheme, Threads, exact_multiples, resampled_means, residual_vectors

SCHEMES: tuple[Scheme, ...] = ("wild", "bootstrap")


def _scores(topics: int, runs: int, seed: int = 1) -> FloatArray:
    return np.random.default_rng(seed).beta(0.5, 1.0, (topics, runs))


def _means(by_topic: FloatArray, trials: int, scheme: Scheme = "wild", **options: object) -> FloatArray:
    return np.concatenate(list(resampled_means(by_topic, trials=trials, key=5, scheme=scheme, **options)))  # type: ignore[arg-type]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_trial_does_not_depend_on_blocks_or_threads(scheme: Scheme, monkeypatch: pytest.MonkeyPatch) -> None:
    """Other blocks, other threads and a later start give the same bits."""
    by_topic = _scores(130, 7)
    whole = _means(by_topic, 200, scheme)
    monkeypatch.setattr("kaiwa.stats.resampling.BLOCK_CELLS", 1_000)
    assert (whole == _means(by_topic, 200, scheme, workers=Threads(3))).all()
    assert (whole[60:] == _means(by_topic, 140, scheme, first=60)).all()


@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_run_has_the_same_means_whatever_runs_stand_beside_it(scheme: Scheme) -> None:
    """Matrices side by side share the weights of the topics: a family of measures is one wider matrix."""
    first, second = _scores(40, 5), 100 * _scores(40, 3, seed=2)
    both = _means(np.hstack((first, second)), 50, scheme)
    assert (both == np.hstack((_means(first, 50, scheme), _means(second, 50, scheme)))).all()


def test_wild_trials_are_the_sign_flips() -> None:
    """Many trials on four topics meet every pattern of signs about equally often, and nothing else."""
    by_topic = _scores(4, 3)
    vectors = residual_vectors(by_topic)
    every = np.array([np.array(signs) @ vectors / 4 for signs in itertools.product((1, -1), repeat=4)])
    found = _means(by_topic, 16_000)
    distance = np.abs(found[:, None, :] - every).max(axis=2)
    assert distance.min(axis=1).max() < 1e-12
    counts = np.bincount(distance.argmin(axis=1), minlength=16)
    assert counts[1:15] == pytest.approx(1_000, abs=150)
    assert counts[0] + counts[15] == pytest.approx(2_000, abs=200)  # equal signs: all means are 0


def test_bootstrap_trials_draw_every_topic_equally_often() -> None:
    """One run per topic with one residual each shows the counts: they sum to the topics and are 1 on average."""
    topics = 9
    counts = _means(np.eye(topics), 20_000, "bootstrap") * topics / np.sqrt(topics / (topics - 1)) + 1
    assert counts == pytest.approx(np.rint(counts), abs=1e-9)
    assert counts.sum(axis=1) == pytest.approx(topics)
    assert counts.mean(axis=0) == pytest.approx(1, abs=0.03)
    assert counts.var(axis=0) == pytest.approx(1 - 1 / topics, abs=0.05)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_resampled_means_have_the_covariance_of_the_run_means(scheme: Scheme) -> None:
    """Variances and correlations of the runs are kept; shuffling among the runs would make them equal."""
    rng = np.random.default_rng(3)
    shared = rng.normal(size=(60, 1))
    by_topic = np.hstack((shared + 0.1 * rng.normal(size=(60, 2)), 3 * rng.normal(size=(60, 1))))
    scale = 1 if scheme == "wild" else 60 / 59
    expected = np.cov(by_topic, rowvar=False) / 60 * scale
    assert np.cov(_means(by_topic, 40_000, scheme), rowvar=False) == pytest.approx(expected, abs=0.004)


def test_topics_of_a_cluster_share_their_sign() -> None:
    """Pairs of topics with opposite residuals cancel in every trial if they are a cluster."""
    by_topic = np.array([[1.0, 0.0], [-1.0, 0.0], [2.0, 0.5], [-2.0, 0.5], [0.5, 1.0], [-0.5, 1.0]])
    labels = np.array(["a", "a", "b", "b", "c", "c"])
    found = _means(by_topic, 100, clusters=labels)
    assert (found[:, 0] == 0).all()
    assert found[:, 1].any()
    assert residual_vectors(by_topic, labels).shape == (3, 2)


def test_clusters_of_one_topic_are_the_topics() -> None:
    """Labels that are all different change the order of the topics only, here not even that."""
    by_topic = _scores(70, 4)
    assert (_means(by_topic, 30) == _means(by_topic, 30, clusters=np.arange(70))).all()


@pytest.mark.parametrize("scale", [1e-9, 1.0, 1e90])
def test_sums_are_exact_in_any_order(scale: float) -> None:
    """Adding from either end gives the same bits, at the price of less than the tolerance for ties."""
    vectors = scale * np.random.default_rng(4).normal(size=(3_000, 2))
    exact = exact_multiples(vectors)
    assert (np.cumsum(exact, axis=0)[-1] == np.cumsum(exact[::-1], axis=0)[-1]).all()
    assert np.abs(exact.mean(axis=0) - vectors.mean(axis=0)).max() < 1e-12 * scale


def test_a_run_without_variance_stays_at_zero() -> None:
    """Equal scores leave no residual."""
    by_topic = np.hstack((np.full((8, 1), 0.3), _scores(8, 1)))
    assert (_means(by_topic, 20)[:, 0] == 0).all()
