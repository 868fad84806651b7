"""Votes from elsewhere, appended once: the tool's own key, or one made of the vote, recognises it the next time."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING

from kaiwa.store.ballot_batch import Ballots
from kaiwa.store.records import Ballot, item_id

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kaiwa.store.vote_store import VoteStore

_BLOCK = 500


@dataclass(frozen=True)
class ImportedVote:
    """A vote of a file; ``key`` is its key in the tool that it comes from, if the file has keys."""

    topic: str
    comment: str
    assessor: str
    level: int
    key: str = ""


@dataclass(frozen=True)
class ImportCounts:
    """How many votes are new, known already, changed, or on items outside the pool."""

    new: int
    known: int
    changed: int
    outside: int


def add_imported(store: VoteStore, votes: Sequence[ImportedVote]) -> ImportCounts:
    """Append the votes that the store does not have; an assessor of the file is a person of the store."""
    codes = _codes(store, dict.fromkeys(one.assessor for one in votes))
    counts = Counter[str]()
    waiting: dict[str, list[Ballot]] = {}
    for one in votes:
        what, ballot = _ballot(store, one, codes[one.assessor])
        counts[what] += 1
        if ballot:
            waiting.setdefault(codes[one.assessor], []).append(ballot)
    for code, ballots in waiting.items():
        for start in range(0, len(ballots), _BLOCK):
            store.append(Ballots(code, tuple(ballots[start : start + _BLOCK]), "human"))
    return ImportCounts(counts["new"], counts["known"], counts["changed"], counts["outside"])


def _codes(store: VoteStore, names: Iterable[str]) -> dict[str, str]:
    """The code of each assessor; somebody unknown is added, without a link."""
    known = {one.name: one.code for one in store.people()} | {one.code: one.code for one in store.people()}
    return {name: known.get(name) or store.access.add(name).result().code for name in names}


def _ballot(store: VoteStore, vote: ImportedVote, code: str) -> tuple[str, Ballot | None]:
    item = store.state.items.get(item_id(vote.topic, vote.comment, salt=store.salt))
    if item is None or item.kind != "pool":
        return "outside", None
    before = store.state.given.get(item.item, {}).get(code)
    made_of = (vote.key,) if vote.key else (vote.topic, vote.comment, vote.assessor, str(vote.level))
    key = sha256("\0".join(made_of).encode()).hexdigest()[:32]
    if (code, key) in store.state.known or (before and before.level == vote.level):
        return "known", None
    undo_of = before.key if before else ""
    ballot = Ballot(key, item.item, item.shown, "", level=vote.level, undo_of=undo_of, view="import")
    return "changed" if before else "new", ballot
