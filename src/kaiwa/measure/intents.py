"""Topics with several intents: the gain of an item for each intent, and the probability of each intent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError
from kaiwa.model.gains import Gains

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from kaiwa.measure.judged_lists import BoolArray
    from kaiwa.model.ids import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Intents:
    """Gains split by intent. Intent i of one topic and intent i of another have nothing in common.

    ``gains`` is judged rows x intents; ``chances`` is P(i|q), topics x intents, 0 where a topic has no such
    intent; ``navigational`` marks intents that one item satisfies, topics x intents.
    """

    gains: FloatArray
    chances: FloatArray
    navigational: BoolArray

    def __post_init__(self) -> None:
        if self.chances.shape != self.navigational.shape or self.gains.shape[1:] != self.chances.shape[1:]:
            raise InputError("intents need gains as rows x intents, chances and types as topics x intents")
        if not np.isfinite(self.chances).all() or (self.chances < 0).any():
            raise InputError("the probability of an intent is not a number from 0; fix the intent file")


@dataclass(frozen=True, eq=False)
class DiverseGains:
    """Global gains, sum_i P(i|q) g_i(d) (Sakai and Song, SIGIR 2011), with the intents they are made of."""

    gains: Gains
    intents: Intents


def combine(
    by_intent: Mapping[str, Gains],
    *,
    chances: Mapping[tuple[str, str], float],
    navigational: Container[tuple[str, str]],
) -> DiverseGains:
    """The gains of several intents as one.

    ``chances`` gives P(i|q) by (topic, intent); if no intent of a topic has one, all are equally likely.
    An intent without a relevant item is left out, and the probabilities of the others are scaled to sum to 1.
    """
    names = list(by_intent)
    topics = next(iter(by_intent.values())).topics
    places: dict[tuple[int, bytes], int] = {}
    cells = [
        (places.setdefault((topic, comment), len(places)), intent, gain)
        for intent, gains in enumerate(by_intent.values())
        for topic, comment, gain in zip(gains.codes().tolist(), gains.comments.tolist(), gains.gains, strict=True)
    ]
    intent_gains = np.zeros((len(places), len(names)))
    for row, intent, gain in cells:
        intent_gains[row, intent] = gain
    topic_of = np.array([topic for topic, _ in places], dtype=np.int64)
    order = np.argsort(topic_of, kind="stable")
    intent_gains, topic_of = intent_gains[order], topic_of[order]
    likely = _chances(intent_gains, topic_of, topics, names, chances)
    gains = Gains(
        topics=topics,
        starts=np.searchsorted(topic_of, np.arange(len(topics) + 1)).astype(np.int64),
        comments=np.array([comment for _, comment in places])[order],
        gains=(intent_gains * likely[topic_of]).sum(axis=1),
        top=max(gains.top for gains in by_intent.values()),
        how="global gains",
    )
    kinds = np.array([[(topic, name) in navigational for name in names] for topic in topics])
    return DiverseGains(gains, Intents(intent_gains, likely, kinds))


def _chances(
    intent_gains: FloatArray,
    topic_of: IntArray,
    topics: Sequence[str],
    names: Sequence[str],
    given: Mapping[tuple[str, str], float],
) -> FloatArray:
    has_relevant = np.zeros((len(topics), len(names)), dtype=bool)
    np.logical_or.at(has_relevant, topic_of, intent_gains > 0)
    weights = np.array([[given.get((topic, name), 0.0) for name in names] for topic in topics])
    weights[~(weights > 0).any(axis=1)] = 1.0
    weights = np.where(has_relevant, weights, 0.0)
    total = weights.sum(axis=1, keepdims=True)
    chances: FloatArray = np.divide(weights, total, out=np.zeros_like(weights), where=total > 0)
    return chances
