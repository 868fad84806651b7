"""Files and folders that appear whole: written under a hidden name beside the target, then renamed.

A file waits in a hidden folder ``.kaiwa-XXXX`` beside its target, a folder as ``.NAME.XXXX``. Both are locked while
their process lives: the next write into the same folder removes what is marked as unfinished and not locked. All
outputs of a block ``together()`` are written to the disk before the first of them gets its name. A kill between two
renames leaves each of them whole, some old and some new: the record of a task folder and the second file of a pair
hold the hashes that show it (kaiwa.task.record). Reading never changes a folder.

In this order: locks, the exchange of two names, inputs that are kept, blocks, files, folders.
"""

from __future__ import annotations

import glob
import gzip
import os
import re
import sys
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from errno import EEXIST, EINVAL, ENOSYS, ENOTSUP, EXDEV
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from kaiwa.errors import InputError
from kaiwa.files.inputs import digest
from kaiwa.files.marks import UNFINISHED, Mark, link_foreign, remove_if_empty, remove_unfinished, retire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence


# Locks, which end with the process that holds them.


@contextmanager
def locked(path: Path, *, wait: bool = True) -> Iterator[bool]:
    """Hold the lock on a file or folder; whether there is one, as the system may have none, or the path is gone.

    With ``wait``, other processes end theirs first; without it, a lock of another process is a BlockingIOError.
    """
    handle = _lock(path, wait=wait)
    try:
        yield handle >= 0
    finally:
        if handle >= 0:
            os.close(handle)


def _lock(path: Path, *, wait: bool) -> int:
    try:
        import fcntl
    except ImportError:  # POSIX only: elsewhere one process at a time is up to the user
        return -1
    try:
        handle = os.open(path, os.O_RDONLY)
    except FileNotFoundError:  # another process has just removed it
        return -1
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError as fault:
        os.close(handle)
        if isinstance(fault, BlockingIOError):
            raise
        return -1  # a file system without locks
    except BaseException:  # Ctrl-C while it waits
        os.close(handle)
        raise
    return handle


# Two names of folders exchanged in one step, so that a kill leaves the old folder or the new one, never none.


_AT_FDCWD, _RENAME_EXCHANGE = -100, 2  # of Linux
_UNSUPPORTED = {EINVAL, ENOSYS, ENOTSUP, EXDEV}


def exchange(first: Path, second: Path, *, spare: Path) -> None:
    """Exchange two names; where the system cannot, by renames through a ``spare`` name."""
    if not _exchanged_at_once(first, second):
        second.rename(spare)
        try:
            first.rename(second)
        except BaseException:
            spare.rename(second)
            raise
        spare.rename(first)


def _exchanged_at_once(first: Path, second: Path) -> bool:
    """Whether Linux exchanged the names (renameat2); False if it cannot, or on another system."""
    if sys.platform != "linux":
        return False
    import ctypes

    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    if rename is None:
        return False
    if rename(_AT_FDCWD, os.fsencode(first), _AT_FDCWD, os.fsencode(second), _RENAME_EXCHANGE) == 0:
        return True
    code = ctypes.get_errno()
    if code in _UNSUPPORTED:
        return False
    raise OSError(code, os.strerror(code), str(second))


# No verb writes over what it reads, nor over a database: every writer asks here before it replaces a file.


_READ: ContextVar[frozenset[Path]] = ContextVar("read", default=frozenset())
_FIX = "give another name for the output"
_DATABASE = b"SQLite format 3\0"
_BESIDE = ("-wal", "-shm", "-journal")  # the files in which SQLite keeps what is not in the database yet


@contextmanager
def reading(paths: Iterable[Path]) -> Iterator[None]:
    """While the block runs, these files are not replaced, nor any file in these folders."""
    known = {path.resolve() for path in paths if path.is_file() or path.is_dir()}
    before = _READ.set(_READ.get() | known)
    try:
        yield
    finally:
        _READ.reset(before)


def refuse_input(path: Path) -> None:
    """Refuse to write what is read, a file in a folder that is read, or a database; links are followed.

    A database is the vote log of a task or a copy of one: people made it, and no command can make it again.
    """
    target, read = path.resolve(), _READ.get()
    if _is_database(target):
        raise InputError.at(path, "holds the votes of a task, which are never overwritten", _FIX)
    if target in read:
        raise InputError.at(path, "would overwrite what this command reads", _FIX)
    if target.is_file() and (inside := read.intersection(target.parents)):
        raise InputError.at(path, f"is in {min(inside)}, which this command reads", _FIX)


def _is_database(target: Path) -> bool:
    """Whether a file is a SQLite database, or belongs to one."""
    ending = next((one for one in _BESIDE if target.name.endswith(one)), "")
    database = target.with_name(target.name.removesuffix(ending))
    if not database.is_file():  # a pipe would wait for its writer
        return False
    try:
        with database.open("rb") as file:
            return file.read(len(_DATABASE)) == _DATABASE
    except OSError:
        return False


def refuse_folder_of_inputs(path: Path) -> None:
    """Refuse to replace a folder that is read, or that contains what is read."""
    refuse_input(path)
    target = path.resolve()
    if inside := [read for read in _READ.get() if target in read.parents]:
        raise InputError.at(path, f"contains {min(inside).name}, which this command reads", _FIX)


# Outputs that appear together: all are on the disk under hidden names before the first of them gets its name.


_WAITING = re.compile(r"\.(kaiwa-|.+\.)[0-9a-f]{16}")
"""The hidden names of what is being written."""
_MANY = 16  # files that are written to the disk at once
T = TypeVar("T")


@dataclass(frozen=True)
class _Output:
    """A file, or with its ``mark`` a folder, that is complete under a hidden name; ``path`` is as the user gave it.

    ``mode`` are the permissions of the file that it replaces.
    """

    path: Path
    target: Path
    hidden: Path
    mark: Mark | None = None
    mode: int | None = None

    def sync(self) -> None:
        """Write the file to the disk; only then it may become one that nobody reads."""
        try:
            sync(self.hidden)
            if self.mode is not None:
                self.hidden.chmod(self.mode)
        except OSError as fault:
            raise unwritable(self.path, fault, "path") from None

    def rename(self) -> None:
        """Give it its name; a folder is exchanged with the one that has the name."""
        try:
            if self.mark is not None:
                (self.hidden / UNFINISHED).unlink()
            if self.mark is not None and self.target.exists():
                exchange(self.hidden, self.target, spare=_hidden_name(self.target))
            else:
                self.hidden.replace(self.target)
        except OSError as fault:
            raise unwritable(self.path, fault, "folder" if self.mark else "path") from None


class Outputs:
    """What a block has written, in the order in which it was completed."""

    def __init__(self) -> None:
        self._finished: dict[Path, _Output] = {}
        self._waiting: dict[Path, Path] = {}  # beside the outputs in each folder, the one that they wait in
        self._made = list[Path]()
        self._locks, self._left = ExitStack(), ExitStack()
        self._count = 0

    def __contains__(self, path: Path) -> bool:
        return path in self._finished or path.resolve() in self._finished

    def files(self) -> dict[Path, Path]:
        """Where the bytes of each output are before it has its name; of a folder, those of its mark."""
        outputs = self._finished.values()
        names = [(one, "" if one.mark is None else one.mark.name) for one in outputs]
        return {one.target / name: one.hidden / name for one, name in names}

    def digest(self, path: Path | None) -> str:
        """What tells an output that is complete from others; empty if the block has not written it."""
        written = path and (self._finished.get(path) or self._finished.get(path.resolve()))
        return digest(written.hidden)[:16] if written else ""

    def waiting_beside(self, target: Path) -> Path:
        """A hidden name for a file on its way to ``target``, in a folder that nobody else can read."""
        beside = target.parent
        if beside not in self._waiting:
            sweep_unfinished(beside)
            hidden = beside / f".kaiwa-{os.urandom(8).hex()}"
            self._make_hidden(hidden, 0o700)
            self._waiting[beside] = hidden
        self._count += 1
        return self._waiting[beside] / str(self._count)

    def new_folder(self, target: Path, mark: Mark) -> Path:
        """A hidden folder on its way to ``target``."""
        hidden = _hidden_name(target)
        target.parent.mkdir(parents=True, exist_ok=True)
        self._make_hidden(hidden, 0o777, target, mark)
        return hidden

    def _make_hidden(self, hidden: Path, mode: int, target: Path | None = None, mark: Mark | None = None) -> None:
        """Make a hidden folder, locked and marked as unfinished; what is left of it goes at the end of the block."""
        self._left.callback(_remove_left, hidden, target, mark)  # first: a signal after mkdir leaves nothing
        while True:
            hidden.mkdir(mode=mode)
            with ExitStack() as lock:
                lock.enter_context(locked(hidden))
                with suppress(FileNotFoundError):  # another command found it empty and not locked, and removed it
                    (hidden / UNFINISHED).touch()
                    self._locks.enter_context(lock.pop_all())
                    return

    def make_folder(self, path: Path) -> None:
        """Make a folder, which is removed at the end if the block fails and it is empty."""
        self._made.append(path)
        path.mkdir(exist_ok=True)

    def finish(self, output: _Output) -> None:
        """The output is complete: it gets its name at the end of the block."""
        if self._finished.setdefault(output.target, output) is not output:
            raise InputError.at(output.target, "would be written twice by this command", "give the outputs other names")

    def rename(self) -> None:
        """Give the outputs their names, the last one first: it may hold the hashes of the others.

        So the record of a step, written last, is there when any of its outputs is, whatever moment a kill comes at.
        """
        at_once(_Output.sync, [one for one in self._finished.values() if one.mark is None])
        for one in self._finished.values():
            if one.mark is not None and one.target.exists():
                try:
                    link_foreign(one.target, one.hidden, one.mark)
                except OSError as fault:
                    raise unwritable(one.path, fault) from None
                with suppress(OSError):
                    self._locks.enter_context(locked(one.target, wait=False))  # until it is removed
        for one in reversed(self._finished.values()):
            one.rename()
        self._made.clear()

    def discard(self) -> None:
        """Remove what is left under hidden names: what was replaced, or what was not completed."""
        with self._locks, self._left:
            self._finished.clear()
        for path in reversed(self._made):
            remove_if_empty(path)


_OUTPUTS: ContextVar[Outputs | None] = ContextVar("outputs", default=None)


@contextmanager
def together() -> Iterator[Outputs]:
    """What the block writes gets its names when it ends without an error, and is removed if not.

    A block inside another belongs to it. A file cannot be read before the block ends.
    """
    if (outer := _OUTPUTS.get()) is not None:
        yield outer
        return
    outputs = Outputs()
    before = _OUTPUTS.set(outputs)
    try:
        yield outputs
        outputs.rename()
    finally:
        _OUTPUTS.reset(before)
        outputs.discard()


def sweep_unfinished(folder: Path) -> None:
    """Remove what killed processes were writing into a folder; what a living one writes is locked, and stays."""
    for name in os.listdir(folder):  # noqa: PTH208  fast in a large folder
        left = folder / name
        if not _WAITING.fullmatch(name) or left.is_symlink() or not left.is_dir():
            continue
        if name.startswith(".kaiwa-") or (left / UNFINISHED).is_file():
            with suppress(OSError), locked(left, wait=False) as is_dead:
                if is_dead and left.stat().st_uid == os.geteuid():
                    _remove_left(left)


def _remove_left(hidden: Path, target: Path | None = None, mark: Mark | None = None) -> None:
    """Remove what has a hidden name: all of an unfinished folder, of another only what its mark names."""
    with suppress(OSError):  # it is not empty, or cannot be removed now; the next command tries again
        if (hidden / UNFINISHED).is_file():
            remove_unfinished(hidden)
        elif mark is not None and target is not None and (files := mark.files_of(hidden)) is not None:
            retire(hidden, target, files)
        elif hidden.is_dir() and not hidden.is_symlink():
            hidden.rmdir()


def _hidden_name(target: Path) -> Path:
    return target.with_name(f".{target.name}.{os.urandom(8).hex()}")


def unwritable(path: Path, fault: OSError, place: str = "folder") -> InputError:
    """The error for a file or folder that cannot be written."""
    return InputError.at(path, f"cannot be written ({fault.strerror or fault})", f"check the {place} and the disk")


def sync(path: Path) -> None:
    """Write a file or the names in a folder to the disk (fsync)."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def at_once(write: Callable[[T], None], files: Sequence[T]) -> None:
    """Write files to the disk; many of them in threads, as the disk joins what waits for it at one time."""
    if len(files) < _MANY:
        for one in files:
            write(one)
        return
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_MANY) as threads:
        list(threads.map(write, files))


# Files.


@contextmanager
def atomic_file(path: Path, *, private: bool = False) -> Iterator[Path]:
    """A temporary path that becomes ``path`` if the block ends without an error, and is deleted if not.

    A link is followed; a device or a pipe is written to, never replaced. The permissions of an existing file are
    kept; a new file has those of the umask, or is readable by its owner only (``private``).
    """
    refuse_input(path)
    if path.is_dir():
        raise InputError.at(path, "is a folder", "give the name of a file in it")
    try:
        with together() as outputs:
            if path.exists() and not path.is_file():
                yield from _written_into(path)
            else:
                target = path.resolve() if path.is_symlink() and path.is_file() else path
                yield from _waiting(outputs, path, target, private=private)
    except BrokenPipeError:
        raise
    except OSError as fault:
        raise unwritable(path, fault, "path") from None


def _written_into(path: Path) -> Iterator[Path]:
    """A temporary file, whose bytes are then written to a device or a pipe."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="kaiwa-") as folder:
        temporary = Path(folder, path.name)
        yield temporary
        path.write_bytes(temporary.read_bytes())


def _waiting(outputs: Outputs, path: Path, target: Path, *, private: bool) -> Iterator[Path]:
    """A file beside the target, which waits for the end of the block."""
    if not target.parent.is_dir():
        what = f"cannot be written: no such folder {target.parent}"
        raise InputError.at(target, what, "make it first, or give another path")
    mode = target.stat().st_mode & 0o7777 if target.is_file() else None
    hidden = outputs.waiting_beside(target)
    first = 0o600 if private or mode is not None else 0o666  # nobody reads it who may not read the old one
    os.close(os.open(hidden, os.O_CREAT | os.O_EXCL | os.O_WRONLY, first))
    yield hidden
    outputs.finish(_Output(path, target, hidden, mode=mode))


def is_hidden(path: Path) -> bool:
    """Whether a file is hidden, as unfinished files are, and files in which other tools keep attributes."""
    return path.name.startswith(".")


def visible_files(paths: Iterable[Path]) -> list[Path]:
    """The paths in order, without hidden ones; a folder or a pattern never means those.

    >>> visible_files([Path("runs/b.txt"), Path("runs/.a.txt.0123456789abcdef"), Path("runs/._a.txt")])
    [PosixPath('runs/b.txt')]
    """
    return sorted(path for path in paths if not is_hidden(path))


def write_text(path: Path, text: str, *, private: bool = False) -> None:
    """Write UTF-8 text, compressed if the name ends in .gz or .zst; ``private`` as in atomic_file."""
    data = text.encode()
    if path.suffix == ".gz":
        data = gzip.compress(data, mtime=0)
    elif path.suffix == ".zst":
        from kaiwa.files.zstd import compress

        data = compress(data)
    with atomic_file(path, private=private) as temporary:
        temporary.write_bytes(data)


def write_texts(folder: Path, texts: Mapping[str, str]) -> None:
    """Write each text to its file in the folder, which is made if missing; all files appear, or none. Others stay."""
    with together():
        for name, text in texts.items():
            path = folder / name
            make_folder(path.parent)
            write_text(path, text)


def make_folder(path: Path) -> None:
    """Make a folder and those that it is in; removed again if the block ``together()`` that it is in fails."""
    if path.exists() and not path.is_dir():
        raise InputError.at(path, f"cannot be made ({os.strerror(EEXIST)})", "give another folder")
    with together() as outputs:
        for missing in [one for one in reversed((path, *path.parents)) if not one.exists()]:
            try:
                outputs.make_folder(missing)
            except OSError as fault:
                raise InputError.at(path, f"cannot be made ({fault.strerror})", "give another folder") from None


# Folders: filled under a hidden name, then exchanged with the old folder.


@contextmanager
def atomic_folder(path: Path, mark: Mark, *, alone: bool = False) -> Iterator[Path]:
    """A temporary folder that becomes ``path`` if the block ends without an error, and is deleted if not.

    The block writes the mark. An existing folder is replaced only if it has such a mark; files in it that its mark
    does not name move to the new folder. If ``alone``, another process that began earlier is an error.
    """
    path = path.resolve() if path.is_symlink() else path
    refuse_folder_of_inputs(path)
    with together() as outputs:
        try:
            sweep(path, mark)
            mark.refuse_foreign(path)
            hidden = outputs.new_folder(path, mark)
            if alone:
                _refuse_earlier(hidden, path)
            yield hidden
            sync_folder(hidden)
            if path.is_dir():
                hidden.chmod(path.stat().st_mode & 0o7777)
        except OSError as fault:
            raise unwritable(path, fault) from None
        outputs.finish(_Output(path, path, hidden, mark))


def _left_beside(path: Path) -> Iterator[Path]:
    """The hidden folders on their way to ``path``, in use or left."""
    return path.parent.glob(f".{glob.escape(path.name)}.{'[0-9a-f]' * 16}")


def _refuse_earlier(own: Path, path: Path) -> None:
    """Refuse to go on if another process is filling a folder for the same path, and began before this one."""
    begun = _begun(own)
    for other in _left_beside(path):
        if other == own or begun is None or (before := _begun(other)) is None or before > begun:
            continue
        try:
            with locked(other, wait=False):
                pass
        except BlockingIOError:
            raise InputError.at(path, "is being made by another command", "wait for it, or give another name") from None


def _begun(folder: Path) -> tuple[int, str] | None:
    """When a folder was made, and its name; None if it is complete."""
    try:
        return (folder / UNFINISHED).stat().st_mtime_ns, folder.name
    except OSError:
        return None


def sweep(path: Path, mark: Mark) -> None:
    """Remove what killed processes left beside ``path``; a complete folder gets the name if nothing has it."""
    if path.parent.is_dir():
        sweep_unfinished(path.parent)
    for left in _left_beside(path):
        with suppress(OSError), locked(left, wait=False) as is_dead:
            is_complete = mark.files_of(left) is not None and not (left / UNFINISHED).exists()
            if is_dead and is_complete and not path.exists():
                left.rename(path)
            elif is_dead:
                _remove_left(left, path, mark)


def sync_folder(folder: Path) -> None:
    """Write the files in the folder and in its folders to the disk (fsync), so that a renamed file is never empty."""
    at_once(sync, [*folder.rglob("*"), folder])
