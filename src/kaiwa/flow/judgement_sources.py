"""Read what runs are scored against: qrels, votes, or qrels by intent."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kaiwa.errors import InputError, option
from kaiwa.flow.gains import gains_file
from kaiwa.formats.intent_files import IntentChances, read_intent_chances
from kaiwa.formats.qrels_files import read_grouped_qrels, read_qrels
from kaiwa.label.gain_schemes import UNANIMITY_WEIGHT, Weighing
from kaiwa.measure.gain_scale import Scale, judge
from kaiwa.measure.intents import combine

if TYPE_CHECKING:
    from pathlib import Path

    from kaiwa.measure.judgements import Judgements


@dataclass(frozen=True)
class Judged:
    """Judgements read from files, what gmax is, and how votes were weighed when there are votes."""

    judgements: Judgements
    gmax: str
    weighing: Weighing | None = None


def judgements_from(
    qrels: Path | None,
    votes: Path | None,
    intents: Path | None,
    *,
    scale: Scale,
    chances: Path | None = None,
    scheme: str = "mean",
    p: float = UNANIMITY_WEIGHT,
) -> Judged:
    """Judgements from the one source that was given."""
    given = [source for source in (qrels, votes, intents) if source is not None]
    if len(given) != 1:
        sources = f"{option('qrels')}, {option('votes')} or {option('intents')}"
        raise InputError(f"runs are scored against one source of judgements; give {sources}")
    if chances is not None and intents is None:
        what = f"{option('chances')} says how likely intents are, and there are none"
        raise InputError(f"{what}; give {option('intents')} too")
    if votes is not None:
        return judge_votes(votes, scale, scheme=scheme, p=p)
    if intents is not None:
        return judge_intents(intents, scale, chances=chances)
    return judge_qrels(given[0], scale)


def judge_qrels(path: Path, scale: Scale) -> Judged:
    """Judgements from a qrels file."""
    judgements = judge(read_qrels(path), scale)
    return Judged(judgements, scale.says(judgements.gains))


def judge_votes(path: Path, scale: Scale, *, scheme: str = "mean", p: float = UNANIMITY_WEIGHT) -> Judged:
    """Judgements from a vote file, by a scheme; the scale's levels say what each vote is worth."""
    _, made = gains_file(path, scheme=scheme, levels=scale.levels, p=p)
    only_top = Scale(top=scale.top, by_topic=scale.by_topic)
    judgements = judge(made.gains, only_top, votes=made.counts)
    return Judged(judgements, only_top.says(judgements.gains), made.how)


def judge_intents(path: Path, scale: Scale, *, chances: Path | None = None) -> Judged:
    """Judgements from a qrels file whose second column is the intent."""
    by_intent = {intent: Scale(levels=scale.levels).of(gains) for intent, gains in read_grouped_qrels(path).items()}
    known = read_intent_chances(chances) if chances else IntentChances({}, frozenset())
    topics = next(iter(by_intent.values())).topics
    if known.chances and not any(topic in topics for topic, _ in known.chances):
        raise InputError.at(chances, f"shares no topic with {path}", "give the chances of the same topics")
    made = combine(by_intent, chances=known.chances, navigational=known.navigational)
    only_top = Scale(top=scale.top, by_topic=scale.by_topic)
    judgements = judge(made.gains, only_top, intents=made.intents)
    return Judged(judgements, only_top.says(judgements.gains))
