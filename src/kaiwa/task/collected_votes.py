"""The votes that people have given on the server of a task and that no file has yet."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import counted
from kaiwa.formats.pool_files import read_pool
from kaiwa.task.judging_progress import JudgingProgress

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from kaiwa.task.task_folder import Task

EXPORT = "kaiwa votes -o votes.csv"
_STORE = "votes.db"


@dataclass(frozen=True)
class CollectedVotes:
    """The votes in the store of a task folder: how many count, how far they are, and the head of their log."""

    votes: int
    head: str
    progress: JudgingProgress

    def described(self) -> str:
        """What is there, and what is missing."""
        missing = "; ".join(self.progress.findings()) or "every item has its votes"
        return f"{_STORE} has {counted(self.votes, 'vote')}: {missing}"


def collected_votes(task: Task, hidden: AbstractSet[str]) -> CollectedVotes | None:
    """The votes in the store of the folder; None without a store, or without the extra that reads it."""
    path = task.folder / _STORE
    if not path.is_file() or not path.stat().st_size or find_spec("sqlalchemy") is None:
        return None
    from kaiwa.store.database import Database
    from kaiwa.store.vote_reading import read_current_votes

    wanted = task.settings.votes_per_item
    rows, state = read_current_votes(Database(path), votes_per_item=wanted)
    by_item = Counter((one.topic, one.comment) for one in rows if not one.surplus)
    shown = [item for item in read_pool(task.pool) if hidden.isdisjoint(item)] if task.pool.exists() else []
    given = np.array([by_item[item] for item in shown], dtype=np.int64)
    missing = int(np.maximum(wanted - given, 0).sum())
    progress = JudgingProgress(len(given), int((given == 0).sum()), missing, wanted, ())
    return CollectedVotes(by_item.total(), state.head, progress)
