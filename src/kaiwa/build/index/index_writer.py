"""Writing an index folder: a new data folder is filled, then the manifest that names it is renamed.

A reader always finds the old index or the new one; a build that fails deletes its files. Of the other entries of the
folder only those are removed that a manifest names, and data folders with the file of an unfinished build.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from contextlib import contextmanager
from secrets import token_hex
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.disk.arrays import GrowingArray
from kaiwa.disk.atomic_folders import sync, sync_folder, unwritable
from kaiwa.disk.checksums import seal_of
from kaiwa.disk.folder_marks import UNFINISHED, remove_named, remove_unfinished
from kaiwa.disk.protected_inputs import refuse_folder_of_inputs
from kaiwa.disk.strings import StringWriter
from kaiwa.errors import InputError
from kaiwa.formats.collection import takedown
from kaiwa.formats.collection.index_folder import MANIFEST, VERSION, WHAT, checksums

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray


_LOCK = ".lock"
_DATA = re.compile("data-[0-9a-f]{16}")


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
    refuse_folder_of_inputs(path)
    is_new = not path.exists()
    try:
        path.mkdir(parents=True, exist_ok=True)
        with _locked(path):
            old = _manifest_of(path) or {}
            _sweep(path, old)
            new = path / f"data-{token_hex(8)}"
            try:
                new.mkdir()
                (new / UNFINISHED).touch()
                yield IndexWriter(new)
                _seal(path, new, facts, old, last)
            except BaseException:
                shutil.rmtree(new, ignore_errors=True)
                raise
            (new / UNFINISHED).unlink(missing_ok=True)
            _remove_data(path, old)
    except OSError as fault:
        raise unwritable(path, fault) from None
    finally:
        if is_new:
            _remove_if_empty(path)


def _refuse_foreign(path: Path) -> None:
    """Refuse a folder that is not ours: it has neither the manifest of an index nor the lock of a stopped build."""
    if path.exists() and not path.is_dir():
        raise InputError.at(path, "is a file, not a folder", "give another name")
    names = {entry.name for entry in path.iterdir()} if path.is_dir() else set[str]()
    manifest = _manifest_of(path)
    if manifest is not None and manifest.get("what") != WHAT:
        raise InputError.at(path, "contains a manifest of another kind", "give a new or empty folder")
    if manifest is None and names - {takedown.NAME} and not _has_lock(path):
        raise InputError.at(
            path, "is a folder with other files (no manifest of an index)", "give a new or empty folder"
        )


def _manifest_of(path: Path) -> dict[str, Any] | None:  # Any: JSON values
    """The manifest in a folder; None if there is none, or it is damaged."""
    try:
        manifest = json.loads((path / MANIFEST).read_bytes())
    except (ValueError, OSError, RecursionError):
        return None
    return manifest if isinstance(manifest, dict) else {}


def _has_lock(path: Path) -> bool:
    try:
        return (path / _LOCK).read_text(encoding="utf-8").strip() == WHAT
    except (OSError, ValueError):
        return False


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    import fcntl  # POSIX only; reading and scoring work without it

    with (path / _LOCK).open("a", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError.at(path, "another build is running here", "wait for it, or give another folder") from None
        if not lock.tell():
            lock.write(f"{WHAT}\n")
            lock.flush()
        yield


def _sweep(path: Path, manifest: Mapping[str, Any]) -> None:  # Any: JSON values
    """Remove what killed builds left: unfinished data folders, and the data that the present index replaced."""
    for left in path.iterdir():
        if _DATA.fullmatch(left.name) and (left / UNFINISHED).is_file() and left.name != manifest.get("data"):
            remove_unfinished(left)
    replaced = manifest.get("replaced")
    if isinstance(replaced, dict) and replaced.get("data") != manifest.get("data"):
        _remove_data(path, replaced)


def _remove_data(path: Path, manifest: Mapping[str, Any]) -> None:  # Any: JSON values
    """Remove the files of an index's data folder, as its manifest names them."""
    data, files = manifest.get("data"), manifest.get("files")
    if isinstance(data, str) and _DATA.fullmatch(data) and isinstance(files, list | dict):
        arrays = [name for name in files if isinstance(name, str) and os.sep not in name]
        remove_named(path / data, [*(f"{name}.npy" for name in arrays), UNFINISHED])


def _seal(
    path: Path,
    new: Path,
    facts: Mapping[str, Any],  # Any: JSON values
    old: Mapping[str, Any],
    last: Callable[[], None],
) -> None:
    """Write the manifest, which names the new data and, until it is removed, the old."""
    files = {name.stem: checksums(name) for name in sorted(new.glob("*.npy"))}
    manifest = {"what": WHAT, "version": VERSION, "data": new.name, "facts": dict(facts), "files": files}
    if old.get("files"):
        manifest["replaced"] = {"data": old.get("data"), "files": sorted(old["files"])}
    manifest["seal"] = seal_of(manifest)
    written = new / MANIFEST
    written.write_text(json.dumps(manifest, ensure_ascii=False) + "\n", encoding="utf-8")
    sync_folder(new)
    last()
    written.replace(path / MANIFEST)
    sync(path)


def _remove_if_empty(path: Path) -> None:
    """Remove the folder that a failed build made, if nothing was put into it."""
    if path.is_dir() and {entry.name for entry in path.iterdir()} <= {_LOCK}:
        remove_named(path, [_LOCK])
