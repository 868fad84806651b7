"""Votes of SIMULATED assessors, for demonstration: they compare a comment with the messages that really followed.

Nobody read the comments. The simulated assessors compare words. The relevance of a comment is the cosine of its words
and the words of the messages that really followed the post, weighted by their rarity, in a conversation that no system
has seen. So a comment that would fit any post gets little. Each assessor adds noise to the relevance and has an own
strictness.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import log, sqrt
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.flow.judging.pool import pool_runs
from kaiwa.formats.collection.repository import open_repository
from kaiwa.formats.readers import read_topics
from kaiwa.label.simulated_votes import simulated_levels
from kaiwa.model.ids import pack, unpack
from kaiwa.model.simulated import SIMULATED
from kaiwa.model.votes import Votes
from kaiwa.retrieve.text.tokenisers import tokeniser

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from kaiwa.model.ids import FloatArray
    from kaiwa.pool import Pool

ASSESSORS = 5


@dataclass(frozen=True)
class Item:
    """The words of a pooled comment, and of the messages that really followed its topic."""

    comment: frozenset[str]
    next_messages: frozenset[str]


def simulate_votes(
    runs: Sequence[Path], repository: Path, next_messages: Path, *, rng: np.random.Generator, depth: int = 10
) -> Votes:
    """A vote (0, 1 or 2) of every simulated assessor on every item of the runs' pool."""
    pool = pool_runs(runs, depth=depth).pool
    relevance = relevance_of(_items(pool, repository, read_topics(next_messages)))
    levels = simulated_levels(relevance, assessors=ASSESSORS, rng=rng)
    return Votes(
        topics=pack(pool.topics[code] for code in pool.topic.tolist()),
        comments=pool.comments,
        assessors=tuple(f"{SIMULATED}{number}" for number in range(1, ASSESSORS + 1)),
        item=np.repeat(np.arange(len(pool)), ASSESSORS),
        assessor=np.tile(np.arange(ASSESSORS), len(pool)),
        level=levels.ravel(),
        top=2,
    )


def relevance_of(items: Sequence[Item]) -> FloatArray:
    """The cosine of each comment's words and the words of the next messages, weighted by rarity among the comments.

    >>> cat, dog = frozenset({"cat"}), frozenset({"dog"})
    >>> relevance_of([Item(cat, cat | dog), Item(dog, cat)]).round(3)
    array([0.707, 0.   ])
    """
    holding = Counter(word for item in items for word in item.comment)
    weight = {word: log(1 + len(items) / count) for word, count in holding.items()}
    rarest = log(1 + len(items))
    return np.array([_cosine(item, lambda word: weight.get(word, rarest)) for item in items])


def _cosine(item: Item, weight: Callable[[str], float]) -> float:
    """The cosine of two sets of words with these weights; 0 if either is empty."""
    shared, own, others = (
        sum(weight(word) ** 2 for word in sorted(words))
        for words in (item.comment & item.next_messages, item.comment, item.next_messages)
    )
    return shared / sqrt(own * others) if shared else 0.0


def _items(pool: Pool, repository: Path, next_messages: Mapping[str, str]) -> list[Item]:
    terms = tokeniser("en").terms
    wanted = set(unpack(pool.comments))
    texts = {
        name: frozenset(terms(text))
        for batch in open_repository(repository).comments()
        for name, text in zip(*batch, strict=True)
        if name in wanted
    }
    after = [frozenset(terms(next_messages[topic])) for topic in pool.topics]
    return [
        Item(texts[name], after[topic]) for name, topic in zip(unpack(pool.comments), pool.topic.tolist(), strict=True)
    ]
