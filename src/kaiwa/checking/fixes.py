"""The fixed copy of a run, with every problem fixed that a rule can fix."""

from __future__ import annotations

import itertools
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kaiwa.checking.checks import fault_of, finite_number, whole_number
from kaiwa.checking.raw_run import FIELDS, is_description

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.checking.check import Expectation
    from kaiwa.checking.raw_run import RawLine, RawRun


@dataclass(frozen=True)
class FixedRun:
    """The text of the fixed copy, and how often each change was made."""

    text: str
    changes: dict[str, int]


def fixed_run(run: RawRun, expected: Expectation, *, keep_ties: bool = False) -> FixedRun:
    """The run with every fixable problem fixed; tied scores too, unless ``keep_ties``."""
    done = _file_changes(run)
    groups: dict[str, list[RawLine]] = {}
    for line in map(_clean, run.body):
        reason = _dropped(line, expected)
        done[reason] += 1
        if not reason:
            kept = _with_kept_id(line, expected)
            done["id of a merged comment replaced"] += kept is not line
            groups.setdefault(line.topic, []).append(kept)
    depth = expected.depth_for(run)
    rows = [row for lines in groups.values() for row in _topic_rows(run, lines, depth, done, keep_ties=keep_ties)]
    remarks = [line for line in run.lines if line.fields and line.fields[0].startswith("#")]
    head = [_unranked_text(line) for line in [*([run.description] if run.description else []), *remarks]]
    text = "".join(f"{line}\n" for line in [*head, *rows])
    return FixedRun(text, {change: count for change, count in done.items() if change and count})


def _file_changes(run: RawRun) -> Counter[str]:
    blocks = 1 + sum(a.topic != b.topic for a, b in zip(run.ranked, run.ranked[1:], strict=False)) if run.ranked else 0
    return Counter(
        {
            "byte order mark dropped": int(run.has_bom),
            "line end changed to LF": run.carriage_returns,
            "newline added at the end": int(not run.ends_in_newline),
            "line cleaned of control characters": sum(_clean(line).text != line.text for line in run.lines),
            "misplaced <SYSDESC> line dropped": sum(is_description(line) for line in run.lines[1:]),
            "part of a split topic moved": blocks - len(run.by_topic),
        }
    )


def _clean(line: RawLine) -> RawLine:
    if line.text.isascii() and line.text.isprintable():
        return line
    return line.with_text("".join(char for char in line.text if fault_of(char) != "control-character"))


def _unranked_text(line: RawLine) -> str:
    """The text of a description or ``#`` line, with invalid bytes replaced."""
    return "".join("\ufffd" if fault_of(char) else char for char in _clean(line).text).strip()


def _dropped(line: RawLine, expected: Expectation) -> str:
    """The change that drops the line; empty if the line stays."""
    if malformed := _malformed(line):
        return malformed
    if line.topic in expected.takedown or line.comment in expected.takedown:
        return "line with a takedown dropped"
    if expected.topics is not None and line.topic not in expected.topics:
        return "line with an unknown topic dropped"
    if expected.comments is not None and expected.kept_id(line.comment) not in expected.comments:
        return "line with an unknown comment dropped"
    return ""


def _malformed(line: RawLine) -> str:
    """The change that drops a line which no reader takes; empty if the line stays."""
    if not line.is_ranked:
        return "line with too few fields dropped"
    if line.long_field is not None:
        return "line with a long field dropped"
    if any(fault_of(char) for text in line.fields[:FIELDS] for char in text):
        return "line that is not UTF-8 dropped"
    return ""


def _with_kept_id(line: RawLine, expected: Expectation) -> RawLine:
    """The line with the id that its comment has in the repository."""
    kept = expected.kept_id(line.comment)
    if kept == line.comment:
        return line
    topic, second, _, *rest = line.fields
    return line.with_text(" ".join([topic, second, kept, *rest]))


def _topic_rows(
    run: RawRun, lines: list[RawLine], depth: int | None, done: Counter[str], *, keep_ties: bool
) -> list[str]:
    """One topic's lines: sorted, without duplicates, cut, with new ranks and falling scores."""
    ordered = _in_order(run, lines)
    once: dict[str, RawLine] = {}
    for line in ordered:
        once.setdefault(line.comment, line)
    kept = list(once.values())[:depth]
    scores = [line.score for line in kept]
    if not _falling(scores, keep_ties=keep_ties):
        scores = [str(len(kept) - place) for place in range(len(kept))]
        done["scores of a topic set to n, n-1, ..., 1"] += 1
    rows = [_row(run, line, rank, score) for rank, (line, score) in enumerate(zip(kept, scores, strict=True), start=1)]
    done["topic sorted"] += ordered != lines
    done["duplicate comment dropped"] += len(ordered) - len(once)
    done["comment beyond the maximum number dropped"] += len(once) - len(kept)
    for line, row in zip(kept, rows, strict=True):
        _count_field_changes(line, row.split(" "), done)
    return rows


def _row(run: RawRun, line: RawLine, rank: int, score: str) -> str:
    name = line.name if run.is_trec else run.stem
    return f"{line.topic} {'Q0' if run.is_trec else '0'} {line.comment} {rank} {score} {name}"


def _count_field_changes(line: RawLine, row: list[str], done: Counter[str]) -> None:
    done["second field set to 0 or Q0"] += line.second not in {"0", "Q0"}
    done["rank renumbered"] += line.rank != row[3]
    done["run name set to the file's"] += line.name != row[5]
    done["line cut to six fields"] += len(line.fields) > FIELDS


def _in_order(run: RawRun, lines: list[RawLine]) -> list[RawLine]:
    if run.is_trec:
        return sorted(lines, key=lambda line: -(_or(finite_number(line.score), float("-inf"))))
    ranks = [whole_number(line.rank) for line in lines]
    if None in ranks or len(set(ranks)) != len(ranks):
        return lines
    return sorted(lines, key=lambda line: _or(whole_number(line.rank), 0))


def _or(value: float | None, default: float) -> float:
    return default if value is None else value


def _falling(scores: Sequence[str], *, keep_ties: bool) -> bool:
    values = [finite_number(score) for score in scores]
    if None in values:
        return False
    numbers = [_or(value, 0.0) for value in values]
    return all(later < earlier or (keep_ties and later == earlier) for earlier, later in itertools.pairwise(numbers))
