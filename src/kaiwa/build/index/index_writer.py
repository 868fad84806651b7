"""Writing an index folder: a new data folder is filled, then the manifest that names it is renamed.

A reader always finds the old index or the new one; a build that fails deletes its files.
"""

from __future__ import annotations

import json
import shutil
from contextlib import contextmanager
from secrets import token_hex
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.disk.arrays import GrowingArray
from kaiwa.disk.atomic_files import atomic_file
from kaiwa.disk.atomic_folders import refuse_foreign, sync_folder, unwritable
from kaiwa.disk.checksums import seal_of
from kaiwa.disk.strings import StringWriter
from kaiwa.errors import InputError
from kaiwa.formats.collection import takedown
from kaiwa.formats.collection.index_folder import MANIFEST, VERSION, WHAT, checksums

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray


class IndexWriter:
    """Writes the arrays of a new index into its data folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def save(self, name: str, values: NDArray[Any]) -> None:  # Any: any dtype
        """Write an array."""
        np.save(self._path(name), values)

    @contextmanager
    def growing(self, name: str, dtype: Any) -> Iterator[GrowingArray]:  # Any: a dtype
        """An array to which values are appended until the block ends."""
        with self._path(name).open("wb") as file:
            array = GrowingArray(file, dtype)
            yield array
            array.finish()

    @contextmanager
    def strings(self, name: str, starts: str) -> Iterator[StringWriter]:
        """Strings to be appended until the block ends: an array of their bytes, and one of where each starts."""
        with self.growing(name, np.uint8) as joined, self.growing(starts, np.int64) as places:
            yield StringWriter(joined, places)

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.npy"


@contextmanager
def writing_index(
    path: Path, facts: dict[str, Any], *, last: Callable[[], None] = lambda: None
) -> Iterator[IndexWriter]:  # Any: JSON values
    """A writer whose arrays become the index at ``path`` if the block ends without an error; it may add ``facts``.

    ``last`` is called when the arrays are on disk, just before they become the index.
    """
    _refuse_foreign(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
        with _locked(path):
            new = path / f"data-{token_hex(8)}"
            try:
                new.mkdir(mode=0o700)
                yield IndexWriter(new)
                _seal(path, new, facts, last)
            except BaseException:
                shutil.rmtree(new, ignore_errors=True)
                raise
            _remove_others(path, new)
    except OSError as fault:
        raise unwritable(path, fault) from None
    finally:
        _remove_if_empty(path)


def _refuse_foreign(path: Path) -> None:
    """Refuse a folder with other files; those of a stopped build are allowed."""
    own = ("data-", ".lock", f".{MANIFEST}.", takedown.NAME, f".{takedown.NAME}.")
    mine = path.is_dir() and all(entry.name.startswith(own) for entry in path.iterdir())
    if not mine:
        refuse_foreign(path, mark=MANIFEST)
        if (path / MANIFEST).exists() and not _is_index(path):
            raise InputError.at(path, "contains a manifest of another kind", "give a new or empty folder")


def _is_index(path: Path) -> bool:
    """Whether the manifest is that of an index, or is damaged and there is data of an index."""
    try:
        manifest = json.loads((path / MANIFEST).read_bytes())
    except (ValueError, OSError, RecursionError):
        return any(path.glob("data-*"))
    return isinstance(manifest, dict) and manifest.get("what") == WHAT


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    import fcntl  # POSIX only; reading and scoring work without it

    with (path / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError.at(path, "another build is running here", "wait for it, or give another folder") from None
        yield


def _seal(path: Path, new: Path, facts: Mapping[str, Any], last: Callable[[], None]) -> None:  # Any: JSON values
    new.chmod(0o755)
    files = {name.stem: checksums(name) for name in sorted(new.glob("*.npy"))}
    sync_folder(new)
    manifest = {"what": WHAT, "version": VERSION, "data": new.name, "facts": dict(facts), "files": files}
    manifest["seal"] = seal_of(manifest)
    last()
    with atomic_file(path / MANIFEST) as temporary:
        temporary.write_text(json.dumps(manifest, ensure_ascii=False) + "\n", encoding="utf-8")


def _remove_others(path: Path, kept: Path) -> None:
    for old in path.glob("data-*"):
        if old != kept:
            shutil.rmtree(old, ignore_errors=True)


def _remove_if_empty(path: Path) -> None:
    if path.is_dir() and not (path / MANIFEST).exists() and {entry.name for entry in path.iterdir()} <= {".lock"}:
        shutil.rmtree(path, ignore_errors=True)
