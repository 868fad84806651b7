"""Scales: the gain of each grade, and gmax, the top of the scale."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, option
from kaiwa.measure.judgements import Judgements, highest_gains

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kaiwa.measure.intents import Intents
    from kaiwa.model.gains import Gains
    from kaiwa.model.ids import IntArray

_PAIR = re.compile(r"L?(?P<grade>-?\d{1,6}(?:\.\d+)?)=(?P<gain>\d{1,12}(?:\.\d+)?)")


@dataclass(frozen=True)
class Scale:
    """The gain of each grade, and the top.

    Without ``levels`` the gain is the grade. ``top`` is a declared gmax; ``by_topic`` takes the highest gain of each
    topic instead, as NTCIREVAL does with direct gains.
    """

    levels: Mapping[float, float] | None = None
    top: float | None = None
    by_topic: bool = False

    def __post_init__(self) -> None:
        if self.top is not None and not 0 < self.top < float("inf"):
            raise InputError(f"the top of the scale, {self.top:g}, is not a gain above 0; see {option('top')}")
        if self.levels is not None and max(self.levels.values(), default=0.0) <= 0:
            example = option("levels", "L1=1,L2=3", python="{1: 1, 2: 3}")
            raise InputError(f"no level has a gain above 0; give at least one, as {example}")

    def of(self, gains: Gains) -> Gains:
        """The gains on this scale, grades mapped and the top declared."""
        mapped = gains if self.levels is None else _mapped(gains, self.levels)
        return mapped if self.top is None else replace(mapped, top=self.top)

    def gmax_text(self, gains: Gains) -> str:
        """The value of gmax and its source, as text."""
        if self.by_topic:
            return "each topic's own highest gain"
        source = "--top" if self.top is not None else "--levels" if self.levels is not None else gains.how
        reason = "the largest grade; declare another with --top" if source == "grades" else source
        return f"{gains.top:g} ({reason})"


def parse_levels(text: str) -> dict[float, float]:
    """The gain of each level.

    >>> parse_levels("L1=1,L2=3")
    {1.0: 1.0, 2.0: 3.0}
    """
    levels: dict[float, float] = {}
    for part in text.split(","):
        pair = _PAIR.fullmatch(part.strip())
        if not pair:
            what = f"{option('levels')}: {part.strip()!r} is not a level and its gain"
            raise InputError(f"{what}; write it like L1=1,L2=3")
        if float(pair["grade"]) in levels:
            raise InputError(f"{option('levels')}: duplicate level {pair['grade']}; give each level one gain")
        levels[float(pair["grade"])] = float(pair["gain"])
    return levels


def parse_scale(levels: str | None, top: str | None) -> Scale:
    """The scale from the texts of --levels and --top.

    >>> parse_scale("L1=1,L2=3", "topic").by_topic
    True
    """
    by_level = None if levels is None else parse_levels(levels)
    if top is None or top == "topic":
        return Scale(levels=by_level, by_topic=top == "topic")
    try:
        return Scale(levels=by_level, top=float(top))
    except ValueError:
        what = f"{option('top', repr(top), python=repr(top))} is neither a gain nor 'topic'"
        raise InputError(f"{what}; write it like {option('top', '3')}") from None


def judge(
    gains: Gains, scale: Scale | None = None, *, votes: IntArray | None = None, intents: Intents | None = None
) -> Judgements:
    """The gains ready for scoring, on a scale."""
    scale = scale or Scale()
    scaled = scale.of(gains)
    levels = () if scale.levels is None else tuple(sorted({gain for gain in scale.levels.values() if gain > 0}))
    top = highest_gains(scaled) if scale.by_topic else np.full(len(scaled.topics), scaled.top)
    return Judgements(scaled, top, levels, votes, intents, own_tops=scale.by_topic)


def _mapped(gains: Gains, levels: Mapping[float, float]) -> Gains:
    known = {0.0: 0.0, **levels}
    grades = np.array(sorted(known))
    spot = np.minimum(np.searchsorted(grades, gains.gains), len(grades) - 1)
    if (off := grades[spot] != gains.gains).any():
        row = int(off.argmax())
        shown = ", ".join(f"{grade:g}" for grade in grades)
        raise gains.fault(
            row, f"grade {gains.gains[row]:g} is not on the scale {shown}", f"give it a gain with {option('levels')}"
        )
    values = np.array([known[grade] for grade in grades.tolist()])
    return replace(gains, gains=values[spot], top=float(values.max()), how="levels")
