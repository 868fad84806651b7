"""The texts of a task's comments, and the ids of its takedown lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kaiwa.errors import InputError
from kaiwa.task.comment_texts import comment_texts, takedown_ids
from kaiwa.task.folder import read_task

if TYPE_CHECKING:
    from pathlib import Path


def test_lists_of_the_task_of_its_repository_and_given_add_up(small_round: Path) -> None:
    """Comments whose only post is on a list are among them."""
    (small_round / "takedown.txt").write_text("c03\n")
    (small_round / "repository" / "takedown.txt").write_text("p2\n")
    found = takedown_ids(read_task(small_round), frozenset({"c04"}))
    assert found == {"c03", "p2", "c11", "c04"}


def test_texts_come_from_a_repository_or_an_index(small_round: Path) -> None:
    """Both give the same; a named folder that is not there is refused."""
    from kaiwa.retrieval.build import build_index

    repository = small_round / "repository"
    build_index(repository, small_round / "index", language="zh", tokens=None, progress=lambda _done, _total: None)
    settings = (small_round / "kaiwa.toml").read_text()
    texts = {}
    for name in ("repository", "index", "absent"):
        (small_round / "kaiwa.toml").write_text(settings.replace("[task]\n", f'[task]\nrepository = "{name}"\n'))
        if name != "absent":
            texts[name] = comment_texts(read_task(small_round), {"c00", "c01", "unknown"})
    assert texts["repository"] == texts["index"] == {"c00": "恭喜你 0", "c01": "いいですね 1"}
    with pytest.raises(InputError, match="repository = 'absent' is not a folder"):
        comment_texts(read_task(small_round), {"c00"})
