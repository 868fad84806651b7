"""Run files: the order of a ranking, and the STC description line."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kaiwa.errors import InputError
from kaiwa.formats.readers import read_run, read_runs

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Made = Callable[[str, str | bytes], Path]

STC = "<SYSDESC>Q2P & Q2C, 会話</SYSDESC>\nq1 0 c2 1 1.0 T1-C-R1\nq1 0 c1 2 3.0 T1-C-R1\n"
TREC = "q1 Q0 d1 1 1.5 R\nq1 Q0 d9 2 2.5 R\nq1 Q0 d10 3 1.5 R\nq1 Q0 d5 4 1.5 R\n"


def test_an_stc_run_ranks_by_the_order_of_its_lines(made: Made) -> None:
    """The NTCIR habit: file order, whatever the scores."""
    run = read_run(made("T1-C-R1.txt", STC))
    assert (run.comments_of("q1"), run.order, run.description) == (["c2", "c1"], "file", "Q2P & Q2C, 会話")


def test_a_trec_run_ranks_by_score_then_by_id_descending(made: Made) -> None:
    """trec_eval's rule: higher score first, equal scores by descending id."""
    run = read_run(made("trec.txt", TREC))
    assert (run.comments_of("q1"), run.order) == (["d9", "d5", "d10", "d1"], "score")


def test_the_order_can_be_chosen(made: Made) -> None:
    """File, score and rank order read the same lines differently."""
    path = made("trec.txt", TREC.replace(" 1 1.5 R", " 7 1.5 R"))
    assert read_run(path, order="file").comments_of("q1") == ["d1", "d9", "d10", "d5"]
    assert read_run(path, order="rank").comments_of("q1") == ["d9", "d10", "d5", "d1"]
    with pytest.raises(InputError, match="unknown order 'ranks'; did you mean 'rank'"):
        read_run(path, order="ranks")


def test_topics_that_come_back_are_brought_together(made: Made) -> None:
    """A topic's lines may be anywhere in the file."""
    run = read_run(made("split.txt", "a 0 c1 1 3 R\nb 0 c1 1 3 R\na 0 c2 2 2 R\n"))
    assert (run.topics, run.comments_of("a"), run.comments_of("b")) == (("a", "b"), ["c1", "c2"], ["c1"])


def test_two_runs_of_one_name_are_refused(made: Made) -> None:
    """A table could not distinguish them."""
    with pytest.raises(InputError, match=r"b\.txt: duplicate run name 'R'"):
        read_runs([made("a.txt", TREC), made("b.txt", TREC)])
