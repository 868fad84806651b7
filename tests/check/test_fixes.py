"""The fixed copy of a run, and the check of a run in another format."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.checking.check import Expectation, check, problems_of
from kaiwa.checking.fixes import fixed_run
from kaiwa.checking.raw_run import raw_run

if TYPE_CHECKING:
    from pathlib import Path

RANKED = ["q1 0 c2 2 1.0", "q1 0 c1 1 2.0", "q1 0 c1 3 0.5"]
LINES = [b"<SYSDESC>plain</SYSDESC>\n", *(f"{line} T1-C-R1\n".encode() for line in RANKED)]


def test_a_fixed_copy_is_sorted_without_duplicates_and_says_so(tmp_path: Path) -> None:
    """Every change is counted; nothing fixable is left."""
    run = raw_run(tmp_path / "T1-C-R1.txt", LINES)
    fixed = fixed_run(run, Expectation())
    assert fixed.text == "<SYSDESC>plain</SYSDESC>\nq1 0 c1 1 2.0 T1-C-R1\nq1 0 c2 2 1.0 T1-C-R1\n"
    assert fixed.changes == {"topic sorted": 1, "duplicate comment dropped": 1}
    again = raw_run(run.path, fixed.text.encode().splitlines(keepends=True))
    assert [problem for problem in problems_of(again, Expectation()) if problem.is_fixable] == []


def test_runs_in_ntcirevals_folder_are_checked_as_the_trec_files_they_convert_to(tmp_path: Path) -> None:
    """Each run of the folder is a file of its own; places are those of ``FOLDER/RUN.txt``."""
    (tmp_path / "0001").mkdir()
    (tmp_path / "0001" / "0001.A.res").write_text("d1\nd2\n")
    (tmp_path / "0001" / "0001.B.res").write_text("d9\n")
    found = check(tmp_path, repository={"d1", "d9"})
    assert [(file.path.name, file.topics, file.comments) for file in found.files] == [("A.txt", 1, 2), ("B.txt", 1, 1)]
    (problem,) = found.problems
    assert (problem.file, problem.line, problem.code) == (str(tmp_path / "A.txt"), 2, "unknown-comment")
