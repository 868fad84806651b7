"""The rows of a run file, and their ranking: by line, by score or by rank."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kaiwa.model.ids import FloatArray, IdArray, IntArray

_AT_ONCE = 1 << 15


@dataclass(frozen=True)
class RunRows:
    """The columns of a run's lines that are kept."""

    topic: IntArray
    comment: IdArray
    rank: FloatArray
    score: FloatArray


def joined_rows(parts: list[RunRows]) -> RunRows:
    """The rows of all blocks."""
    if len(parts) == 1:
        return parts[0]
    return RunRows(*(np.concatenate([getattr(part, name) for part in parts]) for name in RunRows.__dataclass_fields__))


def placing_of(rows: RunRows, order: str) -> IntArray | None:
    """The order of the rows by topic and then by rank; None if they are already in this order."""
    if order == "score":
        return _by_score(rows)
    if order == "rank":
        return np.lexsort((rows.rank, rows.topic))
    grouped = (np.diff(rows.topic) >= 0).all()
    return None if grouped else np.argsort(rows.topic, kind="stable")


def _by_score(rows: RunRows) -> IntArray | None:
    if all(_falling(rows, start).all() for start in range(0, len(rows.topic), _AT_ONCE)):
        return None
    next_topic = rows.topic[1:] - rows.topic[:-1]
    only_ties = ((next_topic > 0) | ((next_topic == 0) & (rows.score[1:] <= rows.score[:-1]))).all()
    placing = np.arange(len(rows.topic)) if only_ties else np.lexsort((-rows.score, rows.topic))
    score, topic = rows.score[placing], rows.topic[placing]
    tied = np.concatenate(([False], (score[1:] == score[:-1]) & (topic[1:] == topic[:-1]), [False]))
    edges = np.flatnonzero(tied[1:] != tied[:-1])
    for low, last in zip(edges[0::2].tolist(), edges[1::2].tolist(), strict=True):
        group = placing[low : last + 1]
        placing[low : last + 1] = group[np.argsort(rows.comment[group], kind="stable")[::-1]]
    return placing


def _falling(rows: RunRows, start: int) -> NDArray[np.bool_]:
    """Whether each of some rows starts a later topic than the row before it, or has a lower score."""
    topic, score = rows.topic[start : start + _AT_ONCE + 1], rows.score[start : start + _AT_ONCE + 1]
    fallen: NDArray[np.bool_] = (topic[1:] > topic[:-1]) | ((topic[1:] == topic[:-1]) & (score[1:] < score[:-1]))
    return fallen
