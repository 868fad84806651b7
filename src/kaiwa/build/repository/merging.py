"""Which pairs are kept: duplicates and near-duplicates merged, a sample drawn; each step has all rows of its keys."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.build.repository.key_tables import key_columns, key_table
from kaiwa.corpus.duplicates import (
    comments_that_stay,
    comments_without_posts,
    posts_that_stay,
    same_ids,
    same_pairs,
    same_texts,
)
from kaiwa.corpus.pair_sample import bin_of_last, draws_by_bin, in_bin, limit_of, no_draws, sampled
from kaiwa.engine.arrow_tables import column
from kaiwa.engine.dataset import Note

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kaiwa.corpus.pair_sample import Limit
    from kaiwa.corpus.rules import RuleSet
    from kaiwa.engine.dataset import Dataset

    Table = Any  # Any: a pyarrow table, untyped

COMMENT_IDS, POST_IDS, DUPLICATES = "comment ids", "post ids", "duplicates"
"""The names of notes: ids with several texts, and how many pairs are removed for which reason."""
_DRAWS = "draws"
_WRITTEN = ("row", "comment", "takedown", "keep", "is_other", "comment_stays", "alias", "post_stays")


def decided(keys: Dataset, rules: RuleSet, *, sample: int | None) -> tuple[Dataset, int]:
    """What is written of each row, and how many pairs are not in the sample."""
    rows = keys.regrouped("own", same_ids_step, rules.merge)
    if rules.merge:
        rows = rows.regrouped("comment", same_texts_step)
    rows = rows.regrouped("post", same_pairs_step, rules.first_comments)
    if sample is None:
        return rows.regrouped("comment", comments_step).regrouped("post", posts_step), 0
    shown = rows.regrouped("comment", shown_step).kept()
    limit, left_out = _limit(shown, sample)
    stays = shown.map(sample_step, limit).regrouped("comment", stays_step)
    return stays.regrouped("post", posts_step), left_out


def _limit(rows: Dataset, sample: int) -> tuple[Limit | None, int]:
    """The limit of the draws of a sample, and how many kept pairs are not in it; None if all are."""
    counts = np.sum([no_draws(), *rows.map(draws_step).gathered().noted(_DRAWS)], axis=0)
    kept = int(counts.sum())
    if sample >= kept:
        return None, 0
    place, wanted = bin_of_last(counts, sample)
    last = rows.map(bin_step, place).gathered().table
    return limit_of(column(last, "draw"), column(last, "row"), wanted), kept - sample


def same_ids_step(table: Table, merge: bool) -> Iterator[Any]:  # noqa: FBT001  Any: tables and notes
    """Rows with the same comment id."""
    part, conflicts = same_ids(key_columns(table), merge=merge)
    yield key_table(part)
    yield Note(COMMENT_IDS, conflicts)


def same_texts_step(table: Table) -> Table:
    """Rows with the same comment text."""
    return key_table(same_texts(key_columns(table)))


def same_pairs_step(table: Table, first_comments: int) -> Iterator[Any]:  # Any: tables and notes
    """Rows with the same post."""
    before = key_columns(table)
    part, conflicts, removed = same_pairs(before, first_comments)
    yield key_table(part | ({"draw": before["draw"]} if "draw" in before else {}))
    yield Note(POST_IDS, conflicts)
    yield Note(DUPLICATES, removed)


def shown_step(table: Table) -> Table:
    """Rows with the same comment: which may be shown."""
    return key_table(comments_without_posts(key_columns(table)))


def draws_step(table: Table) -> Iterator[Note]:
    """How many kept pairs are in each bin of draws."""
    yield Note(_DRAWS, draws_by_bin(key_columns(table)))


def bin_step(table: Table, place: int) -> Table:
    """The draws of one bin."""
    part = key_columns(table)
    chosen = in_bin(part, place)
    return key_table({name: part[name][chosen] for name in ("draw", "row")})


def sample_step(table: Table, limit: Limit | None) -> Table:
    """The rows with only the pairs of the sample kept."""
    part = key_columns(table)
    part = part if limit is None else sampled(part, limit)
    return key_table({name: values for name, values in part.items() if name != "draw"})


def stays_step(table: Table) -> Table:
    """Rows with the same comment: which are written."""
    return key_table(comments_that_stay(key_columns(table)))


def comments_step(table: Table) -> Table:
    """Rows with the same comment: which may be shown, and which are written."""
    return key_table(comments_that_stay(comments_without_posts(key_columns(table))))


def posts_step(table: Table) -> Table:
    """Rows with the same post: which are written; the columns that writing needs."""
    part = posts_that_stay(key_columns(table))
    return key_table({name: part[name] for name in _WRITTEN})
