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
    assert kaiwa("convert", "A.txt", "--to", form, "-o", "there").returncode == 0
    source = next(map(str, (tmp_path / "there").glob("A.*")), "there")  # a file a run, or the folder
    assert kaiwa("convert", source, "--to", "trec-run", "-o", "back").returncode == 0
    assert (tmp_path / "back" / "A.txt").read_text() == RUN


@pytest.mark.parametrize("form", [name for name, row in WRITTEN.items() if row.noun.name == "qrels"])
def test_judgements_go_through_every_form_and_come_back(kaiwa: Kaiwa, tmp_path: Path, form: str) -> None:
    """Without -o one file is printed."""
    (tmp_path / "qrels").write_text(QRELS)
    assert kaiwa("convert", "qrels", "--to", form, "-o", "there").returncode == 0
    assert kaiwa("convert", "there", "--to", "trec-qrels").stdout == QRELS


@pytest.mark.parametrize("form", [name for name, row in WRITTEN.items() if row.noun.name == "scores"])
def test_scores_go_to_every_form(kaiwa: Kaiwa, tmp_path: Path, form: str) -> None:
    """One measure chosen with -m; --json says what was written."""
    (tmp_path / "s.csv").write_text(SCORES)
    done = kaiwa("convert", "s.csv", "--to", form, "-m", "AP", "-o", "there", "--json")
    assert (done.returncode, json.loads(done.stdout)["form"]) == (0, form)
    assert (tmp_path / "there").exists()


def test_the_means_of_other_evaluators_files_are_compared(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """NTCIREVAL's and trec_eval's output is read wherever scores are."""
    rows = [f"AP,q{topic},{run},{score / topic}" for topic in (1, 2, 3) for run, score in (("A", 0.9), ("B", 0.3))]
    (tmp_path / "s.csv").write_text("\n".join(["measure,topic,run,score", *rows]))
    asked = ["compare", "--json", "--trials", "99", "-m"]
    direct = json.loads(kaiwa(*asked, "AP", "s.csv").stdout)
    for form, measure, ending in (("nev", "AP", "kaiwa.nev"), ("trec-eval", "map", "eval")):
        kaiwa("convert", "s.csv", "--to", form, "-o", form)
        again = json.loads(kaiwa(*asked, measure, f"{form}/A.{ending}", f"{form}/B.{ending}").stdout)
        assert again["pairs"] == direct["pairs"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["s.csv", "--to", "nevv"], "kaiwa: unknown format 'nevv'; did you mean 'nev'?"),
        (["s.csv", "--to", "nev"], "kaiwa: nev is 4 files; give a folder with -o"),
        (["s.csv", "--to", "matrix"], "kaiwa: a matrix has one measure, and there are AP, RR; choose one with -m"),
        (["s.csv", "--to", "csv", "-m", "ap"], "kaiwa: s.csv: unknown measure 'ap'; did you mean 'AP'?"),
        (["A.txt", "--to", "res", "-m", "AP", "-o", "x"], "kaiwa: -m chooses among scores, but res holds none"),
        (["q", "q", "--to", "rel", "-o", "x"], "kaiwa: q: is a second file of qrels"),
        (["s.csv", "--to", "nev", "-o", "A.txt"], "kaiwa: A.txt: cannot be made (File exists)"),
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
