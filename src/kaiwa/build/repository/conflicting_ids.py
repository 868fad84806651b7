"""Ids with more than one text in the pairs that were read: counted, with an example, and refused above a share."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import shorten
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.build.repository.pair_spill import pairs_at
from kaiwa.engine.row_numbers import places_of, tasks_of
from kaiwa.errors import InputError, counted, option

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from kaiwa.build.repository.clean_job import CleanJob
    from kaiwa.build.repository.read_tasks import ReadTask
    from kaiwa.corpus.duplicates import IdConflicts
    from kaiwa.model.pair import Pair

    Sides = Mapping[str, IdConflicts]  # of posts and comments

MOST_CONFLICTS = 0.01
"""The largest share of ids with more than one text that is accepted (decision 068)."""
_SHOWN = 40


@dataclass(frozen=True)
class ConflictingId:
    """An id with two texts: the side (post or comment), the id, and the texts with their lines (0: not known)."""

    side: str
    id: str
    first_text: str
    first_line: int
    text: str
    line: int

    def __str__(self) -> str:
        shown = [repr(shorten(text, _SHOWN, placeholder=" ...")) for text in (self.first_text, self.text)]
        lines = [f" (line {line})" if line else "" for line in (self.first_line, self.line)]
        return f"{self.side} id {self.id!r} is {shown[0]}{lines[0]} and {shown[1]}{lines[1]}"


@dataclass(frozen=True)
class ConflictingIds:
    """The number of post and comment ids with more than one text, and an example of each side that has any."""

    posts: int = 0
    comments: int = 0
    examples: tuple[ConflictingId, ...] = ()


def conflicting_ids(sides: Sides, job: CleanJob, tasks: Sequence[ReadTask]) -> ConflictingIds:
    """The ids with more than one text, from what was counted when rows were regrouped."""
    examples = [_example(side, one.example, job, tasks) for side, one in sides.items() if one.example is not None]
    return ConflictingIds(sides["post"].conflicting, sides["comment"].conflicting, tuple(examples))


def refuse_conflicts(source: Path, sides: Sides, conflicts: ConflictingIds) -> None:
    """Refuse a file in which more than a small share of the ids have more than one text."""
    wrong = [side for side, one in sides.items() if one.share > MOST_CONFLICTS]
    if not wrong:
        return
    example = next(one for one in conflicts.examples if one.side == wrong[0])
    what = f"{_counts(sides)} more than one text: {example}"
    fix = f"check which columns are the ids, or keep the first text of each with {option('keep_first')}"
    raise InputError.at(source, what, fix, line=example.line or None)


def _counts(sides: Sides) -> str:
    counts = [f"{one.conflicting:,} of {counted(one.ids, f'{side} id')}" for side, one in sides.items() if one.example]
    return f"{' and '.join(counts)} {'has' if counts[0].startswith('1 ') and len(counts) == 1 else 'have'}"


def _example(side: str, rows: tuple[int, int], job: CleanJob, tasks: Sequence[ReadTask]) -> ConflictingId:
    (before, first_line), (after, line) = (_pair_at(row, job, tasks) for row in rows)
    ident = getattr(after, f"{side}_id")
    return ConflictingId(side, ident, getattr(before, side), first_line, getattr(after, side), line)


def _pair_at(row: int, job: CleanJob, tasks: Sequence[ReadTask]) -> tuple[Pair, int]:
    """The pair of a row, and its line in the file."""
    number = np.array([row], dtype=np.uint64)
    task, place = int(tasks_of(number)[0]), int(places_of(number)[0])
    pair = pairs_at(job.texts(task), {place})[place]
    return pair, tasks[task].line(pair.line)
