"""Vote files: STC labels and tidy CSV."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kaiwa.errors import InputError
from kaiwa.formats.readers import read_votes
from kaiwa.formats.vote_files import write_votes

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
