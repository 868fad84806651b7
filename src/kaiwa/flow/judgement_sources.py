"""Read what runs are scored against: qrels, votes, or qrels by intent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.errors import InputError, option
from kaiwa.formats.intent_files import IntentChances
from kaiwa.formats.readers import read_chances, read_grouped_qrels, read_qrels, read_votes
from kaiwa.label.gain_schemes import UNANIMITY_WEIGHT
from kaiwa.studies.judging import Judged, judged_gains, judged_intents, judged_votes

if TYPE_CHECKING:
    from pathlib import Path

    from kaiwa.measure.gain_scale import Scale


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
        what = f"{option('chances')} gives the probabilities of intents, but no intents are given"
        raise InputError(f"{what}; give {option('intents')} too")
    if votes is not None:
        return judge_votes(votes, scale, scheme=scheme, p=p)
    if intents is not None:
        return judge_intents(intents, scale, chances=chances)
    return judge_qrels(given[0], scale)


def judge_qrels(path: Path, scale: Scale) -> Judged:
    """Judgements from a qrels file."""
    return judged_gains(read_qrels(path), scale)


def judge_votes(path: Path, scale: Scale, *, scheme: str = "mean", p: float = UNANIMITY_WEIGHT) -> Judged:
    """Judgements from a vote file, by a scheme; the scale's levels give the gain of each vote."""
    return judged_votes(read_votes(path), scale, scheme=scheme, p=p)


def judge_intents(path: Path, scale: Scale, *, chances: Path | None = None) -> Judged:
    """Judgements from a qrels file whose second column is the intent."""
    by_intent = read_grouped_qrels(path)
    known = read_chances(chances) if chances else IntentChances({}, frozenset())
    topics = next(iter(by_intent.values())).topics
    if known.chances and not any(topic in topics for topic, _ in known.chances):
        raise InputError.at(chances, f"shares no topic with {path}", "give the chances of the same topics")
    return judged_intents(by_intent, scale, chances=known.chances, navigational=known.navigational)
