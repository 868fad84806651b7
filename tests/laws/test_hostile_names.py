"""The law of every writer: a file that it writes reads back as the same noun, or it refuses the name in one line."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kaiwa.errors import InputError
from kaiwa.formats.convert import WRITTEN
from kaiwa.formats.readers import read, read_runs, read_scores
from kaiwa.formats.recognition import QRELS, RUNS, SCORES
from kaiwa.nouns.factors import Factors, TopicFactors
from kaiwa.nouns.matrix import Matrix
from kaiwa.nouns.pair_ids import PairIds
from kaiwa.nouns.qrels import IntentChances, Qrels
from kaiwa.nouns.run import Run, Runs
from kaiwa.nouns.scores import Scores
from kaiwa.nouns.topics import Topics
from kaiwa.nouns.votes import Votes

if TYPE_CHECKING:
    from collections.abc import Callable

    from kaiwa.formats.fields import Texts

HOSTILE = [
    *("", " ", "a b", " a", "a ", "\u3000", "a\u00a0b", "a\tb", "\ta", "a\nb", "\n", "a\n", "a\rb", "a\r\nb", "a\x85b"),
    *("a\u2028b", "a\x0bb", "a\x0cb", "a\x1cb", "a\x00b", "a\x00", "\x00", "a\x1b[31mb", "\x7f", "\ufeff", "\ufeffa"),
    *(
        "a\ufeff",
        "#",
        "#a",
        "a#",
        "# gmax 9",
        "# lower is better",
        "x\n# lower is better",
        "'",
        '"',
        '"a"',
        'a"b',
        "'a",
    ),
    *("a'b", ",", "a,b", ";", "a;b", "|", "\\", "a\\nb", "/", "a/b", "..", ".", "../a", "~", "-", "-a", "--json", "*"),
    *(
        "[a]",
        "<SYSDESC>",
        "<SYSDESC>a</SYSDESC>",
        "</SYSDESC>",
        "<b>",
        "&",
        "%s",
        "{0}",
        "$x",
        "\u202ea\u202c",
        "\u200f",
    ),
    *("\ud800", "a\udcffb", "0", "1", "-1", "+1", "007", "0.5", "1e5", "inf", "nan", "NaN", "NA", "None", "null", "L2"),
    *(
        "Q0",
        "q0",
        "gmax=3",
        "gmax",
        "all",
        "runid",
        "runid-2",
        "relstring",
        "num_q",
        "map",
        "AP=",
        "=",
        "=1+1",
        "topic",
    ),
    *(
        "topics",
        "run",
        "runs",
        "score",
        "measure",
        "comment",
        "assessor",
        "level",
        "mean",
        "sd",
        "query-id",
        "corpus-id",
    ),
    *("runlist", "topics.tid", "topics.tid.rel", "a.rel", "a.res", "a.b.c", "a.nev", "kaiwa", "a.eval", "a.gz", "A"),
    *("=HYPERLINK(1)", "@SUM(1)", "+cmd|x", "-2+3", "'=1", "''=1", "＝1", "会話-1", "e\u0301", "\u0301", "😀"),
    *("x" * 255, "x" * 512, "x" * 513, "会" * 171, "x" * 5000, "x" * 200_000),
]
hostile = st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(exclude_categories=[]), max_size=6))
two = st.lists(hostile, min_size=1, max_size=2, unique=True)


def _runs(name: str, topics: list[str], comments: list[str]) -> Runs:
    ordered = sorted(comments, key=lambda one: one.encode(errors="replace"), reverse=True)
    lists = {topic: [(one, 2.0 - place) for place, one in enumerate(ordered)] for topic in topics}
    return Runs([Run.from_lists(name, lists), Run.from_lists(f"{name}+", lists)])


def _scores(measure: str, topics: list[str], runs: list[str]) -> Scores:
    values = np.arange(len(topics) * len(runs)).reshape(len(topics), len(runs)) / 7
    return Scores([Matrix(measure, tuple(topics), tuple(runs), values, "higher")])


def _factors(measure: str, topics: list[str], _: list[str]) -> Factors:
    return Factors([TopicFactors(measure, tuple(topics), np.full(len(topics), 0.1), np.full(len(topics), 1 / 3))])


def _votes(assessor: str, topics: list[str], comments: list[str]) -> Votes:
    rows = [(topic, comment, assessor, 2) for topic in topics for comment in comments]
    return Votes.from_rows([*rows, *((topic, comment, f"{assessor}+", None) for topic, comment, _, _ in rows)])


NOUNS: dict[str, Callable[[str, list[str], list[str]], Any]] = {  # Any: each noun's own type
    "run": _runs,
    "qrels": lambda _, topics, comments: Qrels.from_lists(
        {topic: {one: float(place) for place, one in enumerate(comments)} for topic in topics}
    ),
    "votes": _votes,
    "scores": _scores,
    "topics": lambda text, topics, _: Topics(dict.fromkeys(topics, text)),
    "factors": _factors,
    "ids of pairs": lambda _, posts, comments: PairIds([(post, comment) for post in posts for comment in comments]),
    "chances": lambda _, topics, intents: IntentChances(
        {(topic, intent): 1 / 3 for topic in topics for intent in intents}, frozenset({(topics[0], intents[0])})
    ),
}


@pytest.mark.parametrize("name", WRITTEN)
@pytest.mark.parametrize("place", ["name", "topic", "item"])
def test_a_hostile_name_reads_back_or_is_refused(name: str, place: str) -> None:
    """Every hostile name alone: as the run, measure, assessor or text; as the topic; as the comment or run."""
    for one in HOSTILE:
        given_names = {"name": "AP", "topic": "q1", "item": "c1", place: one}
        _reads_back_or_is_refused(name, given_names["name"], [given_names["topic"]], [given_names["item"]])


@pytest.mark.parametrize("name", WRITTEN)
@given(hostile, two, two)
@settings(max_examples=60)
def test_hostile_names_read_back_or_are_refused_together(
    name: str, first: str, topics: list[str], items: list[str]
) -> None:
    """Several of them, beside any other characters."""
    _reads_back_or_is_refused(name, first, topics, items)


def _reads_back_or_is_refused(name: str, first: str, topics: list[str], items: list[str]) -> None:
    row = WRITTEN[name]
    if name == "matrix":  # the measure is the name of the file
        first = "AP"
    made, texts, refusal = _written(name, first, topics, items)
    if refusal:
        assert "\n" not in refusal
        assert len(refusal) < 1000
        assert any(_is_named(one, refusal) for one in (first, f"{first}+", *topics, *items)), refusal
        return
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / ("AP.csv" if "" in texts else "there")
        made.in_format(name).write(target)
        assert _same(row.noun, _read(row.noun, target, name), made, name)


def _written(name: str, first: str, topics: list[str], items: list[str]) -> tuple[Any, Texts, str]:  # Any: a noun
    """The noun, the texts of its files, and the line of the refusal if there is one."""
    try:
        made = NOUNS[WRITTEN[name].noun.name](first, topics, items)
        return made, made.texts(name), ""
    except InputError as refusal:
        return None, {}, str(refusal)


def _is_named(name: str, refusal: str) -> bool:
    return repr(name)[1:-1][:40] in refusal


def _read(noun: object, target: Path, name: str) -> Any:  # Any: the noun's own type
    if noun is RUNS:
        return read_runs([target] if name == "res" else sorted(target.iterdir()))
    return read_scores(target) if noun is SCORES else read(WRITTEN[name].noun, target)


def _same(noun: object, found: Any, made: Any, name: str) -> bool:  # Any: the noun's own type
    """Whether they are equal; a folder is read in the order of its files' names."""
    if noun is RUNS:
        return {run.name: _lists(run) for run in found} == {run.name: _lists(run) for run in made}
    if noun is QRELS:
        return {topic: found.of(topic) for topic in found.topics} == {topic: made.of(topic) for topic in made.topics}
    if noun is SCORES:
        return sorted(_rows(found)) == sorted(_rows(made))
    if isinstance(made, Votes):
        return _vote_rows(found, made, name) == _vote_rows(made, made, name)
    return bool(found == made)


def _vote_rows(votes: Votes, named: Votes, name: str) -> list[tuple[object, ...]]:
    """The rows; STC labels have a line for each item and no names, only a place for each assessor."""
    columns = dict(votes.columns())
    if name != "stc-labels":
        return [(key, *column) for key, column in columns.items()]
    columns["assessor"] = [named.assessors[at] for at in votes.assessor.tolist()]
    return sorted(zip(*columns.values(), strict=True), key=repr)


def _lists(run: Run) -> dict[str, list[str]]:
    return {topic: run.comments_of(topic) for topic in run.topics}


def _rows(scores: Scores) -> list[tuple[object, ...]]:
    from kaiwa.formats.scores import trec_eval_name

    columns = scores.columns()
    return [(trec_eval_name(str(measure)), *rest) for measure, *rest in zip(*columns.values(), strict=True)]
