"""A task opened for judging: its items and criteria in the store of its votes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kaiwa.errors import InputError, needs_extra, option
from kaiwa.formats.takedown import FolderList
from kaiwa.labelling.items import guideline_texts, judging_items, task_criteria
from kaiwa.task.comment_texts import takedown_ids
from kaiwa.task.folder import read_task

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kaiwa.nouns.criteria import Criteria
    from kaiwa.store.vote_store import VoteStore
    from kaiwa.task.folder import Task


STORE = "votes.db"


@dataclass(frozen=True)
class Judging:
    """A task opened for judging: the open store, the criteria, and the guidelines by language."""

    task: Task
    store: VoteStore
    criteria: Criteria
    guidelines: Mapping[str, str]


def store_of(folder: Path, store: str | None) -> str | Path:
    """Where the votes of a task are: the URL given, or the file in its folder."""
    if store is None:
        return folder / STORE
    if "://" not in store:
        raise InputError.at(option("store"), f"{store!r} is not a URL", "write postgresql://USER@HOST/DATABASE")
    return store


def open_judging(folder: Path, store: str | None = None) -> Judging:
    """The task of a folder with its store open for writing; close ``store`` in the end."""
    with needs_extra("web"):
        from kaiwa.store.vote_store import StoreSettings, open_store

    task = read_task(folder)
    criteria = task_criteria(task)
    guidelines = guideline_texts(task)
    settings = task.settings
    items = judging_items(task)
    rules = StoreSettings(
        settings.votes_per_item,
        criteria,
        settings.lease_minutes,
        settings.repeat_share,
        settings.calibration,
        in_pool_order=settings.order == "pool",
    )
    opened = open_store(store_of(folder, store), items, rules)
    if hidden := takedown_ids(task):
        opened.take_down(hidden)
    return Judging(task, opened, criteria, guidelines)


class TakedownWatch:
    """The takedown lists of a task that is judged: a change is applied while people vote."""

    def __init__(self, judging: Judging) -> None:
        self._judging = judging
        self._lists = [FolderList(judging.task.folder), FolderList(judging.task.repository)]
        for one in self._lists:
            one.read_again()
        self._is_due = True  # a list may have changed since the task was opened

    def look(self) -> bool:
        """Whether there was something to apply; what the lists name is then no longer shown.

        What fails is done by the next look.
        """
        for one in self._lists:
            self._is_due |= one.read_again()
        was_due = self._is_due
        if was_due:
            self._judging.store.take_down(takedown_ids(self._judging.task))
            self._is_due = False
        return was_due
