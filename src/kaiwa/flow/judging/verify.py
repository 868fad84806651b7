"""The check of a task's store: its log, and its texts against the files of the task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.errors import InputError, needs_extra
from kaiwa.flow.judging.serve import store_of
from kaiwa.task.judging_items import judging_items
from kaiwa.task.step_record import read_steps
from kaiwa.task.task_folder import read_task

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

    from kaiwa.store.log_check import LogCheck


def verify_task(folder: Path, *, store: str | None = None, heads: Collection[str] = ()) -> LogCheck:
    """What is wrong with the task's votes; ``heads`` and those recorded with exports must be in the log."""
    with needs_extra("web"):
        from kaiwa.store.database import Database
        from kaiwa.store.log_check import check_store

    task = read_task(folder)
    database = Database(store_of(folder, store))
    if not database.exists():
        raise InputError.at(database.place, "there are no votes yet", f"collect them with: kaiwa serve {folder}")
    recorded = [step.options["head"] for step in read_steps(folder).values() if "head" in step.options]
    return check_store(database, published=[*heads, *recorded], items=judging_items(task))
