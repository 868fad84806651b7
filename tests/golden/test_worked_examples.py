"""Measures against hand-worked lists whose scores two independent implementations confirmed to ten digits."""

from __future__ import annotations

import numpy as np
import pytest

from kaiwa.measures.judgements import Judgements
from kaiwa.measures.scoring import Reading, score
from kaiwa.nouns.qrels import Qrels
from kaiwa.nouns.run import Run

LEVELS = (1.0, 3.0)
GRADED = {"d1": 3, "d2": 1, "d3": 0, "d4": 1, "d5": 3}
DIRECT = {"a": 2 / 3, "b": 1 / 3, "c": 1 / 3, "d": 0}


def one_score(
    gains: dict[str, float],
    answer: list[str],
    measure: str,
    *,
    top: float,
    levels: tuple[float, ...] = (),
    reading: Reading | None = None,
) -> float:
    """The score of one list on one topic."""
    judged = Judgements(Qrels.from_lists({"q": gains}, top=top), np.array([top]), levels)
    run = Run.from_lists("r", {"q": [(comment, 0.0) for comment in answer]})
    return float(score([run], judged, [measure], reading=reading)[measure].values[0, 0])


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("RR", 1),
        ("O", 0.5),
        ("P", 0.6),
        ("P+", 0.55),
        ("P-plus", 0.55),
        ("AP", 0.4166666667),
        ("Q", 0.275),
        ("NCUgu,P", 0.375),
        ("NCUgu,BR", 0.2875),
        ("NCUrb,P", 0.4402664061),
        ("NCUrb,BR", 0.2884194211),
        ("RBP", 0.0617916667),
        ("ERR", 0.4375),
        ("EBR", 0.4625),
        ("iRBU", 0.7932931875),
        ("nG@1", 0.3333333333),
        ("MSnDCG@0001", 0.3333333333),
        ("nERR@1", 0.3333333333),
        ("nERR@2", 0.2962962963),
        ("nERR@10", 0.5135651509),
        ("MSnDCG@2", 0.2043823976),
        ("MSnDCG@10", 0.4292976172),
        ("nDCG@10", 0.4292976172),
        ("nDCG(b=2)@10", 0.4056678947),
        ("Q@1", 0.5),
        ("AP@2", 0.5),
        ("nRBP@10", 0.4871959132),
        ("nEBR@10", 0.4793522267),
        ("niRBU@10", 0.8326905622),
    ],
)
def test_the_graded_example_scores_as_worked_by_hand(measure: str, expected: float) -> None:
    """The run d2 u1 d1 d3 against two L2, two L1 and one L0 item, gains 1:3."""
    found = one_score(GRADED, ["d2", "u1", "d1", "d3"], measure, top=3, levels=LEVELS)
    assert found == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(("measure", "expected"), [("P+", 0.625), ("AP", 0.5), ("Q", 0.3125), ("bpref", 0.5)])
def test_the_condensed_example_scores_as_worked_by_hand(measure: str, expected: float) -> None:
    """The same run with the unjudged u1 taken out."""
    reading = Reading(condensed=True)
    found = one_score(GRADED, ["d2", "u1", "d1", "d3"], measure, top=3, levels=LEVELS, reading=reading)
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("P+", 0.7461538462),
        ("Q", 0.4974358974),
        ("nG@1", 0.5),
        ("nERR@2", 0.4347826087),
        ("nERR@10", 0.6233062331),
        ("MSnDCG@10", 0.6387878865),
    ],
)
def test_direct_gains_score_as_worked_by_hand(measure: str, expected: float) -> None:
    """Averaged gains of 2/3, 1/3, 1/3 and 0, gmax the topic's own top."""
    assert one_score(DIRECT, ["b", "x", "a", "d"], measure, top=2 / 3) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(("top", "expected"), [(3.0, 0.9090909091), (1.0, 0.9333333333)])
def test_err_depends_on_the_scale_top_even_where_no_item_reaches_it(top: float, expected: float) -> None:
    """Only L1 items judged: the scale's top gives another nERR than the topic's own top."""
    found = one_score({"a": 1, "b": 1, "c": 0}, ["a", "c", "b"], "nERR@3", top=top)
    assert found == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(
    ("measure", "expected"), [("RR", 0.0909090909), ("P+", 0.2857142857), ("nERR@10", 0.0), ("P+@10", 0.0)]
)
def test_p_plus_has_no_cutoff_of_its_own(measure: str, expected: float) -> None:
    """One L2 item at rank 11."""
    answer = [f"u{rank}" for rank in range(10)] + ["x"]
    assert one_score({"x": 3}, answer, measure, top=3) == pytest.approx(expected, abs=1e-10)


def test_truncating_the_run_first_is_the_same_as_p_plus_at_k() -> None:
    """P+@10 and P+ under --depth 10 agree."""
    answer = [f"u{rank}" for rank in range(10)] + ["x"]
    assert one_score({"x": 3}, answer, "P+", top=3, reading=Reading(truncate=10)) == 0.0


@pytest.mark.parametrize(("answer", "expected"), [(["b", "u", "c", "a"], 0.6296), (["b", "u", "a", "c"], 0.6250)])
def test_p_plus_may_fall_when_the_best_item_moves_up(answer: list[str], expected: float) -> None:
    """P+ is not swap-monotone: gains 3, 1, 1, ranks 3 and 4 exchanged."""
    assert one_score({"a": 3, "b": 1, "c": 1}, answer, "P+", top=3) == pytest.approx(expected, abs=5e-5)
