"""The words behind the ids of a task: comments' texts from its repository or index, and what was withdrawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.errors import InputError
from kaiwa.formats.collection.repository import open_repository
from kaiwa.formats.collection.takedown import NAME, read_takedown
from kaiwa.task.settings import TaskSettings

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from kaiwa.task.settings import Task


def comment_texts(task: Task, wanted: AbstractSet[str]) -> dict[str, str]:
    """What the wanted comments say, as far as the task's repository or index knows them."""
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
        what = f"repository = {task.settings.repository!r} is no folder beside it"
        raise InputError.at(task.config, what, "name a repository or an index, or leave the setting out")
    return {}


def withdrawn_ids(task: Task, given: Path | None = None) -> frozenset[str]:
    """The ids that must not be shown: of the task's own list, its repository's, and the one given.

    A post takes along the comments that stood under it alone.
    """
    lists = [path for path in (task.takedown, task.repository / NAME) if path.is_file()]
    gone = frozenset[str]().union(*(read_takedown(path) for path in [*lists, *([given] if given else [])]))
    return gone | _orphans(task.repository, gone) if gone else gone


def _orphans(folder: Path, gone: frozenset[str]) -> frozenset[str]:
    """The comments all of whose posts are gone."""
    if not (folder / "pairs.parquet").is_file():
        return frozenset()
    under, elsewhere = set[str](), set[str]()
    for batch in open_repository(folder).table("pairs"):
        for post, comment in zip(*batch, strict=True):
            (under if post in gone else elsewhere).add(comment)
    return frozenset(under - elsewhere)
