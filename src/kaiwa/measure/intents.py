"""Topics with several intents: what an item is worth for each, and how likely each intent is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError

if TYPE_CHECKING:
    from kaiwa.measure.lists import BoolArray
    from kaiwa.model import FloatArray


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
            raise InputError("an intent's chance is not a number from 0; mend the intent file")


def global_gains(gains: FloatArray, chances_per_row: FloatArray) -> FloatArray:
    """The global gain sum_i P(i|q) g_i(d) of each judged row (Sakai and Song, SIGIR 2011).

    >>> global_gains(np.array([[1.0, 3.0]]), np.array([[0.5, 0.5]]))
    array([2.])
    """
    worth: FloatArray = (gains * chances_per_row).sum(axis=1)
    return worth
