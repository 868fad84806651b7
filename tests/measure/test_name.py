"""Names of measures: valid names, and the messages for invalid ones."""

from __future__ import annotations

import re
from contextlib import suppress

import ir_measures
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

import kaiwa
from kaiwa.errors import InputError
from kaiwa.irmeasures import OWN
from kaiwa.measures.table import MEASURES, choose
from kaiwa.nouns.measure_name import ALIASES, parse_name


@pytest.mark.parametrize(
    ("spelling", "plain"),
    [
        ("MSnDCG@0001", "nDCG@1"),
        ("P-plus", "P+"),
        ("Q-measure", "Q"),
        ("O-measure", "O"),
        ("P@10", "Prec@10"),
        ("P@0010", "Prec@10"),
        ("MAP", "AP"),
        ("R@100", "Recall@100"),
        ("NCUguBR", "NCUgu,BR"),
        ("map", "AP"),
        ("recip_rank", "RR"),
        ("ndcg_cut_10", "nDCG@10"),
        ("ndcg_cut.10", "nDCG@10"),
        ("P_5", "Prec@5"),
        ("recall_100", "Recall@100"),
        ("success_1", "Hit@1"),
        ("map_cut_10", "AP@10"),
        ("mrr@10", "RR@10"),
        ("hit_rate@5", "Hit@5"),
        ("precision@5", "Prec@5"),
        ("rbp.80", "RBP(p=0.8)"),
        ("BPref", "bpref"),
    ],
)
def test_other_tools_spellings_name_the_same_measure(spelling: str, plain: str) -> None:
    """NTCIREVAL's, trec_eval's and ir_measures' names are understood."""
    assert parse_name(spelling) == parse_name(plain)


def test_a_measure_has_our_spelling() -> None:
    """Whatever the name that it was chosen by."""
    names = ("MSnDCG@0010", "ndcg@10", "P_5", "P-measure@10", "rbp.95", "Acc(1,2)@5", "D#-NDCG@3", "NCUgu,P(s=1:2.5)")
    ours = ["nDCG@10", "nDCG@10", "Prec@5", "P-measure@10", "RBP(p=0.95)", "Acc(L1,L2)@5", "D#-nDCG@3"]
    assert [choose(name).text for name in names] == [*ours, "NCUgu,P(s=1:2.5)"]


@pytest.mark.parametrize(
    ("measure", "ours"),
    [
        (ir_measures.nDCG @ 10, "nDCG@10"),
        (ir_measures.AP, "AP"),
        (ir_measures.P @ 5, "Prec@5"),
        (ir_measures.R @ 100, "Recall@100"),
        (ir_measures.RR @ 10, "RR@10"),
        (ir_measures.Success @ 1, "Hit@1"),
        (ir_measures.Bpref, "bpref"),
        (ir_measures.RBP, "RBP(p=0.8)"),
        (ir_measures.RBP(p=0.9), "RBP(p=0.9)"),
        (OWN["nERR"] @ 10, "nERR@10"),
        (OWN["Pplus"], "P+"),
    ],
    ids=str,
)
def test_a_measure_of_ir_measures_is_read_with_its_own_defaults(measure: ir_measures.Measure, ours: str) -> None:
    """P of RBP is 0.8 there; P and its kind are not Sakai's P."""
    assert choose(measure).text == ours


@pytest.mark.parametrize(
    ("given", "remark"),
    [
        ("map@2", "map@2 is read as AP@2: trec_eval and ranx divide by R"),
        ("map_cut_2", "not by min(2, R)"),
        (ir_measures.AP @ 2, "AP@2 is read as AP@2: trec_eval and ranx divide by R"),
        ("rbp.80", "ranx does not divide the gains by gmax"),
        (ir_measures.ERR @ 5, "levels={1: 1, 2: 3, 3: 7, 4: 15} and max_gain=15"),
    ],
    ids=str,
)
def test_what_another_tool_does_otherwise_is_a_note(given: object, remark: str) -> None:
    """Of the scores, so that no value differs in silence; our own names have none."""
    qrels = kaiwa.Qrels.from_dict({"q1": {"a": 2, "b": 1}})
    assert any(remark in note for note in kaiwa.score({"q1": {"a": 1.0}}, qrels, given).notes)  # type: ignore[arg-type]
    assert not any("is read as" in note for note in kaiwa.score({"q1": {"a": 1.0}}, qrels, ["AP@2", "ERR@5"]).notes)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("Rprec", "measure 'Rprec' of another tool is not among Kaiwa's; compute it there"),
        ("num_rel_ret", "is not among Kaiwa's"),
        ("iprec_at_recall_0.10", "is not among Kaiwa's"),
        (ir_measures.Judged @ 10, "measure 'Judged@10' of another tool"),
        (ir_measures.P, "needs a cutoff"),
        ("RR(rel=2)@10", "leave it out, and map the grades that do not count to 0"),
        (ir_measures.AP(rel=2), "rel is a setting of the score"),
        ("ndcg@10-l2", "write ndcg@10, and map the grades"),
        (ir_measures.nDCG(dcg="exp-log2") @ 10, "give the gain of each grade, 2^grade - 1"),
        (ir_measures.P(judged_only=True) @ 10, "add condensed=True"),
        (7, "measure 7 is not a name"),
    ],
    ids=str,
)
def test_what_other_tools_have_and_a_score_has_not_is_refused_with_what_to_write(given: object, message: str) -> None:
    """A measure that is not ours, and an option that is a setting of the score."""
    with pytest.raises(InputError) as error:
        choose(given)
    assert message in str(error.value)


def test_scores_are_found_by_any_spelling_of_their_measure() -> None:
    """Free text first; then the same measure."""
    scores = kaiwa.Scores.from_rows([("q1", "A", 0.5)], "nDCG@10")
    assert scores["ndcg_cut_10"] == scores[ir_measures.nDCG @ 10] == scores["nDCG@10"]
    free = kaiwa.Scores.from_rows([("q1", "A", 0.5)], "map")
    assert free["map"].measure == free["AP"].measure == "map"
    with pytest.raises(InputError, match=r"write \.only\(\['map', 'x'\]\)"):
        free[["map", "x"]]  # type: ignore[index]


def test_p_without_a_cutoff_is_sakais_p_measure() -> None:
    """P@10 is precision everywhere; P alone is not."""
    assert (parse_name("P").base, parse_name("P-measure@10").base) == ("P", "P")


@pytest.mark.parametrize("alias", ALIASES.values())
def test_every_alias_leads_to_a_measure(alias: str) -> None:
    """No alias points at nothing."""
    assert alias in MEASURES


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nER@10", "unknown measure 'nER'; did you mean 'nERR'"),
        ("nERR@", "the cutoff '' is not a rank"),
        ("nERR@0", "the cutoff '0' is not a rank"),
        ("nERR@-3", "the cutoff '-3' is not a rank"),
        ("nERR@1e3", "the cutoff '1e3' is not a rank"),
        ("nG@5", "is defined at rank 1 only"),
        ("Prec", "needs a cutoff"),
        ("Acc(L2)", "needs a cutoff"),
        ("RBP(p=2)", "p must lie in 0..0.9999"),
        ("nRBP(p=1)", "p must lie in 0..0.9999"),
        ("nDCG(b=1)@5", "b must lie in 1.01..1000"),
        ("RBP(p=x)", "'x' is not a number"),
        ("RBP(q=0.5)", "takes no option 'q'; it takes: p"),
        ("RR(beta=1)", "takes no option 'beta'; it takes: none"),
        ("RBP(p=0.1:0.2)", "p takes one number, not 2"),
        ("nERR(L2)@3", "only Acc takes levels"),
        ("RBP(hello)", "is neither an option"),
        ("D#-I-rec@3", "D#- goes before a measure of one list"),
        ("", "is not a name"),
        ("nERR@10@5", "is not a name"),
        ("RBP(p=nan)", "p must lie in"),
    ],
)
def test_a_wrong_name_is_refused_with_what_to_write_instead(name: str, message: str) -> None:
    """Each message has the name and what is wrong."""
    with pytest.raises(InputError, match=re.escape(message)):
        choose(name)


@drawn(st.text(max_size=30) | st.from_regex(r"\A(P\+|RBP|Acc|nDCG|D#-Q)(\([a-z0-9=:,L.]*\))?(@[0-9]*)?\Z"))
def test_any_text_is_a_measure_or_refused(text: str) -> None:
    """Nothing but an InputError comes out of a bad name; our spelling of a measure is read as the same measure."""
    with suppress(InputError):
        assert parse_name(choose(text).text) == parse_name(text)
