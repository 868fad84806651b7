"""Every result of the Python API shows itself in a notebook: whole, small, inert."""

from __future__ import annotations

import inspect
import re
from html.parser import HTMLParser
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import kaiwa
from kaiwa.api import bot, nouns, reading, results, verbs
from kaiwa.api.results import Replies
from kaiwa.rank.replies import Reply

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

EVIL = "<script>alert(1)</script>\u202e\x1b[31m\"'&"
PLAIN = {"str", "int", "float", "None", "dict", "list", "Path", "object", "Sequence", "Sheet", "T"}


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


RESULTS: dict[str, Any] = {  # Any: each result is of its own type
    "Scores": _scores(),
    "ScoreSet": kaiwa.ScoreSet([_scores()]),
    "Comparison": _scores().compare(trials=99),
    "Variance": _scores().variance(),
    "Design": kaiwa.design(variance=0.06, systems=3, min_diff=0.2),
    "interval": kaiwa.design(variance=0.06, min_diff=0.2, test="interval"),
    "Votes": _votes(),
    "Agreement": _votes().agree(),
    "Gains": _votes().gains(),
    "Run": kaiwa.Run.from_lists(EVIL.replace("\u202e", ""), {EVIL: [(EVIL, 2.0)]}),
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
        assert tag in {"div", "table", "caption", "thead", "tbody", "tr", "th", "td", "p"}
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


@pytest.mark.parametrize("module", [nouns, results, bot, verbs, reading])
def test_every_type_that_the_api_returns_is_among_those(module: ModuleType) -> None:
    """A new result without a look of its own fails here."""
    returned = {word for annotation in _returned(module) for word in re.findall(r"[A-Za-z]\w*", annotation)}
    assert returned - PLAIN - {"Bot"} <= set(RESULTS)


def _returned(module: ModuleType) -> Iterator[str]:
    """What the module's own functions and public methods say they return."""
    own = [thing for thing in vars(module).values() if getattr(thing, "__module__", "") == module.__name__]
    for thing in own:
        for name, method in vars(thing).items() if inspect.isclass(thing) else [(thing.__name__, thing)]:
            if not name.startswith("_") and callable(method):
                yield str(method.__annotations__.get("return", ""))


def test_rows_beyond_the_most_are_counted() -> None:
    """Four hundred runs: fifty are shown, the others counted."""
    html = RESULTS["many runs"]._repr_html_()
    assert html.count("<tr>") == 51
    assert "... and 350 more rows" in html
