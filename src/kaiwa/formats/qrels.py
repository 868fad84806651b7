"""Judgement files: TREC (``topic 0 doc grade``), NTCIR (``topic doc L2``), BEIR (TSV with a header).

A file may declare its gmax: ``gmax=24`` as the second field of every TREC line, which other tools ignore, or a line
``# gmax 24`` before the judgements.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, UnknownName
from kaiwa.files.atomic import write_text
from kaiwa.formats.fields import Columns, count_fields, decimals, is_number, number, read_fields, split_fields, word
from kaiwa.formats.ntcireval import level_of
from kaiwa.formats.recognition import Match, are_fractions, are_ids, are_numbers, are_whole, partly
from kaiwa.formats.text_files import Block, read_blocks
from kaiwa.formats.topics import TopicNumbers
from kaiwa.nouns.ids import FloatArray, IdArray, IntArray, repeated_row, starts_of
from kaiwa.nouns.qrels import IntentChances, Qrels

if TYPE_CHECKING:
    from collections.abc import Callable

    from kaiwa.formats.fields import Texts
    from kaiwa.formats.recognition import Head


BEIR_HEADER = b"query-id\tcorpus-id\tscore"

_NUMBER = rb"(\d{1,309}(?:\.\d{1,20})?(?:e[+-]?\d{1,3})?)"
_GMAX_FIELD = re.compile(b"gmax=" + _NUMBER)
_COMMENTS = re.compile(rb"(?:[ \t]*(?:#[^\n]*)?\n)*")
_GMAX_LINE = re.compile(rb"^[ \t]*#[ \t]*gmax[ \t=:]+" + _NUMBER + rb"[ \t]*$", re.MULTILINE)
_HEAD_BYTES = 1 << 12
_QRELS_SHORT = 3
_FORMS = {
    3: "topic comment grade",
    4: "topic 0 comment grade",
    5: "topic group subgroup comment grade",
}


@dataclass(frozen=True)
class _Rows:
    """The judgements of one block."""

    topic: IntArray
    group: IdArray
    comment: IdArray
    grade: FloatArray
    line: IntArray


def is_beir_qrels(head: Head) -> Match:
    """Whether the file starts with BEIR's header."""
    return Match.SURE if head.fields and "\t".join(head.fields[0]) == BEIR_HEADER.decode() else Match.NO


def is_trec_qrels(head: Head) -> Match:
    """Whether lines have four or five fields with ids and a grade; surely if every second field is 0."""
    fitting = [len(row) in {4, 5} and _is_grade(row[-1]) for row in head.fields]
    if not all(fitting) or len(head.columns) not in {4, 5}:
        return partly(fitting)
    topics, groups, comments = head.columns[0], head.columns[1], head.columns[-2]
    if set(groups) <= {"0", "Q0", "q0"} or (len(set(groups)) == 1 and _GMAX_FIELD.fullmatch(groups[0].encode())):
        return Match.SURE if are_ids(topics, comments) else Match.POSSIBLE
    return Match.NO if are_fractions(topics + groups + comments) else Match.POSSIBLE


def is_ntcir_qrels(head: Head) -> Match:
    """Whether lines are a topic, a comment and a grade; surely if the grade is a level such as L2."""
    fitting = [len(row) == _QRELS_SHORT and _is_grade(row[-1]) for row in head.fields]
    if not all(fitting) or not head.columns:
        return partly(fitting)
    topics, comments, grades = head.columns
    if not are_numbers(grades):
        return Match.SURE
    if are_fractions(topics + comments):
        return Match.NO
    grouped = len(set(topics)) < len(topics) and all(len(grade) == 1 for grade in grades)
    return Match.SURE if grouped and are_whole(topics + comments) and are_ids(topics, comments) else Match.POSSIBLE


def _is_grade(cell: str) -> bool:
    return is_number(cell.removeprefix("L"))


def read_qrels_file(path: Path) -> Qrels:
    """Judgements, with each grade as its gain: ``L2`` and ``2`` give 2, ``0.75`` gives 0.75.

    The scale's top is the gmax that the file declares, or the largest grade in it; grades can be mapped to gains, and
    another top declared, later.
    """
    numbers = TopicNumbers()
    rows = _all_rows(path, numbers)
    _refuse_duplicates(path, rows)
    return _gains(path, rows, numbers.topics, gmax=_declared_gmax(path, rows))


def read_grouped_file(path: Path) -> dict[str, Qrels]:
    """Judgements by group: the second column's intents, assessors or judgement groups, each as its own gains.

    With five columns, a group and a subgroup (trec_eval's preference judgements) are named ``group/subgroup``.
    """
    numbers = TopicNumbers()
    rows = _all_rows(path, numbers)
    by_group = {}
    for group in dict.fromkeys(rows.group.tolist()):
        own = _Rows(*(getattr(rows, name)[rows.group == group] for name in _Rows.__dataclass_fields__))
        _refuse_duplicates(path, own)
        by_group[group.decode()] = _gains(path, own, numbers.topics)
    return by_group


def write_qrels(path: Path | str, gains: Qrels, *, form: str = "trec") -> None:
    """Write qrels as TREC, NTCIR (whole levels only) or BEIR judgements."""
    write_text(Path(path), qrels_text(gains, form=form))


def qrels_text(gains: Qrels, *, form: str = "trec") -> str:
    """The qrels as the text of their file.

    >>> print(qrels_text(Qrels.from_lists({"q1": {"c9": 2}})), end="")
    q1 0 c9 2

    A gmax that no item reaches is written too, except in the BEIR form.

    >>> print(qrels_text(Qrels.from_lists({"q1": {"c9": 2}}, top=3)), end="")
    q1 gmax=3 c9 2
    """
    if form not in _LINES:
        raise UnknownName.among("qrels form", form, _LINES)
    line = _LINES[form]
    gmax = "" if gains.top <= gains.gains.max(initial=0.0) else _shortest(gains.top)
    headers = {"beir": f"{BEIR_HEADER.decode()}\n", "ntcir": f"# gmax {gmax}\n" if gmax else ""}
    second = f"gmax={gmax}" if gmax else "0"
    rows = [
        line(word("topic", topic, first=True), second, word("comment", comment), gain)
        for topic in gains.topics
        for comment, gain in gains.of(topic).items()
    ]
    return headers.get(form, "") + "".join(rows)


def trec_qrels_texts(gains: Qrels) -> Texts:
    """The text of the one TREC file."""
    return {"": qrels_text(gains, form="trec")}


def ntcir_qrels_texts(gains: Qrels) -> Texts:
    """The text of the one NTCIR file."""
    return {"": qrels_text(gains, form="ntcir")}


def beir_qrels_texts(gains: Qrels) -> Texts:
    """The text of the one BEIR file."""
    return {"": qrels_text(gains, form="beir")}


def _ntcir_line(topic: str, _: str, comment: str, gain: float) -> str:
    return f"{topic} {comment} L{level_of(topic, comment, gain)}\n"


_LINES: dict[str, Callable[[str, str, str, float], str]] = {
    "trec": lambda topic, second, comment, gain: f"{topic} {second} {comment} {_shortest(gain)}\n",
    "ntcir": _ntcir_line,
    "beir": lambda topic, _, comment, gain: f"{topic}\t{comment}\t{_shortest(gain)}\n",
}


def _shortest(gain: float) -> str:
    return str(int(gain)) if gain == int(gain) else repr(gain)


def _all_rows(path: Path, numbers: TopicNumbers) -> _Rows:
    parts, fields = list[_Rows](), 0
    for block in read_blocks(path):
        body = _without_header(block) if block.first_line == 1 else block
        fields = fields or _fields(body, path)
        if fields and len(columns := split_fields(body, path, fields=fields, form=_FORMS[fields])):
            parts.append(_rows(columns, numbers))
    if not parts:
        raise InputError.at(path, "contains no judgement", f"a line reads: {_FORMS[4]}")
    return _Rows(*(np.concatenate([getattr(part, name) for part in parts]) for name in _Rows.__dataclass_fields__))


def _without_header(block: Block) -> Block:
    first, newline, rest = block.data.partition(b"\n")
    is_header = b"\t".join(first.split()) == BEIR_HEADER
    return Block(newline + rest, block.first_line) if is_header else block


def _fields(block: Block, path: Path) -> int:
    fields = count_fields(block)
    if fields and fields not in _FORMS:
        what = f"expected 3 to 5 fields, found {fields}"
        raise InputError.at(path, what, f"a line reads: {_FORMS[4]} (or: {_FORMS[3]})")
    return fields


def _rows(columns: Columns, numbers: TopicNumbers) -> _Rows:
    fields = columns.starts.shape[1]
    groups = [columns.ids(place) for place in range(1, fields - 2)]
    group = groups[0] if groups else np.full(len(columns), b"0")
    for subgroup in groups[1:]:
        group = np.char.add(np.char.add(group, b"/"), subgroup)
    topic, comment = numbers.of(columns.ids(0)), columns.ids(fields - 2)
    return _Rows(topic, group, comment, _grades(columns, fields - 1), columns.lines)


def _grades(columns: Columns, place: int) -> FloatArray:
    text = columns.ids(place)
    levels = text.view(np.uint8).reshape(len(text), -1)[:, 0] == ord("L")
    if levels.any():
        text = np.where(levels, np.char.lstrip(text, b"L"), text)
    grades = decimals(np.ascontiguousarray(text))
    bad = ~np.isfinite(grades)
    if bad.any():
        row = int(bad.argmax())
        shown = columns.ids(place)[row].decode()
        raise columns.fault(row, f"grade {shown!r} is not a number or a level", "write 0, 1, 2, ... or L0, L1, L2, ...")
    return grades


def _refuse_duplicates(path: Path, rows: _Rows) -> None:
    duplicate = repeated_row(rows.topic, rows.comment)
    if duplicate is None:
        return
    first, second = duplicate
    what = f"duplicate comment {rows.comment[second].decode()!r} with grade {rows.grade[second]:g}"
    earlier = f"(first on line {rows.line[first]} with grade {rows.grade[first]:g})"
    fix = "keep one judgement per topic and comment"
    if rows.group[first] != rows.group[second]:
        fix += "; if the second column contains intents or assessors, read the file with read_grouped_qrels"
    raise InputError.at(path, f"{what} {earlier}", fix, line=int(rows.line[second]))


def _declared_gmax(path: Path, rows: _Rows) -> float | None:
    """The gmax in the second field of every line, or in a comment before the judgements; None if there is none."""
    if match := _GMAX_FIELD.fullmatch(rows.group[0]):
        _refuse_another_group(path, rows)
    else:
        head = next(iter(read_blocks(path, block_bytes=_HEAD_BYTES))).data
        match = _GMAX_LINE.search(head, 0, _COMMENTS.match(head).end())  # type: ignore[union-attr]  # may be empty
    if match is None:
        return None
    gmax, highest = float(match[1]), float(rows.grade.max())
    if gmax < highest:
        line = int(rows.line[int(rows.grade.argmax())])
        raise InputError.at(path, f"grade {highest:g} is above the file's gmax {gmax:g}", "fix one of them", line=line)
    return gmax


def _refuse_another_group(path: Path, rows: _Rows) -> None:
    if (other := rows.group != rows.group[0]).any():
        row = int(other.argmax())
        what = f"the second field is {rows.group[row].decode()!r}, before it {rows.group[0].decode()!r}"
        raise InputError.at(path, what, "give every line the same gmax", line=int(rows.line[row]))


def _gains(path: Path, rows: _Rows, topics: tuple[str, ...], *, gmax: float | None = None) -> Qrels:
    in_order = bool((rows.topic[1:] >= rows.topic[:-1]).all())
    order = slice(None) if in_order else np.argsort(rows.topic, kind="stable")
    return Qrels(
        topics=topics,
        starts=starts_of(np.bincount(rows.topic, minlength=len(topics)).tolist()),
        comments=rows.comment[order],
        gains=rows.grade[order],
        top=max(float(rows.grade.max()), 0.0) if gmax is None else gmax,
        how="grades" if gmax is None else "declared in the qrels",
        source=str(path),
        lines=rows.line[order],
    )


# Probabilities of the intents of each topic: ``topic intent chance``, and optionally the intent's type.


_FORM = "topic intent chance [inf|nav]"
_TYPES = {"inf": False, "nav": True}
_INTENT_SHORT, _LONG = 3, 4


def is_intent_chances(head: Head) -> Match:
    """Whether lines are a topic, an intent and a chance; surely if the intent's type follows."""
    if not head.fields or any(len(row) not in {_INTENT_SHORT, _LONG} for row in head.fields):
        return Match.NO
    types = [row[3] for row in head.fields if len(row) == _LONG]
    if not are_numbers(row[2] for row in head.fields) or not set(types) <= set(_TYPES):
        return Match.NO
    return Match.SURE if types else Match.POSSIBLE


def read_intent_chances(path: Path) -> IntentChances:
    """The chances and types of a file's intents; an intent without a type is informational."""
    chances: dict[tuple[str, str], float] = {}
    navigational: set[tuple[str, str]] = set()
    for line, row in read_fields(path):
        if len(row) not in {_INTENT_SHORT, _LONG} or (len(row) == _LONG and row[3] not in _TYPES):
            raise InputError.at(path, "is not a line of an intent", f"a line reads: {_FORM}", line=line)
        intent = (row[0], row[1])
        if intent in chances:
            raise InputError.at(path, f"duplicate intent {row[1]!r} of topic {row[0]!r}", "keep one", line=line)
        chances[intent] = number(row[2], path, line, "chance")
        if chances[intent] < 0:
            raise InputError.at(path, f"chance {row[2]} is negative", "chances go from 0 to 1", line=line)
        if len(row) == _LONG and _TYPES[row[3]]:
            navigational.add(intent)
    return IntentChances(chances, frozenset(navigational))


def intent_chances_texts(chances: IntentChances) -> Texts:
    """The text of the file: topic, intent, chance and type."""
    lines = [
        f"{word('topic', topic, first=True)} {word('intent', intent)} {chance!r} "
        f"{'nav' if (topic, intent) in chances.navigational else 'inf'}\n"
        for (topic, intent), chance in chances.chances.items()
    ]
    return {"": "".join(lines)}
