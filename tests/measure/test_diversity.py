"""Diversity measures against values worked by hand from the definitions (Sakai and Song 2011, Sakai 2012).

One topic, intents i (chance .6, informational) and j (.4, navigational). Gains: d1 is worth 3 to i; d2 is worth 1
to i and 3 to j; d3 is worth 1 to j. Global gains: d1 1.8, d2 1.8, d3 .4.
"""

from __future__ import annotations

from math import log
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kaiwa.errors import InputError
from kaiwa.measures.judgements import Intents, combine, judge
from kaiwa.measures.scoring import score
from kaiwa.nouns.qrels import Qrels
from kaiwa.nouns.run import Run

if TYPE_CHECKING:
    from kaiwa.measures.judgements import Judgements

CHANCES = {("q", "i"): 0.6, ("q", "j"): 0.4}


def diverse(chances: dict[tuple[str, str], float] | None = None) -> Judgements:
    """The topic above."""
    by_intent = {
        "i": Qrels.from_lists({"q": {"d1": 3, "d2": 1}}, top=3),
        "j": Qrels.from_lists({"q": {"d2": 3, "d3": 1}}, top=3),
        "k": Qrels.from_lists({"q": {"d1": 0}}, top=3),
    }
    made = combine(by_intent, chances=CHANCES if chances is None else chances, navigational={("q", "j")})
    return judge(made.gains, intents=made.intents)


def one(answer: list[str], measure: str, judged: Judgements | None = None) -> float:
    """The score of one list."""
    run = Run.from_lists("r", {"q": [(comment, 0.0) for comment in answer]})
    return float(score([run], judged or diverse(), [measure])[measure].values[0, 0])


def test_global_gains_weigh_each_intents_gain_by_its_chance() -> None:
    """Sum over intents of P(i|q) g_i(d)."""
    assert diverse().gains.of("q") == pytest.approx({"d1": 1.8, "d2": 1.8, "d3": 0.4})


def test_an_intent_without_a_relevant_item_is_left_out() -> None:
    """Intent k has a chance of its own, and the others take it over."""
    judged = diverse({("q", "i"): 0.3, ("q", "j"): 0.2, ("q", "k"): 0.5})
    assert judged.gains.of("q") == pytest.approx({"d1": 1.8, "d2": 1.8, "d3": 0.4})


def test_an_intent_without_a_chance_beside_others_that_have_one_counts_nothing() -> None:
    """Only i has a chance, so only i counts."""
    assert diverse({("q", "i"): 0.6}).gains.of("q") == pytest.approx({"d1": 3.0, "d2": 1.0, "d3": 0.0})


def test_intents_are_equally_likely_when_nobody_says() -> None:
    """Two live intents: one half each."""
    assert diverse({}).gains.of("q") == pytest.approx({"d1": 1.5, "d2": 2.0, "d3": 0.5})


@pytest.mark.parametrize(
    ("answer", "expected"), [(["d1"], 0.5), (["d1", "d3"], 1.0), (["x", "d2"], 1.0), (["x"], 0.0), ([], 0.0)]
)
def test_i_rec_is_the_share_of_intents_covered(answer: list[str], expected: float) -> None:
    """Covered means something relevant to the intent was returned."""
    assert one(answer, "I-rec@5") == expected


IDEAL = 1.8 / log(2) + 1.8 / log(3) + 0.4 / log(4)


def test_d_ndcg_is_ndcg_over_global_gains() -> None:
    """The run d3 d2 against the ideal d1 d2 d3."""
    expected = (0.4 / log(2) + 1.8 / log(3)) / IDEAL
    assert one(["d3", "d2"], "D-nDCG@3") == pytest.approx(expected, abs=1e-12)
    assert one(["d3", "d2"], "D#-nDCG@3") == pytest.approx((expected + 1.0) / 2, abs=1e-12)


def test_din_counts_a_navigational_intent_once() -> None:
    """After d3 satisfied j, d2 has only its gain for i: .6."""
    expected = (0.4 / log(2) + 0.6 / log(3)) / IDEAL
    assert one(["d3", "d2"], "DIN-nDCG@3") == pytest.approx(expected, abs=1e-12)
    assert one(["d3", "d2"], "DIN#-nDCG@3") == pytest.approx((expected + 1.0) / 2, abs=1e-12)


def test_ia_weighs_each_intents_own_score() -> None:
    """RR of i is 1/2 (d2), of j is 1 (d3)."""
    assert one(["d3", "d2"], "IA-RR") == pytest.approx(0.6 / 2 + 0.4, abs=1e-12)


def test_p_plus_q_takes_q_of_informational_and_p_plus_of_navigational_intents() -> None:
    """i: Q = BR(2)/2 = (1+1)/(2+4)/2 = 1/6. j: P+ = mean(BR(1), BR(2)) = ((1+1)/(1+3) + (2+4)/(2+4))/2 = 3/4."""
    expected = 0.6 / 6 + 0.4 * 0.75
    assert one(["d3", "d2"], "P+Q@5") == pytest.approx(expected, abs=1e-12)
    assert one(["d3", "d2"], "P+Q#@5") == pytest.approx((expected + 1) / 2, abs=1e-12)


def test_a_diversity_measure_without_intents_says_what_to_give() -> None:
    """Ordinary qrels hold no intents."""
    plain = judge(Qrels.from_lists({"q": {"d1": 1}}))
    with pytest.raises(InputError, match="intents="):
        one(["d1"], "I-rec@3", plain)


def test_an_intent_counts_from_the_smallest_gain_above_0() -> None:
    """Gains of 1 and of a half are relevant."""
    by_intent = {"i": Qrels.from_lists({"q": {"d1": 1}}, top=3), "j": Qrels.from_lists({"q": {"d2": 0.5}}, top=3)}
    assert combine(by_intent, chances={}, navigational=set()).intents.chances.tolist() == [[0.5, 0.5]]


@pytest.mark.parametrize(
    ("gains", "chances", "navigational"),
    [((4, 2), (3, 2), (3, 1)), ((4, 2), (3, 2), (2, 2)), ((4, 3), (3, 2), (3, 2)), ((4,), (3, 2), (3, 2))],
)
def test_intents_of_unequal_shapes_are_refused(
    gains: tuple[int, ...], chances: tuple[int, ...], navigational: tuple[int, ...]
) -> None:
    """Gains are rows x intents; chances and types are topics x intents."""
    with pytest.raises(InputError, match="rows x intents"):
        Intents(np.zeros(gains), np.zeros(chances), np.zeros(navigational, dtype=bool))


@pytest.mark.parametrize("chance", [-0.1, float("nan"), float("inf")])
def test_a_chance_that_is_no_weight_is_refused(chance: float) -> None:
    """A number from 0."""
    with pytest.raises(InputError, match="not a number from 0"):
        Intents(np.zeros((1, 2)), np.array([[0.5, chance]]), np.zeros((1, 2), dtype=bool))


@pytest.mark.parametrize("measure", ["IA-AP", "IA-nDCG@2", "P+Q", "I-rec"])
def test_a_topic_with_fewer_intents_than_another_scores_by_its_own(measure: str) -> None:
    """An intent that only the other topic has counts nothing: a list of everything relevant scores 1.

    Chances are shares of their sum, topic by topic; a topic without a relevant item has none.
    """
    by_intent = {
        "i": Qrels.from_lists({"q": {"d1": 3}, "other": {"d1": 3}, "none": {"d1": 0}}, top=3),
        "j": Qrels.from_lists({"other": {"d1": 3}}, top=3),
    }
    made = combine(by_intent, chances={("q", "i"): 1.0, ("other", "i"): 2.0, ("other", "j"): 2.0}, navigational=set())
    run = Run.from_lists("r", {topic: [("d1", 0.0)] for topic in ("q", "other", "none")})
    scores = score([run], judge(made.gains, intents=made.intents), [measure])
    assert scores[measure].values.ravel() == pytest.approx([1.0, 1.0])
    assert scores.undefined == ("none",)
