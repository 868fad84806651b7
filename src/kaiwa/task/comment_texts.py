"""The texts of a task's comments, from its repository or index, and the ids of its takedown lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.errors import InputError
from kaiwa.formats.repository import MANIFEST, open_repository, read_manifest
from kaiwa.formats.takedown import full_takedown, listed_in
from kaiwa.formats.topics import read_topic_file, topics_digest
from kaiwa.task.folder import TaskSettings

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from kaiwa.task.folder import Task


def comment_texts(task: Task, wanted: AbstractSet[str]) -> dict[str, str]:
    """The texts of the wanted comments, as far as the task's repository or index holds them."""
    folder = task.repository
    if is_repository(folder):
        batches = open_repository(folder).comments()
        return {name: words for batch in batches for name, words in zip(*batch, strict=True) if name in wanted}
    if folder.exists():
        from kaiwa.retrieval.inverted_index import open_index  # needs numba

        texts = open_index(folder).comments.texts
        names = sorted(wanted)
        found = zip(names, texts.find(names).tolist(), strict=True)
        return {name: texts.text_of(number) for name, number in found if number >= 0}
    if task.settings.repository != TaskSettings.repository:
        what = f"repository = {task.settings.repository!r} is not a folder"
        raise InputError.at(task.config, what, "name a repository or an index, or leave the setting out")
    return {}


def made_for_others(task: Task) -> str:
    """What tells that the task's repository holds out topics, but not those of the task; empty if all is well.

    A kill of ``kaiwa topics --rest`` between its two outputs leaves them so.
    """
    manifest = task.repository / MANIFEST
    if not is_repository(task.repository) or not manifest.is_file() or not task.topics.is_file():
        return ""
    held_out = read_manifest(manifest).held_out
    if not held_out or topics_digest(read_topic_file(task.topics)) in held_out:
        return ""
    return f"{task.settings.repository} holds out other topics (kaiwa topics --rest makes both)"


def listed_in_task(task: Task) -> frozenset[str]:
    """The ids on the lists of the task and of its repository or index."""
    return listed_in(task.folder) | listed_in(task.repository)


def takedown_ids(task: Task, given: frozenset[str] = frozenset()) -> frozenset[str]:
    """The ids that must not be shown: of the lists of the task and of its repository or index, and those given.

    What follows from them in the repository or index is among them.
    """
    folder, listed = task.repository, given | listed_in_task(task)
    if not listed or not folder.exists():
        return listed
    if is_repository(folder):
        return listed | open_repository(folder, takedown=listed).takedown
    from kaiwa.retrieval.inverted_index import open_index  # needs numba
    from kaiwa.retrieval.takedown_ids import IndexRelations

    return full_takedown(listed, IndexRelations(open_index(folder)))


def is_repository(folder: Path) -> bool:
    """Whether the folder is a repository."""
    return (folder / "comments.parquet").exists()
