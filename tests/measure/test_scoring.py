"""What a run did not answer, portions of runs, and intervals over other assessors."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from kaiwa.errors import InputError
from kaiwa.measure.chosen_measure import choose
from kaiwa.measure.gain_scale import judge
from kaiwa.measure.judgements import Answers
from kaiwa.measure.scoring import PORTION_ROWS, Reading, in_portions, score
from kaiwa.measure.vote_resampling import vote_intervals
from kaiwa.model.gains import Gains
from kaiwa.model.run import Run

GAINS = Gains.from_lists({"q1": {"a": 1.0}, "q2": {"a": 1.0, "b": 0.0}, "q3": {"a": 0.0}})


def test_topics_that_a_run_does_not_answer_score_0_and_are_named() -> None:
    """Per run; topics that were never judged are named too, and a topic without a relevant item is undefined."""
    full = Run.from_lists("full", {topic: [("a", 1.0)] for topic in ("q1", "q2", "q3")})
    half = Run.from_lists("half", {"q2": [("a", 1.0)], "q9": [("a", 1.0)]})
    scores = score([full, half], judge(GAINS), ["RR"])
    assert scores.unanswered == {"half": ("q1", "q3")}
    assert scores.unknown == {"half": ("q9",)}
    assert scores.undefined == ("q3",)
    assert scores["RR"].means() == {"full": 1.0, "half": 0.5}


def test_a_run_that_shares_no_topic_is_refused() -> None:
    """It was scored with the wrong judgements."""
    with pytest.raises(InputError, match="shares no topic"):
        score([Run.from_lists("other", {"q9": [("a", 1.0)]})], judge(GAINS), ["RR"])


def test_small_runs_are_gathered_and_large_ones_are_alone() -> None:
    """A portion ends with the run that fills it."""
    small = Run.from_lists("small", {"q": [("a", 1.0)]})
    large = Run.from_lists("large", {"q": [(f"c{place}", 0.0) for place in range(PORTION_ROWS)]})
    names = [[run.name for run in portion] for portion in in_portions([small, small, large, small])]
    assert names == [["small", "small", "large"], ["small"]]


@pytest.mark.parametrize("measure", ["AP", "nDCG@2", "nERR", "Q", "P+", "bpref", "GAP"])
def test_runs_scored_together_score_on_every_topic_as_they_do_alone(measure: str) -> None:
    """Three topics with 1, 2 and 3 relevant items; one run answers two of them, in another order."""
    pools = {"q1": {"a": 1.0}, "q2": {"a": 2.0, "b": 1.0, "x": 0.0}, "q3": {"a": 1.0, "b": 2.0, "c": 3.0}}
    judged = judge(Gains.from_lists(pools))
    runs = [
        Run.from_lists("up", {topic: [(item, 0.0) for item in sorted(pool)] for topic, pool in pools.items()}),
        Run.from_lists("down", {"q3": [("x", 3.0), ("c", 2.0)], "q2": [("x", 3.0), ("b", 2.0), ("a", 1.0)]}),
    ]
    together = score(runs, judged, [measure])[measure].values
    alone = [score([run], judged, [measure])[measure].values[:, 0] for run in runs]
    assert together.T.tolist() == [values.tolist() for values in alone]
    assert len(set(together.ravel().tolist())) > 2


def test_intervals_over_assessors_have_the_error_of_a_binomial_share() -> None:
    """Acc(L1)@1 is a mean of shares; with n votes and share s each has variance s (1 - s) / (n - 1)."""
    votes = np.array([[1, 3], [2, 2], [3, 1], [2, 3]])
    topics = {f"q{place}": {"a": 1.0} for place in range(4)}
    judged = judge(Gains.from_lists(topics), votes=votes)
    run = Run.from_lists("R", {topic: [("a", 1.0)] for topic in topics})
    answers = Answers.of([run], judged.table, 4)
    found = vote_intervals(
        answers,
        judged,
        [choose("Acc(L1)@1")],
        Reading(),
        gain=lambda counts: np.ones(len(counts)),
        rng=np.random.default_rng(1),
        samples=4000,
    )
    n, s = votes.sum(axis=1), votes[:, 1] / votes.sum(axis=1)
    assert found.error[0, 0] == pytest.approx(sqrt((s * (1 - s) / (n - 1)).sum()) / 4, rel=0.05)
    assert (found.high - found.low)[0, 0] == pytest.approx(2 * 1.959964 * sqrt(2) * found.error[0, 0], rel=1e-6)
    assert (found.low + found.high)[0, 0] / 2 == pytest.approx(s.mean())
    assert found.undefined == 0


def test_topics_that_other_votes_leave_without_a_relevant_item_are_counted() -> None:
    """One vote of two at the upper level: a quarter of the resamples lose it."""
    votes = np.array([[1, 1], [0, 2]])
    judged = judge(Gains.from_lists({"q1": {"a": 1.0}, "q2": {"a": 2.0}}), votes=votes)
    run = Run.from_lists("R", {"q1": [("a", 1.0)], "q2": [("a", 1.0)]})
    found = vote_intervals(
        Answers.of([run], judged.table, 2),
        judged,
        [choose("RR")],
        Reading(),
        gain=lambda counts: counts[:, 1].astype(np.float64),
        rng=np.random.default_rng(1),
        samples=1000,
    )
    assert found.undefined == pytest.approx(250, abs=60)


def test_a_topic_without_a_relevant_item_has_no_part_in_the_intervals() -> None:
    """Neither in the mean nor in the count; an item with one vote keeps it in every resample, one without has none."""
    votes = np.array([[0, 3], [2, 0], [0, 1], [0, 0]])
    judged = judge(Gains.from_lists({"q1": {"a": 3.0}, "q2": {"a": 0.0}, "q3": {"a": 1.0, "b": 0.0}}), votes=votes)
    run = Run.from_lists("R", {topic: [("b", 2.0), ("a", 1.0)] for topic in ("q1", "q2", "q3")})
    found = vote_intervals(
        Answers.of([run], judged.table, 3),
        judged,
        [choose("RR")],
        Reading(),
        gain=lambda counts: counts[:, 1].astype(np.float64),
        rng=np.random.default_rng(1),
        samples=20,
    )
    assert (found.low.tolist(), found.high.tolist(), found.undefined) == ([[0.5]], [[0.5]], 0)
