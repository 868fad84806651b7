"""The terms of a query with their weights, made once for the whole index, and their postings in one shard."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kaiwa.retrieve.search.query_postings import UNIT, QueryPostings, lower_bound
from kaiwa.retrieve.similarity import SIMILARITIES
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kaiwa.model.ids import FloatArray, IntArray
    from kaiwa.retrieve.index.document_texts import Numbers
    from kaiwa.retrieve.index.inverted_index import ShardSide, Side

_ROUNDING = 1 + 1e-6  # peaks are single floats, so bounds are raised by more than their error


@dataclass(frozen=True)
class WeightedTerms:
    """The terms of a query that occur on a side of the index, and their weights in units."""

    rows: IntArray  # the place of each term in the query
    terms: IntArray
    weights: FloatArray

    def __len__(self) -> int:
        return len(self.terms)


def weighted_terms(
    terms: IntArray, counts: FloatArray, side: Side, similarity: str, weight: float = 1.0
) -> WeightedTerms:
    """Those of the terms that occur on one side, scores multiplied by a weight; none if the weight is 0."""
    query_weights = SIMILARITIES[similarity].query_weights
    documents_with = side.documents_with(terms)
    rows = np.flatnonzero(documents_with) if weight else np.zeros(0, dtype=np.int64)
    weights = query_weights(counts[rows], documents_with[rows].astype(np.float64), len(side))
    return WeightedTerms(rows, terms[rows], weights * weight * UNIT)


def query_postings(weighted: WeightedTerms, side: ShardSide, similarity: str) -> tuple[QueryPostings, IntArray]:
    """The postings of the terms that occur in a shard, lowest peaks first; and the place of each term in the query."""
    stored, postings = side.weights[similarity], side.postings
    found = located(weighted.terms, weighted.weights, side.term_table, postings.starts, stored.peaks, side.checked)
    if not found.checked:
        side.check_slices(found.own, found.slices)
    by_term = (found.slices, postings.docs, postings.shapes, found.weights, found.peaks)
    return QueryPostings(*by_term, stored.by_shape, stored.inverse_norms), weighted.rows[found.places]


class Located(NamedTuple):
    """Terms that occur in a shard, lowest peaks first."""

    places: IntArray  # among the terms that were looked for
    own: IntArray  # the shard's number of each
    slices: IntArray  # terms x (from, to) in the postings
    weights: FloatArray
    peaks: FloatArray
    checked: bool  # whether the postings of all were checked for damage before


@kernel
def located(
    terms: IntArray, weights: FloatArray, table: Numbers, starts: IntArray, peaks: NDArray[np.float32],
    checked: NDArray[np.bool_],
) -> Located:  # fmt: skip
    """Find the terms of a query in a shard; ``table`` has the number of each term of it in the index, or is empty."""
    count, is_checked = 0, True
    places, own = np.empty(len(terms), dtype=np.int64), np.empty(len(terms), dtype=np.int64)
    highest = np.empty(len(terms), dtype=np.float64)
    for place in range(len(terms)):
        term = terms[place] if not len(table) else place_of(table, terms[place])
        if term < 0 or starts[term + 1] == starts[term]:
            continue
        peak = weights[place] * peaks[term] * _ROUNDING
        at = count
        while at > 0 and highest[at - 1] > peak:  # sorted by insertion: a query has few terms
            highest[at], places[at], own[at] = highest[at - 1], places[at - 1], own[at - 1]
            at -= 1
        highest[at], places[at], own[at] = peak, place, term
        is_checked &= checked[term]
        count += 1
    slices, own_weights = np.empty((count, 2), dtype=np.int64), np.empty(count, dtype=np.float64)
    for at in range(count):
        slices[at, 0], slices[at, 1] = starts[own[at]], starts[own[at] + 1]
        own_weights[at] = weights[places[at]]
    return Located(places[:count], own[:count], slices, own_weights, highest[:count], is_checked)


@kernel
def place_of(ascending: Numbers, number: int) -> int:
    """The place of a number in an ascending array; -1 if it is missing."""
    place = lower_bound(ascending, 0, len(ascending), number)
    return place if place < len(ascending) and ascending[place] == number else -1
