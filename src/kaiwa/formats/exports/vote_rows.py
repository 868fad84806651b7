"""Votes from rows of any origin: levels understood, later votes of the same person kept, keys for another import."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, option
from kaiwa.formats.file_names import cell
from kaiwa.label.criteria import LADDER
from kaiwa.model.ids import pack
from kaiwa.model.simulated import mixed
from kaiwa.model.votes import NA, Votes, outlier

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

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
    levels = [_level(row, top) for row in kept]
    if what := mixed(row.assessor for row in kept):
        raise InputError.at(path, what, "keep them in two files")
    if top is None and (what := outlier(levels)):
        place = kept[levels.index(max(levels))].place
        raise InputError.at(place, what, f"fix it, or declare the scale with {option('top')}")
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


def _level(row: VoteRow, top: int | None) -> int:
    level = level_of(row.level)
    if level is None or (top is not None and level > top):
        scale = "a level (0, 1, 2, ..., L2, NA)" if top is None else f"0..{top} or NA"
        raise InputError.at(
            row.place, f"{row.level!r} is not {scale}", f"fix it, or declare the scale with {option('top')}"
        )
    return level
