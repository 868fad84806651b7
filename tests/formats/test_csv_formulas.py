"""Names that a spreadsheet would compute, in the CSV files that people open."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kaiwa.formats.fields import csv_text, read_csv
from kaiwa.formats.readers import read_scores
from kaiwa.formats.scores import matrix_text, scores_text
from kaiwa.nouns.matrix import Matrix
from kaiwa.nouns.scores import Scores

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Made = Callable[[str, str | bytes], Path]

FORMULAS = ['=HYPERLINK("http://x","y")', "=1+1", "@SUM(A1)", "+cmd|' /C calc'!A0", "-2+3+cmd|'x'!A0", "＝1+1", "'=1"]
HARMLESS = ["-x7", "@ann", "-1", "+1", "0.5", "'tis", "a=b", "x-1", "T1-C-R1", "-"]


@pytest.mark.parametrize("name", FORMULAS)
def test_a_formula_is_a_text_in_every_csv_and_reads_back(made: Made, name: str) -> None:
    """No cell begins with what a spreadsheet computes, and our readers give the name as it was."""
    scores = Matrix("AP", ("q1", "q2"), (name, "B"), np.array([[0.5, 0.25], [0.5, 0.75]]))
    for text in (scores_text(Scores([scores])), matrix_text(scores)):
        path = made("AP.csv", text)
        assert f"'{name[:2]}" in text
        assert read_scores(path).matrix() == scores


@pytest.mark.parametrize("name", HARMLESS)
def test_a_name_that_no_spreadsheet_computes_stays_as_it_is(made: Made, name: str) -> None:
    """Ids that begin with a minus are common, and other tools read the files too."""
    text = csv_text(["run"], [[name]])
    assert text == f"run\n{name}\n"
    assert [cells for _, cells in read_csv(made("runs.csv", text))] == [["run"], [name]]


def test_a_negative_number_is_no_formula() -> None:
    """Numbers are written as numbers."""
    assert csv_text(["diff"], [[-0.25]]) == "diff\n-0.25\n"
