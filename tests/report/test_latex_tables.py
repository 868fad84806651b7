"""Every LaTeX table compiles under a real pdflatex with booktabs alone, and fits the page, whatever its texts are."""

from __future__ import annotations

import random
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pytest
from click.testing import CliRunner

import kaiwa
from kaiwa.cli.group import kaiwa as command
from kaiwa.formats.scores import write_scores
from kaiwa.reporting.report import write_report
from kaiwa.show.latex import latex_table
from kaiwa.task.folder import read_task

if TYPE_CHECKING:
    from pathlib import Path

TOLERANCE = 1.0
"""Points that a table may run over its line."""
NAMES = (
    r"& % $ # _ { } ~ ^ \ < > \" ` | ' --- ,, ?` \\",
    r"\input{/etc/passwd} \end{tabular} $x^2$ %",
    "[2pt] first",
    "*star",
    "会話-C-R1 今日は晴れ、散歩します。",
    "今天终于拿到驾照了，开心！",
    "“naïve” café – Łódź, «ą» Ж 🎉👍🏽 ≤ ½ \x1b[31m \u202e",
    "A" * 90,
    "runs/team_with_a_long_name/run.number.one-C-R1.txt",
    "word " * 700,
)


@dataclass(frozen=True)
class Typeset:
    """The log of a run of pdflatex, and for each table how far it runs over its line, in points."""

    log: str
    too_wide: Mapping[str, float]


Pdflatex = Callable[..., Typeset]


@pytest.fixture
def pdflatex(tmp_path: Path) -> Pdflatex:
    """A function that typesets tables, by name, in an article that loads booktabs and the ``{packages}`` given."""

    def typeset(tables: Mapping[str, str], *packages: str) -> Typeset:
        program = shutil.which("pdflatex")
        assert program, "pdflatex is missing; type: make tex"
        loaded = "".join(rf"\usepackage{name}" for name in ("{booktabs}", *packages))
        start = r"\typeout{TABLE %s}\noindent"
        body = "\n".join(f"{start % name}\n{one}\n\\newpage" for name, one in tables.items())
        text = f"\\documentclass{{article}}{loaded}\n\\begin{{document}}\n{body}\n\\end{{document}}\n"
        (tmp_path / "paper.tex").write_text(text, encoding="utf-8")
        command = [program, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
        log = (tmp_path / "paper.log").read_text(encoding="utf-8", errors="replace")
        assert done.returncode == 0, log[-2000:]
        return Typeset(log, _too_wide(log))

    return typeset


def _too_wide(log: str) -> dict[str, float]:
    found = dict[str, float]()
    for part in log.split("\nTABLE ")[1:]:
        over = [float(points) for points in re.findall(r"Overfull \\[hv]box \(([\d.]+)pt", part)]
        found[part.splitlines()[0]] = max(over, default=0.0)
    return found


def _fits(made: Typeset) -> None:
    assert {name: over for name, over in made.too_wide.items() if over > TOLERANCE} == {}
    assert made.too_wide


@pytest.mark.parametrize("packages", [(), ("{CJKutf8}",), ("[T1]{fontenc}",)])
def test_any_name_in_any_column_compiles_and_fits(pdflatex: Pdflatex, packages: tuple[str, ...]) -> None:
    """As first cell, in the middle, as heading, beside numbers and beside other texts."""
    tables = {
        f"name {at}": latex_table(["run", name[:40], "mean"], [[name, name, -0.5]]) for at, name in enumerate(NAMES)
    }
    wide = [[name, *(0.25,) * 5, other] for name in NAMES for other in NAMES]
    tables["together"] = latex_table(["run", "a", "b", "c", "d", "e", "post"], wide)
    _fits(pdflatex(tables, *packages))


def test_chinese_and_japanese_are_printed_with_cjkutf8_and_compile_without(pdflatex: Pdflatex) -> None:
    """Each in a font that has its characters; without the package pdflatex prints [?]."""
    table = latex_table(["run", "post"], [["会話-C-R1", "今日は晴れ"], ["R2", "今天终于拿到驾照了"]])
    printed = pdflatex({"cjk": table}, "{CJKutf8}").log
    assert ("gbsnu" in printed, "dmj" in printed, "Missing character" in printed) == (True, True, False)
    assert "gbsnu" not in pdflatex({"cjk": table}).log


def test_every_character_compiles(pdflatex: Pdflatex) -> None:
    """Every printable character of Unicode's first plane, and some of the others."""
    chars = [char for code in range(32, 0x10000) if (char := chr(code)).isprintable()]
    chars += random.Random(1).sample([chr(code) for code in range(0x10000, sys.maxunicode + 1)], 500)
    rows = [["".join(chars[at : at + 60]), at] for at in range(0, len(chars), 60)]
    _fits(pdflatex({"all": latex_table(["text", "n"], rows)}))


def test_tables_longer_and_wider_than_a_page_lose_nothing(pdflatex: Pdflatex) -> None:
    """110 rows and 25 columns of numbers become several tabulars; every row and column is in one of them."""
    header = ["run", *(f"measure {at}" for at in range(24))]
    rows = [[f"team{run}-C-R1", *(run + at / 100 for at in range(24))] for run in range(110)]
    table = latex_table(header, rows)
    assert all(f"{run + 23 / 100:.4f}" in table for run in range(110))
    assert table.count("team109-C-R1") == table.count("team0-C-R1") > 1
    _fits(pdflatex({"large": table}))


def test_the_tables_of_a_report_compile_and_fit(pdflatex: Pdflatex, small_round: Path) -> None:
    """All files of report-files/tables, with hostile names, posts of 3,000 characters and long descriptions."""
    topics = (small_round / "topics.tsv").read_text(encoding="utf-8").splitlines()
    long = "".join(f"{line} {'a long post ' * 250}\n" for line in topics)
    (small_round / "topics.tsv").write_text(long, encoding="utf-8")
    write_report(read_task(small_round), small_round / "report.html", version="test")
    tables = {path.stem: path.read_text(encoding="utf-8") for path in (small_round / "report-files/tables").iterdir()}
    assert {"leaderboard-nerr-10", "topics-ng-1", "systems", "inputs", "contested"} <= set(tables)
    _fits(pdflatex(tables))
    _fits(pdflatex(tables, "{CJKutf8}"))


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    """Scores of twenty runs with hostile names on nine topics."""
    rng = random.Random(1)
    names = (name.replace("\x1b", "")[:60].strip() for name in NAMES)  # a file cannot hold control characters
    runs = (*names, *(f"T{team}-C-R1" for team in range(10)))
    values = np.array([[rng.random() * (1 + place / 5) / 5 for place in range(20)] for _ in range(9)])
    path = tmp_path / "scores.csv"
    write_scores(path, kaiwa.Scores([kaiwa.Scores.from_matrix("nERR@10", tuple("123456789"), runs, values)]))
    return path


@pytest.mark.parametrize(
    "words",
    [
        ("compare", "{scores}", "--format", "tex", "--team-pattern", "(.+)"),
        ("compare", "{scores}", "--format", "tex", "--table", "pairs"),
        ("compare", "{scores}", "--format", "tex", "--table", "anova"),
        ("compare", "{scores}", "--format", "tex", "--baseline", "T3-C-R1", "--test", "t"),
        ("compare", "{scores}", "--format", "tex", "--baseline", "*star"),
        ("design", "--variance", "0.06", "--systems", "2,5", "--min-diff", ".1,.2", "--format", "tex"),
        ("design", "--variance", "0.06", "--systems", "3", "--min-diff", ".1", "--format", "tex"),
        ("score", "{run}", "--qrels", "{qrels}", "--format", "tex"),
        ("score", "{run}", "--qrels", "{qrels}", "--format", "tex", "--table", "scores"),
    ],
    ids=" ".join,
)
def test_a_command_prints_latex_only(pdflatex: Pdflatex, scores: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    """Tabulars, definitions and comments: no line of text beside them would be printed in a paper."""
    (tmp_path / "run.txt").write_text("q_1 0 c1 1 2.0 A_%&#\nq2 0 c1 1 2.0 A_%&#\n", encoding="utf-8")
    (tmp_path / "qrels.txt").write_text("q_1 0 c1 1\nq2 0 c1 1\n", encoding="utf-8")
    places = {"scores": scores, "run": tmp_path / "run.txt", "qrels": tmp_path / "qrels.txt"}
    done = CliRunner().invoke(command, [word.format(**places) for word in words])
    assert done.exit_code == 0, done.output
    _fits(pdflatex({"printed": done.stdout}))
    assert _outside(done.stdout) == []


def _outside(printed: str) -> list[str]:
    """The lines that are neither in a tabular nor LaTeX of its own."""
    found, inside = list[str](), False
    for line in printed.splitlines():
        inside = inside or line.startswith(r"\begin{tabular}")
        if not inside and line.strip("{}") and not line.startswith(("%", "\\", "{\\")):
            found.append(line)
        inside = inside and line != r"\end{tabular}"
    return found
