"""A sample of topics, stratified by length."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.corpus.near_duplicates import near_pairs

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.model.ids import IntArray

STRATA = 5
DEFAULT_TOPICS = 100
"""The number of test topics of the NTCIR-12 STC task (overview, 2.3.2)."""


def balanced_order(lengths: Sequence[int], *, rng: np.random.Generator, strata: int = STRATA) -> IntArray:
    """The positions in a random order; of every ``strata`` positions, one is from each quantile of the lengths.

    >>> order = balanced_order([1, 2, 30, 40], rng=np.random.default_rng(1), strata=2)
    >>> [bool(place > 1) for place in order]
    [False, True, False, True]
    """
    by_length = np.argsort(lengths, kind="stable")
    parts = [rng.permutation(part) for part in np.array_split(by_length, strata)]
    rounds = max(map(len, parts), default=0)
    order = [part[turn] for turn in range(rounds) for part in parts if turn < len(part)]
    return np.array(order, dtype=np.int64)


def distinct(texts: Sequence[str]) -> list[int]:
    """The positions of texts that are not near-duplicates of an earlier one.

    >>> distinct(["今天天气真好", "今天天气真好啊", "去看海"])
    [0, 2]
    """
    duplicates = {later for later, earlier in near_pairs(texts, texts) if earlier < later}
    return [place for place in range(len(texts)) if place not in duplicates]
