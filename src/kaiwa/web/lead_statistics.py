"""The statistics of the lead's page as JSON: agreement and its history, each assessor, confusion, and the outlook."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import isnan
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.errors import KaiwaError
from kaiwa.label.agreement import agreement
from kaiwa.label.assessor_quality import assessor_quality
from kaiwa.label.judging_course import (
    agreement_history,
    confusion_between,
    drift,
    level_by_position,
    seconds_per_hundred,
    self_consistency,
    votes_of,
)
from kaiwa.measure.gain_scale import Scale
from kaiwa.studies.enough_votes import MORE, outlook
from kaiwa.studies.judging import judged_votes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kaiwa.label.agreement import Estimate
    from kaiwa.label.judging_course import TimedVote
    from kaiwa.model.run import Run
    from kaiwa.store.records import VoteRow
    from kaiwa.task.settings import TaskSettings

Fields = dict[str, Any]  # Any: JSON values
_SAMPLES = 400
_TRIALS = 1000
_RUNS = 2


@dataclass(frozen=True)
class Twice:
    """Pairs of levels by assessor: of items that came back, and of gold items, whose level is known."""

    repeats: Mapping[str, Sequence[tuple[int, int]]]
    gold: Mapping[str, Sequence[tuple[int, int]]]


def statistics_fields(
    given: Sequence[TimedVote],
    rows: Sequence[VoteRow],
    twice: Twice,
    name_of: Callable[[str], str],
    *,
    top: int,
    rng: np.random.Generator,
) -> Fields:
    """Agreement, its history, a line per assessor, mean level by place in the list, confusion."""
    if not given:
        return {"agreement": None, "history": [], "by_assessor": [], "order": [], "confusion": []}
    votes = votes_of(given, top=top)
    found = agreement(votes, rng=rng, samples=_SAMPLES)
    agreed = {"items": found.items, "alpha": estimate_fields(found.alpha["ordinal"])}
    agreed |= {"fleiss": estimate_fields(found.fleiss), "raw": estimate_fields(found.raw)}
    history = agreement_history(given, top=top, rng=rng)
    places = level_by_position(given, rng=rng, samples=_SAMPLES)
    confusion = confusion_between(votes)
    return {
        "agreement": agreed if found.items else None,
        "history": [{"votes": one.votes, **estimate_fields(one.alpha)} for one in history],
        "by_assessor": _assessor_lines(given, rows, twice, name_of, top=top, rng=rng),
        "order": [{"position": place, **estimate_fields(one)} for place, one in places.items()],
        "confusion": []
        if np.isnan(confusion).all()
        else [[_number(cell) for cell in row] for row in confusion.tolist()],
    }


def _assessor_lines(
    given: Sequence[TimedVote],
    rows: Sequence[VoteRow],
    twice: Twice,
    name_of: Callable[[str], str],
    *,
    top: int,
    rng: np.random.Generator,
) -> list[Fields]:
    quality = assessor_quality(votes_of(given, top=top), rng=rng, samples=_SAMPLES)
    drifts, speeds = drift(given, rng=rng, samples=_SAMPLES), seconds_per_hundred(given)
    consistent, known = self_consistency(twice.repeats), self_consistency(twice.gold)
    unsure = [row.assessor for row in rows if row.unsure]
    return [
        {
            "name": name_of(one.name),
            "code": one.name,
            "votes": one.items + one.missing,
            "missing": one.missing,
            "unsure": unsure.count(one.name),
            "mean_level": _number(one.mean_level),
            "agreement": _number(one.agreement),
            "kappa": _number(one.kappa),
            "severity": estimate_fields(one.severity),
            "drift": estimate_fields(drifts[one.name]) if one.name in drifts else None,
            "consistency": asdict(consistent[one.name]) if one.name in consistent else None,
            "gold": asdict(known[one.name]) if one.name in known else None,
            "speed": speeds.get(one.name),
        }
        for one in quality
    ]


def outlook_fields(
    runs: Sequence[Run],
    given: Sequence[TimedVote],
    settings: TaskSettings,
    *,
    items: int,
    rng: np.random.Generator,
) -> Fields | None:
    """Which pairs of runs are decided by the task's first measure; None while nothing can be compared."""
    if len(runs) < _RUNS or not given:
        return None
    voted = len({(one.topic, one.comment) for one in given})
    try:
        judged = judged_votes(votes_of(given, top=settings.top), Scale(), scheme=settings.scheme, p=settings.p)
        found = outlook(
            runs,
            judged,
            settings.measures[0],
            test=settings.test,
            alpha=settings.alpha,
            trials=min(settings.trials, _TRIALS),
            condensed=voted < items,
            rng=rng,
        )
    except KaiwaError:
        return None
    order = ("decided", "soon", "votes", "topics", "equal")
    return {
        "measure": found.measure,
        "test": found.test,
        "alpha": found.alpha,
        "topics": found.topics,
        "more": MORE,
        "vote_share": found.vote_share,
        "provisional": 1 - voted / items,
        "decided": found.number("decided"),
        "soon": found.number("soon"),
        "votes": found.number("soon", "votes"),
        "topics_needed": found.number("topics", "equal"),
        "pairs": [asdict(one) for one in sorted(found.pairs, key=lambda one: (order.index(one.outcome), one.p))],
    }


def estimate_fields(one: Estimate) -> Fields:
    """An estimate with its limits; None where there is no number."""
    return {"value": _number(one.value), "low": _number(one.low), "high": _number(one.high)}


def _number(value: float) -> float | None:
    return None if isnan(value) else value
