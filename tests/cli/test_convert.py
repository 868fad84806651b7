"""``kaiwa convert``: from one tool's files to another's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from kaiwa.formats.convert import WRITTEN

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Kaiwa = Callable[..., subprocess.CompletedProcess[str]]

RUN = "q1 Q0 d2 1 2.0 A\nq1 Q0 d1 2 1.0 A\nq2 Q0 d9 1 1.0 A\n"
QRELS = "q1 0 d1 2\nq1 0 d2 1\nq2 0 d9 0\n"
SCORES = "measure,topic,run,score\nAP,q1,A,0.5\nAP,q1,B,0.25\nRR,q1,A,1.0\nRR,q1,B,0.5\n"


@pytest.mark.parametrize("form", [name for name, row in WRITTEN.items() if row.noun.name == "run"])
def test_runs_go_through_every_form_and_come_back(kaiwa: Kaiwa, tmp_path: Path, form: str) -> None:
    """The ranking survives; .res files keep no scores, so the ranks give them."""
    (tmp_path / "A.txt").write_text(RUN)
    assert kaiwa("convert", "A.txt", "--format", form, "-o", "there").returncode == 0
    source = next(map(str, (tmp_path / "there").glob("A.*")), "there")  # a file a run, or the folder
    assert kaiwa("convert", source, "--format", "trec-run", "-o", "back").returncode == 0
    assert (tmp_path / "back" / "A.txt").read_text() == RUN


@pytest.mark.parametrize("form", [name for name, row in WRITTEN.items() if row.noun.name == "qrels"])
def test_judgements_go_through_every_form_and_come_back(kaiwa: Kaiwa, tmp_path: Path, form: str) -> None:
    """Without -o one file is printed."""
    (tmp_path / "qrels").write_text(QRELS)
    assert kaiwa("convert", "qrels", "--format", form, "-o", "there").returncode == 0
    assert kaiwa("convert", "there", "--format", "trec-qrels").stdout == QRELS


@pytest.mark.parametrize("form", [name for name, row in WRITTEN.items() if row.noun.name == "scores"])
def test_scores_go_to_every_form(kaiwa: Kaiwa, tmp_path: Path, form: str) -> None:
    """One measure chosen with -m; --json has the scores that were written."""
    (tmp_path / "s.csv").write_text(SCORES)
    done = kaiwa("convert", "s.csv", "--format", form, "-m", "AP", "-o", "there", "--json")
    assert (done.returncode, done.stderr) == (0, "wrote there\n")
    assert json.loads(done.stdout)["means"] == {"A": {"AP": 0.5}, "B": {"AP": 0.25}}
    assert (tmp_path / "there").exists()


def test_one_run_goes_into_the_file_that_is_named(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """A name with an ending is a file, another a folder; stdout has the summary, and without -o the file."""
    (tmp_path / "A.txt").write_text(RUN)
    done = kaiwa("convert", "A.txt", "--format", "ntcir-run", "-o", "B.run")
    assert done.stdout.splitlines()[0].split() == ["run", "topics", "comments"]
    assert (tmp_path / "B.run").read_text() == kaiwa("convert", "A.txt", "--format", "ntcir-run").stdout
    (tmp_path / "C.txt").write_text(RUN.replace(" A\n", " C\n"))
    done = kaiwa("convert", "A.txt", "C.txt", "--format", "trec-run")
    assert done.stderr == "kaiwa: 2 runs are 2 files; write them into a folder: .write(FOLDER), -o FOLDER\n"


def test_the_means_of_other_evaluators_files_are_compared(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """NTCIREVAL's and trec_eval's output is read wherever scores are."""
    rows = [f"AP,q{topic},{run},{score / topic}" for topic in (1, 2, 3) for run, score in (("A", 0.9), ("B", 0.3))]
    (tmp_path / "s.csv").write_text("\n".join(["measure,topic,run,score", *rows]))
    asked = ["compare", "--json", "--trials", "99", "-m"]
    direct = json.loads(kaiwa(*asked, "AP", "s.csv").stdout)
    for form, measure, ending in (("nev", "AP", "kaiwa.nev"), ("trec-eval", "map", "eval")):
        kaiwa("convert", "s.csv", "--format", form, "-o", form)
        again = json.loads(kaiwa(*asked, measure, f"{form}/A.{ending}", f"{form}/B.{ending}").stdout)
        assert again["pairs"] == direct["pairs"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["s.csv", "--format", "nevv"], "kaiwa: unknown format 'nevv'; did you mean 'nev'?"),
        (["s.csv", "--format", "nev"], "kaiwa: nev is 4 files; write them into a folder"),
        (["s.csv", "--format", "matrix"], "kaiwa: a matrix has one measure, and there are AP, RR; choose one with -m"),
        (["s.csv", "--format", "csv", "-m", "ap"], "kaiwa: s.csv: unknown measure 'ap'; did you mean 'AP'?"),
        (["A.txt", "--format", "res", "-m", "AP", "-o", "x"], "kaiwa: -m chooses among scores, but res holds none"),
        (["q", "q", "--format", "rel", "-o", "x"], "kaiwa: topic 'q1', comment 'd1': judged in two of the qrels"),
        (["A.txt", "--format", "rel", "-o", "x"], "kaiwa: A.txt: this is a run file"),
        (["s.csv", "--format", "nev", "-o", "A.txt"], "kaiwa: A.txt: cannot be made (File exists)"),
    ],
)
def test_what_cannot_be_converted_is_refused_in_one_line(
    kaiwa: Kaiwa, tmp_path: Path, words: list[str], message: str
) -> None:
    """Exit code 2, nothing written."""
    for name, text in (("A.txt", RUN), ("q", QRELS), ("s.csv", SCORES)):
        (tmp_path / name).write_text(text)
    done = kaiwa("convert", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(message)
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "x").exists()
