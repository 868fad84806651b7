"""A design whose variance came from pilots, with the pilots' own uncertainty."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kaiwa.errors import InputError, option

if TYPE_CHECKING:
    from kaiwa.topicset.answer import Design


@dataclass(frozen=True)
class PilotSide:
    """The design from one kind of score; ``low`` and ``high`` are the answer at the variance's bootstrap limits."""

    scores: str
    variance: float
    variance_limits: tuple[float, float] | None
    design: Design | None
    low: float | None
    high: float | None
    refusal: str | None = None


@dataclass(frozen=True)
class PilotDesign:
    """Raw and std-AB side by side, and what std-AB's bound promises without any pilot."""

    measure: str
    topics: int
    runs: int
    sides: tuple[PilotSide, ...]
    worst_case: Design | None

    @property
    def answer(self) -> Design:
        """The design from the scores as they are, which is always there."""
        if self.raw.design is None:
            raise InputError(f"the pilot gives no design; give {option('variance')}")
        return self.raw.design

    @property
    def raw(self) -> PilotSide:
        """The design from the scores as they are."""
        return self.sides[0]
