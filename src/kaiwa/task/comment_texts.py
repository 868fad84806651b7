"""The texts of a task's comments, from its repository or index, and the ids of its takedown lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.errors import InputError
from kaiwa.formats.collection.repository import open_repository
from kaiwa.formats.collection.takedown import NAME, read_takedown
from kaiwa.task.settings import TaskSettings

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from kaiwa.task.task_folder import Task


def comment_texts(task: Task, wanted: AbstractSet[str]) -> dict[str, str]:
    """The texts of the wanted comments, as far as the task's repository or index holds them."""
    folder = task.repository
    if (folder / "comments.parquet").is_file():
        batches = open_repository(folder).comments()
        return {name: words for batch in batches for name, words in zip(*batch, strict=True) if name in wanted}
    if folder.exists():
        from kaiwa.formats.collection.index_folder import open_index  # needs numba

        texts = open_index(folder).comments.texts
        names = sorted(wanted)
        found = zip(names, texts.find(names).tolist(), strict=True)
        return {name: texts.text_of(number) for name, number in found if number >= 0}
    if task.settings.repository != TaskSettings.repository:
        what = f"repository = {task.settings.repository!r} is not a folder"
        raise InputError.at(task.config, what, "name a repository or an index, or leave the setting out")
    return {}


def takedown_ids(task: Task, given: Path | None = None) -> frozenset[str]:
    """The ids that must not be shown: of the task's own list, its repository's, and the one given.

    The comments whose only posts are on a list are among them.
    """
    lists = [path for path in (task.takedown, task.repository / NAME) if path.is_file()]
    listed = frozenset[str]().union(*(read_takedown(path) for path in [*lists, *([given] if given else [])]))
    return listed | _orphans(task.repository, listed) if listed else listed


def _orphans(folder: Path, listed: frozenset[str]) -> frozenset[str]:
    """The comments all of whose posts are on the list."""
    if not (folder / "pairs.parquet").is_file():
        return frozenset()
    under, elsewhere = set[str](), set[str]()
    for batch in open_repository(folder).table("pairs"):
        for post, comment in zip(*batch, strict=True):
            (under if post in listed else elsewhere).add(comment)
    return frozenset(under - elsewhere)
