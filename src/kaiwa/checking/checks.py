"""Checks of a run file's form: how it was saved, its description, fields and names."""

from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.checking.problems import Problem, at_field, at_place, in_file
from kaiwa.checking.raw_run import FIELDS, RawLine, RawRun, is_description
from kaiwa.errors import counted
from kaiwa.files.inputs import STDIN_NAME
from kaiwa.formats.fields import MAX_ID_BYTES
from kaiwa.formats.runs import STC_NAME

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from kaiwa.checking.check import Expectation


TEMPLATES = ("insert a short description", "write a short description", "your system description", "todo")
_SECOND, _NAME = 1, 5


def saved_badly(run: RawRun, _: Expectation) -> Iterator[Problem]:
    """How the file was saved: byte order mark, line ends, last newline."""
    if run.has_bom:
        yield in_file(run, "byte-order-mark", "starts with a byte order mark; save as UTF-8 without it")
    if run.carriage_returns:
        yield in_file(
            run, "carriage-returns", f"CR at the end of {counted(run.carriage_returns, 'line')}; save with LF line ends"
        )
    if not run.ends_in_newline:
        last = run.lines[-1]
        yield Problem(
            str(run.path),
            last.number,
            len(last.text) + 1,
            "no-last-newline",
            "no newline at the end of the file; add one",
        )


def bad_characters(run: RawRun, _: Expectation) -> Iterator[Problem]:
    """Bytes that are not UTF-8, and invisible characters."""
    for line in run.lines:
        if line.text.isascii() and line.text.isprintable():
            continue
        for place, char in enumerate(line.text, start=1):
            code = fault_of(char)
            if code == "not-utf8":
                yield at_place(
                    run, line, place, code, f"byte 0x{ord(char) & 0xFF:02x} is not UTF-8; save the file as UTF-8"
                )
                break
            if code:
                yield at_place(run, line, place, code, f"invisible character U+{ord(char):04X}; remove it")
                break


def fault_of(char: str) -> str:
    """The code of the problem with a character; empty if there is none."""
    if "\udc80" <= char <= "\udcff":
        return "not-utf8"
    return "control-character" if char != "\t" and unicodedata.category(char) in {"Cc", "Cf", "Zl", "Zp"} else ""


def bad_description(run: RawRun, _: Expectation) -> Iterator[Problem]:
    """The system description of an STC run."""
    if run.is_trec:
        return
    first = run.lines[0]
    if run.description is None:
        yield at_place(
            run, first, 1, "sysdesc-missing", "line 1 is not a system description; start with <SYSDESC>...</SYSDESC>"
        )
    elif not first.text.rstrip().endswith("</SYSDESC>"):
        yield at_place(
            run, first, len(first.text), "sysdesc-missing", "<SYSDESC> is not closed; end line 1 with </SYSDESC>"
        )
    elif _is_template(first.text.strip().removeprefix("<SYSDESC>").removesuffix("</SYSDESC>")):
        yield at_place(
            run, first, 1, "sysdesc-template", "the system description is empty or the template's; describe the system"
        )
    for line in run.lines[1:]:
        if is_description(line):
            yield at_place(run, line, 1, "sysdesc-misplaced", "<SYSDESC> after line 1; remove the line")


def _is_template(text: str) -> bool:
    words = text.strip().strip("[]().").lower()
    return not words or words.startswith(TEMPLATES)


def bad_fields(run: RawRun, _: Expectation) -> Iterator[Problem]:
    """Lines with too few or too many fields, and the second field."""
    for line in run.body:
        count = len(line.fields)
        if count < FIELDS:
            what = f"expected 6 fields, found {count}; a line reads: topic 0 comment rank score run"
            yield at_place(run, line, 1, "missing-fields", what, len(line.text))
        elif count > FIELDS:
            yield at_field(run, line, FIELDS, "extra-fields", f"expected 6 fields, found {count}; drop the others")
        if (place := line.long_field) is not None:
            what = f"field {place + 1} is longer than {MAX_ID_BYTES} bytes; shorten it"
            yield at_field(run, line, place, "long-field", what)
        if count >= FIELDS and line.second not in {"0", "Q0"}:
            yield at_field(run, line, _SECOND, "second-field", f"the second field is {line.second!r}; write 0")


def bad_names(run: RawRun, _: Expectation) -> Iterator[Problem]:
    """The run name: that of the file, or in a TREC run the same on all lines."""
    names = dict[str, list[RawLine]]()
    for line in run.ranked:
        names.setdefault(line.name, []).append(line)
    if run.is_trec:
        for name, lines in list(names.items())[1:]:
            what = f"second run name {name!r} ({counted(len(lines), 'line')}), after {next(iter(names))!r}"
            yield at_field(run, lines[0], _NAME, "mixed-run-names", f"{what}; put each run in its own file")
        return
    if run.stem == STDIN_NAME:
        return
    if not STC_NAME.fullmatch(run.stem):
        yield in_file(run, "file-name", "the name is not <team>-<C|E|J>-R<1..5>.txt; rename the file")
    for name, lines in names.items():
        if name != run.stem:
            what = f"run name {name!r} ({counted(len(lines), 'line')}) is not the file's name; write {run.stem!r}"
            yield at_field(run, lines[0], _NAME, "run-name", what)


# Checks of a run's ranked lists: topics, comments, ranks and scores.


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


# Problems between run files: two of the same name, or two of one team that are nearly identical.


NEAR_COPY_SHARE = 0.95
"""Runs with the same comment at this share of all (topic, rank) are near copies."""


@dataclass(frozen=True)
class RunSummary:
    """What is kept of a run to compare it with the others: eight bytes per line."""

    path: str
    name: str
    team: str
    ranked: NDArray[np.int64]


def summary_of(run: RawRun) -> RunSummary:
    """The run's name and team, and a hash of each (topic, rank, comment)."""
    match = STC_NAME.fullmatch(run.stem)
    hashes = (
        hash((topic, rank, line.comment)) for topic, lines in run.by_topic.items() for rank, line in enumerate(lines)
    )
    return RunSummary(
        path=str(run.path),
        name=run.ranked[0].name if run.ranked else "",
        team=match["team"] if match else "",
        ranked=np.unique(np.fromiter(hashes, np.int64, len(run.ranked))),
    )


def problems_between(runs: Sequence[RunSummary]) -> Iterator[Problem]:
    """The problems of files compared with each other."""
    for first, second in combinations(runs, 2):
        if first.name and first.name == second.name:
            yield Problem(
                second.path,
                0,
                0,
                "same-run-name",
                f"duplicate run name {second.name!r} (first in {first.path}); rename one",
            )
        if first.team and first.team == second.team and (share := shared_ranks(first, second)) >= NEAR_COPY_SHARE:
            what = f"{share:.0%} of its ranks have the same comment as {first.path}; submit runs that differ"
            yield Problem(second.path, 0, 0, "twin-runs", what)


def shared_ranks(first: RunSummary, second: RunSummary) -> float:
    """The share of the longer run's (topic, rank) at which both runs have the same comment."""
    longer = max(len(first.ranked), len(second.ranked))
    return len(np.intersect1d(first.ranked, second.ranked, assume_unique=True)) / longer if longer else 0.0
