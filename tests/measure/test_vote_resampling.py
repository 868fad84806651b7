"""Intervals over other assessors: who is resampled, and how wide the interval is."""

from __future__ import annotations

import numpy as np
import pytest

import kaiwa
from kaiwa.labelling.gains import votes_of_fewer_people
from kaiwa.measures.vote_resampling import resample_assessors


def lenient_panel(people: int, leniency: float, seed: int = 1, items: int = 60) -> kaiwa.Votes:
    """Everybody votes 0 or 1 on every item of 20 topics; each person has a threshold."""
    rng = np.random.default_rng(seed)
    quality, lenient = rng.normal(size=items), rng.normal(0, leniency, people)
    return kaiwa.Votes.from_rows(
        [
            (f"q{item // 3}", f"c{item}", f"p{person}", int(quality[item] + lenient[person] + rng.normal(0, 0.5) > 0))
            for item in range(items)
            for person in range(people)
        ],
        max_level=1,
    )


def scored(votes: kaiwa.Votes) -> kaiwa.Scores:
    """Acc(L1)@3 of a run that returns every item, with intervals."""
    run = kaiwa.Run.from_dict(
        {f"q{topic}": {f"c{3 * topic + k}": 1.0 for k in range(3)} for topic in range(20)}, name="R"
    )
    options = {"no_relevant": "zero", "uncertainty": "votes", "trials": 300}
    return kaiwa.score(run, None, "Acc(L1)@3", votes=votes, **options)  # type: ignore[arg-type]  # any option


def interval(votes: kaiwa.Votes) -> dict[str, float]:
    """Its one interval."""
    return dict(scored(votes).intervals["R"]["Acc(L1)@3"])


def anonymous(votes: kaiwa.Votes) -> kaiwa.Votes:
    """The same votes, without saying who gave them."""
    return kaiwa.Votes(
        votes.topics,
        votes.comments,
        votes.assessors,
        votes.item,
        votes.assessor,
        votes.level,
        votes.top,
        anonymous=True,
    )


def test_lenient_assessors_are_resampled_with_all_their_votes() -> None:
    """Ten people with their own thresholds: as single votes their scores seem far too certain."""
    votes = lenient_panel(10, 1.0)
    known, unknown = scored(votes), scored(anonymous(votes))
    assert (known.resampled_assessors, unknown.resampled_assessors) == (10, None)
    assert interval(votes)["error"] > 3 * interval(anonymous(votes))["error"]


def test_the_error_is_that_of_a_mean_over_assessors() -> None:
    """Acc(L1)@3 of all items is the mean over people of their shares: the textbook's error, sd / sqrt(n)."""
    votes = lenient_panel(8, 0.7)
    shares = votes.by_assessor().mean(axis=0)
    found = interval(votes)
    assert found["error"] == pytest.approx(shares.std(ddof=1) / 8**0.5, rel=0.12)
    reach = (found["high"] - found["low"]) / 2
    assert reach == pytest.approx(2.364624 * 2**0.5 * found["error"], rel=1e-5)  # t with 7 degrees of freedom


def test_intervals_from_three_assessors_hold_the_score_of_another_three() -> None:
    """60 pairs of panels on the same items; as single votes, too few are held."""
    rng = np.random.default_rng(7)
    quality = rng.normal(size=60)

    def panel() -> kaiwa.Votes:
        felt = quality[:, None] + rng.normal(0, 0.7, 3) + rng.normal(0, 0.5, (60, 3))
        rows = [(f"q{i // 3}", f"c{i}", f"p{j}", int(felt[i, j] > 0)) for i in range(60) for j in range(3)]
        return kaiwa.Votes.from_rows(rows, max_level=1)

    held = {"known": 0, "unknown": 0}
    for _ in range(60):
        votes, other = panel(), panel().level.mean()
        for name, one in (("known", votes), ("unknown", anonymous(votes))):
            found = interval(one)
            held[name] += bool(found["low"] <= other <= found["high"])
    assert held["known"] >= 50
    assert held["unknown"] <= 40


def test_an_item_keeps_its_number_of_votes() -> None:
    """Not everybody votes on everything: three of nine people per item."""
    rng = np.random.default_rng(1)
    rows = [("q", f"c{item}", f"p{p}", int(rng.integers(3))) for item in range(40) for p in rng.permutation(9)[:3]]
    votes = kaiwa.Votes.from_rows(rows, max_level=2)
    counts = votes.counts()
    for _ in range(20):
        drawn = resample_assessors(votes, counts, rng=rng)
        assert drawn.sum(axis=1).tolist() == [3] * 40
        assert not (drawn[counts == 0]).any()


def test_a_smaller_panel_has_the_same_people_on_all_items() -> None:
    """Each of three people always gives one level: a panel of one has one level everywhere."""
    rows = [("q", f"c{item}", f"p{person}", person) for item in range(10) for person in range(3)]
    votes = kaiwa.Votes.from_rows(rows)
    for seed in range(5):
        counts = votes_of_fewer_people(votes, 1, rng=np.random.default_rng(seed))
        assert counts.sum(axis=1).tolist() == [1] * 10
        assert (counts.sum(axis=0) > 0).sum() == 1
