"""Kaiwa as a provider of ir_measures agrees with the providers whose definitions it takes."""

from __future__ import annotations

import ir_measures
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import AP, ERR, RBP, RR, Bpref, IPrec, P, R, Success, nDCG

import kaiwa.irmeasures as ours
from kaiwa.errors import InputError

SHARED = [
    *(P @ 1, P @ 5, P(rel=2) @ 3, P(judged_only=True) @ 2, R @ 2, R(rel=2) @ 5, Success @ 1, Success(rel=2) @ 3),
    *(RR, RR(rel=2), AP, AP @ 2, AP(rel=2), AP(judged_only=True), Bpref, Bpref(rel=2)),
    *(nDCG, nDCG @ 3, nDCG(judged_only=True) @ 2, nDCG(gains={1: 1, 2: 3, 3: 7}) @ 5),
]

QRELS = {"1": {"d1": 2, "d2": 1, "d3": 0, "d4": 1, "d5": 4}, "2": {"a": 1, "b": 3}, "3": {"z": 0}}
RUN = {
    "1": {"d2": 5.0, "u1": 4.0, "d1": 3.0, "d3": 2.0, "d5": 1.0},
    "2": {"b": 1.0, "x": 2.0, "a": 1.0},
    "9": {"x": 1.0},
}
# Printed by gdeval.pl as it comes with ir_measures 0.4.3, through its provider, for QRELS and RUN.
GDEVAL = {
    ERR @ 3: {"1": 0.12109, "2": 0.23047, "3": 0.0},
    ERR @ 10: {"1": 0.26392, "2": 0.23047, "3": 0.0},
    nDCG(dcg="exp-log2") @ 3: {"1": 0.14374, "2": 0.64429, "3": 0.0},
    nDCG(dcg="exp-log2") @ 10: {"1": 0.46583, "2": 0.64429, "3": 0.0},
}

items = st.sampled_from([f"d{place}" for place in range(9)])
topics = st.sampled_from(["q1", "q2", "q3"])
grades = st.dictionaries(topics, st.dictionaries(items, st.integers(0, 3), min_size=1), min_size=1)
answers = st.dictionaries(topics, st.dictionaries(items, st.sampled_from([0.5, 1.0, 1.5, 2.0]), min_size=1), min_size=1)


@given(grades, answers)
@settings(max_examples=60)
def test_values_are_trec_evals(qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]) -> None:
    """Per topic, ties, unjudged items and topics without answers or relevant items included."""
    assert _values(ours.provider, SHARED, qrels, run) == pytest.approx(
        _values(ir_measures.pytrec_eval, SHARED, qrels, run), abs=1e-9
    )


def _values(
    provider: ir_measures.Provider, measures: list[ir_measures.Measure], qrels: object, run: object
) -> dict[tuple[str, str], float]:
    return {(str(one.measure), one.query_id): one.value for one in provider.iter_calc(measures, qrels, run)}


@pytest.mark.parametrize("measure", GDEVAL, ids=str)
def test_graded_values_are_gdevals(measure: ir_measures.Measure) -> None:
    """ERR with the top grade of 4 that gdeval assumes, and nDCG with exponential gains."""
    found = {one.query_id: one.value for one in ours.provider.iter_calc([measure], QRELS, RUN)}
    assert found == pytest.approx(GDEVAL[measure], abs=5e-6)


def test_rank_biased_precision_is_its_formula() -> None:
    """(1 - p) times the discounts of the relevant ranks: 1, 3 and 5 of the list of topic 1."""
    found = {one.query_id: one.value for one in ours.provider.iter_calc([RBP(p=0.5, rel=1)], QRELS, RUN)}
    assert found["1"] == pytest.approx(0.5 * (1 + 0.5**2 + 0.5**4))


def test_ntcirs_measures_come_to_ir_measures() -> None:
    """The worked example of the STC measures: judged L2, L1, L0, L1, L2, gains 1 and 3."""
    qrels = {"q": {"d1": 2, "d2": 1, "d3": 0, "d4": 1, "d5": 2}}
    run = {"q": {"d2": 4.0, "u1": 3.0, "d1": 2.0, "d3": 1.0}}
    gains = {1: 1, 2: 3}
    measures = [ours.nG(gains=gains) @ 1, ours.nERR(gains=gains) @ 10, ours.Pplus(gains=gains), ours.Q(gains=gains)]
    found = ours.provider.calc_aggregate(measures, qrels, run)
    assert [round(found[measure], 4) for measure in measures] == [0.3333, 0.5136, 0.55, 0.275]


@pytest.mark.filterwarnings("ignore:(ast|Attribute n):DeprecationWarning")  # ir_measures' own parser on Python 3.12
def test_a_registered_provider_is_asked_first_and_its_measures_are_parsed() -> None:
    """What Kaiwa does not compute is left to the others; registering twice changes nothing."""
    assert ours.register() is ours.register() is ir_measures.providers.registry["kaiwa"]
    assert ir_measures.DefaultPipeline.providers.count(ours.provider) == 1
    assert ir_measures.DefaultPipeline.providers[0] is ours.provider
    nerr = ir_measures.parse_measure("nERR@10")
    found = ir_measures.calc_aggregate([nerr, IPrec @ 0.1], QRELS, RUN)
    assert found[nerr] == ours.provider.calc_aggregate([ours.nERR @ 10], QRELS, RUN)[ours.nERR @ 10]
    assert found[IPrec @ 0.1] == ir_measures.pytrec_eval.calc_aggregate([IPrec @ 0.1], QRELS, RUN)[IPrec @ 0.1]


def test_a_run_without_a_judged_topic_scores_nothing() -> None:
    """Every judged topic counts 0, as with the other providers."""
    assert ours.provider.calc_aggregate([AP], QRELS, {"9": {"x": 1.0}}) == {AP: 0.0}


def test_an_impossible_cutoff_is_refused() -> None:
    """Kaiwa's own words reach the caller."""
    with pytest.raises(InputError, match="is defined at rank 1 only"):
        ours.provider.calc_aggregate([ours.nG @ 5], QRELS, RUN)


def test_unsupported_measures_are_not_claimed() -> None:
    """AP@k on condensed lists would be cut before it is condensed here."""
    assert not ours.provider.supports(AP(judged_only=True) @ 5)
    assert not ours.provider.supports(IPrec @ 0.1)
