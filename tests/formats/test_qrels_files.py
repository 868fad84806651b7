"""Judgement files of the three forms, and judgement groups."""

from __future__ import annotations

from typing import TYPE_CHECKING

import ir_measures
import pytest

from kaiwa.errors import InputError
from kaiwa.formats.qrels import write_qrels
from kaiwa.formats.readers import read_grouped_qrels, read_qrels
from kaiwa.nouns.qrels import Qrels

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Made = Callable[[str, str | bytes], Path]


@pytest.mark.parametrize(
    "text",
    [
        "q1 0 d1 2\nq1 0 d2 0\nq2 0 d1 1\n",
        "q1 d1 L2\nq1 d2 L0\nq2 d1 L1\n",
        "q1 0 d1 L2\nq1 0 d2 L0\nq2 0 d1 L1\n",
        "query-id\tcorpus-id\tscore\nq1\td1\t2\nq1\td2\t0\nq2\td1\t1\n",
    ],
)
def test_every_form_of_judgement_gives_the_same_gains(made: Made, text: str) -> None:
    """TREC, NTCIR and BEIR files are read alike."""
    gains = read_qrels(made("qrels", text))
    assert (gains.of("q1"), gains.of("q2"), gains.top) == ({"d1": 2.0, "d2": 0.0}, {"d1": 1.0}, 2.0)


@pytest.mark.parametrize("form", ["trec", "ntcir", "beir"])
def test_written_judgements_read_back(made: Made, tmp_path: Path, form: str) -> None:
    """Each form round-trips."""
    gains = read_qrels(made("qrels", "q1 0 d1 2\nq2 0 会話 0\n"))
    write_qrels(tmp_path / f"{form}.txt.zst", gains, form=form)
    assert read_qrels(tmp_path / f"{form}.txt.zst") == gains


def test_real_gains_round_trip_to_the_last_digit(made: Made, tmp_path: Path) -> None:
    """Averaged gains are written in full."""
    gains = read_qrels(made("qrels", "q1 0 d1 0.6666666666666666\nq1 0 d2 1e-3\n"))
    write_qrels(tmp_path / "again", gains)
    assert read_qrels(tmp_path / "again") == gains


def test_a_real_gain_has_no_level(made: Made, tmp_path: Path) -> None:
    """NTCIR files hold levels only, and nothing is written when one is not."""
    gains = read_qrels(made("qrels", "q1 0 d1 0.5\n"))
    with pytest.raises(InputError, match=r"gain 0\.5 of topic 'q1' is not a level"):
        write_qrels(tmp_path / "out", gains, form="ntcir")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "q1 0 d1 2\nq1 0 d1 1\n",
            r":2: duplicate comment 'd1' with grade 1 \(first on line 1 with grade 2\)",
        ),
        ("q1 0 d1 2\nq1 0 d1 2\n", r":2: .* with grade 2 \(first on line 1 with grade 2\); keep one"),
        ("q1 0 d1 2\nq1 1 d1 2\n", r"read the file with read_grouped_qrels"),
        ("q1 0 d1 two\n", r":1: grade 'two' is not a number or a level"),
        ("q1 0 d1 inf\n", r":1: grade 'inf' is not"),
        ("q1 d1\n", r"expected 3 to 5 fields, found 2"),
        ("q1 0 d1 1\nq1 d2 1\n", r":2: expected 4 fields, found 3"),
        ("# nothing\n", "contains no judgement"),
    ],
)
def test_bad_judgements_are_refused_with_their_line(made: Made, text: str, message: str) -> None:
    """Every refusal names place and fault."""
    with pytest.raises(InputError, match=message):
        read_qrels(made("qrels", text))


def test_the_second_column_holds_groups_when_asked(made: Made) -> None:
    """Intents, assessors or trec_eval's judgement groups become gains of their own."""
    groups = read_grouped_qrels(made("qrels", "q1 1 d1 2\nq1 2 d1 0\nq2 1 d1 1\n"))
    assert {name: gains.of("q1") for name, gains in groups.items()} == {"1": {"d1": 2.0}, "2": {"d1": 0.0}}


def test_preference_judgements_have_group_and_subgroup(made: Made) -> None:
    """Five columns are read without loss."""
    groups = read_grouped_qrels(made("prefs", "q1 A x d1 1\nq1 A y d1 0\n"))
    assert sorted(groups) == ["A/x", "A/y"]


def test_blank_lines_at_the_end_of_levels_are_ignored(made: Made) -> None:
    """Also where a block of the file holds nothing else, as after a last lone carriage return."""
    assert read_qrels(made("qrels", b"q1 d1 L2\nq1 d2 L0\n\r")).of("q1") == {"d1": 2.0, "d2": 0.0}


def test_a_gmax_that_no_item_reaches_is_written_and_read_back(tmp_path: Path) -> None:
    """In the second field of a TREC line, which other tools ignore; NTCIR's form has a comment for it."""
    gains = Qrels.from_lists({"q1": {"d1": 2, "d2": 0}}, top=24)
    for form, text in (("trec", "q1 gmax=24 d1 2\nq1 gmax=24 d2 0\n"), ("ntcir", "# gmax 24\nq1 d1 L2\nq1 d2 L0\n")):
        write_qrels(tmp_path / form, gains, form=form)
        assert (tmp_path / form).read_text() == text
        assert read_qrels(tmp_path / form) == gains


def test_other_tools_read_a_file_with_its_gmax(tmp_path: Path) -> None:
    """A comment would stop ir_measures; the second field does not."""
    write_qrels(tmp_path / "qrels", Qrels.from_lists({"q1": {"d1": 2, "d2": 0}}, top=3))
    with (tmp_path / "qrels").open() as lines:
        read = [(one.query_id, one.doc_id, one.relevance) for one in ir_measures.read_trec_qrels(lines)]
    assert read == [("q1", "d1", 2), ("q1", "d2", 0)]


@pytest.mark.parametrize(
    ("text", "gmax"),
    [
        ("# gmax 3\nq1 0 d1 2\n", 3.0),
        ("# made by hand\n\n#gmax: 2.5\nq1 0 d1 2\n", 2.5),
        ("q1 0 d1 2\n# gmax 3\n", 2.0),
        ("q1 gmax=1e-05 d1 1e-05\n", 1e-05),
    ],
)
def test_a_declared_gmax_is_the_top_of_the_scale(made: Made, text: str, gmax: float) -> None:
    """Declared before the first judgement, or on every line."""
    assert read_qrels(made("qrels", text)).top == gmax


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# gmax 2\nq1 0 d1 1\nq1 0 d2 3\n", r":3: grade 3 is above the file's gmax 2"),
        ("q1 gmax=2 d1 1\nq1 gmax=3 d2 1\n", r":2: the second field is 'gmax=3', before it 'gmax=2'"),
    ],
)
def test_a_gmax_that_cannot_be_right_is_refused(made: Made, text: str, message: str) -> None:
    """A grade above it, or two of them."""
    with pytest.raises(InputError, match=message):
        read_qrels(made("qrels", text))
