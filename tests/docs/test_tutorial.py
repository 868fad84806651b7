"""The tutorial and the README, typed into a real shell, print what they show."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def transcript(monkeypatch: pytest.MonkeyPatch) -> object:
    """The module that plays a page, as ``make docs`` loads it."""
    monkeypatch.syspath_prepend(str(DOCS))
    yield __import__("transcript")
    sys.modules.pop("transcript")


def test_the_tutorial_prints_what_it_shows(transcript: object, tmp_path: Path) -> None:
    """Every command runs, and ``make docs`` would change nothing."""
    page = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    assert transcript.played(page, tmp_path) == page  # type: ignore[attr-defined]
    assert (tmp_path / "town" / "report.html").is_file()


def test_the_readme_prints_what_it_shows(transcript: object, tmp_path: Path) -> None:
    """The demo and every example on its files, in the shell and in Python."""
    page = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    assert transcript.played(page, tmp_path) == page  # type: ignore[attr-defined]
    assert (tmp_path / "demo" / "report.html").is_file()


@pytest.mark.parametrize(
    "verb",
    ["check", "pool", "agree", "gains", "score", "compare", "standardise", "variance", "design", "report", "status"],
)
def test_the_tutorial_takes_every_step_of_a_round(verb: str) -> None:
    """A reader has typed each verb of the round once."""
    page = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    assert re.search(rf"^\$ kaiwa {verb}\b", page, re.MULTILINE)


def test_the_tutorial_draws_its_conclusion_from_the_number_that_is_printed() -> None:
    """The sentence below the design repeats its number of topics."""
    page = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    assert re.findall(r"^Create (\d+) topics", page, re.MULTILINE) == re.findall(r"; (\d+) are enough", page)


def test_a_wrong_output_is_seen(transcript: object, tmp_path: Path) -> None:
    """A page with a wrong output is detected."""
    page = "```console\n$ echo one; echo two\none\n...\n$ echo three\nfour\n```\n"
    assert transcript.played(page, tmp_path) == page.replace("four", "three")  # type: ignore[attr-defined]


def test_a_new_output_is_cut_where_the_page_cuts_it(transcript: object, tmp_path: Path) -> None:
    """As many lines before and after the line ``...`` as the page had."""
    page = "```console\n$ seq 9\n0\n...\n8\n8\n```\n"
    expected = page.replace("0\n...\n8\n8\n", "1\n...\n8\n9\n")
    assert transcript.played(page, tmp_path) == expected  # type: ignore[attr-defined]


def test_a_program_of_a_page_runs_and_its_text_is_compared(transcript: object, tmp_path: Path) -> None:
    """A block of Python with a text below it is run in the folder of the commands before it."""
    page = (
        "```console\n$ mkdir here; cd here; echo 7 > seven\n```\n\n```python\nprint(open('seven').read())\n```\n\n"
        "```text\n8\n```\n\n```python\nnot run\n```\n"
    )
    assert transcript.played(page, tmp_path) == page.replace("8\n", "7\n\n")  # type: ignore[attr-defined]
