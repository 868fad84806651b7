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
    """An id with two texts: the side (post or comment), the id, the texts, their files and lines (0: not known)."""

    side: str
    id: str
    first_text: str
    first_file: str
    first_line: int
    text: str
    file: str
    line: int

    def __str__(self) -> str:
        shown = [repr(shorten(text, _SHOWN, placeholder=" ...")) for text in (self.first_text, self.text)]
        first, other = self._places()
        return f"{self.side} id {self.id!r} is {shown[0]}{first} and {shown[1]}{other}"

    def _places(self) -> list[str]:
        """Where the texts are: the lines in one file, or each in its own file."""
        both = [(self.first_file, self.first_line), (self.file, self.line)]
        if self.first_file == self.file:
            return [f" (line {line})" if line else "" for _, line in both]
        return [f" ({file}:{line})" if line else f" ({file})" for file, line in both]


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


def refuse_conflicts(sides: Sides, conflicts: ConflictingIds) -> None:
    """Refuse input in which more than a small share of the ids have more than one text."""
    wrong = [side for side, one in sides.items() if one.share > MOST_CONFLICTS]
    if not wrong:
        return
    example = next(one for one in conflicts.examples if one.side == wrong[0])
    what = f"{_counts(sides)} more than one text: {example}"
    fix = f"check which columns are the ids, or keep the first text of each with {option('keep_first')}"
    raise InputError.at(example.file, what, fix, line=example.line or None)


def _counts(sides: Sides) -> str:
    counts = [f"{one.conflicting:,} of {counted(one.ids, f'{side} id')}" for side, one in sides.items() if one.example]
    return f"{' and '.join(counts)} {'has' if counts[0].startswith('1 ') and len(counts) == 1 else 'have'}"


def _example(side: str, rows: tuple[int, int], job: CleanJob, tasks: Sequence[ReadTask]) -> ConflictingId:
    before, after = (_pair_at(row, job, tasks) for row in rows)
    ident = getattr(after.pair, f"{side}_id")
    return ConflictingId(
        side,
        ident,
        getattr(before.pair, side),
        before.file,
        before.line,
        getattr(after.pair, side),
        after.file,
        after.line,
    )


@dataclass(frozen=True)
class _PlacedPair:
    """A pair, its file and its line there."""

    pair: Pair
    file: str
    line: int


def _pair_at(row: int, job: CleanJob, tasks: Sequence[ReadTask]) -> _PlacedPair:
    number = np.array([row], dtype=np.uint64)
    task, place = int(tasks_of(number)[0]), int(places_of(number)[0])
    pair, piece_number = pairs_at(job.texts(task), {place})[place]
    piece = tasks[task].pieces[piece_number]
    return _PlacedPair(pair, str(piece.file), piece.line(pair.line))
