"""What more votes or topics would decide: against the construction of the votes, and against real further votes."""

from __future__ import annotations

import numpy as np
import pytest

from kaiwa.comparison.enough_votes import Outlook, outlook
from kaiwa.measures.judgements import Scale
from kaiwa.measures.score import judged_votes
from kaiwa.nouns.run import Run
from kaiwa.nouns.votes import Votes

RANKS = 3


def round_of(quality: list[float], *, topics: int, people: int, noise: float, seed: int) -> tuple[list[Run], Votes]:
    """Runs that find relevant comments with these chances, and votes of so many people, wrong by chance ``noise``."""
    rng = np.random.default_rng(seed)
    runs, rows = [], []
    for place, chance in enumerate(quality):
        lists = {}
        for topic in range(topics):
            names = [f"c{place}-{rank}" for rank in range(RANKS)]
            lists[f"q{topic}"] = [(name, 9.0 - rank) for rank, name in enumerate(names)]
            for name in names:
                good = rng.random() < chance
                levels = [int(good if rng.random() > noise else rng.random() < 0.5) for _ in range(people)]
                rows += [(f"q{topic}", name, f"a{who}", level) for who, level in enumerate(levels)]
        runs.append(Run.from_lists(f"R{place}", lists))
    return runs, Votes.from_rows(rows, max_level=1)


def found(runs: list[Run], votes: Votes, seed: int = 1) -> Outlook:
    """The outlook by the precision of the lists."""
    judged = judged_votes(votes, Scale())
    return outlook(runs, judged, "nG@1", trials=500, rng=np.random.default_rng(seed))


def test_a_clear_difference_is_decided() -> None:
    """Runs of .9 and .1 on 40 topics."""
    pair = found(*round_of([0.9, 0.1], topics=40, people=3, noise=0.0, seed=1)).pairs[0]
    assert (pair.outcome, pair.votes, pair.topics) == ("decided", None, None)


def test_votes_without_noise_leave_only_more_topics() -> None:
    """If assessors always agree, further votes change nothing, however many."""
    told = found(*round_of([0.55, 0.45, 0.5], topics=30, people=3, noise=0.0, seed=2))
    assert told.vote_share == pytest.approx(0.0, abs=1e-12)
    undecided = [pair for pair in told.pairs if pair.outcome not in {"decided", "equal"}]
    assert undecided
    assert all(pair.outcome == "topics" and pair.topics > 30 for pair in undecided)


def test_noisy_votes_have_a_share_that_shrinks_with_votes() -> None:
    """The share of the variance that comes from votes falls when every item has four times the votes."""
    shares = []
    for people in (2, 8):
        several = [
            found(*round_of([0.6, 0.5, 0.4], topics=40, people=people, noise=0.6, seed=seed)).vote_share
            for seed in range(5)
        ]
        shares.append(float(np.mean([one for one in several if one is not None])))
    assert shares[1] < 0.6 * shares[0]


def test_the_predicted_critical_difference_is_the_one_that_further_votes_give() -> None:
    """Of 12 rounds judged by four people, the first two predict the critical difference of all four, on average."""
    predicted, actual, now = [], [], []
    for seed in range(12):
        runs, votes = round_of([0.6, 0.5, 0.4], topics=40, people=4, noise=0.6, seed=seed)
        columns = votes.columns()
        rows = list(zip(*(columns[name] for name in ("topic", "comment", "assessor", "level")), strict=True))
        half = found(runs, Votes.from_rows([row for row in rows if row[2] in {"a0", "a1"}], max_level=1))
        now.append(half.critical_difference)
        predicted.append(half.critical_with(half.votes))
        actual.append(found(runs, votes).critical_difference)
    assert np.mean(actual) < 0.97 * np.mean(now)
    assert np.mean(predicted) == pytest.approx(np.mean(actual), rel=0.05)


def test_one_vote_an_item_says_nothing_about_votes() -> None:
    """How much votes vary is unknown, so no number of votes is promised."""
    told = found(*round_of([0.6, 0.5, 0.4], topics=20, people=1, noise=0.5, seed=3))
    assert told.vote_share is None
    assert all(pair.votes is None for pair in told.pairs)


def test_a_difference_on_too_few_topics_needs_topics() -> None:
    """Nothing is significant on two topics, so it is unknown how many it takes; the runs are not called equal."""
    pair = found(*round_of([1.0, 0.0], topics=2, people=3, noise=0.0, seed=1)).pairs[0]
    assert (abs(pair.diff), pair.outcome, pair.votes, pair.topics) == (1.0, "topics", None, None)


def test_two_equal_runs_need_nothing() -> None:
    """Without a difference no number of topics is named."""
    runs, votes = round_of([0.5], topics=20, people=2, noise=0.2, seed=4)
    twin = Run.from_lists(
        "twin",
        {topic: [(name, -float(at)) for at, name in enumerate(runs[0].comments_of(topic))] for topic in runs[0].topics},
    )
    pair = found([runs[0], twin, *runs_of_another(runs[0])], votes).pairs[0]
    assert (pair.outcome, pair.topics) == ("equal", None)


def runs_of_another(run: Run) -> list[Run]:
    """A run that differs, so that a test can be run at all."""
    backwards = {topic: [(name, float(at)) for at, name in enumerate(run.comments_of(topic))] for topic in run.topics}
    return [Run.from_lists("backwards", backwards)]
