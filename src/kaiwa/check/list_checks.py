"""Checks of a run's ranked lists: topics, comments, ranks and scores."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from kaiwa.check.places import at_field, in_file
from kaiwa.errors import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kaiwa.check.expectation import Expectation
    from kaiwa.check.problems import Problem
    from kaiwa.check.raw_run import RawLine, RawRun

_TOPIC, _COMMENT, _RANK, _SCORE = 0, 2, 3, 4


def bad_topics(run: RawRun, expected: Expectation) -> Iterator[Problem]:
    """Topics split, unknown, on the takedown list, or missing."""
    last, done = "", set[str]()
    for line in run.ranked:
        if line.topic != last:
            if line.topic in done:
                yield at_field(
                    run,
                    line,
                    _TOPIC,
                    "split-topic",
                    f"topic {line.topic!r} continues after another topic; keep its lines together",
                )
            done.add(line.topic)
            last = line.topic
    for topic, lines in run.by_topic.items():
        if topic in expected.takedown:
            what = f"topic {topic!r} ({counted(len(lines), 'line')}) is on the takedown list; drop it"
            yield at_field(run, lines[0], _TOPIC, "takedown", what)
    if expected.topics is None:
        return
    known = set(expected.topics)
    all_topics = counted(len(known), "topic")
    for topic, lines in run.by_topic.items():
        if topic not in known and topic not in expected.takedown:
            what = f"topic {topic!r} ({counted(len(lines), 'line')}) is not among the {all_topics}; drop it"
            yield at_field(run, lines[0], _TOPIC, "unknown-topic", what)
    missing = [topic for topic in expected.shown_topics() if topic not in run.by_topic]
    if missing:
        shown = ", ".join(missing[:5]) + (", ..." if len(missing) > 5 else "")  # noqa: PLR2004
        yield in_file(
            run, "missing-topic", f"no comment for {len(missing):,} of {all_topics} ({shown}); unanswered, score 0"
        )


def bad_comments(run: RawRun, expected: Expectation) -> Iterator[Problem]:
    """Comments duplicate, unknown, on the takedown list, or too many."""
    depth = expected.depth_for(run)
    for topic, lines in run.by_topic.items():
        seen = dict[str, int]()
        for line in lines:
            yield from _one_comment(run, line, expected, seen)
            seen.setdefault(expected.kept_id(line.comment), line.number)
        if depth is not None and len(lines) > depth:
            what = f"topic {topic!r} has {len(lines)} comments (maximum {depth}); drop this one and those after it"
            yield at_field(run, lines[depth], _COMMENT, "too-many", what)


def _one_comment(run: RawRun, line: RawLine, expected: Expectation, seen: dict[str, int]) -> Iterator[Problem]:
    comment, kept = line.comment, expected.kept_id(line.comment)
    if kept in seen:
        what = f"duplicate comment {kept!r} (first on line {seen[kept]}); each comment may appear once per topic"
        yield at_field(run, line, _COMMENT, "duplicate-comment", what)
    if comment in expected.takedown:
        yield at_field(run, line, _COMMENT, "takedown", f"comment {comment!r} is on the takedown list; drop it")
    elif kept != comment:
        what = f"comment {comment!r} was merged into its near-duplicate {kept!r} by cleaning; write {kept}"
        yield at_field(run, line, _COMMENT, "merged-comment", what)
    elif expected.comments is not None and comment not in expected.comments:
        yield at_field(run, line, _COMMENT, "unknown-comment", f"comment {comment!r} is not in the repository; drop it")


def bad_ranks(run: RawRun, _: Expectation) -> Iterator[Problem]:
    """Ranks that are not numbers, or not 1, 2, 3, ..."""
    for topic, lines in run.by_topic.items():
        ranks = [whole_number(line.rank) for line in lines]
        for line, rank in zip(lines, ranks, strict=True):
            if rank is None:
                yield at_field(
                    run, line, _RANK, "bad-rank", f"rank {line.rank!r} is not a whole number from 1; write 1, 2, 3, ..."
                )
        if not run.is_trec:  # a TREC run is ranked by its scores
            yield from _rank_sequence(run, topic, lines, [rank for rank in ranks if rank is not None])


def _rank_sequence(run: RawRun, topic: str, lines: list[RawLine], ranks: list[int]) -> Iterator[Problem]:
    """The first rank that is not the next of 1, 2, 3, ...; nothing if some rank is not a number."""
    if len(ranks) != len(lines):
        return
    falls = [place for place in range(1, len(ranks)) if ranks[place] <= ranks[place - 1]]
    gaps = [place for place, rank in enumerate(ranks) if rank != place + 1]
    if falls or gaps:
        place = (falls or gaps)[0]
        what = f"rank {ranks[place]} after {ranks[place - 1]}" if place else f"the first rank is {ranks[0]}"
        message = f"topic {topic!r}: {what}; write 1, 2, 3, ..."
        yield at_field(run, lines[place], _RANK, "rank-order" if falls else "rank-gap", message)


def bad_scores(run: RawRun, _: Expectation) -> Iterator[Problem]:
    """Scores that are not numbers, rise, or tie."""
    for lines in run.by_topic.values():
        before: float | None = None
        for line in _by_score(lines) if run.is_trec else lines:
            score = finite_number(line.score)
            if score is None:
                yield at_field(
                    run, line, _SCORE, "bad-score", f"score {line.score!r} is not a finite number; write digits"
                )
            elif before is not None and score > before:
                yield at_field(
                    run,
                    line,
                    _SCORE,
                    "rising-scores",
                    f"score {line.score} is higher than {before:g} before it; scores must fall",
                )
            elif before is not None and score == before:
                yield at_field(
                    run,
                    line,
                    _SCORE,
                    "tied-scores",
                    f"score {line.score} ties with the line before; tools break ties differently",
                )
            before = score if score is not None else before


def _by_score(lines: list[RawLine]) -> list[RawLine]:
    """A TREC run's lines by decreasing score; a score that is not a number counts as 0."""
    return sorted(lines, key=lambda line: -(finite_number(line.score) or 0.0))


def whole_number(text: str) -> int | None:
    """The text as a rank; None if it is not a whole number from 1."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 and int(text) > 0 else None  # noqa: PLR2004


def finite_number(text: str) -> float | None:
    """The text as a score; None if it is not a finite number."""
    try:
        value = float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        return None
    return value if math.isfinite(value) else None
