"""Texts that say nearly the same: a high overlap of character bigrams, found through the bigrams they share."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from kaiwa.model.text import bigrams

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

NEAR = 0.7
"""Jaccard's coefficient of character bigrams from which on two posts count as the same."""


def near_pairs(texts: Iterable[str], known: Sequence[str], *, threshold: float = NEAR) -> Iterator[tuple[int, int]]:
    """Each place in ``texts`` with each place in ``known`` that it is a near-duplicate of.

    >>> list(near_pairs(["今天天气真好啊", "明天考试"], ["今天天气真好！", "去看海"]))
    [(0, 0)]
    """
    sets = [bigrams(text) for text in known]
    holders: dict[str, list[int]] = {}
    for place, grams in enumerate(sets):
        for gram in grams:
            holders.setdefault(gram, []).append(place)
    for place, text in enumerate(texts):
        grams = bigrams(text)
        shared = Counter(holder for gram in grams for holder in holders.get(gram, ()))
        for holder, count in shared.items():
            if count >= threshold * (len(grams) + len(sets[holder]) - count):
                yield place, holder
