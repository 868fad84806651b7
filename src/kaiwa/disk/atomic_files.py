"""Atomic files: written to a temporary file in the same folder, then renamed."""

from __future__ import annotations

import gzip
import os
import shutil
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from kaiwa.disk.joint_output import finish, together
from kaiwa.disk.protected_inputs import refuse_input
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
    special = path.exists() and not path.is_file()
    target = path.resolve() if path.is_symlink() and path.is_file() else path
    staged = _StagedFile(path, target, _unused(target, in_temp=special))
    try:
        staged.make(private=private or special)
        yield staged.temporary
        if special:
            path.write_bytes(staged.temporary.read_bytes())
        else:
            staged.complete(durable=durable)
    except BrokenPipeError:
        staged.discard()
        raise
    except OSError as fault:
        staged.discard()
        raise _unwritable(path, fault) from None
    except BaseException:
        staged.discard()
        raise
    if special:
        staged.discard()
    else:
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
            shutil.copy2(self.target, self._backup)

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


def _unused(target: Path, *, in_temp: bool) -> Path:
    """A name for the temporary file, chosen before the file is made, so that a signal in between leaves no file."""
    import tempfile
    from secrets import token_hex

    if not in_temp and not target.parent.is_dir():
        what = f"cannot be written: no such folder {target.parent}"
        raise InputError.at(target, what, "make it first, or give another path")
    return Path(tempfile.gettempdir() if in_temp else target.parent, f".{target.name}.{token_hex(8)}")


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
            _make_folder(path.parent)
            write_text(path, text)


def _make_folder(path: Path) -> None:
    """Make a folder and those that it is in; they are removed again if nothing is written into them."""
    missing = [one for one in (path, *path.parents) if not one.exists()]
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise InputError.at(path, f"cannot be made ({fault.strerror})", "give another folder") from None
    for made in reversed(missing):
        finish(_MadeFolder(made))


@dataclass(frozen=True)
class _MadeFolder:
    """A folder that was made for files which are still to come."""

    target: Path

    def commit(self, *, undoable: bool) -> None:
        """It has its name already."""

    def undo(self) -> None:
        """It is removed by discard()."""

    def discard(self) -> None:
        """Remove it if it is empty."""
        with suppress(OSError):
            self.target.rmdir()
