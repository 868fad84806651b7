"""Outputs that appear together: all are written first, under temporary names; then all get their names, or none.

If the process is killed between two names, the next command that reads or writes beside the outputs gives the others
theirs (``staging_folders``).
"""

from __future__ import annotations

from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Protocol

from kaiwa.disk.staging_folders import StagingFolder, list_renames
from kaiwa.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractContextManager
    from pathlib import Path

    from kaiwa.disk.staging_folders import Rename


class Staged(Protocol):
    """An output that is complete under a temporary name."""

    @property
    def target(self) -> Path:
        """The file or folder that it becomes."""

    def prepare(self) -> None:
        """Do what can fail before any output gets its name."""

    def rename(self) -> Rename | None:
        """Its temporary name and its name; None if it has its name already."""

    def commit(self, *, undoable: bool) -> None:
        """Give it its name; it replaces what has that name now."""

    def undo(self) -> None:
        """Put back what the undoable commit replaced."""

    def discard(self) -> None:
        """Remove what is left under temporary names."""


_STAGING = ".kaiwa-staging"  # in a group, the key of the folder where outputs wait
_GROUP: ContextVar[dict[Path, Staged] | None] = ContextVar("group", default=None)


@contextmanager
def together() -> Iterator[None]:
    """What the block writes appears when it ends without an error, and not at all if not.

    A block inside another belongs to it. A file cannot be read before the block ends.
    """
    if _GROUP.get() is not None:
        yield
        return
    staged: dict[Path, Staged] = {}
    before = _GROUP.set(staged)
    try:
        yield
        _commit_all(staged)
    finally:
        _GROUP.reset(before)
        for one in reversed(staged.values()):
            one.discard()


def finish(staged: Staged) -> None:
    """Give the output its name at the end of the block of outputs that appear together."""
    if _group().setdefault(staged.target, staged) is not staged:
        staged.discard()
        raise InputError.at(staged.target, "would be written twice by this command", "give the outputs other names")


def is_written(path: Path) -> bool:
    """Whether the block of outputs has written this file, which gets its name at the end; or it is there already."""
    if path.is_file():
        return True
    group = _GROUP.get() or {}
    renames = [group[one].rename() for one in (path, path.resolve()) if one in group]
    return any(one is not None and one.source.is_file() for one in renames)


class Addition:
    """An output that is written when all others of the block are complete, while something is held: a lock.

    ``write`` is entered then, and left when the outputs have their names.
    """

    def __init__(self, target: Path, write: AbstractContextManager[None]) -> None:
        self.target = target
        self._write, self._entered = write, False

    def prepare(self) -> None:
        """Write it."""
        self._write.__enter__()
        self._entered = True

    def rename(self) -> Rename | None:
        """The file that it writes has a name of its own."""
        return None

    def commit(self, *, undoable: bool) -> None:
        """Its file is committed by itself."""

    def undo(self) -> None:
        """Its file is put back by itself."""

    def discard(self) -> None:
        """Give free what is held."""
        if self._entered:
            self._write.__exit__(None, None, None)
            self._entered = False


def staging_beside(target: Path) -> StagingFolder:
    """The folder where the outputs of this block wait for their names beside the target."""
    group, key = _group(), target.parent / _STAGING
    if isinstance(found := group.get(key), StagingFolder):
        return found
    group[key] = made = StagingFolder(target.parent)
    made.make()
    return made


def _group() -> dict[Path, Staged]:
    group = _GROUP.get()
    if group is None:
        raise LookupError("an output outside together()")
    return group


def _commit_all(group: dict[Path, Staged]) -> None:
    for one in list(group.values()):
        one.prepare()  # an addition writes its file now
    staged, begun = list(group.values()), list[Staged]()
    renames = [found for one in staged if (found := one.rename()) is not None]
    listed = None
    try:
        listed = _listed(renames) if len(renames) > 1 else None
        for one in staged:
            begun.append(one)
            one.commit(undoable=len(renames) > 1)
    except BaseException:
        if listed:
            listed.unlink(missing_ok=True)
        for one in reversed(begun):
            one.undo()
        raise
    if listed:
        listed.unlink(missing_ok=True)


def _listed(renames: list[Rename]) -> Path:
    """The list of the renames on disk: from now on, all of them are made."""
    folders = {one.target.parent: staging_beside(one.target).target for one in renames}
    try:
        return list_renames(renames, list(folders.values()))
    except OSError as fault:
        what = f"cannot be written ({fault.strerror})"
        raise InputError.at(renames[0].target, what, "check the path and the disk") from None
