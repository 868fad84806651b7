"""Which items an assessor gets next: up to ten comments of one post, in an order of the assessor's own."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kaiwa.labelling.items import UNIT, own_order
from kaiwa.store.records import Lease

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kaiwa.store.log_state import LogState
    from kaiwa.store.records import Item, VoteRow


_BEFORE_REPEAT = 20
"""The votes between the first and the second showing of an item, at least."""


@dataclass(frozen=True)
class Place:
    """An item in the list of an assessor: its lease, and the assessor's vote on it."""

    item: Item
    lease: Lease
    vote: VoteRow | None


@dataclass(frozen=True)
class Rules:
    """How items are given out: the salt of the orders, seconds of a lease, the share of items that come back.

    ``calibration`` is the number of comments in the mixed start of each assessor.
    """

    salt: str
    lease_seconds: float
    repeat_share: float
    calibration: int = 0
    in_pool_order: bool = False


def current_unit(state: LogState, assessor: str, now: float) -> list[Place]:
    """The list that the assessor has not finished; empty if there is none."""
    places = []
    for lease in (state.leases[one] for one in state.units.get(assessor, ())):
        item = state.items.get(lease.item)
        if item is None:
            continue
        vote = _vote_on(state, assessor, lease)
        if vote is not None or lease.kind == "repeat" or state.open_to(assessor, item, now):
            places.append(Place(item, lease, vote))
    return places if any(one.vote is None and not state.has_skipped(one.lease) for one in places) else []


def _vote_on(state: LogState, assessor: str, lease: Lease) -> VoteRow | None:
    if lease.kind != "repeat":
        return state.given.get(lease.item, {}).get(assessor)
    again = state.repeated.get((assessor, lease.item))
    return next((one for one in again or () if one.lease == lease.lease), None)


def next_unit(state: LogState, assessor: str, rules: Rules, now: float) -> list[Lease]:
    """New leases on the next list: training, the mixed start, a repeat when one is due, or a post of the pool."""
    if training := _next_training(state, assessor, rules, now):
        return _leased(training, "training", assessor, rules, now)
    if first := _next_of_start(state, assessor, rules, now):
        return _leased([first], "", assessor, rules, now)
    if repeat := _due_repeat(state, assessor, rules):
        return _leased([repeat], "repeat", assessor, rules, now)
    order = _post_order(state, assessor, rules)
    waiting = [topic for topic in order if state.tally.open_in(assessor, topic) > 0]
    return _leased(_first_post(waiting, state, assessor, rules, now), "", assessor, rules, now)


def _post_order(state: LogState, assessor: str, rules: Rules) -> list[str]:
    if assessor not in state.orders:
        posts = state.tally.posts
        state.orders[assessor] = _ordered(posts, assessor, rules)
    return state.orders[assessor]


def _ordered(names: Iterable[str], assessor: str, rules: Rules) -> list[str]:
    return list(names) if rules.in_pool_order else own_order(names, assessor=assessor, salt=rules.salt)


def _first_post(topics: Sequence[str], state: LogState, assessor: str, rules: Rules, now: float) -> list[Item]:
    """Open items of the first post that has some; what the assessor skipped comes last."""
    skipped = state.skipped.get(assessor, {})
    for again in (False, True) if skipped else (False,):
        for topic in topics:
            listed = state.tally.posts[topic]
            chosen = {
                one.item: one for one in listed if (one.item in skipped) == again and state.open_to(assessor, one, now)
            }
            if chosen:
                return [chosen[name] for name in _ordered(chosen, assessor, rules)[:UNIT]]
    return []


def _next_training(state: LogState, assessor: str, rules: Rules, now: float) -> list[Item]:
    """The training items of one post that the assessor has not judged, in an order without levels."""
    still = {one.item: one for one in state.training if state.open_to(assessor, one, now)}
    if not still:
        return []
    listed = [still[name] for name in _ordered(still, assessor, rules)]
    return [one for one in listed if one.topic == listed[0].topic][:UNIT]


def _next_of_start(state: LogState, assessor: str, rules: Rules, now: float) -> Item | None:
    """The next comment of the mixed start: of a post that the assessor has not seen; None after the start.

    Assessors set their scale by what they see first (Scholer et al. 2013): a sample of the pool, not one post.
    """
    judged = [name for name in state.voted.get(assessor, {}) if name in state.items]
    seen = {state.items[name].topic for name in judged if state.items[name].kind != "training"}
    if len(seen) >= rules.calibration:
        return None
    skipped = state.skipped.get(assessor, {})
    for topic in _post_order(state, assessor, rules):
        if topic not in seen:
            listed = {one.item: one for one in state.tally.posts[topic] if one.item not in skipped}
            chosen = [name for name, one in listed.items() if state.open_to(assessor, one, now)]
            if chosen:
                return listed[_ordered(chosen, assessor, rules)[0]]
    return None


def _due_repeat(state: LogState, assessor: str, rules: Rules) -> Item | None:
    """The item that comes back to the assessor now, if the share of repeats asks for one."""
    voted = [name for name in state.voted.get(assessor, {}) if _is_pooled(state, name)]
    given = sum(1 for who, _ in state.repeated if who == assessor)
    if int(len(voted) * rules.repeat_share) <= given:
        return None
    early = [name for name in voted[:-_BEFORE_REPEAT] if not state.repeated.get((assessor, name))]
    order = own_order(early, assessor=assessor, salt=f"{rules.salt} again")
    return state.items[order[0]] if order else None


def _is_pooled(state: LogState, name: str) -> bool:
    return name in state.items and state.items[name].kind == "pool"


def _leased(items: Sequence[Item], kind: str, assessor: str, rules: Rules, now: float) -> list[Lease]:
    unit = secrets.token_hex(8)
    return [
        Lease(
            secrets.token_hex(16),
            one.item,
            assessor,
            kind or ("human" if one.kind == "pool" else "gold"),
            unit,
            place,
            now + rules.lease_seconds,
        )
        for place, one in enumerate(items, start=1)
    ]


def renewed(places: Sequence[Place], rules: Rules, now: float) -> list[Lease]:
    """The leases of a list with a later end."""
    return [replace(one.lease, expires=now + rules.lease_seconds) for one in places]
