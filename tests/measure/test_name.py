"""Names of measures: valid names, and the messages for invalid ones."""

from __future__ import annotations

import re
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kaiwa.errors import InputError
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
    ],
)
def test_other_tools_spellings_name_the_same_measure(spelling: str, plain: str) -> None:
    """NTCIREVAL's, trec_eval's and ir_measures' names are understood."""
    assert parse_name(spelling) == parse_name(plain)


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


@given(st.text(max_size=30) | st.from_regex(r"\A(P\+|RBP|Acc|nDCG|D#-Q)(\([a-z0-9=:,L.]*\))?(@[0-9]*)?\Z"))
def test_any_text_is_a_measure_or_refused(text: str) -> None:
    """Nothing but an InputError comes out of a bad name."""
    with suppress(InputError):
        assert choose(text).text == text
