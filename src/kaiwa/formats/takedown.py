"""Takedown: the ids that must not be shown, by the lists that name them and by what follows from a listed id.

A list has one id per line. A ``#`` at the start of a line or after white space begins a remark, so ``c#2`` is an id. A
list of the name ``takedown.txt`` in a repository, an index or a task folder always applies; a list that exists and
cannot be read is an error, never an empty list. Two things follow from a listed id: comments that cleaning merged share
a text, so one of them stands for all; and a comment all of whose posts are listed has no post to be shown with. Every
reader of texts asks this module (docs/decisions/cleaning.md).
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

import numpy as np

from kaiwa.errors import InputError, option
from kaiwa.formats.text_files import bare_name, numbered_lines, read_blocks
from kaiwa.nouns.ids import IdArray, IdTable, pack

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Iterator
    from collections.abc import Set as AbstractSet
    from pathlib import Path


NAME = "takedown.txt"
"""A list of this name in a repository, an index or a task folder is always applied."""


class Relations(Protocol):
    """What a repository or an index knows about its ids."""

    def near_duplicates(self, ids: AbstractSet[str]) -> frozenset[str]:
        """The comments that were merged with one of these."""

    def comments_only_of(self, posts: AbstractSet[str]) -> frozenset[str]:
        """The comments all of whose posts are among these."""


def full_takedown(listed: frozenset[str], relations: Relations) -> frozenset[str]:
    """The listed ids and those that follow from them: comments of listed posts alone, and near-duplicates."""
    if not listed:
        return listed
    found = listed | relations.comments_only_of(listed)
    return found | relations.near_duplicates(found)


def read_takedown(path: Path) -> frozenset[str]:
    """The ids of a list; blank lines and remarks are ignored."""
    if path.is_file() and not path.stat().st_size and bare_name(path) == path.name:  # an empty .gz was cut short
        return frozenset()
    return frozenset(_ids(path))


def given_ids(given: os.PathLike[str] | str | Collection[str] | None) -> frozenset[str]:
    """The ids that a Python caller gives: a path is read, a collection is taken as it is."""
    from pathlib import Path

    if isinstance(given, os.PathLike | str):
        return read_takedown(Path(given))
    return frozenset() if given is None else _texts_in(given)


def _texts_in(given: object) -> frozenset[str]:
    """The ids of a collection; numbers would be the ids of nothing."""
    ids = list(given) if isinstance(given, Iterable) else [given]
    texts = frozenset(one for one in ids if isinstance(one, str))
    if not all(isinstance(one, str) for one in ids):
        what = f"{option('takedown', python=repr(given))} is not a list of ids, which are texts"
        raise InputError(f"{what}; give a list of texts, or a file")
    return texts


def _ids(path: Path) -> Iterator[str]:
    for block in read_blocks(path):
        for number, line in numbered_lines(block):
            words = line.split()
            remark = next((place for place, word in enumerate(words) if word.startswith("#")), len(words))
            if remark > 1:
                what = f"{' '.join(words[:remark])!r} is not one id"
                raise InputError.at(path, what, "write one id per line, and a remark after a blank and #", line=number)
            yield from words[:remark]


def listed_in(folder: Path) -> frozenset[str]:
    """The ids of the folder's own list; none if the folder has no list."""
    return read_takedown(folder / NAME) if _has_list(folder) else frozenset()


def _has_list(folder: Path) -> bool:
    """Whether the folder has a list; a link to a missing file is an error."""
    path = folder / NAME
    try:
        path.lstat()
        if path.is_symlink() and not path.exists():
            raise InputError.at(path, "is a link to a missing file", "fix the link; no takedown is applied without it")
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as fault:
        raise InputError.at(path, f"cannot be read ({fault.strerror})", "check its permissions") from None
    return True


def add_to_list(folder: Path, ids: AbstractSet[str], *, target: Path | None = None) -> None:
    """Append the ids that the folder's list does not have, in the folder ``target`` if it will replace this one."""
    from kaiwa.files.atomic import write_text  # an answering process writes nothing

    missing = ids - listed_in(folder)
    if not missing or (target and (folder / NAME).is_symlink()):
        return
    before = (folder / NAME).read_text(encoding="utf-8-sig").rstrip("\n") if _has_list(folder) else ""
    text = "".join(f"{line}\n" for line in [*before.splitlines(), *sorted(missing)])
    if target:
        (target / NAME).write_text(text, encoding="utf-8", newline="\n")
    else:
        write_text(folder / NAME, text)


class FolderList:
    """The list of a folder, which may change at any time: its content is compared, because file times are coarse."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._content = b""
        self.ids = frozenset[str]()

    def read_again(self) -> bool:
        """Whether the list has changed since it was last read; ``ids`` are then the new ones."""
        content = self._read()
        if content == self._content:
            return False
        self.ids = listed_in(self._folder)
        self._content = content
        return True

    def _read(self) -> bytes:
        try:
            return (self._folder / NAME).read_bytes() if _has_list(self._folder) else b""
        except OSError as fault:
            what = f"cannot be read ({fault.strerror})"
            raise InputError.at(self._folder / NAME, what, "check its permissions") from None


# Lists of ids, one per line, and sets of millions of ids.


def read_ids(path: Path) -> list[str]:
    """The ids of a file, the first field of each line; blank and ``#`` lines are ignored."""
    fields = (line.split() for block in read_blocks(path) for _, line in numbered_lines(block))
    return [found[0] for found in fields if found and not found[0].startswith("#")]


def read_lines(path: Path) -> list[str]:
    """The lines of a file; blank lines and what follows a ``#`` are ignored."""
    lines = (line.partition("#")[0].strip() for block in read_blocks(path) for _, line in numbered_lines(block))
    return [line for line in lines if line]


class IdSet:
    """A set of millions of ids as packed bytes, tested with ``in``.

    >>> known = IdSet(pack(["c1", "c2"]))
    >>> "c2" in known, "c3" in known
    (True, False)
    """

    def __init__(self, ids: IdArray) -> None:
        self._table = IdTable(np.zeros(len(ids), dtype=np.int64), ids)

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        encoded = np.array([name.encode(errors="surrogateescape")])
        return bool(self._table.find(np.zeros(1, dtype=np.int64), encoded)[0] >= 0)

    def __len__(self) -> int:
        return len(self._table)


def id_set(names: list[str]) -> Container[str]:
    """The names as a set; from a million on, as packed ids."""
    many = 1_000_000
    return frozenset(names) if len(names) < many else IdSet(pack(names))
