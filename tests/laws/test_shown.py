"""Every result of the Python API shows itself in a notebook: whole, small, inert."""

from __future__ import annotations

import csv
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import kaiwa
from kaiwa.api.sheets import SHEETS
from kaiwa.build.repository.cleaning import Cleaned
from kaiwa.check import Problem
from kaiwa.flow.collection.topics import Topics
from kaiwa.flow.judging.check import Check, CheckedFile
from kaiwa.formats.collection.repository import Manifest
from kaiwa.model.shown import Shown
from kaiwa.rank.replies import Replies, Reply

EVIL = "<script>alert(1)</script>\u202e\x1b[31m\"'&"


def _votes() -> kaiwa.Votes:
    return kaiwa.Votes(
        topics=np.array([b"q", b"q", b"p"]),
        comments=np.array([b"a", b"b", b"a"]),
        assessors=(EVIL, "y"),
        item=np.array([0, 0, 1, 1, 2, 2]),
        assessor=np.array([0, 1, 0, 1, 0, 1]),
        level=np.array([2, 2, 0, 1, 1, 1]),
        top=2,
    )


def _scores(runs: int = 3) -> kaiwa.Scores:
    names = tuple(f"{EVIL}{place}" for place in range(runs))
    values = np.random.default_rng(1).random((5, runs))
    return kaiwa.Scores(f"m{EVIL}", tuple(f"{EVIL}{place}" for place in range(5)), names, values)


def _reply() -> Reply:
    return Reply(EVIL, EVIL * 100, 1.0, EVIL, EVIL, (EVIL,), {"q2p": 0.5, "q2c": 0.5})


def _run() -> kaiwa.Run:
    return kaiwa.Run.from_lists(EVIL.replace("\u202e", ""), {EVIL: [(EVIL, 2.0)]})


def _observations() -> kaiwa.Observations:
    values = np.random.default_rng(2).random((6, 3, 2)).tolist()
    rows = [
        (f"{EVIL}{topic}", f"{EVIL}{run}", f"{EVIL}{person}", "", value)
        for topic, by_run in enumerate(values)
        for run, by_person in enumerate(by_run)
        for person, value in enumerate(by_person)
    ]
    return kaiwa.Observations.from_rows(f"m{EVIL}", rows)


def _check() -> Check:
    problem = Problem(EVIL, 1, 1, "bad-rank", EVIL)
    return Check((CheckedFile(Path("r.txt"), 1, 1, (problem,), {1: EVIL}),))


class Bot(kaiwa.Bot):
    """A bot over an index of nothing but its size."""

    def __init__(self) -> None:
        side = SimpleNamespace(texts=[EVIL])
        self.index = SimpleNamespace(posts=side, comments=side, tokeniser=EVIL)  # type: ignore[assignment]


RESULTS: dict[str, Any] = {  # Any: each result is of its own type
    "Scores": _scores(),
    "ScoreSet": kaiwa.ScoreSet([_scores()]),
    "Comparison": _scores().compare(trials=99),
    "Variance": _scores().variance(),
    "Design": kaiwa.design(variance=0.06, systems=3, min_diff=0.2),
    "interval": kaiwa.design(variance=0.06, min_diff=0.2, test="interval"),
    "Votes": _votes(),
    "Agreement": _votes().agree(),
    "PanelQuality": _votes().assessor_quality(samples=20),
    "Gains": _votes().gains(),
    "Run": _run(),
    "Scored": kaiwa.score(_run(), kaiwa.Gains.from_lists({EVIL: {EVIL: 1}, "q": {"a": 0}}), "nG@1"),
    "BaselineComparison": _scores().compare_with_baseline(_scores().runs[0], test="t"),
    "Observations": _observations(),
    "CrossedComparison": _observations().compare(),
    "CrossedVariance": _observations().variance(),
    "RankAgreement": kaiwa.tau(_scores(), _scores()),
    "PoolReport": kaiwa.pool_runs(_run()),
    "Check": _check(),
    "Cleaned": Cleaned(Manifest(), 3, 0, {EVIL: 3}, {EVIL: [EVIL]}),
    "Topics": Topics({EVIL: EVIL}, 3, {}),
    "MeasureTable": kaiwa.measures,
    "Bot": Bot(),
    "Replies": Replies([_reply()]),
    "many runs": _scores(400),
    "a long run": kaiwa.Run.from_lists("R", {f"q{one}": [(f"c{two}", 1.0) for two in range(99)] for one in range(99)}),
    "no replies": Replies(),
}


class _Page(HTMLParser):
    """Tags balance, and none of them fetches or runs anything."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """A known, harmless tag."""
        assert tag in {"div", "table", "caption", "thead", "tbody", "tr", "th", "td", "p", "span"}
        assert {name for name, _ in attrs} <= {"class", "tabindex", "role", "aria-label", "scope"}
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        """The tag opened last."""
        assert self.open.pop() == tag


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_shows_itself_as_small_inert_html(name: str) -> None:
    """Balanced tags, no reference outside, untrusted text escaped and its controls made visible."""
    html = RESULTS[name]._repr_html_()
    page = _Page()
    page.feed(html)
    assert page.open == []
    assert not set("\x1b\u202e") & set(html)
    assert len(html) < 100_000


def test_every_sheet_is_among_those() -> None:
    """A new noun or result with a look of its own is added here."""
    assert set(SHEETS) <= {type(result).__name__ for result in RESULTS.values()}


def test_every_class_that_is_shown_has_a_sheet() -> None:
    """A new result without a look of its own fails here."""
    classes = {name for name in kaiwa.__all__ if isinstance(getattr(kaiwa, name), type)}
    shown = {name for name in classes if issubclass(getattr(kaiwa, name), Shown)}
    assert shown <= set(SHEETS)


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_prints_itself_and_its_repr_is_short(name: str) -> None:
    """Text with a table in it; a repr of one line."""
    result = RESULTS[name]
    assert "--" in str(result)
    assert not set("\x11\x12\x13\x14\x1b\u202e") & set(str(result))
    assert "\n" not in repr(result)
    assert len(repr(result)) < 1_000


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_goes_to_frames_and_papers(name: str) -> None:
    """The same rows for pandas, polars and CSV; a tabular for LaTeX."""
    result = RESULTS[name]
    rows = len(next(iter(result.columns().values())))
    assert len(result.to_pandas()) == len(result.to_polars()) == rows
    assert len(list(csv.reader(result.to_csv().splitlines()))) >= rows + 1
    assert r"\begin{tabular}" in result.to_latex()


def test_rows_beyond_the_most_are_counted() -> None:
    """Four hundred runs: fifty are shown, the others counted."""
    html = RESULTS["many runs"]._repr_html_()
    assert html.count("<tr>") == 51
    assert "... and 350 more rows" in html
