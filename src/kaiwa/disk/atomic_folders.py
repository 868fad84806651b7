"""Atomic folders: filled under a temporary name, then exchanged with the old folder.

``.NAME.XXXXXXXXXXXXXXXX`` beside the folder is the new one while it is filled, then the old one until it is removed.
"""

from __future__ import annotations

import glob
import os
from contextlib import contextmanager
from secrets import token_hex
from typing import TYPE_CHECKING

from kaiwa.disk.exchange import exchange
from kaiwa.disk.folder_locks import try_lock, unlock
from kaiwa.disk.folder_marks import UNFINISHED, link_foreign, remove_unfinished, retire
from kaiwa.disk.joint_output import finish, together
from kaiwa.disk.protected_inputs import refuse_folder_of_inputs
from kaiwa.disk.staging_folders import Rename, settle_before_reading
from kaiwa.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kaiwa.disk.folder_marks import Mark


@contextmanager
def atomic_folder(path: Path, mark: Mark, *, alone: bool = False) -> Iterator[Path]:
    """A temporary folder that becomes ``path`` if the block ends without an error, and is deleted if not.

    The block writes the mark. An existing folder is replaced only if it has such a mark; files in it that its mark
    does not name move to the new folder. If ``alone``, another process that began earlier is an error.
    """
    path = path.resolve() if path.is_symlink() else path
    refuse_folder_of_inputs(path)
    with together():
        staged = _StagedFolder(path, mark)
        try:
            settle_before_reading(path.parent)
            sweep(path, mark)
            mark.refuse_foreign(path)
            staged.make()
            if alone:
                _refuse_earlier(staged.temporary, path)
            yield staged.temporary
            staged.keep_mode()
        except OSError as fault:
            staged.discard()
            raise unwritable(path, fault) from None
        except BaseException:
            staged.discard()
            raise
        finish(staged)


class _StagedFolder:
    """A folder under its temporary name, and the folder that it replaces."""

    def __init__(self, path: Path, mark: Mark) -> None:
        self.target, self._mark = path, mark
        self.temporary = _temporary(path)  # chosen first: a signal before mkdir leaves nothing
        self._locks = list[int]()
        self._is_new = False
        self._is_committed = False

    def make(self) -> None:
        """Make the temporary folder, with the file that tells that it is unfinished."""
        self.temporary.mkdir(parents=True)
        self._locks.append(try_lock(self.temporary))
        (self.temporary / UNFINISHED).touch()

    def keep_mode(self) -> None:
        """Give it the permissions of the folder that it replaces."""
        if self.target.is_dir():
            self.temporary.chmod(self.target.stat().st_mode & 0o7777)

    def prepare(self) -> None:
        """Give it the foreign files of the old folder too."""
        try:
            self._is_new = not self.target.exists()
            if not self._is_new:
                link_foreign(self.target, self.temporary, self._mark)
                self._locks.append(try_lock(self.target))
        except OSError as fault:
            raise unwritable(self.target, fault) from None

    def rename(self) -> Rename | None:
        """Its temporary name and its name."""
        return Rename(self.temporary, self.target)

    def commit(self, *, undoable: bool) -> None:  # noqa: ARG002  the old folder is kept until discard()
        """Exchange it with the old folder."""
        try:
            (self.temporary / UNFINISHED).unlink()
            if self._is_new:
                self.temporary.rename(self.target)
            else:
                exchange(self.temporary, self.target, spare=_temporary(self.target))
            self._is_committed = True
        except OSError as fault:
            raise unwritable(self.target, fault) from None

    def undo(self) -> None:
        """Exchange them again."""
        if self._is_committed and self._is_new:
            self.target.rename(self.temporary)
        elif self._is_committed:
            exchange(self.temporary, self.target, spare=_temporary(self.target))
        self._is_committed = False

    def discard(self) -> None:
        """Remove what has the temporary name: the old folder, or a new one that was not needed."""
        try:
            _remove(self.temporary, self.target, self._mark)
        finally:
            for lock in self._locks:
                unlock(lock)


def _temporary(path: Path) -> Path:
    return path.with_name(f".{path.name}.{token_hex(8)}")


def _left_beside(path: Path) -> Iterator[Path]:
    """The temporary folders beside ``path``, in use or left."""
    return path.parent.glob(f".{glob.escape(path.name)}.{'[0-9a-f]' * 16}")


def _refuse_earlier(own: Path, path: Path) -> None:
    """Refuse to go on if another process is filling a folder for the same path, and began before this one."""
    begun = _begun(own)
    for other in _left_beside(path):
        if other == own or begun is None or (before := _begun(other)) is None or before > begun:
            continue
        if (lock := try_lock(other)) >= 0:
            unlock(lock)
        else:
            raise InputError.at(path, "is being made by another command", "wait for it, or give another name")


def _begun(folder: Path) -> tuple[int, str] | None:
    """When a folder was made, and its name; None if it is complete."""
    try:
        return (folder / UNFINISHED).stat().st_mtime_ns, folder.name
    except OSError:
        return None


def sweep(path: Path, mark: Mark) -> None:
    """Remove what killed processes left beside ``path``; a complete folder gets the name if nothing has it."""
    for left in _left_beside(path):
        lock = try_lock(left)
        if lock >= 0:
            is_complete = mark.files_of(left) is not None and not (left / UNFINISHED).exists()
            if is_complete and not path.exists():
                left.rename(path)
            else:
                _remove(left, path, mark)
            unlock(lock)


def _remove(left: Path, path: Path, mark: Mark) -> None:
    """Remove a temporary folder: all of an unfinished one, of another only what its mark names."""
    try:
        if (left / UNFINISHED).is_file():
            remove_unfinished(left)
        elif (files := mark.files_of(left)) is not None:
            retire(left, path, files)
        elif left.is_dir() and not left.is_symlink():
            left.rmdir()
    except OSError:  # it is not empty, or cannot be removed now; the next build tries again
        return


def unwritable(path: Path, fault: OSError) -> InputError:
    """The error for a path that cannot be written."""
    return InputError.at(path, f"cannot be written ({fault.strerror or fault})", "check the folder and the disk")


def sync_folder(folder: Path) -> None:
    """Write the files in the folder and in its folders to the disk (fsync), so that a renamed file is never empty."""
    for name in [*folder.rglob("*"), folder]:
        sync(name)


def sync(path: Path) -> None:
    """Write a file or the names in a folder to the disk (fsync)."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
