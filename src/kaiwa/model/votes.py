from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, option
from kaiwa.model.ids import IdArray, IntArray, repeated_row

if TYPE_CHECKING:
    from collections.abc import Mapping

NA = -1
"""The level of a vote the assessor declined to give: kept and counted, never averaged."""


@dataclass(frozen=True, eq=False)
class Votes:
    """One row per vote: which item, which assessor, which level; nothing is averaged away.

    Items are (topic, comment) pairs, ``topics[i]`` and ``comments[i]``; a vote points at its item and its
    assessor by number. ``level`` runs from 0 to ``top``, or is NA. ``criteria`` holds further judgements
    of the same vote (fluent, coherent, ...), one array a criterion.
    """

    topics: IdArray
    comments: IdArray
    assessors: tuple[str, ...]
    item: IntArray
    assessor: IntArray
    level: IntArray
    top: int
    criteria: Mapping[str, IntArray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.topics) != len(self.comments):
            raise InputError("votes need one topic for each comment")
        columns = (self.assessor, self.level, *self.criteria.values())
        if any(len(column) != len(self.item) for column in columns):
            raise InputError("votes need one assessor and one level each")
        if ((self.level < NA) | (self.level > self.top)).any():
            raise InputError(f"a vote lies outside 0..{self.top}; mend it, or declare the scale with {option('top')}")
        if repeated_row(self.item, self.assessor.astype("S20")):
            raise InputError("an assessor voted twice on one item; keep one vote of each assessor")

    @property
    def items(self) -> int:
        """How many (topic, comment) items were voted on."""
        return len(self.comments)

    @property
    def missing(self) -> int:
        """How many votes are NA."""
        return int((self.level == NA).sum())

    def by_assessor(self) -> IntArray:
        """The levels as an items x assessors matrix, NA where there is no vote."""
        matrix = np.full((self.items, len(self.assessors)), NA, dtype=np.int64)
        matrix[self.item, self.assessor] = self.level
        return matrix

    def counts(self) -> IntArray:
        """How many votes each item has at each level: items x levels, NA left out."""
        given = self.level != NA
        cell = self.item[given] * (self.top + 1) + self.level[given]
        return np.bincount(cell, minlength=self.items * (self.top + 1)).reshape(self.items, self.top + 1)
