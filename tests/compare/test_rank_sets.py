"""Rank confidence sets: the claims behind them, their direction, and how often they hold."""

import numpy as np
import pytest

from kaiwa.comparison.allpairs import RangeTest, robust_hsd, topic_resamples
from kaiwa.comparison.ranks import rank_sets
from kaiwa.nouns.ids import FloatArray
from kaiwa.nouns.scores import Scores
from kaiwa.stats.resampling import Threads

TRIALS = 199


def drawn(seed: int, shift: FloatArray, topics: int = 20) -> FloatArray:
    """Scores with a difficulty per topic."""
    rng = np.random.default_rng(seed)
    return rng.normal(0.4, 0.2, (topics, 1)) + shift + rng.normal(0, 0.15, (topics, len(shift)))


def claims_pair_by_pair(goodness: FloatArray, seed: int, *, about_best: bool) -> set[tuple[int, int]]:
    """Mogstad et al.'s steps written out: the ordered pairs (k, j) with the claim that k is better than j.

    ``about_best`` leaves out every claim about j once j is surely not best.
    """
    null = topic_resamples(goodness, np.random.default_rng(seed))
    means = np.concatenate(list(null(TRIALS, 0)))
    observed = goodness.mean(axis=0)
    runs = range(len(observed))
    still = {(k, j) for k in runs for j in runs if k != j}
    made = set[tuple[int, int]]()
    while still:
        largest = np.sort(np.max([means[:, k] - means[:, j] for k, j in still], axis=0))
        critical = RangeTest(observed, largest, 0.0).critical_difference(0.05)
        new = {(k, j) for k, j in still if observed[k] - observed[j] > critical}
        if not new:
            break
        made |= new
        beaten = {j for _, j in made}
        still = {(k, j) for k, j in still if j not in beaten} if about_best else still - made
    return made


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("spread", [0.0, 0.2, 0.5])
def test_the_sets_follow_from_the_steps_over_ordered_pairs(seed: int, spread: float) -> None:
    """The prefix minima give what a loop over all open pairs gives, for the ranks and for the best runs."""
    goodness = drawn(seed, np.linspace(0, spread, 7)[np.random.default_rng(seed).permutation(7)])
    found = rank_sets(goodness, trials=TRIALS, rng=np.random.default_rng(seed))
    made = claims_pair_by_pair(goodness, seed, about_best=False)
    assert found.low.tolist() == [1 + sum(j == run for _, j in made) for run in range(7)]
    assert found.high.tolist() == [7 - sum(k == run for k, _ in made) for run in range(7)]
    beaten = {j for _, j in claims_pair_by_pair(goodness, seed, about_best=True)}
    assert found.may_be_best.tolist() == [run not in beaten for run in range(7)]


@pytest.mark.parametrize("seed", range(5))
def test_the_steps_never_widen_a_set_and_the_observed_rank_is_inside(seed: int) -> None:
    """Each set lies within that of one critical difference for all pairs; few runs may be best."""
    goodness = drawn(seed, np.linspace(0, 0.4, 12), topics=40)
    found = rank_sets(goodness, trials=TRIALS, rng=np.random.default_rng(seed))
    means = goodness.mean(axis=0)
    plain = robust_hsd(goodness, trials=TRIALS, rng=np.random.default_rng(seed))
    differs = means[:, None] - means > plain.critical_difference(0.05)
    assert (found.low >= 1 + differs.sum(axis=0)).all()
    assert (found.high <= 12 - differs.sum(axis=1)).all()
    observed = 1 + (means > means[:, None]).sum(axis=1)
    assert ((found.low <= observed) & (observed <= found.high)).all()
    assert found.may_be_best.sum() <= (found.low == 1).sum()


@pytest.mark.parametrize("name", ["equal", "two levels", "near-duplicates of one team"])
def test_the_sets_hold_jointly_as_often_as_they_say(name: str) -> None:
    """500 draws of 40 topics at 95%: between .92 and .98 where claims can be wrong (standard error .01)."""
    shift = np.repeat([0.0, 0.1], 4) if name == "two levels" else np.zeros(8)
    true = 1 + (shift > shift[:, None]).sum(axis=1)
    rng = np.random.default_rng(1)
    ranks, best = [], []
    for seed in range(500):
        values = drawn(seed, shift, topics=40)
        if name.startswith("near"):
            values[:, :6] = values[:, :1] + rng.normal(0, 0.01, (40, 6))
        found = rank_sets(values, trials=TRIALS, rng=rng)
        ranks.append(bool(((found.low <= true) & (true <= found.high)).all()))
        best.append(bool(found.may_be_best[true == 1].all()))
    assert 0.92 <= np.mean(ranks) <= 0.985
    assert 0.92 <= np.mean(best) <= 0.985


def test_lower_is_better_turns_the_sets_round() -> None:
    """The lowest loss may be best; the sets of the negated scores are the same."""
    values = drawn(3, np.array([0.0, 0.3, 0.6]))
    topics, runs = tuple(map(str, range(20))), ("A", "B", "C")
    lower = Scores.from_matrix("x", topics, runs, values, direction="lower").compare(trials=TRIALS)
    higher = Scores.from_matrix("x", topics, runs, -values, direction="higher").compare(trials=TRIALS)
    assert lower.may_be_best == ("A",)
    assert lower.rank_sets == higher.rank_sets == {"A": (1, 1), "B": (2, 2), "C": (3, 3)}


def test_equal_runs_may_have_every_rank() -> None:
    """Copies of one run, and scores without any variance, are never claimed to differ."""
    column = drawn(1, np.zeros(1))
    for values in (np.repeat(column, 4, axis=1), np.full((5, 4), 0.3)):
        found = rank_sets(values, trials=TRIALS, rng=np.random.default_rng(1))
        assert found.low.tolist() == [1] * 4
        assert found.high.tolist() == [4] * 4
        assert found.may_be_best.all()


def test_too_few_trials_claim_nothing() -> None:
    """With 9 trials nothing can be claimed at .05."""
    found = rank_sets(drawn(1, np.array([0.0, 0.9])), trials=9, rng=np.random.default_rng(1))
    assert (found.low.tolist(), found.high.tolist()) == ([1, 1], [2, 2])


def test_threads_do_not_change_the_sets() -> None:
    """The same seed, the same sets."""
    values = drawn(2, np.linspace(0, 0.3, 6))
    one, two = (rank_sets(values, rng=np.random.default_rng(4), workers=Threads(threads)) for threads in (1, 2))
    assert (one.low.tolist(), one.high.tolist()) == (two.low.tolist(), two.high.tolist())
