"""Judgements on a scale, from gains, from votes, or from the gains of several intents."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kaiwa.label.gain_schemes import UNANIMITY_WEIGHT, Weighing, voted_gains
from kaiwa.measure.gain_scale import Scale, judge
from kaiwa.measure.intents import combine

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from kaiwa.measure.judgements import Judgements
    from kaiwa.model.gains import Gains
    from kaiwa.model.votes import Votes


@dataclass(frozen=True)
class Judged:
    """Judgements, a text on gmax, and the scheme with its settings and the votes if there are any.

    The items of the votes are the judged rows.
    """

    judgements: Judgements
    gmax: str
    weighing: Weighing | None = None
    votes: Votes | None = None


def judged_gains(gains: Gains, scale: Scale) -> Judged:
    """Judgements from gains."""
    judgements = judge(gains, scale)
    return Judged(judgements, scale.gmax_text(judgements.gains))


def judged_votes(votes: Votes, scale: Scale, *, scheme: str = "mean", p: float = UNANIMITY_WEIGHT) -> Judged:
    """Judgements from votes, by a scheme; the scale gives the value of each level."""
    made = voted_gains(votes, scheme, levels=scale.levels, p=p)
    only_top = Scale(top=scale.top, by_topic=scale.by_topic)
    judgements = judge(made.gains, only_top, votes=made.counts)
    return Judged(judgements, only_top.gmax_text(judgements.gains), made.how, made.votes)


def judged_intents(
    by_intent: Mapping[str, Gains],
    scale: Scale,
    *,
    chances: Mapping[tuple[str, str], float],
    navigational: Container[tuple[str, str]],
) -> Judged:
    """Judgements from the gains of several intents."""
    mapped = {intent: Scale(levels=scale.levels).of(gains) for intent, gains in by_intent.items()}
    made = combine(mapped, chances=chances, navigational=navigational)
    only_top = Scale(top=scale.top, by_topic=scale.by_topic)
    judgements = judge(made.gains, only_top, intents=made.intents)
    return Judged(judgements, only_top.gmax_text(judgements.gains))
