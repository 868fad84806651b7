"""What a run did not answer, portions of runs, and intervals over other assessors."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import pytest

from kaiwa.errors import InputError
from kaiwa.measures.judgements import Answers, Judgements, Scale, judge
from kaiwa.measures.scoring import PORTION_ROWS, Reading, in_portions, score
from kaiwa.measures.table import MEASURES, choose
from kaiwa.measures.vote_resampling import resample_votes, vote_intervals
from kaiwa.nouns.qrels import Qrels
from kaiwa.nouns.run import Run

GAINS = Qrels.from_lists({"q1": {"a": 1.0}, "q2": {"a": 1.0, "b": 0.0}, "q3": {"a": 0.0}})


def test_topics_that_a_run_does_not_answer_score_0_and_are_named() -> None:
    """Per run; topics that were never judged are named too, and a topic without a relevant item is undefined."""
    full = Run.from_lists("full", {topic: [("a", 1.0)] for topic in ("q1", "q2", "q3")})
    half = Run.from_lists("half", {"q2": [("a", 1.0)], "q9": [("a", 1.0)]})
    scores = score([full, half], judge(GAINS), ["RR"])
    assert scores.unanswered == {"half": ("q1", "q3")}
    assert scores.unknown == {"half": ("q9",)}
    assert scores.undefined == ("q3",)
    assert scores.matrix("RR").means() == {"full": 1.0, "half": 0.5}


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


def test_levels_with_the_same_gain_are_one_level() -> None:
    """GAP and NCUgu use levels: grades 1, 2, 3 with the gains 1, 1, 3 score as grades 1, 1, 2 with the gains 1, 3."""
    run = Run.from_lists("R", {"q": [("b", 3.0), ("c", 2.0), ("a", 1.0)]})
    names = ["GAP", "NCUgu,P(s=1:2)"]
    shared = judge(Qrels.from_lists({"q": {"a": 1, "b": 2, "c": 3}}), Scale(levels={1.0: 1.0, 2.0: 1.0, 3.0: 3.0}))
    plain = judge(Qrels.from_lists({"q": {"a": 1, "b": 1, "c": 2}}), Scale(levels={1.0: 1.0, 2.0: 3.0}))
    found, expected = (score([run], judged, names) for judged in (shared, plain))
    for name in names:
        assert found.matrix(name).means() == expected.matrix(name).means()
    # levels 1, 2, 1: (2 + (2 + 6)/2 + 3 * 2/3) / (6 + 2 + 2)
    assert found.matrix("GAP").means()["R"] == pytest.approx(0.8)


@pytest.mark.parametrize("measure", ["AP", "nDCG@2", "nERR", "Q", "P+", "bpref", "GAP"])
def test_runs_scored_together_score_on_every_topic_as_they_do_alone(measure: str) -> None:
    """Three topics with 1, 2 and 3 relevant items; one run answers two of them, in another order."""
    pools = {"q1": {"a": 1.0}, "q2": {"a": 2.0, "b": 1.0, "x": 0.0}, "q3": {"a": 1.0, "b": 2.0, "c": 3.0}}
    judged = judge(Qrels.from_lists(pools))
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
    judged = judge(Qrels.from_lists(topics), votes=votes)
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
    judged = judge(Qrels.from_lists({"q1": {"a": 1.0}, "q2": {"a": 2.0}}), votes=votes)
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
    judged = judge(Qrels.from_lists({"q1": {"a": 3.0}, "q2": {"a": 0.0}, "q3": {"a": 1.0, "b": 0.0}}), votes=votes)
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


@pytest.mark.parametrize("measure", ["NCUgu,P(s=1:1)", "NCUgu,P(s=7:7)"])
def test_graded_uniform_ncu_with_equal_stop_weights_is_average_precision(measure: str) -> None:
    """The reader stops at each relevant item alike (Sakai and Robertson 2008), on topics with 1 and 3 of them."""
    pools = {"q1": {"a": 3.0, "x": 0.0}, "q2": {"a": 1.0, "b": 3.0, "c": 3.0, "x": 0.0}}
    judged = judge(Qrels.from_lists(pools), Scale({1.0: 1.0, 3.0: 3.0}))
    run = Run.from_lists("r", {topic: [(item, 0.0) for item in ("x", "a", "c")] for topic in pools})
    scores = score([run], judged, ["AP", measure])
    assert scores[measure].values.ravel() == pytest.approx([1 / 2, (1 / 2 + 2 / 3) / 3])
    assert scores["AP"].values.ravel() == pytest.approx([1 / 2, (1 / 2 + 2 / 3) / 3])


def test_one_nonrelevant_item_above_the_only_relevant_one_is_the_worst_penalty() -> None:
    """rpref_N: R + N - gain / top = 1 + 1 - 1 = 1, the penalty of the item at rank 2."""
    judged = judge(Qrels.from_lists({"q": {"a": 1.0, "x": 0.0}}))
    worst, best = (Run.from_lists(name, {"q": [(item, 0.0) for item in name]}) for name in ("xa", "ax"))
    assert score([worst, best], judged, ["rpref_N"]).matrix().means() == {"xa": 0.0, "ax": 1.0}


def test_lists_in_another_order_than_the_judged_topics_are_scored_by_their_topic() -> None:
    """Lists of one length, also if the length is that at which they are cut."""
    judged = judge(Qrels.from_lists({"q1": {"a": 1.0}, "q2": {"b": 1.0}}))
    first, second = [("a", 2.0), ("x", 1.0)], [("x", 2.0), ("b", 1.0)]
    for lists in ({"q1": first, "q2": second}, {"q2": second, "q1": first}):
        run = Run.from_lists("r", lists)
        assert score([run], judged, ["RR"])["RR"].values.ravel().tolist() == [1.0, 0.5]
        cut = score([run], judged, ["RR"], reading=Reading(truncate=1))
        assert cut["RR"].values.ravel().tolist() == [1.0, 0.0]


def test_lists_are_cut_at_rank_1_or_deeper() -> None:
    """Rank 0 would leave nothing."""
    assert Reading(truncate=1).truncate == 1
    with pytest.raises(InputError, match="depth=0 is not a rank"):
        Reading(truncate=0)


def test_the_vote_of_an_item_with_one_vote_stays_at_its_level() -> None:
    """There is nothing else to draw."""
    votes = np.tile([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 0]], (50, 1))
    assert resample_votes(votes, rng=np.random.default_rng(1)).tolist() == votes.tolist()


def one_item_interval(**options: Any) -> float:  # Any: the options of vote_intervals
    """The error over assessors of an item with one vote at each of two levels."""
    judged = judge(Qrels.from_lists({"q": {"a": 1.0}}), votes=np.array([[1, 1]]))
    answers = Answers.of([Run.from_lists("R", {"q": [("a", 1.0)]})], judged.table, 1)
    options = {"gain": lambda counts: np.ones(len(counts)), "rng": np.random.default_rng(1), **options}
    return float(vote_intervals(answers, judged, [choose("Acc(L1)@1")], Reading(), **options).error[0, 0])


def test_votes_are_resampled_200_times_unless_told() -> None:
    """Each time is reported before it starts."""
    steps: list[tuple[int, int]] = []
    one_item_interval(on_progress=lambda done, total: steps.append((done, total)))
    assert steps == [(done, 200) for done in range(200)]


def test_an_interval_takes_two_resamples_at_least() -> None:
    """One has no spread."""
    assert one_item_interval(samples=2) >= 0
    with pytest.raises(InputError, match="resampled votes leave no topic"):
        one_item_interval(samples=1)


def test_other_gains_keep_the_top_of_the_scale_unless_each_topic_has_its_own() -> None:
    """Resampled votes are scored on the scale of the votes."""
    gains = Qrels.from_lists({"q": {"a": 1.0, "b": 2.0}})
    fixed, own = Judgements(gains, np.array([3.0])), judge(gains, Scale(by_topic=True))
    assert fixed.revalued(np.array([1.0, 0.5])).top.tolist() == [3.0]
    assert own.revalued(np.array([1.0, 0.5])).top.tolist() == [1.0]


PREFERENCES = [name for name in MEASURES if name.startswith(("bpref", "rpref"))]


@pytest.mark.parametrize("measure", PREFERENCES)
def test_preference_measures_ignore_unjudged_items(measure: str) -> None:
    """A list scores as it does without them."""
    judged = judge(Qrels.from_lists({"q": {"a": 2.0, "b": 1.0, "x": 0.0, "y": 0.0}}))
    short, long = (Run.from_lists(name, {"q": [(item, 0.0) for item in name]}) for name in ("xbya", "?x!b+y-a"))
    scores = score([short, long], judged, [measure]).matrix().means()
    assert scores["?x!b+y-a"] == scores["xbya"]


def test_the_utility_of_ie_falls_by_1_in_100_a_rank() -> None:
    """Rho is .99: the only relevant item is worth .99 at rank 1 and .99 squared at rank 2."""
    judged = judge(Qrels.from_lists({"q": {"a": 1.0}}))
    runs = [Run.from_lists(name, {"q": [(item, 0.0) for item in name]}) for name in ("a", "xa")]
    assert score(runs, judged, ["NCUrb,IE"]).matrix().means() == pytest.approx({"a": 0.99, "xa": 0.99**2})
