"""The report in a real browser: it fits every width, asks for nothing outside, and runs nothing."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import numpy as np
import pytest
from playwright.sync_api import Browser, sync_playwright

from kaiwa.files.scores import write_scores
from kaiwa.files.task import Task, TaskSettings
from kaiwa.flow.report import write_report
from kaiwa.model import Scores, ScoreSet

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, as ``make test`` installs it."""
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update"],
        )
        yield chromium
        chromium.close()


@pytest.fixture
def report(tmp_path: Path) -> Path:
    """A report on scores whose names are hostile, long, Chinese and Japanese."""
    rng = np.random.default_rng(7)
    runs = (HOSTILE, "短文会話-C-R1", "モデル-J-R1", "A" * 60, *(f"team{n}-C-R1" for n in range(12)))
    values = rng.random((40, len(runs))) * np.linspace(0.4, 1.0, len(runs))
    topics = tuple(f"q{place}" for place in range(40))
    write_scores(tmp_path / "scores.csv", ScoreSet([Scores("nERR@10", topics, runs, values)]))
    task = Task(tmp_path, TaskSettings(title="測試 テスト test", measures=("nERR@10",), trials=500))
    write_report(task, tmp_path / "report.html", version="test")
    return tmp_path / "report.html"


@pytest.mark.parametrize("width", [360, 820, 1400])
def test_the_page_fits_the_screen(browser: Browser, report: Path, width: int) -> None:
    """Nothing but a wide table or figure scrolls sideways."""
    page = browser.new_page(viewport={"width": width, "height": 900})
    page.goto(report.as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.close()


def test_the_page_asks_for_nothing_outside_and_runs_nothing(browser: Browser, report: Path) -> None:
    """One file, no requests but itself, no dialogs, no errors."""
    page = browser.new_page()
    asked, faults = list[str](), list[str]()
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: faults.append(dialog.message))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.goto(report.as_uri())
    assert (asked, faults) == ([report.as_uri()], [])
    assert HOSTILE in page.inner_text("table >> nth=0")
    page.close()


def test_the_page_reads_in_the_dark(browser: Browser, report: Path) -> None:
    """In dark mode the paper is dark and the ink light."""
    page = browser.new_page(color_scheme="dark")
    page.goto(report.as_uri())
    brightness = (
        "name => getComputedStyle(document.documentElement)[name].match(/\\d+/g).map(Number).reduce((a, b) => a + b)"
    )
    paper, ink = (page.evaluate(brightness, name) for name in ("backgroundColor", "color"))
    assert paper < 100
    assert ink > 600
    page.close()


def test_a_screen_reader_finds_headings_tables_and_named_figures(browser: Browser, report: Path) -> None:
    """One h1, a heading a section, a scope on every heading cell, and a name on every figure."""
    page = browser.new_page()
    page.goto(report.as_uri())
    assert page.locator("h1").count() == 1
    assert page.locator("section").count() == page.locator("section > h2").count() > 1
    assert page.locator("figure svg:not([aria-label])").count() == 0
    assert page.locator("th:not([scope])").count() == 0
    page.close()
