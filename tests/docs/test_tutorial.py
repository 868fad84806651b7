"""The tutorial, typed into a real shell, prints what it shows."""

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


@pytest.mark.parametrize(
    "verb",
    ["check", "pool", "agree", "gains", "score", "compare", "standardise", "variance", "design", "report", "status"],
)
def test_the_tutorial_takes_every_step_of_a_round(verb: str) -> None:
    """A reader has typed each verb of the round once."""
    page = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    assert re.search(rf"^\$ kaiwa {verb}\b", page, re.MULTILINE)


def test_a_wrong_output_is_seen(transcript: object, tmp_path: Path) -> None:
    """A page with a wrong output is detected."""
    page = "```console\n$ echo one; echo two\none\n...\n$ echo three\nfour\n```\n"
    assert transcript.played(page, tmp_path) == page.replace("four", "three")  # type: ignore[attr-defined]
