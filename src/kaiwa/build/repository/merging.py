"""Which pairs are kept: duplicates and near-duplicates merged, a sample drawn, with a part of the rows in memory."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kaiwa.corpus.duplicates import (
    IdConflicts,
    PairSample,
    Rows,
    comments_that_stay,
    comments_without_posts,
    posts_that_stay,
    same_ids,
    same_pairs,
    same_texts,
)
from kaiwa.disk.partitions import Partitions, RecordReader, part_of, range_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from kaiwa.corpus.rule_filter import Removals
    from kaiwa.corpus.rules import RuleSet


@dataclass(frozen=True)
class Joined:
    """What is kept of each row, in order, and the ids that have more than one text."""

    decisions: RecordReader
    posts: IdConflicts
    comments: IdConflicts


def joined(
    spilled: Partitions, rows: int, folder: Path, *, rules: RuleSet, sample: int | None, seed: int, removals: Removals
) -> Joined:
    """What is kept of each row; ``spilled`` has the rows in parts by the comment's id."""
    removed: Counter[str] = Counter()
    posts, comments = IdConflicts(), IdConflicts()
    parts: Iterable[Rows] = (same_ids(part, merge=rules.merge, conflicts=comments) for part in spilled.parts())
    if rules.merge:
        parts = (same_texts(part) for part in _regrouped(parts, "comment", folder))
    parts = (same_pairs(part, rules.first_comments, removed, posts) for part in _regrouped(parts, "post", folder))
    parts = map(comments_without_posts, _regrouped(parts, "comment", folder))
    kept = rows - removed.total()
    if sample is not None and sample < kept:
        removed["not in the sample"] = kept - sample
        parts = map(PairSample(kept, sample, seed).sampled, parts)
    for reason, count in removed.items():
        if count:
            removals.add(reason, "", times=count)
    parts = _regrouped(map(comments_that_stay, parts), "post", folder)
    return Joined(_in_order(map(posts_that_stay, parts), rows, folder), posts, comments)


def _regrouped(parts: Iterable[Rows], field: str, folder: Path) -> Iterator[Rows]:
    """All rows in parts by another field; all parts are read before the first is returned."""
    spill = Partitions(folder)
    for part in parts:
        spill.add(part, part_of(part[field]))
    return spill.parts()


def _in_order(parts: Iterable[Rows], rows: int, folder: Path) -> RecordReader:
    spill = Partitions(folder)
    for part in parts:
        spill.add(part, range_of(part["row"], rows))
    return RecordReader(spill.parts())
