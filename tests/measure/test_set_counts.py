"""Accuracy of votes: the share of an item's votes at the wanted levels, over the first ranks."""

from __future__ import annotations

import numpy as np
import pytest

from kaiwa.errors import InputError
from kaiwa.measures.judgements import judge
from kaiwa.measures.scoring import score
from kaiwa.nouns.qrels import Qrels
from kaiwa.nouns.run import Run

GAINS = Qrels.from_lists({"q": {"a": 2.0, "b": 1.0, "c": 0.0}})
VOTES = np.array([[0, 1, 2], [1, 1, 0], [0, 0, 0]])
RUN = Run.from_lists("R", {"q": [("a", 4.0), ("unjudged", 3.0), ("b", 2.0), ("c", 1.0)]})


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("Acc(L2)@1", 2 / 3),
        ("Acc(L1,L2)@1", 1.0),
        ("Acc(L2)@2", 1 / 3),
        ("Acc(L1,L2)@3", 1.5 / 3),
        ("Acc(L0)@3", 0.5 / 3),
        ("Acc(L1,L2)@4", 1.5 / 4),
        ("Acc(L1,L2)@10", 1.5 / 10),
    ],
)
def test_an_unjudged_item_one_without_votes_and_a_missing_rank_count_nothing(measure: str, expected: float) -> None:
    """By hand: a has votes 0, 1, 2 at L0, L1, L2; b has 1, 1, 0; c has none."""
    scores = score([RUN], judge(GAINS, votes=VOTES), [measure])
    assert scores.matrix(measure).means()["R"] == pytest.approx(expected)


def test_a_level_beyond_the_votes_is_refused() -> None:
    """Votes go from L0 to L2."""
    with pytest.raises(InputError, match=r"levels of the scale 0\.\.2"):
        score([RUN], judge(GAINS, votes=VOTES), ["Acc(L3)@1"])


def test_accuracy_without_votes_is_refused() -> None:
    """Gains do not have the number of votes."""
    with pytest.raises(InputError, match="needs the votes themselves"):
        score([RUN], judge(GAINS), ["Acc(L1)@1"])
