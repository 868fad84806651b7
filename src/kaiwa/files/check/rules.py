"""The checks: each reads one run as it is and yields what is wrong with it."""

from __future__ import annotations

import math
import unicodedata
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kaiwa.files.check.problem import Problem
from kaiwa.files.check.raw import FIELDS, RawLine, RawRun, is_description
from kaiwa.files.runs import STC_NAME

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Sequence

TEMPLATES = ("insert a short description", "write a short description", "your system description", "todo")
_TOPIC, _SECOND, _COMMENT, _RANK, _SCORE, _NAME = range(6)


@dataclass(frozen=True)
class Expectation:
    """What the task allows: its topics, its comments, those taken down, and how many comments a topic."""

    topics: Sequence[str] | None = None
    comments: Container[str] | None = None
    taken_down: Container[str] = field(default_factory=frozenset)
    depth: int | None = None

    def depth_for(self, run: RawRun) -> int | None:
        """The most comments a topic may have: ten in an STC run, unlimited in a TREC run, unless said."""
        if self.depth is not None:
            return self.depth
        return None if run.is_trec else 10


def problems_of(run: RawRun, expected: Expectation) -> list[Problem]:
    """Everything wrong with one run, in the order of its lines."""
    found = [problem for check in CHECKS for problem in check(run, expected)]
    return sorted(found, key=lambda problem: (problem.line, problem.column))


def _saved(run: RawRun, _: Expectation) -> Iterator[Problem]:
    if run.has_bom:
        yield _file(run, "byte-order-mark", "starts with a byte order mark; save as UTF-8 without it")
    if run.carriage_returns:
        yield _file(run, "carriage-returns", f"{run.carriage_returns} lines end in CR; save with LF line ends")
    if not run.ends_in_newline:
        last = run.lines[-1]
        yield Problem(
            str(run.path),
            last.number,
            len(last.text) + 1,
            "no-last-newline",
            "no newline at the end of the file; add one",
        )


def _characters(run: RawRun, _: Expectation) -> Iterator[Problem]:
    for line in run.lines:
        if line.text.isascii() and line.text.isprintable():
            continue
        for place, char in enumerate(line.text, start=1):
            code = fault_of(char)
            if code == "not-utf8":
                yield _at(run, line, place, code, f"byte 0x{ord(char) & 0xFF:02x} is not UTF-8; save the file as UTF-8")
                break
            if code:
                yield _at(run, line, place, code, f"character U+{ord(char):04X} is not visible; remove it")
                break


def fault_of(char: str) -> str:
    """The code of what is wrong with a character; empty when nothing is."""
    if "\udc80" <= char <= "\udcff":
        return "not-utf8"
    return "control-character" if char != "\t" and unicodedata.category(char) in {"Cc", "Cf", "Zl", "Zp"} else ""


def _description(run: RawRun, _: Expectation) -> Iterator[Problem]:
    if run.is_trec:
        return
    first = run.lines[0]
    if run.description is None:
        yield _at(
            run, first, 1, "sysdesc-missing", "line 1 is no system description; start with <SYSDESC>...</SYSDESC>"
        )
    elif not first.text.rstrip().endswith("</SYSDESC>"):
        yield _at(run, first, len(first.text), "sysdesc-missing", "<SYSDESC> is not closed; end line 1 with </SYSDESC>")
    elif _is_template(first.text.strip().removeprefix("<SYSDESC>").removesuffix("</SYSDESC>")):
        yield _at(
            run, first, 1, "sysdesc-template", "the system description is empty or the template's; describe the system"
        )
    for line in run.lines[1:]:
        if is_description(line):
            yield _at(run, line, 1, "sysdesc-misplaced", "a second or misplaced <SYSDESC>; keep it on line 1 only")


def _is_template(text: str) -> bool:
    words = text.strip().strip("[]().").lower()
    return not words or words.startswith(TEMPLATES)


def _fields(run: RawRun, _: Expectation) -> Iterator[Problem]:
    for line in run.body:
        count = len(line.fields)
        if count < FIELDS:
            what = (
                f"{count} field{'s' * (count != 1)} where 6 are expected; a line reads: topic 0 comment rank score run"
            )
            yield _at(run, line, 1, "missing-fields", what, len(line.text))
        elif count > FIELDS:
            yield _field(run, line, FIELDS, "extra-fields", f"{count} fields where 6 are expected; drop the rest")
        if count >= FIELDS and line.second not in {"0", "Q0"}:
            yield _field(run, line, _SECOND, "second-field", f"the second field is {line.second!r}; write 0")


def _names(run: RawRun, _: Expectation) -> Iterator[Problem]:
    names = dict[str, list[RawLine]]()
    for line in run.ranked:
        names.setdefault(line.name, []).append(line)
    if run.is_trec:
        for name, lines in list(names.items())[1:]:
            what = f"run name {name!r} ({_lines(lines)}) after {next(iter(names))!r}; keep one run in a file"
            yield _field(run, lines[0], _NAME, "mixed-run-names", what)
        return
    if not STC_NAME.fullmatch(run.stem):
        yield _file(run, "file-name", "the name is not <team>-<C|J>-R<1..5>.txt; rename the file")
    for name, lines in names.items():
        if name != run.stem:
            what = f"run name {name!r} ({_lines(lines)}) is not the file's name; write {run.stem!r}"
            yield _field(run, lines[0], _NAME, "run-name", what)


def _topics(run: RawRun, expected: Expectation) -> Iterator[Problem]:
    last, done = "", set[str]()
    for line in run.ranked:
        if line.topic != last:
            if line.topic in done:
                yield _field(
                    run,
                    line,
                    _TOPIC,
                    "split-topic",
                    f"topic {line.topic!r} was left and comes back; keep its lines together",
                )
            done.add(line.topic)
            last = line.topic
    if expected.topics is None:
        return
    known = set(expected.topics)
    for topic, lines in run.by_topic.items():
        if topic not in known:
            what = f"topic {topic!r} ({_lines(lines)}) is not among the {len(known)} topics; drop it"
            yield _field(run, lines[0], _TOPIC, "unknown-topic", what)
    absent = [topic for topic in expected.topics if topic not in run.by_topic]
    if absent:
        shown = ", ".join(absent[:5]) + (", ..." if len(absent) > 5 else "")  # noqa: PLR2004  enough to recognise
        yield _file(
            run, "missing-topic", f"{len(absent)} of {len(known)} topics have no comment ({shown}); each scores 0 there"
        )


def _comments(run: RawRun, expected: Expectation) -> Iterator[Problem]:
    depth = expected.depth_for(run)
    for topic, lines in run.by_topic.items():
        seen = dict[str, int]()
        for line in lines:
            yield from _one_comment(run, line, expected, seen)
            seen.setdefault(line.comment, line.number)
        if depth is not None and len(lines) > depth:
            what = (
                f"topic {topic!r} has {len(lines)} comments where {depth} are allowed; drop this one and what follows"
            )
            yield _field(run, lines[depth], _COMMENT, "too-many", what)


def _one_comment(run: RawRun, line: RawLine, expected: Expectation, seen: dict[str, int]) -> Iterator[Problem]:
    comment = line.comment
    if comment in seen:
        what = f"comment {comment!r} already stands at line {seen[comment]}; each comment may appear once per topic"
        yield _field(run, line, _COMMENT, "duplicate-comment", what)
    if comment in expected.taken_down:
        yield _field(run, line, _COMMENT, "taken-down", f"comment {comment!r} was taken down; drop it")
    elif expected.comments is not None and comment not in expected.comments:
        yield _field(run, line, _COMMENT, "unknown-comment", f"comment {comment!r} is not in the repository; drop it")


def _ranks(run: RawRun, _: Expectation) -> Iterator[Problem]:
    for topic, lines in run.by_topic.items():
        ranks = [whole_number(line.rank) for line in lines]
        for line, rank in zip(lines, ranks, strict=True):
            if rank is None:
                yield _field(run, line, _RANK, "bad-rank", f"rank {line.rank!r} is not a whole number from 1")
        if not run.is_trec:  # a TREC run is ranked by its scores
            yield from _rank_course(run, topic, lines, [rank for rank in ranks if rank is not None])


def _rank_course(run: RawRun, topic: str, lines: list[RawLine], ranks: list[int]) -> Iterator[Problem]:
    """The first place at which a topic's ranks leave 1, 2, 3, ...; nothing when some rank is unreadable."""
    if len(ranks) != len(lines):
        return
    falls = [place for place in range(1, len(ranks)) if ranks[place] <= ranks[place - 1]]
    gaps = [place for place, rank in enumerate(ranks) if rank != place + 1]
    if falls or gaps:
        place = (falls or gaps)[0]
        what = f"rank {ranks[place]} after {ranks[place - 1]}" if place else f"the first rank is {ranks[0]}"
        message = f"topic {topic!r}: {what}; ranks run 1, 2, 3, ..."
        yield _field(run, lines[place], _RANK, "rank-order" if falls else "rank-gap", message)


def _scores(run: RawRun, _: Expectation) -> Iterator[Problem]:
    for lines in run.by_topic.values():
        before: float | None = None
        for line in _by_score(lines) if run.is_trec else lines:
            score = finite_number(line.score)
            if score is None:
                yield _field(
                    run, line, _SCORE, "bad-score", f"score {line.score!r} is not a finite number; write digits"
                )
            elif before is not None and score > before:
                yield _field(
                    run, line, _SCORE, "rising-scores", f"score {line.score} is higher than {before:g} before it"
                )
            elif before is not None and score == before:
                yield _field(
                    run,
                    line,
                    _SCORE,
                    "tied-scores",
                    f"score {line.score} is that of the line before; tools break ties differently",
                )
            before = score if score is not None else before


def _by_score(lines: list[RawLine]) -> list[RawLine]:
    """A TREC run's lines as its readers order them; a score that is no number goes last."""
    return sorted(lines, key=lambda line: -(finite_number(line.score) or 0.0))


CHECKS: tuple[Callable[[RawRun, Expectation], Iterator[Problem]], ...] = (
    _saved,
    _characters,
    _description,
    _fields,
    _names,
    _topics,
    _comments,
    _ranks,
    _scores,
)
"""Every check of one run; a check is added here and nowhere else."""


def whole_number(text: str) -> int | None:
    """The rank the text writes, or None when it is no whole number from 1."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 and int(text) > 0 else None  # noqa: PLR2004


def finite_number(text: str) -> float | None:
    """The score the text writes, or None when it is no finite number."""
    try:
        value = float(text) if text.isascii() and "_" not in text else math.nan
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _file(run: RawRun, code: str, message: str) -> Problem:
    return Problem(str(run.path), 0, 0, code, message)


def _at(run: RawRun, line: RawLine, column: int, code: str, message: str, width: int = 1) -> Problem:  # noqa: PLR0917
    return Problem(str(run.path), line.number, column, code, message, width)


def _field(run: RawRun, line: RawLine, place: int, code: str, message: str) -> Problem:
    return Problem(str(run.path), line.number, line.column(place), code, message, len(line.fields[place]))


def _lines(lines: Sequence[RawLine]) -> str:
    return f"{len(lines)} line{'' if len(lines) == 1 else 's'}"
