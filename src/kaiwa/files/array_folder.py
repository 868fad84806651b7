"""A folder of arrays: a manifest, and the folder of arrays that it names, mapped into memory when they are needed.

FOLDER/manifest.json   what, version, facts, and for every array its size and a checksum per mebibyte
FOLDER/data-XXXXXXXX/  the arrays, as .npy files; never changed after the manifest names them

Small arrays are checked when the folder is opened, the large ones mebibyte by mebibyte before they are first read.
Writing one is kaiwa.files.array_folder.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import zlib
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from errno import EMFILE
from hashlib import blake2b
from mmap import ACCESS_READ, MADV_DONTNEED, mmap
from secrets import token_hex
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.errors import InputError
from kaiwa.files.atomic import locked, refuse_folder_of_inputs, sync, sync_folder, unwritable
from kaiwa.files.inputs import seal_of
from kaiwa.files.marks import UNFINISHED, remove_named, remove_unfinished
from kaiwa.files.spill import GrowingArray, StringWriter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from kaiwa.nouns.ids import IntArray


MANIFEST = "manifest.json"
DATA = re.compile("data-[0-9a-f]{16}")
"""The name of a folder of arrays."""
_NAME = re.compile(r"[\w.-]{1,100}", re.ASCII)
CHUNK = 1 << 20
_MOST_BUILDS = 100  # that may replace a folder while it is opened
_FEW_FILES = 128  # that every process may open
_MOST_FILES = 1 << 16


@dataclass(frozen=True)
class ArrayFolder:
    """A kind of folder: the word for it, the version of its arrays, and the verb that makes it.

    ``lazy`` are the large arrays, by the last part of their names, which are checked when they are read; an array whose
    name starts with one of ``eager`` is not. ``carried`` are files of the user that a build leaves in the folder.
    """

    noun: str
    article: str
    version: int
    verb: str
    lazy: tuple[str, ...] = ()
    eager: tuple[str, ...] = ()
    carried: tuple[str, ...] = ()

    @property
    def what(self) -> str:
        """The kind as a manifest names it."""
        return f"kaiwa {self.noun}"

    @property
    def fix(self) -> str:
        """What to do if there is no such folder."""
        return f"build it with kaiwa {self.verb}"

    @property
    def again(self) -> str:
        """What to do if the folder is damaged."""
        return f"build the {self.noun} again"

    def is_lazy(self, name: str) -> bool:
        """Whether an array is checked when it is read, not when the folder is opened."""
        return name.rpartition(".")[-1] in self.lazy and not name.startswith(self.eager)


@dataclass(frozen=True)
class ArrayFiles:
    """The arrays of a folder, mapped, with their checksums."""

    path: Path
    facts: Mapping[str, Any]  # Any: JSON values
    arrays: Mapping[str, Any]  # Any: arrays of several dtypes
    kind: ArrayFolder
    identity: str  # equal for equal facts and arrays
    _files: Mapping[str, Any]  # Any: as in the manifest
    _maps: Mapping[str, mmap]  # the files stay open after a new build deletes them
    _checked: Mapping[str, bytearray]  # per mebibyte: 1 if it is checked

    def check(self, name: str, low: int, high: int) -> None:
        """Refuse a damaged array before ``low:high`` of it is read; each mebibyte is checked once."""
        array = self.arrays[name]
        header = self._files[name]["bytes"] - array.nbytes
        first, last = (header + low * array.itemsize) // CHUNK, (header + high * array.itemsize - 1) // CHUNK
        if high > low and self._checked[name].find(0, first, last + 1) >= 0:
            self.check_chunks(name, range(first, last + 1))

    def check_lists(self, name: str, lows: IntArray, highs: IntArray) -> None:
        """Refuse a damaged array before the parts ``lows:highs`` of it are read."""
        array = self.arrays[name]
        header = self._files[name]["bytes"] - array.nbytes
        some = highs > lows
        change = np.zeros(len(self._checked[name]) + 1, dtype=np.int64)
        np.add.at(change, (header + lows[some] * array.itemsize) // CHUNK, 1)
        np.add.at(change, (header + highs[some] * array.itemsize - 1) // CHUNK + 1, -1)
        known = np.frombuffer(self._checked[name], dtype=np.uint8)
        for chunk in np.flatnonzero((np.cumsum(change)[:-1] > 0) & (known == 0)).tolist():
            self.check_chunks(name, range(chunk, chunk + 1))

    def check_chunks(self, name: str, chunks: range) -> None:
        """Refuse mebibytes with a wrong checksum; the pages that were read do not stay in memory."""
        data, sums = self._maps[name], self._files[name]["crc32"]
        for chunk in chunks:
            if zlib.crc32(data[chunk * CHUNK : (chunk + 1) * CHUNK]) != sums[chunk]:
                raise InputError.at(self.path, f"{name} is damaged (mebibyte {chunk + 1})", self.kind.again)
        data.madvise(MADV_DONTNEED)
        self._checked[name][chunks.start : chunks.stop] = b"\1" * len(chunks)


def open_arrays(path: Path, kind: ArrayFolder) -> ArrayFiles:
    """The arrays in a folder of this kind, complete and of this version, mapped.

    If a build replaces them meanwhile, the new ones are opened.
    """
    manifest = read_manifest(path, kind)
    for _ in range(_MOST_BUILDS):
        try:
            return _mapped(path, manifest, kind)
        except (InputError, FileNotFoundError):
            before, manifest = manifest, read_manifest(path, kind)
            if manifest["data"] == before["data"]:
                raise
        except OSError as fault:
            if fault.errno != EMFILE:
                raise
            what = f"has {len(manifest['files'])} arrays, and this process may not open so many files"
            raise InputError.at(path, what, "raise the limit (ulimit -n), or build fewer shards") from None
    return _mapped(path, manifest, kind)


def _allow_open_files(count: int) -> None:
    """Raise the limit of open files, as far as the system allows, if it leaves no space for ``count`` more of them."""
    import resource  # POSIX, as the mapping above

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = min(soft + count, hard if hard != resource.RLIM_INFINITY else _MOST_FILES)
    if count > _FEW_FILES and soft < wanted:
        with suppress(ValueError, OSError):  # opening says what is missing
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def _mapped(path: Path, manifest: Mapping[str, Any], kind: ArrayFolder) -> ArrayFiles:  # Any: JSON values
    folder = path / manifest["data"]
    arrays: dict[str, Any] = {}  # Any: as in ArrayFiles
    maps, checked = {}, {}
    _allow_open_files(2 * len(manifest["files"]))  # a map of ours and one of numpy keep each file open
    for name, file in manifest["files"].items():
        where = folder / f"{name}.npy"
        if not where.is_file() or where.stat().st_size != file["bytes"]:
            raise InputError.at(path, f"{name} is missing or truncated", kind.fix)
        with where.open("rb") as source:
            maps[name] = mmap(source.fileno(), 0, access=ACCESS_READ)
        checked[name] = bytearray(len(file["crc32"]))
    files = ArrayFiles(path, manifest["facts"], arrays, kind, identity_of(manifest), manifest["files"], maps, checked)
    for name, chunks in checked.items():  # before numpy reads the header
        files.check_chunks(name, range(1 if kind.is_lazy(name) else len(chunks)))
        arrays[name] = np.load(folder / f"{name}.npy", mmap_mode="r").view(np.ndarray)
    return files


@contextmanager
def described(path: Path, kind: ArrayFolder) -> Iterator[None]:
    """The block that uses what a manifest describes; a manifest that Kaiwa did not write is one line."""
    try:
        yield
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):
        raise InputError.at(path / MANIFEST, f"does not describe {kind.article} {kind.noun}", kind.fix) from None


def identity_of(manifest: Mapping[str, Any]) -> str:  # Any: JSON values
    """Equal for equal facts and arrays."""
    described = {part: manifest[part] for part in ("what", "version", "facts", "files")}
    return blake2b(json.dumps(described, sort_keys=True).encode(), digest_size=16).hexdigest()


def read_manifest(path: Path, kind: ArrayFolder) -> dict[str, Any]:  # Any: JSON values
    """The manifest of a folder of this kind and version; anything else is an error."""
    where = path / MANIFEST
    if not where.is_file():
        found = f"not {kind.article} {kind.noun}" if path.exists() else f"no such {kind.noun}"
        raise InputError.at(path, found, kind.fix)
    try:
        manifest = json.loads(where.read_bytes())
    except (ValueError, OSError, RecursionError):
        raise InputError.at(where, "cannot be read as JSON", kind.again) from None
    if not isinstance(manifest, dict) or manifest.get("what") != kind.what:
        raise InputError.at(path, f"not {kind.article} {kind.noun}", kind.fix)
    if manifest.get("version") != kind.version:
        found = f"has {kind.noun} version {manifest.get('version')}"
        raise InputError.at(path, found, f"this Kaiwa reads version {kind.version}; {kind.fix}")
    if manifest.get("seal") != seal_of(manifest):
        raise InputError.at(where, "is damaged", kind.again)
    with described(path, kind):
        _require_whole(manifest)
    return manifest


def _require_whole(manifest: Mapping[str, Any]) -> None:  # Any: JSON values
    """Refuse a manifest without its parts; its checksum alone does not show that Kaiwa wrote it."""
    files = manifest["files"]
    if not DATA.fullmatch(manifest["data"]) or not all(_NAME.fullmatch(name) for name in files):
        raise ValueError("a path that is not ours")
    sums = [file["crc32"] for file in files.values()]
    if not isinstance(manifest["facts"], dict) or not all(isinstance(one, list) and one for one in sums):
        raise TypeError("a part of another type")


def checksums(path: Path) -> dict[str, Any]:  # Any: JSON values
    """The size of an array's file, and a checksum per mebibyte, as in the manifest."""
    with path.open("rb") as source:
        sums = [zlib.crc32(chunk) for chunk in iter(lambda: source.read(CHUNK), b"")]
    return {"bytes": path.stat().st_size, "crc32": sums}


# Writing a folder of arrays: a new data folder is filled, then the manifest that names it is renamed.


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
    with ExitStack() as stack:
        lock = stack.enter_context((path / _LOCK).open("a+", encoding="utf-8"))
        try:
            stack.enter_context(locked(path / _LOCK, wait=False))
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
