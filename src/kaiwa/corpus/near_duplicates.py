"""Near-duplicate texts: a high overlap of character bigrams, found with an inverted index of bigrams."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.model.normalise import bigrams

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kaiwa.model.ids import IntArray

NEAR = 0.7
"""The least Jaccard coefficient of character bigrams of near-duplicate posts."""


def near_pairs(texts: Iterable[str], known: Sequence[str], *, threshold: float = NEAR) -> Iterator[tuple[int, int]]:
    """The positions in ``texts`` and in ``known`` of all near-duplicates.

    >>> list(near_pairs(["今天天气真好啊", "明天考试"], ["今天天气真好！", "去看海"]))
    [(0, 0)]
    """
    sets = [bigrams(text) for text in known]
    sizes = np.array([len(grams) for grams in sets], dtype=np.int64)
    texts_with = _texts_with(sets)
    for place, text in enumerate(texts):
        grams = bigrams(text)
        found = [texts_with[gram] for gram in grams if gram in texts_with]
        if not found:
            continue
        shared = np.bincount(np.concatenate(found), minlength=len(sets))
        near = (shared > 0) & (shared >= threshold * (len(grams) + sizes - shared))
        yield from ((place, other) for other in np.flatnonzero(near).tolist())


def _texts_with(sets: Sequence[frozenset[str]]) -> dict[str, IntArray]:
    """The positions of the texts with each bigram."""
    places: dict[str, list[int]] = {}
    for place, grams in enumerate(sets):
        for gram in grams:
            places.setdefault(gram, []).append(place)
    return {gram: np.array(found, dtype=np.int64) for gram, found in places.items()}
