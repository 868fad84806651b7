"""The data of the lead's page, as JSON: progress, agreement, assessors, contested items, what more votes would do."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from math import isnan
from threading import Lock
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.comparison.enough_votes import MORE, outlook
from kaiwa.errors import KaiwaError
from kaiwa.formats.readers import read_runs
from kaiwa.labelling.agreement import agreement, most_contested
from kaiwa.labelling.assessors import assessor_quality
from kaiwa.labelling.judging_course import (
    TimedVote,
    agreement_history,
    confusion_between,
    drift,
    level_by_position,
    seconds_per_hundred,
    self_consistency,
    votes_of,
)
from kaiwa.measures.judgements import Scale
from kaiwa.measures.score import judged_votes
from kaiwa.nouns.votes import NA, SIMULATED_NOTICE, is_simulated
from kaiwa.show.page import language_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kaiwa.labelling.estimates import Estimate
    from kaiwa.nouns.run import Run
    from kaiwa.store.log_state import LogState
    from kaiwa.store.records import Item, Person, VoteRow
    from kaiwa.store.vote_store import VoteStore
    from kaiwa.task.folder import Task, TaskSettings


# The statistics of the lead's page as JSON: agreement and its history, each assessor, confusion, and the outlook.


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
    found = agreement(votes, rng=rng, trials=_SAMPLES)
    agreed = {"items": found.items, "alpha": estimate_fields(found.alpha["ordinal"])}
    agreed |= {"fleiss": estimate_fields(found.fleiss), "raw": estimate_fields(found.raw)}
    agreed["kappa_interval"] = found.fleiss.interval
    history = agreement_history(given, top=top, rng=rng)
    places = level_by_position(given, rng=rng, trials=_SAMPLES)
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
    quality = assessor_quality(votes_of(given, top=top), rng=rng, trials=_SAMPLES)
    drifts, speeds = drift(given, rng=rng, trials=_SAMPLES), seconds_per_hundred(given)
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
        judged = judged_votes(votes_of(given, top=settings.max_level), Scale(), scheme=settings.scheme, p=settings.p)
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


Fields = dict[str, Any]  # Any: JSON values
_CONTESTED = 20
_WINDOW = timedelta(hours=24)
_FEWEST = 10
"""Votes from which a speed is estimated."""


@dataclass(frozen=True)
class Snapshot:
    """What the store held at one moment: items of the pool, their votes, repeats, gold, decisions, people.

    ``repeats`` and ``gold`` are pairs of levels by assessor: first and second vote, known level and vote.
    """

    head: str
    count: int
    per_item: int
    surplus: int
    items: Mapping[str, Item]
    votes: Sequence[VoteRow]
    repeats: Mapping[str, Sequence[tuple[int, int]]]
    gold: Mapping[str, Sequence[tuple[int, int]]]
    decisions: Mapping[str, VoteRow]
    people: Sequence[Person]

    @property
    def twice(self) -> Twice:
        """The levels that are compared."""
        return Twice(self.repeats, self.gold)

    def name_of(self, code: str) -> str:
        """The name of a person in the log."""
        return next((one.name for one in self.people if one.code == code), code)


class LeadNumbers:
    """The data of a served task, computed when the log has changed; slow statistics are not computed all the time.

    What took more than a second stays for ten times as long, but for a takedown, which removes texts at once. People
    are always those of now.
    """

    def __init__(self, task: Task, store: VoteStore) -> None:
        self._task, self._store = task, store
        self._lock = Lock()
        self._head, self._lists, self._until = "", 0, 0.0
        self._data: Fields = {}
        self._runs: list[Run] | None = None

    @property
    def mark(self) -> str:
        """A text that changes when the data would."""
        head = self._head if self._is_current() else self._store.head
        return f"{head}-{self._store.state.lists}-{self._store.access.seen}"

    def data(self) -> Fields:
        """The data, with its mark."""
        with self._lock:
            if not self._is_current():
                self._compute()
            return self._data | {"people": _people(snapshot(self._store)), "mark": self.mark}

    def _is_current(self) -> bool:
        if not self._data or self._lists != self._store.state.lists:
            return False
        return self._head == self._store.head or time.monotonic() < self._until

    def _compute(self) -> None:
        if self._runs is None:
            self._runs = _readable_runs(self._task)
        self._lists = self._store.state.lists  # before the items are read: a takedown meanwhile is another list
        start, seen = time.monotonic(), snapshot(self._store)
        self._data, self._head = lead_data(self._task.settings, self._runs, seen), seen.head
        spent = time.monotonic() - start
        self._until = time.monotonic() + (10 * spent if spent > 1 else 0.0)


def _readable_runs(task: Task) -> list[Run]:
    """The runs of the task; none if a file has a fault, which the report and ``kaiwa check`` name."""
    try:
        return read_runs(task.runs)
    except KaiwaError:
        return []


def snapshot(store: VoteStore) -> Snapshot:
    """The store as it is now; votes in the order of the log."""
    state = store.state
    with state.lock:
        items = {name: one for name, one in state.items.items() if one.kind == "pool"}
        given = [row for name in items for row in state.given.get(name, {}).values()]
        repeats: dict[str, list[tuple[int, int]]] = {}
        for (who, name), again in state.repeated.items():
            first = state.given.get(name, {}).get(who)
            if first is not None and first.level is not None:
                repeats.setdefault(who, []).extend((first.level, one.level) for one in again if one.level is not None)
        return Snapshot(
            head=state.head,
            count=state.count,
            per_item=state.votes_per_item,
            surplus=sum(map(state.is_surplus, given)),
            items=items,
            votes=sorted(given, key=lambda row: row.seq),
            repeats=repeats,
            gold=_gold(state),
            decisions=dict(state.adjudicated),
            people=store.people(),
        )


def _gold(state: LogState) -> dict[str, list[tuple[int, int]]]:
    """By assessor: the known level of each gold item, and the assessor's."""
    found: dict[str, list[tuple[int, int]]] = {}
    for item in state.items.values():
        if item.answer is not None and item.kind != "training":
            for who, row in state.given.get(item.item, {}).items():
                if row.level is not None:
                    found.setdefault(who, []).append((item.answer, row.level))
    return found


def lead_data(settings: TaskSettings, runs: Sequence[Run], seen: Snapshot, *, seed: int = 1) -> Fields:
    """The data of the lead's page, from a snapshot of the store and the runs of the task."""
    rng = np.random.default_rng(seed)
    given = [_timed(row, seen) for row in seen.votes if row.level is not None]
    levels = [str(level) for level in range(settings.max_level + 1)]
    return {
        "title": settings.title,
        "notice": SIMULATED_NOTICE if any(is_simulated(one.name) for one in seen.people) else "",
        "head": seen.head,
        "votes": seen.count,
        "levels": [*levels, "NA"],
        "progress": _progress(seen),
        "by_post": _by_post(seen),
        **statistics_fields(given, seen.votes, seen.twice, seen.name_of, top=settings.max_level, rng=rng),
        "contested": _contested(given, seen, settings.max_level),
        "flags": [_shown_item(name, seen, settings.max_level) for name in dict.fromkeys(_flagged(seen))],
        "enough": outlook_fields(runs, given, settings, items=len(seen.items), rng=rng),
        "people": _people(seen),
    }


def _people(seen: Snapshot) -> list[Fields]:
    last = {row.assessor: row.server_time for row in seen.votes}
    return [
        {"name": one.name, "code": one.code, "role": one.role, "state": one.state, "last": last.get(one.code)}
        for one in seen.people
    ]


def _timed(row: VoteRow, seen: Snapshot) -> TimedVote:
    item = seen.items[row.item]
    level = NA if row.level is None else row.level
    return TimedVote(item.topic, item.comment, row.assessor, level, row.seen_ms, len(item.text), row.position)


def _progress(seen: Snapshot) -> Fields:
    """How many votes are given and needed, and when the last one is expected, at the speed of the last day."""
    numbers = _votes_by_item(seen)
    needed = len(seen.items) * seen.per_item
    given = sum(min(number, seen.per_item) for number in numbers.values())
    times = sorted(datetime.fromisoformat(row.server_time) for row in seen.votes)
    recent = [when for when in times if when > times[-1] - _WINDOW]
    hours = (recent[-1] - recent[0]).total_seconds() / 3600 if recent else 0.0
    rate = (len(recent) - 1) / hours if hours and len(recent) >= _FEWEST else None
    end = recent[-1] + timedelta(hours=(needed - given) / rate) if rate and needed > given else None
    return {
        "given": given,
        "needed": needed,
        "items": len(seen.items),
        "complete": sum(number >= seen.per_item for number in numbers.values()),
        "per_item": seen.per_item,
        "surplus": seen.surplus,
        "rate": rate and round(rate),
        "end": end and end.astimezone(UTC).isoformat(timespec="seconds"),
    }


def _votes_by_item(seen: Snapshot) -> dict[str, int]:
    numbers = dict.fromkeys(seen.items, 0)
    for row in seen.votes:
        numbers[row.item] += 1
    return numbers


def _by_post(seen: Snapshot) -> list[Fields]:
    numbers = _votes_by_item(seen)
    by_post: dict[str, list[str]] = {}
    for name, item in seen.items.items():
        by_post.setdefault(item.topic, []).append(name)
    return [
        {
            "topic": topic,
            "text": seen.items[names[0]].post,
            "lang": language_of(seen.items[names[0]].post),
            "items": len(names),
            "complete": sum(numbers[name] >= seen.per_item for name in names),
            "missing": sum(max(seen.per_item - numbers[name], 0) for name in names),
        }
        for topic, names in by_post.items()
    ]


def _contested(given: Sequence[TimedVote], seen: Snapshot, top: int) -> list[Fields]:
    """The items on which assessors disagree, most of all first; those with a decision come last."""
    if not given:
        return []
    ids = {(item.topic, item.comment): name for name, item in seen.items.items()}
    apart = [one for one in most_contested(votes_of(given, top=top), len(seen.items)) if one.agreement < 1]
    names = [ids[one.topic, one.comment] for one in apart]
    open_first = sorted(names, key=lambda name: name in seen.decisions)
    return [_shown_item(name, seen, top) for name in open_first[:_CONTESTED]]


def _flagged(seen: Snapshot) -> list[str]:
    return [row.item for row in seen.votes if row.flag]


def _shown_item(name: str, seen: Snapshot, top: int) -> Fields:
    """A post and a comment with the votes on it, without the names of assessors and runs."""
    item, rows = seen.items[name], [row for row in seen.votes if row.item == name]
    levels = [row.level for row in rows]
    reasons = [reason for row in rows for reason in row.failed.split()]
    decided = seen.decisions.get(name)
    return {
        "item": name,
        "post": item.post,
        "post_lang": language_of(item.post),
        "text": item.text,
        "lang": language_of(item.text),
        "votes": [levels.count(level) for level in range(top + 1)],
        "missing": levels.count(NA),
        "reasons": [(one, reasons.count(one)) for one in sorted(set(reasons))],
        "notes": sorted(row.note for row in rows if row.note),
        "decision": None if decided is None or decided.level is None else _level_name(decided.level),
    }


def _level_name(level: int) -> str:
    return "NA" if level == NA else f"L{level}"
