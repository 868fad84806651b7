from pathlib import Path

import pytest

from kaiwa.errors import InputError
from kaiwa.formats.readers import load_scores


def test_logs_and_tables_are_not_mixed(tmp_path: Path) -> None:
    """One or the other, and the odd file is named."""
    (tmp_path / "a.csv").write_text("A,B\n1,2\n", encoding="utf-8")
    (tmp_path / "b.json").write_text("{}", encoding="utf-8")
    with pytest.raises(InputError, match=r"b\.json: is a log among score tables"):
        load_scores([tmp_path / "a.csv", tmp_path / "b.json"])


def test_an_unknown_measure_is_refused_with_the_file(tmp_path: Path) -> None:
    """The file and the measures it holds are named; one that differs by case is offered."""
    (tmp_path / "ap.csv").write_text("A,B\n1,2\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"ap\.csv: unknown measure 'AP'; did you mean 'ap'\?"):
        load_scores([tmp_path / "ap.csv"], measure="AP")
    with pytest.raises(InputError, match=r"ap\.csv: unknown measure 'nERR'; known: ap"):
        load_scores([tmp_path / "ap.csv"], measure="nERR")


def test_what_was_left_out_is_remarked(tmp_path: Path) -> None:
    """Topics without every score are named and counted."""
    (tmp_path / "ap.csv").write_text("topic,A,B\nq1,1,2\nq2,,2\nq3,1,1\n", encoding="utf-8")
    loaded = load_scores([tmp_path / "ap.csv"], missing="drop-topics")
    assert loaded.remarks == ("ap: 1 topic left out for missing scores: q2",)
