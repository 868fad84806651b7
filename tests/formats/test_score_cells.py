from pathlib import Path

import pytest

from kaiwa.errors import InputError
from kaiwa.formats.readers import read_cells
from kaiwa.nouns.cells import complete_scores

GAPPED = "measure,topic,run,score\nAP,1,A,0.5\nAP,1,B,0.25\nAP,2,A,1\nAP,2,B,n/a\nAP,3,A,0.75\nAP,3,B,0\n"


@pytest.fixture
def gapped(tmp_path: Path) -> Path:
    """Scores of two runs on three topics, one of them n/a."""
    path = tmp_path / "scores.csv"
    path.write_text(GAPPED, encoding="utf-8")
    return path


def test_a_gap_is_refused_unless_a_rule_is_chosen(gapped: Path) -> None:
    """The message names the cell and the rules."""
    message = "run 'B' has no score on topic '2' .*missing=\"drop-topics\", drop-runs or zero"
    with pytest.raises(InputError, match=message):
        complete_scores(read_cells([gapped]))


def test_dropping_topics_keeps_all_runs(gapped: Path) -> None:
    """Only topics that every run has are kept, and the others are named."""
    found = complete_scores(read_cells([gapped]), missing="drop-topics")
    assert (found.scores["AP"].topics, found.scores["AP"].runs) == (("1", "3"), ("A", "B"))
    assert found.topics_left_out == {"AP": ("2",)}


def test_dropping_runs_keeps_all_topics(gapped: Path) -> None:
    """A run with a gap is left out and named."""
    found = complete_scores(read_cells([gapped]), missing="drop-runs")
    assert found.scores["AP"].runs == ("A",)
    assert found.runs_left_out == {"AP": ("B",)}


def test_zero_fills_and_counts(gapped: Path) -> None:
    """A missing score counts 0, and how many did is reported."""
    found = complete_scores(read_cells([gapped]), missing="zero")
    assert found.scores["AP"].values.tolist() == [[0.5, 0.25], [1.0, 0.0], [0.75, 0.0]]
    assert found.filled == {"AP": 1}


def test_files_of_different_runs_are_joined(tmp_path: Path) -> None:
    """One file a run, topics in any order."""
    for name, rows in (("a", "1,A,0.5\n2,A,1\n"), ("b", "2,B,0.25\n1,B,0\n")):
        (tmp_path / f"{name}.csv").write_text(
            f"measure,topic,run,score\nAP,{rows.replace(chr(10), chr(10) + 'AP,', 1)}"
        )
    found = complete_scores(read_cells([tmp_path / "a.csv", tmp_path / "b.csv"])).scores["AP"]
    assert found.values.tolist() == [[0.5, 0.0], [1.0, 0.25]]


def test_a_matrix_may_have_gaps(tmp_path: Path) -> None:
    """Empty cells and n/a, with any header that the matrix reader knows."""
    path = tmp_path / "ap.csv"
    path.write_text("topic,A,B\nq1,0.5,0.25\nq2,,1\nq3,1,n/a\n", encoding="utf-8")
    assert complete_scores(read_cells([path]), missing="drop-topics").scores["ap"].topics == ("q1",)


def test_the_same_cell_twice_is_refused(gapped: Path) -> None:
    """The second file gives what the first gave."""
    with pytest.raises(InputError, match="duplicate score: AP of run 'A' on topic '1'"):
        read_cells([gapped, gapped])


def test_nothing_left_is_refused(tmp_path: Path) -> None:
    """Runs without a common topic cannot be compared."""
    path = tmp_path / "s.csv"
    path.write_text("measure,topic,run,score\nAP,1,A,0.5\nAP,2,B,0.5\n", encoding="utf-8")
    with pytest.raises(InputError, match="no topic or run has all scores"):
        complete_scores(read_cells([path]), missing="drop-topics")
