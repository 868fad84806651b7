"""Writing a folder of arrays: a new data folder is filled, then the manifest that names it is renamed.

A reader always finds the old arrays or the new ones; a build that fails deletes its files. Of the other entries of the
folder only those are removed that a manifest names, and data folders with the file of an unfinished build.
"""

from __future__ import annotations

import json
import os
import shutil
from contextlib import contextmanager, suppress
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
from kaiwa.formats.collection.array_folder import DATA, MANIFEST, checksums

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from kaiwa.formats.collection.array_folder import ArrayFolder

_LOCK = ".lock"


class ArrayWriter:
    """Writes the arrays of a new folder into its data folder, all names with the same prefix."""

    def __init__(self, folder: Path, prefix: str = "") -> None:
        self.folder, self._prefix = folder, prefix

    def save(self, name: str, values: NDArray[Any]) -> None:  # Any: any dtype
        """Write an array; numpy's own writer does not see that the last bytes of a small one cannot be written."""
        whole = np.ascontiguousarray(values)
        with self._path(name).open("wb") as file:
            np.lib.format.write_array_header_1_0(file, np.lib.format.header_data_from_array_1_0(whole))
            file.write(whole.data)

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
        return self.folder / f"{self._prefix}{name}.npy"


@contextmanager
def writing_arrays(
    path: Path, kind: ArrayFolder, facts: dict[str, Any], *, last: Callable[[], None] = lambda: None
) -> Iterator[ArrayWriter]:  # Any: JSON values
    """A writer whose arrays become those at ``path`` if the block ends without an error; it may add ``facts``.

    ``last`` is called when the arrays are on disk, just before the manifest names them.
    """
    _refuse_foreign(path, kind)
    refuse_folder_of_inputs(path)
    is_new = not path.exists()
    try:
        path.mkdir(parents=True, exist_ok=True)
        with _locked(path, kind):
            old = _manifest_of(path) or {}
            _sweep(path, old)
            new = path / f"data-{token_hex(8)}"
            try:
                new.mkdir()
                (new / UNFINISHED).touch()
                yield ArrayWriter(new)
                _seal(path, new, {"what": kind.what, "version": kind.version, "facts": facts}, old, last)
            except BaseException:
                shutil.rmtree(new, ignore_errors=True)
                raise
            with suppress(OSError):  # the new arrays are in use; what is left is swept by the next build
                (new / UNFINISHED).unlink(missing_ok=True)
                _remove_data(path, old)
    except OSError as fault:
        raise unwritable(path, fault) from None
    finally:
        if is_new:
            _remove_if_empty(path)


def _refuse_foreign(path: Path, kind: ArrayFolder) -> None:
    """Refuse a folder that is not ours: it has neither such a manifest nor the lock of a stopped build."""
    if path.exists() and not path.is_dir():
        raise InputError.at(path, "is a file, not a folder", "give another name")
    names = {entry.name for entry in path.iterdir()} if path.is_dir() else set[str]()
    manifest = _manifest_of(path)
    if manifest is not None and manifest.get("what") != kind.what:
        raise InputError.at(path, "contains a manifest of another kind", "give a new or empty folder")
    others = names - {*kind.carried}
    if manifest is None and others and not _has_lock(path, kind, alone=others == {_LOCK}):
        found = f"is a folder with other files (no manifest of {kind.article} {kind.noun})"
        raise InputError.at(path, found, "give a new or empty folder")


def _manifest_of(path: Path) -> dict[str, Any] | None:  # Any: JSON values
    """The manifest in a folder; None if there is none, or it is damaged."""
    try:
        manifest = json.loads((path / MANIFEST).read_bytes())
    except (ValueError, OSError, RecursionError):
        return None
    return manifest if isinstance(manifest, dict) else {}


def _has_lock(path: Path, kind: ArrayFolder, *, alone: bool) -> bool:
    """Whether the folder has the lock of a stopped build; alone in it, also a part of one, of a build just begun."""
    try:
        found = (path / _LOCK).read_text(encoding="utf-8")
    except (OSError, ValueError):
        return False
    whole = f"{kind.what}\n"
    return found == whole or (alone and whole.startswith(found))


def settle(path: Path, kind: ArrayFolder) -> None:
    """Remove what a build left that was killed when its arrays were complete."""
    with _locked(path, kind):
        manifest = _manifest_of(path) or {}
        _sweep(path, manifest)
        with suppress(OSError):
            (path / str(manifest.get("data")) / UNFINISHED).unlink(missing_ok=True)


@contextmanager
def _locked(path: Path, kind: ArrayFolder) -> Iterator[None]:
    import fcntl  # POSIX only; reading and scoring work without it

    with (path / _LOCK).open("a+", encoding="utf-8") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError.at(path, "another build is running here", "wait for it, or give another folder") from None
        lock.seek(0)
        if lock.read() != f"{kind.what}\n":  # new, or its build was killed when it wrote it
            lock.truncate(0)
            lock.write(f"{kind.what}\n")
            lock.flush()
        yield


def _sweep(path: Path, manifest: Mapping[str, Any]) -> None:  # Any: JSON values
    """Remove what killed builds left: unfinished data folders, and the data that the present one replaced."""
    for left in path.iterdir():
        if DATA.fullmatch(left.name) and left.name != manifest.get("data"):
            if (left / UNFINISHED).is_file():
                remove_unfinished(left)
            else:
                with suppress(OSError):  # only if it is empty: the build was killed when it had made it
                    left.rmdir()
    replaced = manifest.get("replaced")
    if isinstance(replaced, dict) and replaced.get("data") != manifest.get("data"):
        _remove_data(path, replaced)


def _remove_data(path: Path, manifest: Mapping[str, Any]) -> None:  # Any: JSON values
    """Remove the files of a data folder, as its manifest names them."""
    data, files = manifest.get("data"), manifest.get("files")
    if isinstance(data, str) and DATA.fullmatch(data) and isinstance(files, list | dict):
        arrays = [name for name in files if isinstance(name, str) and os.sep not in name]
        remove_named(path / data, [*(f"{name}.npy" for name in arrays), UNFINISHED])


def _seal(
    path: Path,
    new: Path,
    manifest: dict[str, Any],  # Any: JSON values
    old: Mapping[str, Any],
    last: Callable[[], None],
) -> None:
    """Write the manifest, which names the new data and, until it is removed, the old."""
    manifest |= {"data": new.name, "files": {name.stem: checksums(name) for name in sorted(new.glob("*.npy"))}}
    if old.get("files"):
        manifest["replaced"] = {"data": old.get("data"), "files": sorted(old["files"])}
    manifest["seal"] = seal_of(manifest)
    written = new / MANIFEST
    written.write_text(json.dumps(manifest, ensure_ascii=False) + "\n", encoding="utf-8")
    for made, replaced in ((written, path / MANIFEST), (new, path / str(old.get("data")))):
        if old and replaced.exists():  # it keeps its permissions
            made.chmod(replaced.stat().st_mode & 0o7777)
    sync_folder(new)
    last()
    written.replace(path / MANIFEST)
    with suppress(OSError):  # the new arrays are in use
        sync(path)


def _remove_if_empty(path: Path) -> None:
    """Remove the folder that a failed build made, if nothing was put into it."""
    if path.is_dir() and {entry.name for entry in path.iterdir()} <= {_LOCK}:
        remove_named(path, [_LOCK])
