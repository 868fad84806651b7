"""How far the judging of a round is: pooled items without votes, votes still needed, topics without judgements."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, counted
from kaiwa.formats.readers import read_qrels, read_topics, read_votes
from kaiwa.formats.topics import read_pool
from kaiwa.nouns.ids import unpack

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Set as AbstractSet

    from kaiwa.nouns.votes import Votes
    from kaiwa.task.folder import Task


_SHOWN = 5


@dataclass(frozen=True)
class JudgingProgress:
    """The pooled items, those without a vote, the votes still needed, and the topics without any judgement.

    ``items`` is 0 if the round has no pool; then nothing is known about items to judge.
    """

    items: int
    without_votes: int
    votes_missing: int
    votes_per_item: int
    unjudged_topics: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Whether every pooled item has its votes and every topic a judgement."""
        return not (self.votes_missing or self.unjudged_topics)

    def findings(self) -> list[str]:
        """What is missing, one sentence part each.

        >>> JudgingProgress(10, 2, 5, 3, ("q7",)).findings()[0]
        '2 of 10 pooled items have no vote'
        >>> JudgingProgress(10, 2, 5, 3, ("q7",)).findings()[1:]
        ['5 votes are missing to 3 per item', '1 topic has no judgement: q7']
        """
        found = list[str]()
        if self.without_votes:
            have = "has" if self.without_votes == 1 else "have"
            found.append(f"{self.without_votes:,} of {counted(self.items, 'pooled item')} {have} no vote")
        if self.votes_missing and self.votes_per_item > 1:
            are = "is" if self.votes_missing == 1 else "are"
            found.append(f"{counted(self.votes_missing, 'vote')} {are} missing to {self.votes_per_item} per item")
        if topics := self.unjudged_topics:
            rest = len(topics) - _SHOWN
            shown = ", ".join(topics[:_SHOWN]) + (f" and {rest:,} more" if rest > 0 else "")
            have = "has" if len(topics) == 1 else "have"
            found.append(f"{counted(len(topics), 'topic')} {have} no judgement: {shown}")
        return found


def judging_progress(task: Task, hidden: AbstractSet[str]) -> JudgingProgress:
    """How far the judging of the task's round is, from its pool, votes, qrels and topics; hidden ids need none."""
    votes = read_votes(task.votes, top=task.settings.max_level) if task.votes.exists() else None
    wanted = task.settings.votes_per_item
    given = (
        _votes_of_items(task, votes, hidden)
        if votes is not None and task.pool.exists()
        else np.zeros(0, dtype=np.int64)
    )
    return JudgingProgress(
        items=len(given),
        without_votes=int((given == 0).sum()),
        votes_missing=int(np.maximum(wanted - given, 0).sum()),
        votes_per_item=wanted,
        unjudged_topics=tuple(topic for topic in _unjudged_topics(task, votes) if topic not in hidden),
    )


def _votes_of_items(task: Task, votes: Votes, hidden: AbstractSet[str]) -> np.ndarray:
    """How many votes each pooled item has, apart from hidden ones; NA is a vote too."""
    number = np.bincount(votes.item, minlength=votes.items).tolist()
    by_item = dict(zip(zip(unpack(votes.topics), unpack(votes.comments), strict=True), number, strict=True))
    shown = (item for item in read_pool(task.pool) if hidden.isdisjoint(item))
    return np.array([by_item.get(item, 0) for item in shown], dtype=np.int64)


def _unjudged_topics(task: Task, votes: Votes | None) -> Iterable[str]:
    """The task's topics that no judgement is about; none while nothing is judged."""
    if not task.topics.exists() or not (task.qrels.exists() or votes is not None):
        return []
    judged = set(read_qrels(task.qrels).topics) if task.qrels.exists() else set(unpack(votes.topics) if votes else [])
    return [topic for topic in read_topics(task.topics) if topic not in judged]


# The votes that people have given on the server of a task and that no file has yet.


EXPORT = "kaiwa votes -o votes.csv"
_STORE = "votes.db"


@dataclass(frozen=True)
class CollectedVotes:
    """The votes in the store of a task folder: how many count, how far they are, and the head of their log."""

    votes: int
    head: str
    progress: JudgingProgress
    findings: int

    def described(self) -> str:
        """What is there, and what is missing."""
        missing = "; ".join(self.progress.findings()) or "every item has its votes"
        wrong = f"; {counted(self.findings, 'finding')}: see kaiwa verify" if self.findings else ""
        return f"{_STORE} has {counted(self.votes, 'vote')}: {missing}{wrong}"


def collected_votes(task: Task, hidden: AbstractSet[str]) -> CollectedVotes | None:
    """The votes in the store of the folder; None without a store, or without the extra that reads it."""
    path = task.folder / _STORE
    if not path.is_file() or not path.stat().st_size or find_spec("sqlalchemy") is None:
        return None
    from kaiwa.store.database import Database
    from kaiwa.store.vote_reading import read_current_votes

    wanted = task.settings.votes_per_item
    database = Database(path)
    try:
        found = read_current_votes(database, votes_per_item=wanted)
    except InputError:  # a broken log is no reason to know nothing; its export is refused
        found = read_current_votes(database, votes_per_item=wanted, despite_findings=True)
    by_item = Counter((one.topic, one.comment) for one in found.votes if not one.surplus)
    shown = [item for item in read_pool(task.pool) if hidden.isdisjoint(item)] if task.pool.exists() else []
    given = np.array([by_item[item] for item in shown], dtype=np.int64)
    missing = int(np.maximum(wanted - given, 0).sum())
    progress = JudgingProgress(len(given), int((given == 0).sum()), missing, wanted, ())
    return CollectedVotes(by_item.total(), found.head, progress, len(found.findings))
