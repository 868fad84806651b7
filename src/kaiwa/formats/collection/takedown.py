"""Takedown: the ids that must not be shown, by the lists that name them and by what follows from a listed id.

A list has one id per line. A ``#`` at the start of a line or after white space begins a remark, so ``c#2`` is an id. A
list of the name ``takedown.txt`` in a repository, an index or a task folder always applies; a list that exists and
cannot be read is an error, never an empty list. Two things follow from a listed id: comments that cleaning merged share
a text, so one of them stands for all; and a comment all of whose posts are listed has no post to be shown with. Every
reader of texts asks this module (decision 072).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

from kaiwa.errors import InputError, option
from kaiwa.formats.text.blocks import bare_name, numbered_lines, read_blocks

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    from kaiwa.retrieve.index.inverted_index import Index
    from kaiwa.retrieve.search.takedown_ids import Takedown

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


def takedown_of(index: Index, listed: frozenset[str]) -> Takedown:
    """The posts and comments of an index that follow from the listed ids, as numbers."""
    from kaiwa.retrieve.search.takedown_ids import IndexRelations, numbers_of  # needs numba

    return numbers_of(index, full_takedown(listed, IndexRelations(index)))


def read_takedown(path: Path) -> frozenset[str]:
    """The ids of a list; blank lines and remarks are ignored."""
    if path.is_file() and not path.stat().st_size and bare_name(path) == path.name:  # an empty .gz was cut short
        return frozenset()
    return frozenset(_ids(path))


def given_ids(given: Path | str | Collection[str] | None) -> frozenset[str]:
    """The ids that a Python caller gives: a path is read, a collection is taken as it is."""
    from pathlib import Path

    if isinstance(given, Path | str):
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
    from kaiwa.disk.atomic_files import write_text  # an answering process writes nothing

    missing = ids - listed_in(folder)
    if not missing or (target and (folder / NAME).is_symlink()):
        return
    before = (folder / NAME).read_text(encoding="utf-8-sig").rstrip("\n") if _has_list(folder) else ""
    text = "".join(f"{line}\n" for line in [*before.splitlines(), *sorted(missing)])
    if target:
        (target / NAME).write_text(text, encoding="utf-8", newline="\n")
    else:
        write_text(folder / NAME, text, durable=True)


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
