"""Atomic files: written to a temporary file in the same folder, then renamed."""

from __future__ import annotations

import gzip
import os
from contextlib import contextmanager, suppress
from errno import EEXIST
from pathlib import Path
from typing import TYPE_CHECKING

from kaiwa.disk.joint_output import finish, staging_beside, together
from kaiwa.disk.protected_inputs import refuse_input
from kaiwa.disk.staging_folders import Rename
from kaiwa.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping


@contextmanager
def atomic_file(path: Path, *, private: bool = False, durable: bool = False) -> Iterator[Path]:
    """A temporary path that becomes ``path`` if the block ends without an error, and is deleted if not.

    A link is followed; a device or a pipe is written to, never replaced. The permissions of an existing file are
    kept; a new file has those of the umask, or is readable by its owner only (``private``). A ``durable`` file is on
    the disk before it gets its name (fsync): for what cannot be made again.
    """
    refuse_input(path)
    if path.is_dir():
        raise InputError.at(path, "is a folder", "give the name of a file in it")
    try:
        with together():
            if path.exists() and not path.is_file():
                yield from _written_into(path)
            else:
                target = path.resolve() if path.is_symlink() and path.is_file() else path
                yield from _staged(path, target, private=private, durable=durable)
    except BrokenPipeError:
        raise
    except OSError as fault:
        raise _unwritable(path, fault) from None


def _written_into(path: Path) -> Iterator[Path]:
    """A temporary file, whose bytes are then written to a device or a pipe."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="kaiwa-") as folder:
        temporary = Path(folder, path.name)
        yield temporary
        path.write_bytes(temporary.read_bytes())


def _staged(path: Path, target: Path, *, private: bool, durable: bool) -> Iterator[Path]:
    """A file beside the target, which gets its name at the end of the block of outputs."""
    if not target.parent.is_dir():
        what = f"cannot be written: no such folder {target.parent}"
        raise InputError.at(target, what, "make it first, or give another path")
    staged = _StagedFile(path, target, staging_beside(target).new_name())
    try:
        staged.make(private=private)
        yield staged.temporary
        staged.complete(durable=durable)
    except BaseException:
        staged.discard()
        raise
    finish(staged)


class _StagedFile:
    """A file under its temporary name, and the file that it replaces."""

    def __init__(self, path: Path, target: Path, temporary: Path) -> None:
        self._path, self.target, self.temporary = path, target, temporary
        self._backup = temporary.with_name(f"{temporary.name}.old")
        self._mode = target.stat().st_mode & 0o7777 if target.is_file() else None
        self._is_committed = False

    def make(self, *, private: bool) -> None:
        """Make the temporary file; nobody else can read it if nobody else may read the result."""
        mode = 0o600 if private or self._mode is not None else 0o666  # the umask is taken off
        os.close(os.open(self.temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode))

    def complete(self, *, durable: bool) -> None:
        """Give it the permissions of the file that it replaces, and write it to the disk."""
        if self._mode is not None:
            self.temporary.chmod(self._mode)
        if durable:
            with self.temporary.open("rb") as file:
                os.fsync(file.fileno())

    def prepare(self) -> None:
        """It is complete."""

    def rename(self) -> Rename | None:
        """Its temporary name and its name."""
        return Rename(self.temporary, self.target)

    def commit(self, *, undoable: bool) -> None:
        """Rename it; the old file is kept under another name if it may be needed again."""
        try:
            if undoable and self.target.exists():
                self._keep_old()
            self.temporary.replace(self.target)
            self._is_committed = True
        except OSError as fault:
            raise _unwritable(self._path, fault) from None

    def _keep_old(self) -> None:
        try:
            os.link(self.target, self._backup)
        except OSError:  # a file system without hard links
            from shutil import copy2

            copy2(self.target, self._backup)

    def undo(self) -> None:
        """Put the old file back, or remove the new one if there was none."""
        if self._is_committed and self._backup.exists():
            self._backup.replace(self.target)
        elif self._is_committed:
            self.target.unlink(missing_ok=True)

    def discard(self) -> None:
        """Remove the temporary file and the old one."""
        self.temporary.unlink(missing_ok=True)
        self._backup.unlink(missing_ok=True)


def _unwritable(path: Path, fault: OSError) -> InputError:
    return InputError.at(path, f"cannot be written ({fault.strerror})", "check the path and the disk")


def is_hidden(path: Path) -> bool:
    """Whether a file is hidden, as unfinished files are, and files in which other tools keep attributes."""
    return path.name.startswith(".")


def visible_files(paths: Iterable[Path]) -> list[Path]:
    """The paths in order, without hidden ones; a folder or a pattern never means those.

    >>> visible_files([Path("runs/b.txt"), Path("runs/.a.txt.0123456789abcdef"), Path("runs/._a.txt")])
    [PosixPath('runs/b.txt')]
    """
    return sorted(path for path in paths if not is_hidden(path))


def write_text(path: Path, text: str, *, private: bool = False, durable: bool = False) -> None:
    """Write UTF-8 text, compressed if the name ends in .gz or .zst; ``private`` and ``durable`` as in atomic_file."""
    data = text.encode()
    if path.suffix == ".gz":
        data = gzip.compress(data, mtime=0)
    elif path.suffix == ".zst":
        from kaiwa.disk.zstd import compress

        data = compress(data)
    with atomic_file(path, private=private, durable=durable) as temporary:
        temporary.write_bytes(data)


def write_texts(folder: Path, texts: Mapping[str, str]) -> None:
    """Write each text to its file in the folder, which is made if missing; all files appear, or none. Others stay."""
    with together():
        for name, text in texts.items():
            path = folder / name
            make_folder(path.parent)
            write_text(path, text)


def make_folder(path: Path) -> None:
    """Make a folder and those that it is in, inside ``together()``; removed again if nothing is written."""
    if path.exists() and not path.is_dir():
        raise InputError.at(path, f"cannot be made ({os.strerror(EEXIST)})", "give another folder")
    for missing in [one for one in reversed((path, *path.parents)) if not one.exists()]:
        finish(_MadeFolder(missing))
        try:
            missing.mkdir(exist_ok=True)
        except OSError as fault:
            raise InputError.at(path, f"cannot be made ({fault.strerror})", "give another folder") from None


class _MadeFolder:
    """A folder that was made for files which are still to come."""

    def __init__(self, target: Path) -> None:
        self.target = target
        self._is_needed = False

    def prepare(self) -> None:
        """It is made."""

    def rename(self) -> Rename | None:
        """It has its name already."""
        return None

    def commit(self, *, undoable: bool) -> None:  # noqa: ARG002  undo() always works
        """Keep it."""
        self._is_needed = True

    def undo(self) -> None:
        """Let discard() remove it."""
        self._is_needed = False

    def discard(self) -> None:
        """Remove it if nothing was written, and it is empty."""
        if not self._is_needed:
            with suppress(OSError):
                self.target.rmdir()
