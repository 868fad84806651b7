"""The page of the NTCIR-12 runs: every run of the published tables has systems that exist, or a reason."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from kaiwa.ranking.system_table import SYSTEMS, system_named

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "ntcir12.md").read_text(encoding="utf-8")
TABLES = ROOT / "src" / "kaiwa" / "reporting" / "published_tables"
TASK = "NTCIR-12 STC"


def rows(heading: str) -> list[list[str]]:
    """The cells of the table below a heading."""
    part = PAGE.partition(f"## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in part.splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines[1:]]


def published(language: str) -> list[str]:
    """The names of the runs in the overview's table of means."""
    lines = (TABLES / f"stc_{language}_means.csv").read_text(encoding="utf-8").splitlines()
    return [line.split(",")[0] for line in lines if not line.startswith(("#", "run,"))]


EVERY = [*rows("Chinese runs"), *rows("Japanese runs")]


@pytest.mark.parametrize(("language", "count"), [("chinese", 44), ("japanese", 25)])
def test_the_page_lists_the_runs_of_the_overview_in_their_order(language: str, count: int) -> None:
    """Tables 5 and 8 of Shang et al. 2016."""
    names = published(language)
    assert len(names) == count
    assert [row[0] for row in rows(f"{language.capitalize()} runs")] == names


@pytest.mark.parametrize("row", EVERY, ids=[row[0] for row in EVERY])
def test_every_run_names_systems_that_exist_or_a_reason(row: list[str]) -> None:
    """What is not known is said to be unknown."""
    run, systems, known, what = row
    assert known in {"run", "team", "—"}
    assert len(what) > 10, run
    if systems == "none":
        return
    assert known != "—"
    named = re.findall(r"`([^`]+)`", systems)
    assert ", ".join(f"`{name}`" for name in named) == systems
    for name in named:
        assert system_named(name).description


def test_the_page_counts_the_runs_that_have_a_system() -> None:
    """In its first lines."""
    assert f"{sum(row[1] != 'none' for row in EVERY)} of the 69 have one" in PAGE


def test_every_system_of_the_task_stands_for_a_run_and_says_what_it_guessed() -> None:
    """But the one whose run is not known; and the page has the texts of the table of systems."""
    of_task = {name for name, one in SYSTEMS.items() if one.origin.endswith(TASK)}
    standing = {name for row in EVERY for name in re.findall(r"[a-z][a-z0-9-]+", row[1])}
    assert of_task - standing == {"comment-clusters"}
    assert {name for name in of_task if not SYSTEMS[name].guess} == set()
    assert rows("What each system had to guess") == [
        [f"`{name}`", one.description, one.guess] for name, one in SYSTEMS.items() if one.guess
    ]
