"""Standardisation factors: the mean and standard deviation of each topic over the runs of one round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError

if TYPE_CHECKING:
    from kaiwa.nouns.ids import FloatArray


@dataclass(frozen=True, eq=False)
class Factors:
    """The mean and standard deviation of each topic, over the runs of one round, under one measure.

    A standard deviation of 0 marks a topic on which all those runs tied: every standardised score is neutral.

    >>> import kaiwa
    >>> kaiwa.Scores.from_matrix("AP", ["q1"], "AB", [[0.5, 0.25]]).standardise().factors["AP"].topics
    ('q1',)
    """

    measure: str
    topics: tuple[str, ...]
    means: FloatArray
    sds: FloatArray

    def __post_init__(self) -> None:
        if not (np.isfinite(self.means).all() and np.isfinite(self.sds).all() and (self.sds >= 0).all()):
            raise InputError(f"{self.measure}: a topic's mean or sd is not a number, or the sd is below 0; fix it")
        if len(set(self.topics)) != len(self.topics):
            raise InputError(f"{self.measure}: duplicate topic; keep one factor per topic")
