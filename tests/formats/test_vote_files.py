"""Vote files: STC labels and tidy CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kaiwa.errors import InputError
from kaiwa.formats.readers import read_votes
from kaiwa.formats.votes import write_votes
from kaiwa.nouns.votes import Votes

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Made = Callable[[str, str | bytes], Path]

LABELS = "5510\t4205\t0\t1\t2\n5510\t4208\tNA\t2\t2\n6135\t4205\t0\t0\tNA\n"


def test_stc_labels_are_read_item_by_item(made: Made) -> None:
    """Ten labels or three, NA kept and counted."""
    votes = read_votes(made("labels.txt", LABELS))
    assert votes.by_assessor().tolist() == [[0, 1, 2], [-1, 2, 2], [0, 0, -1]]
    assert (votes.items, votes.missing, votes.assessors, votes.top) == (3, 2, ("a1", "a2", "a3"), 2)


def test_written_votes_read_back(made: Made, tmp_path: Path) -> None:
    """Tidy CSV keeps every vote, NA and criteria included."""
    tidy = "topic,comment,assessor,level,fluent\nq1,c1,ann,2,1\nq1,c1,bo,NA,0\nq1,c2,ann,0,1\n"
    votes = read_votes(made("votes.csv", tidy))
    write_votes(tmp_path / "again.csv", votes)
    assert (tmp_path / "again.csv").read_text() == tidy
    assert (
        read_votes(tmp_path / "again.csv").by_assessor().tolist() == votes.by_assessor().tolist() == [[2, -1], [0, -1]]
    )
    assert votes.criteria["fluent"].tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("p c 0 1 3\n", r":1: label '3' is not 0\.\.2 or NA"),
        ("p c 0 1 2\np d 0 1\n", r":2: expected 5 fields, found 4"),
        ("p c 0 1\np c 1 1\n", r":2: duplicate comment 'c' \(first on line 1\)"),
        ("p c\n", "expected at least 3 fields, found 2"),
        (
            "topic,comment,assessor,level\nq,c,a,2\nq,c,a,1\n",
            r":3: duplicate vote of assessor 'a' on this comment .first on line 2",
        ),
        ("topic,comment,assessor,level\nq,c,a\n", r":2: expected 4 cells, found 3"),
        ("topic,comment,assessor,level\nq,c,a,good\n", r":2: level 'good' is not a level"),
        ("topic,comment,assessor,level\n", "has a header but no votes"),
    ],
)
def test_bad_votes_are_refused_with_their_line(made: Made, text: str, message: str) -> None:
    """Every refusal names place and fault."""
    with pytest.raises(InputError, match=message):
        read_votes(made("votes", text))


def test_a_declared_scale_bounds_the_votes(made: Made) -> None:
    """A vote above the declared top is refused; below it, the top holds even if unused."""
    path = made("votes.csv", "topic,comment,assessor,level\nq,c,a,3\n")
    with pytest.raises(InputError, match=r"level '3' is not 0\.\.2"):
        read_votes(path, top=2)
    assert read_votes(path, top=4).top == 4


HEADER = "topic,comment,assessor,level\n"


@pytest.mark.parametrize("separator", [";", "\t"])
def test_votes_may_be_separated_by_semicolons_or_tabs(made: Made, separator: str) -> None:
    """The header shows which; quoted cells keep what is in them."""
    text = f"{HEADER}q1,c1,ann,2\nq1,c1,bo,NA\n".replace(",", separator)
    assert read_votes(made("votes.csv", text)).by_assessor().tolist() == [[2, -1]]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("post_id,comment_id,annotator,label\nq1,c1,ann,2\n", "post_id,comment_id,annotator,label"),
        ("query;doc;worker;grade\nq1;c1;ann;2\n", "query;doc;worker;grade"),
        ("topic\tcomment\tlevel\tassessor\nq1\tc1\t2\tann\n", "topic comment level assessor"),
    ],
)
def test_another_header_is_named_with_the_one_expected(made: Made, text: str, found: str) -> None:
    """Not "expected 3 fields" of another format."""
    with pytest.raises(InputError) as refusal:
        read_votes(made("votes.csv", text))
    assert f":1: the header is '{found}', expected 'topic,comment,assessor,level'" in str(refusal.value)


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ([0, 1, 2, 22, 1], r"votes\.csv:5: level 22 is far above the others \(next: 2\)"),
        ([0, 1, 2, 7], r"votes\.csv:5: level 7 is far above the others"),
        ([9, 10, 11], r"votes\.csv:4: level 11 is above 9; fix it, or declare the scale with max_level="),
        ([22], r"votes\.csv:2: level 22 is above 9"),
    ],
)
def test_an_outlier_is_refused_unless_the_scale_is_declared(made: Made, levels: list[int], message: str) -> None:
    """A vote typed 22 would become a gain of 2^22 - 1."""
    rows = [("q", f"c{place}", "ann", level) for place, level in enumerate(levels)]
    path = made("votes.csv", HEADER + "".join(f"{','.join(map(str, row))}\n" for row in rows))
    with pytest.raises(InputError, match=message):
        read_votes(path)
    assert read_votes(path, top=max(levels)).top == max(levels)
    with pytest.raises(InputError, match=message.partition(":")[2].partition(" ")[2].partition(";")[0]):
        Votes.from_rows(rows)


def test_a_gap_of_two_levels_is_a_scale(made: Made) -> None:
    """Nobody gave L1 here."""
    assert read_votes(made("votes.csv", f"{HEADER}q,c,ann,0\nq,c,bo,2\n")).top == 2
