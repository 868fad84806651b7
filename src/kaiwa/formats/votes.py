"""Vote files: STC labels (``post TAB comment TAB l1 ... l10``) and tidy CSV (``topic,comment,assessor,level``).

The cells of a CSV file are separated by commas, semicolons or tabs.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import repeat
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, option
from kaiwa.files.atomic import write_text
from kaiwa.formats.fields import (
    Row,
    cell,
    count_fields,
    csv_text,
    is_number,
    read_csv,
    split_fields,
    split_header,
    word,
)
from kaiwa.formats.recognition import Head, Match, are_ids, are_numbers, are_whole, partly
from kaiwa.formats.text_files import Block, read_blocks
from kaiwa.nouns.criteria import LADDER
from kaiwa.nouns.ids import IdArray, IntArray, pack, repeated_row, unpack
from kaiwa.nouns.votes import NA, Votes, mixed, outlier

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kaiwa.formats.fields import Texts


TIDY = ["topic", "comment", "assessor", "level"]
STC_TOP = 2
_FORM = "post comment label label ... (each 0, 1, 2 or NA)"
_IDS = 2
_LABEL_DIGITS = 3
_SHOWN = 80


def is_vote_csv(head: Head) -> Match:
    """Whether the header starts with topic,comment,assessor,level; a table with another header may be one too."""
    if not head.lines:
        return Match.NO
    separator, names = split_header(head.lines[0])
    if names[: len(TIDY)] == TIDY:
        return Match.SURE
    named = len(names) >= len(TIDY) and not any(not name or is_number(name) for name in names)
    return Match.POSSIBLE if named and all(line.count(separator) >= len(names) - 1 for line in head.lines) else Match.NO


def read_vote_csv(path: Path, *, top: int | None = None) -> Votes:
    """The votes of a tidy CSV file; without ``top``, the highest level in the file is the scale's."""
    separator, _ = split_header((Head(path).lines or [""])[0])
    first, *rows = list(read_csv(path, separator=separator)) or [(1, [])]
    header = [cell.lower() for cell in first[1]]
    if header[: len(TIDY)] != TIDY:
        found, expected = separator.join(first[1]), ",".join(TIDY)
        what = f"the header is {shorten(found, _SHOWN, placeholder=' ...')!r}, expected {expected!r}"
        raise InputError.at(path, what, "rename or reorder the columns", line=first[0])
    return _tidy(path, header, rows, top)


def is_labels(head: Head) -> Match:
    """Whether two ids are followed by labels only; surely if there are three labels or more, or some are NA."""
    fitting = [len(row) > _IDS and all(map(_is_label, row[_IDS:])) for row in head.fields]
    if not all(fitting) or not head.columns:
        return partly(fitting)
    topics, comments, *columns = head.columns
    labels = {cell for column in columns for cell in column} - {"NA"}
    several = len(columns) > _IDS or any("NA" in column for column in columns)
    if are_numbers(topics + comments):  # a table of numbers would look the same
        several &= len(set(topics)) < len(topics) and all(len(label) == 1 for label in labels)
    return Match.SURE if several and are_ids(topics, comments) else Match.POSSIBLE


def _is_label(cell: str) -> bool:
    return cell == "NA" or (are_whole([cell]) and len(cell) <= _LABEL_DIGITS)


def read_labels(path: Path, *, top: int | None = None) -> Votes:
    """The votes of an STC label file; ``top`` is the scale's highest level (default 2, the L2 of the STC task)."""
    return _labels(path, STC_TOP if top is None else top)


def write_votes(path: Path | str, votes: Votes) -> None:
    """Write votes as tidy CSV, one vote per row, with NA."""
    write_text(Path(path), votes_text(votes))


def vote_csv_texts(votes: Votes) -> Texts:
    """The text of the CSV file."""
    return {"": votes_text(votes)}


def votes_text(votes: Votes) -> str:
    """The votes as tidy CSV, one vote per row, with NA."""
    topics = [cell("topic", topic, first=True) for topic in unpack(votes.topics)]
    comments = [cell("comment", comment) for comment in unpack(votes.comments)]
    assessors = [cell("assessor", name) for name in votes.assessors]
    columns = [votes.level, *votes.criteria.values()]
    rows = [
        [topics[item], comments[item], assessors[assessor], *("NA" if level == NA else level for level in levels)]
        for item, assessor, *levels in zip(
            votes.item.tolist(), votes.assessor.tolist(), *(column.tolist() for column in columns), strict=True
        )
    ]
    return csv_text([*TIDY, *(cell("criterion", name) for name in votes.criteria)], rows)


def label_texts(votes: Votes) -> Texts:
    """The text of the label file."""
    return {"": labels_text(votes)}


def labels_text(votes: Votes) -> str:
    """The votes as STC labels: a line per item with as many labels as the item with most votes has, filled with NA.

    A column is not a person: the labels of an item stand in the order of its votes.
    """
    by_item: list[list[int]] = [[] for _ in range(votes.items)]
    for item, level in zip(votes.item.tolist(), votes.level.tolist(), strict=True):
        by_item[item].append(level)
    most = max(map(len, by_item), default=0)
    ids = zip(unpack(votes.topics), unpack(votes.comments), strict=True)
    rows = (
        [word("topic", topic, first=True), word("comment", comment), *map(_label, levels + [NA] * (most - len(levels)))]
        for (topic, comment), levels in zip(ids, by_item, strict=True)
    )
    return "".join("\t".join(row) + "\n" for row in rows)


def _label(level: int) -> str:
    return "NA" if level == NA else str(level)


def _labels(path: Path, top: int) -> Votes:
    topics, comments, levels, lines, fields = list[IdArray](), list[IdArray](), list[IntArray](), list[IntArray](), 0
    for block in read_blocks(path):
        fields = fields or _label_fields(block, path)
        if not fields:
            continue
        columns = split_fields(block, path, fields=fields, form=_FORM)
        topics.append(columns.ids(0))
        comments.append(columns.ids(1))
        levels.append(np.column_stack([_levels(columns.ids(place), top) for place in range(_IDS, fields)]))
        lines.append(columns.lines)
        if (bad := levels[-1] < NA).any():
            row, place = np.argwhere(bad)[0].tolist()
            shown = columns.ids(place + _IDS)[row].decode()
            raise columns.fault(
                row,
                f"label {shown!r} is not 0..{top} or NA",
                f"fix it, or declare the scale with {option('max_level')}",
            )
    if not levels:
        raise InputError.at(path, "contains no vote", f"a line reads: {_FORM}")
    return _from_matrix(
        path, np.concatenate(topics), np.concatenate(comments), np.concatenate(levels), lines=lines, top=top
    )


def _label_fields(block: Block, path: Path) -> int:
    fields = count_fields(block)
    if 0 < fields <= _IDS:
        raise InputError.at(path, f"expected at least 3 fields, found {fields}", f"a line reads: {_FORM}")
    return fields


def _levels(text: IdArray, top: int) -> IntArray:
    """The levels in a column of labels; an unknown label becomes NA - 1."""
    known = {b"NA": NA, **{str(level).encode(): level for level in range(top + 1)}}
    return np.array(list(map(known.get, text.tolist(), repeat(NA - 1))), dtype=np.int64)


def _from_matrix(
    path: Path, topics: IdArray, comments: IdArray, by_assessor: IntArray, *, lines: list[IntArray], top: int
) -> Votes:
    places = {topic: place for place, topic in enumerate(dict.fromkeys(topics.tolist()))}
    groups = np.array([places[topic] for topic in topics.tolist()], dtype=np.int64)
    if same := repeated_row(groups, comments):
        line = np.concatenate(lines)
        what = f"duplicate comment {comments[same[1]].decode()!r} (first on line {line[same[0]]})"
        raise InputError.at(path, what, "keep one line per post and comment", line=int(line[same[1]]))
    items, assessors = by_assessor.shape
    return Votes(
        topics=topics,
        comments=comments,
        assessors=tuple(f"a{place}" for place in range(1, assessors + 1)),
        item=np.repeat(np.arange(items), assessors),
        assessor=np.tile(np.arange(assessors), items),
        level=by_assessor.ravel(),
        top=top,
        anonymous=True,
    )


def _tidy(path: Path, header: list[str], rows: list[Row], top: int | None) -> Votes:
    if not rows:
        raise InputError.at(path, "has a header but no votes", "add rows topic,comment,assessor,level")
    items: dict[tuple[str, str], int] = {}
    assessors: dict[str, int] = {}
    seen: dict[tuple[int, int], int] = {}
    levels = list[list[int]]()
    for line, row in rows:
        if len(row) != len(header):
            what = f"expected {len(header)} cells, found {len(row)}"
            raise InputError.at(path, what, "fill in every cell of the row", line=line)
        item = items.setdefault((row[0], row[1]), len(items))
        assessor = assessors.setdefault(row[2], len(assessors))
        if (item, assessor) in seen:
            what = f"duplicate vote of assessor {row[2]!r} on this comment (first on line {seen[item, assessor]})"
            raise InputError.at(path, what, "keep one", line=line)
        seen[item, assessor] = line
        levels.append(
            [_level_of_cell(cell, path, line, name, top) for cell, name in zip(row[3:], header[3:], strict=True)]
        )
    if what := mixed(assessors):
        raise InputError.at(path, what, "keep them in two files")
    matrix = np.array(levels, dtype=np.int64)
    places = np.array(list(seen), dtype=np.int64)
    return Votes(
        topics=pack(topic for topic, _ in items),
        comments=pack(comment for _, comment in items),
        assessors=tuple(assessors),
        item=places[:, 0],
        assessor=places[:, 1],
        level=matrix[:, 0],
        top=_found_top(path, matrix[:, 0], rows) if top is None else top,
        criteria={name: matrix[:, place] for place, name in enumerate(header[4:], start=1)},
    )


def _found_top(path: Path, levels: IntArray, rows: list[Row]) -> int:
    """The highest level; an outlier is an error with its line."""
    if what := outlier(levels.tolist()):
        line = rows[int(levels.argmax())][0]
        raise InputError.at(path, what, f"fix it, or declare the scale with {option('max_level')}", line=line)
    return max(1, int(levels.max()))


def _level_of_cell(cell: str, path: Path, line: int, name: str, top: int | None) -> int:
    if cell in {"", "NA"}:
        return NA
    digits = cell.removeprefix("L")
    level = int(digits) if digits.isascii() and digits.isdecimal() and len(digits) < 4 else NA - 1  # noqa: PLR2004
    if level < 0 or (name == "level" and top is not None and level > top):
        scale = "a level 0, 1, 2, ..." if top is None else f"0..{top}"
        raise InputError.at(
            path,
            f"{name} {cell!r} is not {scale} or NA",
            f"fix it, or declare the scale with {option('max_level')}",
            line=line,
        )
    return level


# Votes from rows of any origin: levels understood, later votes of the same person kept, keys for another import.


_LEVEL = re.compile(r"L?(\d{1,3})(?:\.0+)?(?:$|\s*[:=)](?:\s|$)|\s+[(–—-])", re.ASCII)
"""A number that is the whole label, or is followed by what it means."""
_NOT_GIVEN = {"na", "n/a", "cannot judge", "skip", "skipped"}
_NAMES = {answer.name: answer.level for answer in LADDER}
MAX_LEVEL = 1_000


@dataclass(frozen=True)
class VoteRow:
    """One vote as a file has it; ``place`` is where, ``key`` and ``time`` are those of the tool, if it has them.

    ``level`` is what was chosen: a number, ``L2``, ``NA``, the name of an answer, or these at the start of a text.
    """

    place: str
    topic: str
    comment: str
    assessor: str
    level: str
    key: str = ""
    time: str = ""


def level_of(text: str) -> int | None:
    """The level that a label means; None if it means none.

    >>> [level_of(text) for text in ("2", "L1", "L2: appropriate", "0 = not coherent", "needs other context", "NA")]
    [2, 1, 2, 0, None, -1]
    >>> level_of("on topic, needs other context"), level_of("2 apples"), level_of("10-year"), level_of("good")
    (1, None, None, None)
    """
    plain = text.strip()
    if plain.lower() in _NOT_GIVEN:
        return NA
    found = _LEVEL.match(plain)
    if found and int(found[1]) <= MAX_LEVEL:
        return int(found[1])
    return _NAMES.get(plain.lower())


def votes_of(path: Path, rows: Iterable[VoteRow], *, top: int | None) -> Votes:
    """The votes of the rows; of several by one assessor on an item the latest, if the tool has their times."""
    kept = _latest(rows)
    if not kept:
        raise InputError.at(path, "contains no vote", "export it after the first items are judged")
    levels = [_level_of_row(row, top) for row in kept]
    if what := mixed(row.assessor for row in kept):
        raise InputError.at(path, what, "keep them in two files")
    if top is None and (what := outlier(levels)):
        place = kept[levels.index(max(levels))].place
        raise InputError.at(place, what, f"fix it, or declare the scale with {option('max_level')}")
    items = {item: number for number, item in enumerate(dict.fromkeys((row.topic, row.comment) for row in kept))}
    people = {name: number for number, name in enumerate(dict.fromkeys(row.assessor for row in kept))}
    return Votes(
        topics=pack(topic for topic, _ in items),
        comments=pack(comment for _, comment in items),
        assessors=tuple(people),
        item=np.array([items[row.topic, row.comment] for row in kept], dtype=np.int64),
        assessor=np.array([people[row.assessor] for row in kept], dtype=np.int64),
        level=np.array(levels, dtype=np.int64),
        top=max([1, *levels]) if top is None else top,
        keys=tuple(row.key for row in kept) if all(row.key for row in kept) else (),
    )


def _latest(rows: Iterable[VoteRow]) -> list[VoteRow]:
    """One row for each assessor and item, in the order of the first; without times, a second one is an error."""
    kept: dict[tuple[str, str, str], VoteRow] = {}
    for row in rows:
        _check_names(row)
        earlier = kept.get((row.topic, row.comment, row.assessor))
        if earlier is not None and not (earlier.time and row.time) and earlier.level != row.level:
            what = f"duplicate vote of assessor {row.assessor!r} on comment {row.comment!r} (first in {earlier.place})"
            raise InputError.at(row.place, what, "keep one")
        if earlier is None or row.time >= earlier.time:
            kept[row.topic, row.comment, row.assessor] = row
    return list(kept.values())


def _check_names(row: VoteRow) -> None:
    for kind, name in (("topic", row.topic), ("comment", row.comment), ("assessor", row.assessor)):
        if not name:
            raise InputError.at(row.place, f"the {kind} is empty", "fill it in")
        try:
            cell(kind, name, first=kind == "topic")
        except InputError as fault:
            raise InputError(f"{row.place}: {fault.marked}") from None


def _level_of_row(row: VoteRow, top: int | None) -> int:
    level = level_of(row.level)
    if level is None or (top is not None and level > top):
        scale = "a level (0, 1, 2, ..., L2, NA)" if top is None else f"0..{top} or NA"
        raise InputError.at(
            row.place, f"{row.level!r} is not {scale}", f"fix it, or declare the scale with {option('max_level')}"
        )
    return level
