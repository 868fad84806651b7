"""Every result of the Python API shows itself in a notebook: whole, small, inert."""

from __future__ import annotations

import csv
from dataclasses import fields
from html.parser import HTMLParser
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import kaiwa
from kaiwa.checking.check import Check, CheckedFile
from kaiwa.checking.problems import Problem
from kaiwa.corpus.cleaning import Cleaned
from kaiwa.formats.repository import Manifest
from kaiwa.nouns.topics import Stratum
from kaiwa.ranking.ranker import Linear, Ranker, Standard
from kaiwa.ranking.replies import Replies, Reply
from kaiwa.ranking.study import Ablation, Fold, LearningStudy
from kaiwa.ranking.training_set import MEASURES
from kaiwa.show.result import Result
from kaiwa.store.findings import OTHER_TEXT, Finding
from kaiwa.store.invitations import Invited
from kaiwa.task.status import StepState

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


def _scores(runs: int = 3, measure: str = f"m{EVIL}") -> kaiwa.Scores:
    names = tuple(f"{EVIL}{place}" for place in range(runs))
    values = np.random.default_rng(1).random((5, runs))
    return kaiwa.Scores.from_matrix(measure, tuple(f"{EVIL}{place}" for place in range(5)), names, values)


def _apart() -> kaiwa.Scores:
    """Runs that differ by more than chance."""
    values = np.random.default_rng(1).random((20, 3)) * 0.3 + [0.1, 0.3, 0.7]
    return kaiwa.Scores.from_matrix(f"m{EVIL}", tuple(f"{EVIL}{at}" for at in range(20)), (EVIL, "b", "c"), values)


def _reply() -> Reply:
    return Reply(EVIL, EVIL * 100, 1.0, EVIL, EVIL, (EVIL,), {"q2p": 0.5, "q2c": 0.5})


def _run() -> kaiwa.Run:
    return kaiwa.Run.from_lists(EVIL.replace("\u202e", ""), {EVIL: [(EVIL, 2.0)]})


def _fields(votes: kaiwa.Votes) -> dict[str, Any]:  # Any: the fields' own types
    return {one.name: getattr(votes, one.name) for one in fields(votes)}


def _panel() -> kaiwa.Scores:
    values = np.random.default_rng(2).random((6, 3, 2)).tolist()
    rows = [
        (f"{EVIL}{topic}", f"{EVIL}{run}", f"{EVIL}{person}", "", value)
        for topic, by_run in enumerate(values)
        for run, by_person in enumerate(by_run)
        for person, value in enumerate(by_person)
    ]
    return kaiwa.Scores.from_rows(rows, f"m{EVIL}")


def _other_measure() -> kaiwa.Scores:
    scores = _scores()
    return kaiwa.Scores.from_matrix(f"n{EVIL}", scores.topics, scores.runs, scores.values)


def _check() -> Check:
    problem = Problem(EVIL, 1, 1, "bad-rank", EVIL)
    return Check((CheckedFile(Path("r.txt"), 1, 1, (problem,), {1: EVIL}),))


def _votes_of_three() -> kaiwa.Votes:
    rows = [
        (f"q{at % 6}", f"c{at}", f"{EVIL}{who}", (at // 8 + (at % 3 == who)) % 3)
        for at in range(24)
        for who in range(3)
    ]
    return kaiwa.Votes.from_rows(rows)


def _graded_run(way: int) -> kaiwa.Run:
    lists = {f"q{one}": {f"c{at}": float(at * way) for at in range(one, 24, 6)} for one in range(6)}
    return kaiwa.Run.from_dict(lists, f"R{way}{EVIL}".replace("\u202e", ""))


def _training() -> kaiwa.Training:
    ranker = Ranker("linear", 1.0, (EVIL,), Standard(np.zeros(1), np.ones(1)), Linear(np.ones(1)))
    means = dict.fromkeys(MEASURES, 0.5)
    one = Ablation(EVIL, means, 0.1, 0.5, significant=False)
    study = LearningStudy(
        ranker,
        topics=2,
        items=9,
        left_out=(EVIL,),
        folds=(Fold(2, means, 1.0),),
        means=means,
        intervals=dict.fromkeys(MEASURES, (0.25, 0.75)),
        random=means,
        single={EVIL: means},
        ablations=(one,),
        best_single=one,
        critical_difference=None,
        v_e=means,
        warnings=(EVIL,),
    )
    return kaiwa.Training(study, Path(EVIL))


_FACTS = {"posts": 1, "comments": 1, "pairs": 1, "terms": 1, "tokeniser": EVIL}
_PLAN: dict[str, Any] = {"variance": 0.06, "systems": 3, "min_diff": 0.2}  # Any: arguments of design


class Bot(kaiwa.Bot):
    """A bot over an index of nothing but its size."""

    def __init__(self) -> None:
        side = SimpleNamespace(texts=[EVIL])
        self.index = SimpleNamespace(posts=side, comments=side, tokeniser=EVIL)  # type: ignore[assignment]


_STATUS = kaiwa.Status(Path(EVIL), (StepState(EVIL, "stale", EVIL, EVIL, makes=True),))
RESULTS: dict[str, Any] = {  # Any: each result is of its own type
    "Scores": _scores(),
    "scores with gaps": kaiwa.Scores.from_dict({EVIL: {EVIL: 1.0, "q": 0.5}, "b": {"q": 0.5}}, f"m{EVIL}"),
    "Comparison": _scores().compare(trials=99),
    "Variance": _scores().variance(),
    "Design": kaiwa.design(variance=0.06, systems=3, min_diff=0.2),
    "interval": kaiwa.design(variance=0.06, min_diff=0.2, test="interval"),
    "DesignCost": kaiwa.design_cost(**_PLAN),
    "DesignDecision": kaiwa.design_decide(_apart()),
    "DesignPassRate": kaiwa.design_pass_rate(0.5, min_diff=0.1),
    "DesignReview": kaiwa.design_review(_scores(), variance=0.02, systems=3, min_diff=0.2),
    "DesignRounds": kaiwa.design_rounds(**_PLAN, looks=[10, 20]),
    "DesignSimulation": kaiwa.design_simulate(_scores(), systems=3, min_diff=0.3, trials=99),
    "Study": kaiwa.unanimity(_votes_of_three(), [_graded_run(way) for way in (1, -1)], measures="nG@1", trials=99),
    "Standardisation": kaiwa.standardisation(_scores(), systems=2, min_diff=0.2),
    "Votes": _votes(),
    "Agreement": _votes().agree(),
    "PanelQuality": _votes().agree(assessors=True, trials=20).quality,
    "Qrels": kaiwa.Qrels.from_lists({EVIL: {EVIL: 2.0, "a": 0.0}}),
    "VotedQrels": _votes().gains(),
    "Run": _run(),
    "scored": kaiwa.score(_run(), kaiwa.Qrels.from_lists({EVIL: {EVIL: 1}, "q": {"a": 0}}), "nG@1"),
    "compared with a baseline": _scores().compare(baseline=_scores().runs[0], test="t"),
    "scores of assessors": _panel(),
    "compared by the crossed model": _panel().compare(test="crossed"),
    "compared under two measures": kaiwa.Scores([_scores(), _scores(measure="P+")]).compare(trials=99),
    "crossed variance": _panel().variance(crossed=True),
    "Correlation": kaiwa.tau(_scores(), _scores()),
    "Pool": kaiwa.pool(_run()),
    "Check": _check(),
    "Repository": kaiwa.Repository(Path("r"), Cleaned(Manifest(), 3, 0, {EVIL: 3}, {EVIL: [EVIL]})),
    "Topics": kaiwa.Topics({EVIL: EVIL}, 3, {}),
    "PairIds": kaiwa.PairIds([(EVIL, EVIL)]),
    "PairTexts": kaiwa.PairTexts([(EVIL, EVIL, EVIL, EVIL)], missing=1),
    "balanced topics": kaiwa.Topics({EVIL: EVIL}, 3, {}, balance=[Stratum(1, 2, 3, 1)]),
    "Index": kaiwa.Index(Path(EVIL), _FACTS),
    "Models": kaiwa.Models(Path(EVIL), (EVIL,), ("tokens",)),
    "Training": _training(),
    "RunFolder": kaiwa.RunFolder(Path(EVIL), ({"run": EVIL, "name": EVIL, "comments": 1},), 1, (EVIL,)),
    "NameTable": kaiwa.names("measures"),
    "NewTask": kaiwa.NewTask(Path(EVIL)),
    "Status": _STATUS,
    "Making": kaiwa.Making((EVIL,), dry_run=False, status=_STATUS),
    "a dry run": kaiwa.Making((EVIL,), dry_run=True, status=_STATUS),
    "Demo": kaiwa.Demo(Path(EVIL), ((EVIL, (EVIL,)),), is_judged=True),
    "Bot": Bot(),
    "Factors": _scores().standardise().factors,
    "IntentChances": kaiwa.IntentChances({(EVIL, EVIL): 0.5}),
    "Runs": kaiwa.Runs([_run(), kaiwa.Run.from_dict({"q": {}}, "empty")]),
    "Reproduction": kaiwa.reproduce("unanimity"),
    "Report": kaiwa.Report(
        Path(EVIL), {EVIL: [EVIL]}, {EVIL: [EVIL]}, {EVIL: 9}, {}, [EVIL], [EVIL], True, {EVIL: EVIL}
    ),
    "Backup": kaiwa.Backup(Path(EVIL), 1, EVIL, 1),
    "Invitations": kaiwa.Invitations((Invited(EVIL, "assessor", EVIL, "invited", EVIL),)),
    "LoggedVotes": kaiwa.LoggedVotes(
        **{one.name: getattr(_votes(), one.name) for one in fields(kaiwa.Votes)}, head=EVIL
    ),
    "Verification": kaiwa.Verification(1, EVIL, (Finding(OTHER_TEXT, EVIL, 1, EVIL),)),
    "Served": kaiwa.Served(EVIL, organiser=EVIL, invites=(Invited(EVIL, "assessor", EVIL, "invited", EVIL),)),
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


def test_every_class_that_shows_itself_is_among_those() -> None:
    """A new public result is added here."""
    classes = {getattr(kaiwa, name) for name in kaiwa.__all__ if isinstance(getattr(kaiwa, name), type)}
    shown = {one for one in classes if issubclass(one, Result)}
    tried = {base for result in RESULTS.values() for base in type(result).__mro__}
    assert sorted(one.__name__ for one in shown - tried) == []


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_prints_itself_and_its_repr_is_short(name: str) -> None:
    """Text with a table in it, unless it has a text of its own; a repr of one line."""
    result = RESULTS[name]
    assert ("--" in str(result)) == (result.describe().text is None)
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
