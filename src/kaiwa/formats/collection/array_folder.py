"""A folder of arrays: a manifest, and the folder of arrays that it names, mapped into memory when they are needed.

FOLDER/manifest.json   what, version, facts, and for every array its size and a checksum per mebibyte
FOLDER/data-XXXXXXXX/  the arrays, as .npy files; never changed after the manifest names them

Small arrays are checked when the folder is opened, the large ones mebibyte by mebibyte before they are first read.
Writing one is kaiwa.build.array_writer.
"""

from __future__ import annotations

import json
import re
import zlib
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from errno import EMFILE
from hashlib import blake2b
from mmap import ACCESS_READ, MADV_DONTNEED, mmap
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.disk.checksums import seal_of
from kaiwa.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from kaiwa.model.ids import IntArray

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
