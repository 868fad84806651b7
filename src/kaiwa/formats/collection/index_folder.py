"""The index folder: one manifest that names a sealed folder of arrays, mapped into memory as they are needed.

INDEX/manifest.json   what, version, facts, and for every array its size and a checksum per mebibyte
INDEX/data-XXXXXXXX/  the arrays, as .npy files; never changed once the manifest names them
INDEX/takedown.txt    ids that must not be answered with, one a line; may be absent, may change at any time

A build fills a new data folder and then replaces the manifest in one rename, so that a reader finds the
old index or the new one. Small arrays are checked when the index is opened, the large ones mebibyte by
mebibyte before they are first read.
"""

from __future__ import annotations

import json
import shutil
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from mmap import ACCESS_READ, MADV_DONTNEED, mmap
from secrets import token_hex
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.disk.arrays import GrowingArray
from kaiwa.disk.atomic_files import whole_file
from kaiwa.disk.atomic_folders import refuse_foreign, settle, unwritable
from kaiwa.disk.strings import StringWriter
from kaiwa.errors import InputError
from kaiwa.formats.collection import takedown
from kaiwa.retrieve.index.inverted_index import Index, index_from

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

WHAT = "kaiwa index"
VERSION = 3
MANIFEST = "manifest.json"
CHUNK = 1 << 20
LAZY = ("docs", "shapes", "text", "ids", "text_starts", "id_starts", "row")
"""The large arrays, checked where they are read; the rest are checked when the index is opened."""
_REPAIR = "build it with kaiwa index"


class IndexWriter:
    """Fills the data folder of a new index."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def save(self, name: str, values: NDArray[Any]) -> None:  # Any: of whatever kind
        """Write an array as it is."""
        np.save(self._path(name), values)

    @contextmanager
    def growing(self, name: str, kind: Any) -> Iterator[GrowingArray]:  # Any: a dtype
        """An array to which values are appended until the block ends."""
        with self._path(name).open("wb") as file:
            array = GrowingArray(file, kind)
            yield array
            array.finish()

    @contextmanager
    def strings(self, name: str, starts: str) -> Iterator[StringWriter]:
        """Strings to be appended until the block ends: an array of their bytes, and one of where each starts."""
        with self.growing(name, np.uint8) as run, self.growing(starts, np.int64) as places:
            yield StringWriter(run, places)

    def _path(self, name: str) -> Path:
        return self.folder / f"{name}.npy"


@contextmanager
def writing_index(
    path: Path, facts: dict[str, Any], *, last: Callable[[], None] = lambda: None
) -> Iterator[IndexWriter]:  # Any: JSON values
    """A writer whose arrays become the index at ``path`` when the block ends well; ``facts`` may grow meanwhile.

    ``last`` is called when the arrays are safe, just before they become the index.
    """
    _refuse_foreign(path)
    try:
        path.mkdir(parents=True, exist_ok=True)
        with _only_builder(path):
            fresh = path / f"data-{token_hex(8)}"
            try:
                fresh.mkdir(mode=0o700)
                yield IndexWriter(fresh)
                _seal(path, fresh, facts, last)
            except BaseException:
                shutil.rmtree(fresh, ignore_errors=True)
                raise
            _remove_others(path, fresh)
    except OSError as fault:
        raise unwritable(path, fault) from None
    finally:
        _remove_if_empty(path)


def _refuse_foreign(path: Path) -> None:
    """Refuse a folder with other things in it; what a stopped build left behind is no hindrance."""
    own = ("data-", ".lock", f".{MANIFEST}.", takedown.NAME, f".{takedown.NAME}.")
    mine = path.is_dir() and all(entry.name.startswith(own) for entry in path.iterdir())
    if not mine:
        refuse_foreign(path, mark=MANIFEST)
        if (path / MANIFEST).exists() and not _is_index(path):
            raise InputError.at(path, "is a folder of another kind", "give a new or empty folder")


def _is_index(path: Path) -> bool:
    """Whether the manifest is that of an index, or damaged and beside the data of one."""
    try:
        said = json.loads((path / MANIFEST).read_bytes())
    except (ValueError, OSError):
        return any(path.glob("data-*"))
    return isinstance(said, dict) and said.get("what") == WHAT


@contextmanager
def _only_builder(path: Path) -> Iterator[None]:
    import fcntl  # POSIX only; reading and scoring work without it

    with (path / ".lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError.at(path, "another build is at work here", "wait for it, or give another folder") from None
        yield


def _seal(path: Path, fresh: Path, facts: Mapping[str, Any], last: Callable[[], None]) -> None:  # Any: JSON values
    fresh.chmod(0o755)
    files = {name.stem: _sums(name) for name in sorted(fresh.glob("*.npy"))}
    settle(fresh)
    said = {"what": WHAT, "version": VERSION, "data": fresh.name, "facts": dict(facts), "files": files}
    said["seal"] = _seal_of(said)
    last()
    with whole_file(path / MANIFEST) as temporary:
        temporary.write_text(json.dumps(said, ensure_ascii=False) + "\n", encoding="utf-8")


def _seal_of(said: Mapping[str, Any]) -> int:  # Any: JSON values
    rest = {key: value for key, value in said.items() if key != "seal"}
    return zlib.crc32(json.dumps(rest, sort_keys=True).encode())


def _sums(name: Path) -> dict[str, Any]:  # Any: JSON values
    with name.open("rb") as source:
        sums = [zlib.crc32(chunk) for chunk in iter(lambda: source.read(CHUNK), b"")]
    return {"bytes": name.stat().st_size, "crc32": sums}


def _remove_others(path: Path, kept: Path) -> None:
    for old in path.glob("data-*"):
        if old != kept:
            shutil.rmtree(old, ignore_errors=True)


def _remove_if_empty(path: Path) -> None:
    if path.is_dir() and not (path / MANIFEST).exists() and {entry.name for entry in path.iterdir()} <= {".lock"}:
        shutil.rmtree(path, ignore_errors=True)


@dataclass(frozen=True)
class IndexFiles:
    """The arrays of an index, mapped, with what is needed to check them."""

    path: Path
    facts: Mapping[str, Any]  # Any: JSON values
    arrays: Mapping[str, Any]  # Any: arrays of their own kinds
    _files: Mapping[str, Any]  # Any: as in the manifest
    _whole: Mapping[str, mmap]  # the files themselves, which stay even when a new build removes their names
    _checked: Mapping[str, bytearray]  # per mebibyte: 1 when it was checked

    def check(self, name: str, low: int, high: int) -> None:
        """Refuse a damaged array before its places ``low:high`` are read; each mebibyte is checked once."""
        array = self.arrays[name]
        header = self._files[name]["bytes"] - array.nbytes
        first, last = (header + low * array.itemsize) // CHUNK, (header + high * array.itemsize - 1) // CHUNK
        done = self._checked[name]
        if high > low and done.find(0, first, last + 1) >= 0:
            _check_chunks(self._whole[name], name, self._files[name]["crc32"], range(first, last + 1), self.path)
            done[first : last + 1] = b"\1" * (last + 1 - first)


def open_index_files(path: Path) -> IndexFiles:
    """The index in a folder, whole and of our version, its arrays mapped."""
    said = _read_manifest(path)
    folder = path / said["data"]
    arrays, whole, checked = {}, {}, {}
    for name, file in said["files"].items():
        where = folder / f"{name}.npy"
        if not where.is_file() or where.stat().st_size != file["bytes"]:
            raise InputError.at(path, f"{name} is missing or cut short", _REPAIR)
        lazy = name.split(".")[-1] in LAZY and not name.startswith("terms.")
        chunks = range(1 if lazy else len(file["crc32"]))
        with where.open("rb") as source:
            whole[name] = mmap(source.fileno(), 0, access=ACCESS_READ)
        _check_chunks(whole[name], name, file["crc32"], chunks, path)
        checked[name] = bytearray(len(file["crc32"]))
        checked[name][chunks.start : chunks.stop] = b"\1" * len(chunks)
        arrays[name] = np.load(where, mmap_mode="r").view(np.ndarray)
    return IndexFiles(path, said["facts"], arrays, said["files"], whole, checked)


def _check_chunks(whole: mmap, name: str, sums: list[int], chunks: range, path: Path) -> None:
    """Refuse mebibytes that are not as they were written; what was looked at does not stay in memory for that."""
    for chunk in chunks:
        if zlib.crc32(whole[chunk * CHUNK : (chunk + 1) * CHUNK]) != sums[chunk]:
            raise InputError.at(path, f"{name} is damaged (mebibyte {chunk + 1})", "build the index again")
    whole.madvise(MADV_DONTNEED)


def _read_manifest(path: Path) -> dict[str, Any]:  # Any: JSON values
    where = path / MANIFEST
    if not where.is_file():
        raise InputError.at(path, "is no index" if path.exists() else "no such index", _REPAIR)
    try:
        said = json.loads(where.read_bytes())
    except (ValueError, OSError):
        raise InputError.at(where, "cannot be read as JSON", "build the index again") from None
    if not isinstance(said, dict) or said.get("what") != WHAT:
        raise InputError.at(path, "is no index", _REPAIR)
    if said.get("version") != VERSION:
        raise InputError.at(
            path, f"is an index of version {said.get('version')}", f"this Kaiwa reads {VERSION}; {_REPAIR}"
        )
    if said.get("seal") != _seal_of(said):
        raise InputError.at(where, "is damaged", "build the index again")
    return said


def open_index(path: Path) -> Index:
    """The index in a folder, ready to be searched."""
    files = open_index_files(path)
    return index_from(files.arrays, files.facts, files.check)
