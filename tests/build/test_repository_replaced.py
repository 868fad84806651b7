"""A repository that is replaced while it is read: the old one, the new one, or one clear line; never a mixture."""

from __future__ import annotations

import os
import shutil
from itertools import count
from typing import TYPE_CHECKING

import pytest

from kaiwa.errors import InputError
from kaiwa.formats import repository as tables
from kaiwa.formats.repository import Manifest, OpenRepository, open_repository, writing_repository

if TYPE_CHECKING:
    from pathlib import Path


def make(path: Path, version: str) -> None:
    """A repository in which every id and text has the version."""
    with writing_repository(path) as writer:
        writer.add("posts", [f"{version}-p"], [version])
        writer.add("comments", [f"{version}-c"], [version])
        writer.add("pairs", [f"{version}-p"], [f"{version}-c"])
        if version == "old":
            writer.add("merged", ["old-d"], ["old-c"])
        writer.finish(Manifest())


def versions(opened: OpenRepository) -> set[str]:
    """The versions of all that is read."""
    ids = [name for table in ("posts", "comments", "pairs") for batch in opened.table(table) for name in batch[0]]
    return {name.split("-")[0] for name in [*ids, *opened.merged()]}


@pytest.mark.parametrize("steps", [1, 2, 3])
def test_a_table_of_a_replaced_repository_is_refused(tmp_path: Path, steps: int) -> None:
    """Whichever tables were read before."""
    make(tmp_path / "r", "old")
    opened = open_repository(tmp_path / "r")
    for table in ("posts", "comments", "pairs")[:steps]:
        assert list(opened.table(table))
    make(tmp_path / "r", "new")
    with pytest.raises(InputError, match="was replaced while it was read; run the same command again"):
        versions(opened)
    with pytest.raises(InputError, match="was replaced"):
        opened.merged()


def test_a_table_that_is_open_is_read_to_its_end(tmp_path: Path) -> None:
    """Its file stays while it is read."""
    make(tmp_path / "r", "old")
    opened = open_repository(tmp_path / "r")
    posts = opened.posts()
    first = next(posts)
    make(tmp_path / "r", "new")
    assert ([first, *posts], versions(open_repository(tmp_path / "r"))) == ([[["old-p"], ["old"]]], {"new"})


def test_a_repository_that_is_replaced_while_it_is_opened_is_the_new_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At whichever file of it."""
    read = tables.file_checksum
    for moment in range(4):
        shutil.rmtree(tmp_path / "r", ignore_errors=True)
        make(tmp_path / "r", "old")
        calls = count()

        def replacing(path: Path, moment: int = moment, calls: count[int] = calls) -> int:
            if next(calls) == moment:
                with monkeypatch.context() as plain:
                    plain.setattr(tables, "file_checksum", read)
                    make(path.parent, "new")
            return read(path)

        with monkeypatch.context() as patched:
            patched.setattr(tables, "file_checksum", replacing)
            opened = open_repository(tmp_path / "r")
        assert (versions(opened), opened.manifest.crc32.keys() - {"merged"}) == (
            {"new"},
            {"posts", "comments", "pairs"},
        )


def test_readers_beside_a_writer_never_find_a_mixture(tmp_path: Path) -> None:
    """Forty replacements by another process."""
    make(tmp_path / "r", "old")
    child = os.fork()
    if child == 0:
        try:
            for turn in range(40):
                make(tmp_path / "r", "old" if turn % 2 else "new")
        finally:
            os._exit(0)
    found, refusals = list[frozenset[str]](), list[str]()
    while os.waitpid(child, os.WNOHANG)[0] == 0:
        try:
            found.append(frozenset(versions(open_repository(tmp_path / "r"))))
        except InputError as refused:
            refusals.append(str(refused))
    assert set(found) <= {frozenset({"old"}), frozenset({"new"})}
    assert all("was replaced while it was read" in one or "again and again" in one for one in refusals)
