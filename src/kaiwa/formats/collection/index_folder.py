"""The index folder: a manifest, and the folder of arrays that it names, mapped into memory when they are needed.

INDEX/manifest.json   what, version, facts, and for every array its size and a checksum per mebibyte
INDEX/data-XXXXXXXX/  the arrays, as .npy files; never changed after the manifest names them
INDEX/takedown.txt    ids that no answer may contain, one per line; may be missing, may change at any time

Small arrays are checked when the index is opened, the large ones mebibyte by mebibyte before they are first read.
Writing an index is kaiwa.build.index.index_writer.
"""

from __future__ import annotations

import json
import zlib
from dataclasses import dataclass
from mmap import ACCESS_READ, MADV_DONTNEED, mmap
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.disk.checksums import seal_of
from kaiwa.errors import InputError
from kaiwa.retrieve.index.inverted_index import Index, index_from

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

WHAT = "kaiwa index"
VERSION = 4
MANIFEST = "manifest.json"
CHUNK = 1 << 20
LAZY = ("docs", "shapes", "text", "ids", "text_starts", "id_starts", "row")
"""The large arrays, checked when they are read; the others are checked when the index is opened."""
_MOST_BUILDS = 100  # that may replace an index while it is opened
_FIX = "build it with kaiwa index"


def open_index(path: Path) -> Index:
    """The index in a folder, ready to be searched."""
    try:
        files = open_index_files(path)
        return index_from(files.arrays, files.facts, files.check)
    except (KeyError, TypeError, ValueError, AttributeError, IndexError):  # a manifest that was not written by Kaiwa
        raise InputError.at(path / MANIFEST, "does not describe an index", _FIX) from None


@dataclass(frozen=True)
class IndexFiles:
    """The arrays of an index, mapped, with their checksums."""

    path: Path
    facts: Mapping[str, Any]  # Any: JSON values
    arrays: Mapping[str, Any]  # Any: arrays of several dtypes
    _files: Mapping[str, Any]  # Any: as in the manifest
    _maps: Mapping[str, mmap]  # the files stay open after a new build deletes them
    _checked: Mapping[str, bytearray]  # per mebibyte: 1 if it is checked

    def check(self, name: str, low: int, high: int) -> None:
        """Refuse a damaged array before ``low:high`` of it is read; each mebibyte is checked once."""
        array = self.arrays[name]
        header = self._files[name]["bytes"] - array.nbytes
        first, last = (header + low * array.itemsize) // CHUNK, (header + high * array.itemsize - 1) // CHUNK
        done = self._checked[name]
        if high > low and done.find(0, first, last + 1) >= 0:
            _check_chunks(self._maps[name], name, self._files[name]["crc32"], range(first, last + 1), self.path)
            done[first : last + 1] = b"\1" * (last + 1 - first)


def open_index_files(path: Path) -> IndexFiles:
    """The index in a folder, complete and of this version, its arrays mapped.

    If a build replaces the index meanwhile, the new one is opened.
    """
    manifest = _read_manifest(path)
    for _ in range(_MOST_BUILDS):
        try:
            return _mapped(path, manifest)
        except (InputError, FileNotFoundError):
            before, manifest = manifest, _read_manifest(path)
            if manifest["data"] == before["data"]:
                raise
    return _mapped(path, manifest)


def _mapped(path: Path, manifest: Mapping[str, Any]) -> IndexFiles:  # Any: JSON values
    folder = path / manifest["data"]
    arrays, maps, checked = {}, {}, {}
    for name, file in manifest["files"].items():
        where = folder / f"{name}.npy"
        if not where.is_file() or where.stat().st_size != file["bytes"]:
            raise InputError.at(path, f"{name} is missing or truncated", _FIX)
        lazy = name.split(".")[-1] in LAZY and not name.startswith("terms.")
        chunks = range(1 if lazy else len(file["crc32"]))
        with where.open("rb") as source:
            maps[name] = mmap(source.fileno(), 0, access=ACCESS_READ)
        _check_chunks(maps[name], name, file["crc32"], chunks, path)
        checked[name] = bytearray(len(file["crc32"]))
        checked[name][chunks.start : chunks.stop] = b"\1" * len(chunks)
        arrays[name] = np.load(where, mmap_mode="r").view(np.ndarray)
    return IndexFiles(path, manifest["facts"], arrays, manifest["files"], maps, checked)


def _check_chunks(data: mmap, name: str, sums: list[int], chunks: range, path: Path) -> None:
    """Refuse mebibytes with a wrong checksum; the pages that were read do not stay in memory."""
    for chunk in chunks:
        if zlib.crc32(data[chunk * CHUNK : (chunk + 1) * CHUNK]) != sums[chunk]:
            raise InputError.at(path, f"{name} is damaged (mebibyte {chunk + 1})", "build the index again")
    data.madvise(MADV_DONTNEED)


def _read_manifest(path: Path) -> dict[str, Any]:  # Any: JSON values
    where = path / MANIFEST
    if not where.is_file():
        raise InputError.at(path, "not an index" if path.exists() else "no such index", _FIX)
    try:
        manifest = json.loads(where.read_bytes())
    except (ValueError, OSError, RecursionError):
        raise InputError.at(where, "cannot be read as JSON", "build the index again") from None
    if not isinstance(manifest, dict) or manifest.get("what") != WHAT:
        raise InputError.at(path, "not an index", _FIX)
    if manifest.get("version") != VERSION:
        raise InputError.at(
            path, f"has index version {manifest.get('version')}", f"this Kaiwa reads version {VERSION}; {_FIX}"
        )
    if manifest.get("seal") != seal_of(manifest):
        raise InputError.at(where, "is damaged", "build the index again")
    return manifest


def checksums(path: Path) -> dict[str, Any]:  # Any: JSON values
    """The size of an array's file, and a checksum per mebibyte, as in the manifest."""
    with path.open("rb") as source:
        sums = [zlib.crc32(chunk) for chunk in iter(lambda: source.read(CHUNK), b"")]
    return {"bytes": path.stat().st_size, "crc32": sums}
