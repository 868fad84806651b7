"""Texts that say nearly the same: a high overlap of character bigrams, found through the bigrams they share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.model.normalise import bigrams

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kaiwa.model.ids import IntArray

NEAR = 0.7
"""Jaccard's coefficient of character bigrams from which on two posts count as the same."""


def near_pairs(texts: Iterable[str], known: Sequence[str], *, threshold: float = NEAR) -> Iterator[tuple[int, int]]:
    """Each place in ``texts`` with each place in ``known`` that it is a near-duplicate of.

    >>> list(near_pairs(["今天天气真好啊", "明天考试"], ["今天天气真好！", "去看海"]))
    [(0, 0)]
    """
    sets = [bigrams(text) for text in known]
    sizes = np.array([len(grams) for grams in sets], dtype=np.int64)
    holders = _holders(sets)
    for place, text in enumerate(texts):
        grams = bigrams(text)
        found = [holders[gram] for gram in grams if gram in holders]
        if not found:
            continue
        shared = np.bincount(np.concatenate(found), minlength=len(sets))
        near = (shared > 0) & (shared >= threshold * (len(grams) + sizes - shared))
        yield from ((place, holder) for holder in np.flatnonzero(near).tolist())


def _holders(sets: Sequence[frozenset[str]]) -> dict[str, IntArray]:
    """The places of the texts that hold each bigram."""
    places: dict[str, list[int]] = {}
    for place, grams in enumerate(sets):
        for gram in grams:
            places.setdefault(gram, []).append(place)
    return {gram: np.array(found, dtype=np.int64) for gram, found in places.items()}
