"""Measures for topics of several intents: I-rec, DIN gains, P+Q; D- and IA- wrap any other measure.

Sakai and Song, SIGIR 2011 (I-rec, D, D#); Sakai, WWW 2012 (DIN, P+Q).
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, option
from kaiwa.measure.families.average import q_measure
from kaiwa.measure.families.first_relevant import p_plus
from kaiwa.measure.judged_lists import share

if TYPE_CHECKING:
    from collections.abc import Callable

    from kaiwa.measure.intents import Intents
    from kaiwa.measure.judged_lists import Lists
    from kaiwa.measure.judgements import Batch
    from kaiwa.model.ids import FloatArray


def intent_recall(batch: Batch, *, cutoff: int | None) -> FloatArray:
    """I-rec: the number of the topic's intents that the list covers, over all; per list."""
    intents = _intents(batch)
    known = intents.chances[batch.topics] > 0
    numbers = range(known.shape[1])
    covered = np.stack([batch.of_intent(intent).lists(cutoff).relevant.any(axis=1) for intent in numbers], axis=1)
    return share((covered & known).sum(axis=1, dtype=np.float64), known.sum(axis=1))


def intent_aware(batch: Batch, value: Callable[[Batch], FloatArray]) -> FloatArray:
    """IA: a measure's value for each intent, weighted by the probability of the intent; per list."""
    chances = _intents(batch).chances[batch.topics]
    values = np.stack([value(batch.of_intent(intent)) for intent in range(chances.shape[1])], axis=1)
    expected: FloatArray = np.where(chances > 0, chances * values, 0.0).sum(axis=1)
    return expected


def din_lists(batch: Batch, *, cutoff: int | None) -> Lists:
    """The lists by global gain, in which a navigational intent counts only in its first relevant item."""
    intents = _intents(batch)
    whole = batch.lists(cutoff)
    gains = np.zeros_like(whole.gains)
    for intent in range(intents.chances.shape[1]):
        own = batch.of_intent(intent).lists(cutoff)
        spent = intents.navigational[batch.topics, intent, None] & (own.found - own.relevant > 0)
        gains += intents.chances[batch.topics, intent, None] * np.where(spent, 0.0, own.gains)
    return replace(whole, gains=gains)


def p_plus_q(batch: Batch, *, cutoff: int | None, beta: float) -> FloatArray:
    """P+Q: Q of each informational intent and P+ of each navigational one, weighted by probability; per list."""
    intents = _intents(batch)
    chances = intents.chances[batch.topics]
    total = np.zeros(len(chances))
    for intent in range(chances.shape[1]):
        own = batch.of_intent(intent).lists(cutoff)
        is_navigational = intents.navigational[batch.topics, intent]
        value = np.where(is_navigational, p_plus(own, beta=beta), q_measure(own, beta=beta))
        total += np.where(chances[:, intent] > 0, chances[:, intent] * value, 0.0)
    return total


def p_plus_q_sharp(batch: Batch, *, cutoff: int | None, beta: float) -> FloatArray:
    """P+Q#: half I-rec and half P+Q; per list."""
    return (intent_recall(batch, cutoff=cutoff) + p_plus_q(batch, cutoff=cutoff, beta=beta)) / 2.0


def _intents(batch: Batch) -> Intents:
    if batch.judgements.intents is None:
        raise InputError(f"a diversity measure needs judgements by intent; give them with {option('intents')}")
    return batch.judgements.intents
