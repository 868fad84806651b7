"""Two runs side by side on the topics where they differ most: posts, comments and the votes each comment got.

The default pair is plain HTML. The page also holds all answers as inert JSON, from which its script shows any other
pair.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.comparison.ranks import best_first
from kaiwa.nouns.matrix import BEST
from kaiwa.show.page import Data, Paragraph, RawHtml, Section, Table, folded, is_long, text
from kaiwa.show.text import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kaiwa.nouns.matrix import Matrix
    from kaiwa.show.text import Cell


Topic = dict[str, Any]  # Any: JSON values, as the script reads them

MAX_BYTES = 1_200_000
"""Limit of the answers on the page; the topics on which the runs differ most come first."""
SHOWN, OPEN = 7, 3
"""How many topics are shown, and how many of them open."""
MAX_VOTES = 12
"""The votes on an item with more votes are counted, not listed."""
TAKEDOWN = "(takedown)"
"""Shown instead of a comment on a takedown list."""


@dataclass(frozen=True)
class Material:
    """The answers of the runs: ranked comments by run and topic, with texts, votes at each level, and scores."""

    measures: Sequence[Matrix]
    posts: Mapping[str, str]
    lists: Mapping[str, Mapping[str, Sequence[str]]]
    votes: Mapping[tuple[str, str], Sequence[int]]
    texts: Mapping[str, str]
    takedown: frozenset[str] = frozenset()


def side_by_side_section(material: Material, *, han: str = "zh", max_bytes: int = MAX_BYTES) -> Section | None:
    """The section, opened on the two best means of the first measure; None with fewer than two runs."""
    first = material.measures[0]
    best = best_first(first.oriented.mean(axis=0)).tolist()
    runs = [first.runs[run] for run in best if first.runs[run] in material.lists]
    topics = _topics(material, runs, max_bytes)
    if len(runs) < 2 or not topics:  # noqa: PLR2004  a pair
        return None
    answers = {
        "runs": [visible(run) for run in runs],
        "measures": [visible(one.measure) for one in material.measures],
        "shown": SHOWN,
        "open": OPEN,
        "listed": MAX_VOTES,
        "han": han,
        "topics": topics,
    }
    chosen = _furthest(topics, 0, (0, 1))
    lead = (
        f"The topics on which two runs differ most by {first.label}, with each comment's votes, best first; "
        f"below, the two runs with the {BEST[first.direction]} mean {first.measure}."
    )
    return Section(
        "Side by side",
        (
            Paragraph(lead),
            RawHtml(
                _whole(answers, chosen),
                files("kaiwa.reporting").joinpath("contrast.js").read_text(encoding="utf-8"),
            ),
            Data(_table(answers, chosen)),
        ),
    )


def _topics(material: Material, runs: Sequence[str], max_bytes: int) -> list[Topic]:
    """The topics up to ``max_bytes``, those on which the runs differ most first."""
    first = material.measures[0]
    found, room = list[Topic](), max_bytes
    for row in np.argsort(-first.values.std(axis=1), kind="stable").tolist():
        topic = _topic(material, first.topics[row], runs)
        room -= len(json.dumps(topic, ensure_ascii=False).encode())
        if room < 0:
            break
        found.append(topic)
    return found


def _topic(material: Material, name: str, runs: Sequence[str]) -> Topic:
    places: dict[str, int] = {}
    lists = [[places.setdefault(comment, len(places)) for comment in material.lists[run].get(name, ())] for run in runs]
    return {
        "id": visible(name),
        "post": (post := visible(material.posts.get(name, ""))),
        "long": is_long(post),
        "scores": [[round(_score(one, name, run), 4) for run in runs] for one in material.measures],
        "items": [_item(material, name, comment) for comment in places],
        "lists": lists,
    }


def _score(scores: Matrix, topic: str, run: str) -> float:
    if topic not in scores.topics or run not in scores.runs:
        return 0.0
    return float(scores.values[scores.topics.index(topic), scores.runs.index(run)])


def _item(material: Material, topic: str, comment: str) -> list[Any]:  # Any: JSON values
    if comment in material.takedown:
        return ["", TAKEDOWN, [], False]
    words = visible(material.texts.get(comment, ""))
    return [visible(comment), words, list(material.votes.get((topic, comment), ())), is_long(words)]


def _furthest(topics: Sequence[Topic], measure: int, pair: tuple[int, int]) -> list[Topic]:
    a, b = pair
    by_distance = sorted(topics, key=lambda one: -abs(one["scores"][measure][a] - one["scores"][measure][b]))
    return by_distance[:SHOWN]


def _whole(answers: Mapping[str, Any], chosen: Sequence[Topic]) -> str:  # Any: JSON values
    inert = json.dumps(answers, ensure_ascii=False, separators=(",", ":"))
    for char in "<>&\u2028\u2029":
        inert = inert.replace(char, f"\\u{ord(char):04x}")
    shown = "".join(_topic_html(answers, one, is_open=place < OPEN) for place, one in enumerate(chosen))
    return (
        '<form id="choose" hidden><label>Measure <select name="measure"></select></label>'
        '<label>Left <select name="left"></select></label><label>Right <select name="right"></select></label></form>'
        f'<div id="contrast" aria-live="polite">{shown}</div>'
        f'<script type="application/json" id="answers">{inert}</script>'
    )


def _topic_html(answers: Mapping[str, Any], topic: Topic, *, is_open: bool) -> str:  # Any: JSON values
    scores = topic["scores"][0]
    post = f"<blockquote>{folded(topic['post'], han=answers['han'])}</blockquote>"
    sides = "".join(
        f"<div><h3>{text(answers['runs'][run])} <small>{text(answers['measures'][0])} {scores[run]:.4f}</small></h3>"
        f"<ol>{_answers_html(topic, run, answers['han'])}</ol></div>"
        for run in (0, 1)
    )
    return (
        f"<details{' open' if is_open else ''}><summary>{text(topic['id'])}: {scores[0]:.4f} against {scores[1]:.4f}"
        f"</summary>{post if topic['post'] else ''}<div class=two>{sides}</div></details>"
    )


def _answers_html(topic: Topic, run: int, han: str) -> str:
    rows = list[str]()
    for place in topic["lists"][run]:
        name, words, votes, _ = topic["items"][place]
        shown = words or name
        label = f" <small>{text(name)}</small>" if words and name else ""
        rows.append(f"<li>{folded(shown, han=han)}{label} {_votes_html(votes)}</li>")
    return "".join(rows) or "<li>no answer</li>"


def _votes_html(votes: Sequence[int]) -> str:
    if not sum(votes):
        return "<span class=votes>not judged</span>"
    top = len(votes) - 1
    if sum(votes) > MAX_VOTES:
        return "<span class=votes>votes " + ", ".join(f"{n} × L{level}" for level, n in enumerate(votes)) + "</span>"
    boxes = "".join(
        f"<b class={'hi' if level == top else 'mid' if level else 'lo'}>{level}</b> " * votes[level]
        for level in range(top, -1, -1)
    )
    return f"<span class=votes><span class=aside>votes </span>{boxes}</span>"


def _table(answers: Mapping[str, Any], chosen: Sequence[Topic]) -> Table:  # Any: JSON values
    rows: list[list[Cell]] = [
        [
            topic["id"],
            answers["runs"][run],
            rank,
            *topic["items"][place][:2],
            " ".join(map(str, topic["items"][place][2])),
        ]
        for topic in chosen
        for run in (0, 1)
        for rank, place in enumerate(topic["lists"][run], start=1)
    ]
    header = ["topic", "run", "rank", "comment", "text", "votes at L0, L1, ..."]
    return Table("side-by-side", "The two runs with the highest means where they differ most", header, rows)
