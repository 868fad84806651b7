"""The nouns check themselves."""

import numpy as np
import pytest

from kaiwa.errors import InputError
from kaiwa.nouns.ids import pack
from kaiwa.nouns.matrix import Matrix
from kaiwa.nouns.qrels import Qrels
from kaiwa.nouns.run import Run
from kaiwa.nouns.scores import Scores
from kaiwa.nouns.votes import NA, Votes


def test_a_run_with_a_repeated_comment_is_refused() -> None:
    """Each comment may occur once per topic."""
    with pytest.raises(InputError, match="duplicate comment 'c1'"):
        Run.from_lists("R", {"q": [("c1", 2.0), ("c2", 1.5), ("c1", 1.0)]})


def test_the_same_comment_may_answer_two_topics() -> None:
    """Repeats count within a topic only."""
    assert len(Run.from_lists("R", {"q1": [("c1", 2.0)], "q2": [("c1", 2.0)]})) == 2


def test_a_run_with_an_infinite_score_is_refused() -> None:
    """Scores are finite numbers."""
    with pytest.raises(InputError, match="not a finite number"):
        Run.from_lists("R", {"q": [("c1", float("inf"))]})


def test_truncation_keeps_the_first_of_each_topic() -> None:
    """A run cut to depth 1 keeps one comment a topic, and its empty topics."""
    run = Run.from_lists("R", {"q1": [("a", 3.0), ("b", 2.0)], "q2": [], "q3": [("c", 1.0)]})
    cut = run.truncated(1)
    assert (cut.topics, cut.comments_of("q1"), cut.comments_of("q2"), cut.comments_of("q3")) == (
        ("q1", "q2", "q3"),
        ["a"],
        [],
        ["c"],
    )


def test_gains_name_the_topic_and_comment_of_a_bad_gain() -> None:
    """Without a file, the error names topic and comment."""
    with pytest.raises(InputError, match=r"topic 'q2', comment 'c2'"):
        Qrels.from_lists({"q1": {"c1": 1.0}, "q2": {"c2": float("nan")}})


def test_votes_outside_the_scale_are_refused() -> None:
    """A level above the top is an error."""
    with pytest.raises(InputError, match=r"outside 0\.\.2"):
        _votes([0, 3])


def test_two_votes_of_one_assessor_on_one_item_are_refused() -> None:
    """One vote an assessor and item."""
    with pytest.raises(InputError, match="duplicate vote"):
        Votes(pack(["q"]), pack(["c"]), ("a",), np.array([0, 0]), np.array([0, 0]), np.array([1, 2]), top=2)


def test_a_missing_vote_is_counted_and_not_averaged() -> None:
    """NA votes stay out of the counts by level."""
    votes = _votes([NA, 2])
    assert (votes.missing, votes.counts().tolist(), votes.by_assessor().tolist()) == (1, [[0, 0, 1]], [[NA, 2]])


def _votes(levels: list[int]) -> Votes:
    count = len(levels)
    return Votes(
        pack(["q"]), pack(["c"]), ("a", "b"), np.zeros(count, np.int64), np.arange(count), np.array(levels), top=2
    )


def test_scores_name_the_run_and_topic_of_a_missing_number() -> None:
    """NaN in a matrix is refused with its place."""
    with pytest.raises(InputError, match="run 'B' on topic 'q1'"):
        Matrix("P+", ("q1",), ("A", "B"), np.array([[0.5, np.nan]]))


def test_a_score_matrix_of_the_wrong_shape_is_refused() -> None:
    """One row a topic, one column a run."""
    with pytest.raises(InputError, match="one row per topic"):
        Matrix("P+", ("q1",), ("A", "B"), np.array([[0.5], [0.2]]))


def test_an_unknown_measure_offers_the_nearest() -> None:
    """A score set answers with did-you-mean."""
    scores = Scores([Matrix("nERR@10", ("q",), ("A",), np.ones((1, 1)))])
    with pytest.raises(InputError, match=r"did you mean 'nERR@10'"):
        scores["nERR@1"]
