"""Rows of ids grouped by topic: what a run and a set of gains have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError
from kaiwa.model.ids import IdArray, IntArray, repeated_row, unpack
from kaiwa.model.shown import Noun

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class Grouping:
    """How rows are grouped into topics: the topics in order of appearance, where each starts, and the row order."""

    topics: tuple[str, ...]
    starts: IntArray
    order: IntArray | None  # None if the rows are already in topic order


def group_by_topic(topic_per_row: IdArray) -> Grouping:
    """The rows grouped by topic; topics in order of first appearance, rows of a topic in their own order.

    >>> group_by_topic(np.array([b"2", b"2", b"1"])).topics
    ('2', '1')
    """
    if not len(topic_per_row):
        return Grouping((), np.zeros(1, dtype=np.int64), None)
    breaks = np.flatnonzero(topic_per_row[1:] != topic_per_row[:-1]) + 1
    starts = np.concatenate(([0], breaks, [len(topic_per_row)])).astype(np.int64)
    names = unpack(topic_per_row[starts[:-1]])
    if len(set(names)) == len(names):
        return Grouping(tuple(names), starts, None)
    topics = tuple(dict.fromkeys(names))
    place = {name: code for code, name in enumerate(topics)}
    code_per_row = np.repeat(np.array([place[name] for name in names]), np.diff(starts))
    order = np.argsort(code_per_row, kind="stable")
    sizes = np.bincount(code_per_row, minlength=len(topics))
    return Grouping(topics, np.concatenate(([0], np.cumsum(sizes))).astype(np.int64), order)


@dataclass(frozen=True, eq=False)
class TopicLists(Noun):
    """Ids in rows, topic after topic: ``comments[starts[t]:starts[t + 1]]`` belong to ``topics[t]``."""

    topics: tuple[str, ...]
    starts: IntArray
    comments: IdArray

    def __post_init__(self) -> None:
        self._check_shape()
        if repeat := repeated_row(self.codes(), self.comments):
            first, second = repeat
            topic = self.topics[int(np.searchsorted(self.starts, second, side="right")) - 1]
            raise InputError(
                f"topic {topic!r}: duplicate comment {self.comments[second].decode()!r} "
                f"(rows {first + 1} and {second + 1}); keep one"
            )

    def _check_shape(self) -> None:
        if len(set(self.topics)) != len(self.topics):
            duplicate = next(name for place, name in enumerate(self.topics) if name in self.topics[:place])
            raise InputError(f"duplicate topic {duplicate!r}; give each topic once")
        bounds_fit = len(self.starts) == len(self.topics) + 1 and self.starts[0] == 0
        if not bounds_fit or self.starts[-1] != len(self.comments) or (np.diff(self.starts) < 0).any():
            raise InputError("starts do not divide the rows into topics; use the from_… constructors")

    def __len__(self) -> int:
        return len(self.comments)

    def codes(self) -> IntArray:
        """The topic number of each row.

        >>> import kaiwa
        >>> kaiwa.Run.from_dict({"q1": {"c9": 2.0}, "q2": {"c9": 1.0}}).codes()
        array([0, 1])
        """
        return np.repeat(np.arange(len(self.topics), dtype=np.int64), np.diff(self.starts))

    def topic_per_row(self) -> list[str]:
        """The topic of each row, by name.

        >>> import kaiwa
        >>> kaiwa.Run.from_dict({"q1": {"c9": 2.0}, "q2": {"c9": 1.0}}).topic_per_row()
        ['q1', 'q2']
        """
        return [self.topics[code] for code in self.codes().tolist()]

    def span(self, topic: str) -> slice:
        """The rows of one topic; empty if the topic is missing.

        >>> import kaiwa
        >>> kaiwa.Run.from_dict({"q1": {"c9": 2.0}, "q2": {"c9": 1.0}}).span("q2")
        slice(1, 2, None)
        """
        if topic not in self.topics:
            return slice(0, 0)
        place = self.topics.index(topic)
        return slice(int(self.starts[place]), int(self.starts[place + 1]))

    def comments_of(self, topic: str) -> list[str]:
        """The ids of one topic, in their order.

        >>> import kaiwa
        >>> kaiwa.Run.from_dict({"q1": {"c9": 2.0, "c4": 1.0}}).comments_of("q1")
        ['c9', 'c4']
        """
        return unpack(self.comments[self.span(topic)])


def starts_of(sizes: Sequence[int]) -> IntArray:
    """Where each list starts, and where the last one ends."""
    return np.concatenate(([0], np.cumsum(np.array(sizes, dtype=np.int64)))).astype(np.int64)
