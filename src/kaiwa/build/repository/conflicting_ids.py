"""Ids with more than one text in the pairs that were read: counted, with an example, and refused above a share."""

from __future__ import annotations

from dataclasses import dataclass
from textwrap import shorten
from typing import TYPE_CHECKING

from kaiwa.errors import InputError, counted, option

if TYPE_CHECKING:
    from pathlib import Path

    from kaiwa.build.repository.merging import Joined
    from kaiwa.build.repository.pair_spill import PairSpill
    from kaiwa.corpus.duplicates import IdConflicts

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


def conflicting_ids(found: Joined, texts: PairSpill) -> ConflictingIds:
    """The ids with more than one text, from what was counted when rows were joined."""
    sides = {"post": found.posts, "comment": found.comments}
    examples = [_example(side, *one.example, texts) for side, one in sides.items() if one.example is not None]
    return ConflictingIds(found.posts.conflicting, found.comments.conflicting, tuple(examples))


def refuse_conflicts(source: Path, found: Joined, conflicts: ConflictingIds) -> None:
    """Refuse a file in which more than a small share of the ids have more than one text."""
    sides = {"post": found.posts, "comment": found.comments}
    wrong = [side for side, one in sides.items() if one.share > MOST_CONFLICTS]
    if not wrong:
        return
    example = next(one for one in conflicts.examples if one.side == wrong[0])
    what = f"{_counts(sides)} more than one text: {example}"
    fix = f"check which columns are the ids, or keep the first text of each with {option('keep_first')}"
    raise InputError.at(source, what, fix, line=example.line or None)


def _counts(sides: dict[str, IdConflicts]) -> str:
    counts = [f"{one.conflicting:,} of {counted(one.ids, f'{side} id')}" for side, one in sides.items() if one.example]
    return f"{' and '.join(counts)} {'has' if counts[0].startswith('1 ') and len(counts) == 1 else 'have'}"


def _example(side: str, first: int, later: int, texts: PairSpill) -> ConflictingId:
    pairs = texts.pairs_at({first, later})
    before, after = pairs[first], pairs[later]
    ident = getattr(after, f"{side}_id")
    return ConflictingId(side, ident, getattr(before, side), before.line, getattr(after, side), after.line)
