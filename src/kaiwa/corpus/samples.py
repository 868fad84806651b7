"""A sample of pairs by keyed draws: the pairs with the smallest draws, whatever the order and the parts of the rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.corpus.duplicates import near_pairs
from kaiwa.nouns.normalise import fingerprint
from kaiwa.nouns.topics import Stratum

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from kaiwa.corpus.duplicates import BoolArray, Columns, KeyArray
    from kaiwa.nouns.ids import IntArray


_BITS = 12
_SHIFT = np.uint64(64 - _BITS)


def draw(seed: int, post_id: str, comment_id: str) -> int:
    """The draw of a pair: a number of 64 bits from the seed and its ids.

    >>> draw(1, "p1", "c1") == draw(1, "p1", "c1") != draw(2, "p1", "c1")
    True
    """
    return fingerprint(f"{seed}\t{post_id}\t{comment_id}")


@dataclass(frozen=True)
class Limit:
    """The largest draw of a sample, and the last of the rows with this draw that belong to it."""

    draw: int
    row: int


def no_draws() -> IntArray:
    """The counts of no pairs."""
    return np.zeros(1 << _BITS, dtype=np.int64)


def draws_by_bin(part: Columns) -> IntArray:
    """The number of kept pairs in each bin of draws; the bins are ranges of draws, in their order."""
    kept = part["draw"][part["keep"]]
    counts: IntArray = np.bincount((kept >> _SHIFT).astype(np.int64), minlength=1 << _BITS)
    return counts


def bin_of_last(counts: IntArray, wanted: int) -> tuple[int, int]:
    """The bin with the last pair of a sample, and which pair of this bin it is (from 1).

    >>> bin_of_last(np.array([2, 0, 3]), 4)
    (2, 2)
    """
    ends = np.cumsum(counts)
    place = int(np.searchsorted(ends, wanted))
    return place, wanted - int(ends[place] - counts[place])


def in_bin(part: Columns, place: int) -> BoolArray:
    """Which rows are kept pairs with a draw in this bin."""
    found: BoolArray = part["keep"] & ((part["draw"] >> _SHIFT) == np.uint64(place))
    return found


def limit_of(draws: KeyArray, rows: KeyArray, wanted: int) -> Limit:
    """The limit if ``wanted`` of these pairs belong to the sample.

    >>> limit_of(np.array([5, 3, 5], dtype=np.uint64), np.array([0, 1, 2], dtype=np.uint64), 2)
    Limit(draw=5, row=0)
    """
    last = np.lexsort((rows, draws))[wanted - 1]
    return Limit(int(draws[last]), int(rows[last]))


def sampled(part: Columns, limit: Limit) -> Columns:
    """The part with only the pairs of the sample kept."""
    last = np.uint64(limit.draw)
    drawn = (part["draw"] < last) | ((part["draw"] == last) & (part["row"] <= np.uint64(limit.row)))
    return part | {"keep": part["keep"] & drawn}


# A sample of topics, stratified by length.


STRATA = 5
DEFAULT_TOPICS = 100
"""The number of test topics of the NTCIR-12 STC task (overview, 2.3.2)."""


def balanced_order(lengths: Sequence[int], *, rng: np.random.Generator, strata: int = STRATA) -> IntArray:
    """The positions in a random order; of every ``strata`` positions, one is from each quantile of the lengths.

    >>> order = balanced_order([1, 2, 30, 40], rng=np.random.default_rng(1), strata=2)
    >>> [bool(place > 1) for place in order]
    [False, True, False, True]
    """
    parts = [rng.permutation(part) for part in _by_length(lengths, strata)]
    rounds = max(map(len, parts), default=0)
    order = [part[turn] for turn in range(rounds) for part in parts if turn < len(part)]
    return np.array(order, dtype=np.int64)


def balance_of(lengths: Sequence[int], chosen: Collection[int], *, strata: int = STRATA) -> list[Stratum]:
    """How many of the chosen positions are in each quantile of the lengths.

    >>> balance_of([1, 2, 30, 40], [0, 2], strata=2)
    [Stratum(shortest=1, longest=2, posts=2, topics=1), Stratum(shortest=30, longest=40, posts=2, topics=1)]
    """
    return [
        Stratum(lengths[part[0]], lengths[part[-1]], len(part), sum(place in chosen for place in part.tolist()))
        for part in _by_length(lengths, strata)
        if len(part)
    ]


def _by_length(lengths: Sequence[int], strata: int) -> list[IntArray]:
    """The positions by length, in quantiles."""
    return list(np.array_split(np.argsort(lengths, kind="stable"), strata))


def distinct(texts: Sequence[str]) -> list[int]:
    """The positions of texts that are not near-duplicates of an earlier one.

    >>> distinct(["今天天气真好", "今天天气真好啊", "去看海"])
    [0, 2]
    """
    duplicates = {later for later, earlier in near_pairs(texts, texts) if earlier < later}
    return [place for place in range(len(texts)) if place not in duplicates]
