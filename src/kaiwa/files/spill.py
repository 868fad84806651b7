"""Records in spill files, one file per partition, so that memory holds one partition at a time."""

from __future__ import annotations

import os
import shutil
import struct
from contextlib import ExitStack, contextmanager
from errno import EIO
from pathlib import Path
from tempfile import TemporaryFile, mkdtemp
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np

from kaiwa.errors import needs_extra

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import BinaryIO

    from numpy.typing import NDArray

    from kaiwa.nouns.ids import IntArray

    Records = NDArray[Any]  # Any: of a structured dtype, with a field "row"
    IdRange = tuple[Any, IntArray]  # Any: a pyarrow array of ids; with the row of each
    Values = NDArray[Any]  # Any: any dtype
    Tokens = NDArray[np.int32]


PARTS = 128
LIMIT = 1 << 16  # records in memory, before they go to disk


def part_of(keys: NDArray[np.uint64]) -> IntArray:
    """The part of each key; all records with the same key are in the same part."""
    return (keys % np.uint64(PARTS)).astype(np.int64)


def range_of(values: NDArray[Any], size: int) -> IntArray:  # Any: integers
    """The part of each value below ``size``; each part is a range of values."""
    return (values.astype(np.uint64) * np.uint64(PARTS) // np.uint64(max(size, 1))).astype(np.int64)


class Partitions:
    """Takes records, each with the number of its part, and returns them part by part, ordered by ``row``.

    A few records are returned as a single part.
    """

    def __init__(self, folder: Path, *, limit: int = LIMIT) -> None:
        self._folder = Path(mkdtemp(dir=folder, prefix="spill-"))
        self._limit = limit
        self._pending: list[tuple[Records, IntArray]] = []
        self._size = 0

    def add(self, records: Records, parts: IntArray) -> None:
        """Add records, each to the part of its number (0 to 999)."""
        self._pending.append((records, parts))
        self._size += len(records)
        if self._size > self._limit:
            self._write()

    def _write(self) -> None:
        records, parts = (np.concatenate(columns) for columns in zip(*self._pending, strict=True))
        order = np.argsort(parts, kind="stable")
        ends = np.cumsum(np.bincount(parts)).tolist()
        for part, (low, high) in enumerate(zip([0, *ends], ends, strict=False)):
            if high > low:
                with (self._folder / f"{part:03d}").open("ab") as file:
                    file.write(records[order[low:high]].tobytes())
        self._pending, self._size = [(records[:0].copy(), parts[:0].copy())], 0

    def parts(self) -> Iterator[Records]:
        """Each part once; the files are deleted as they are read."""
        if any(self._folder.iterdir()):
            self._write()
            dtype = self._pending[0][0].dtype
            files = sorted(self._folder.iterdir())
            for file in files:
                records = np.fromfile(file, dtype=dtype)
                file.unlink()
                if file == files[-1]:
                    self._folder.rmdir()
                yield _by_row(records)
        else:
            self._folder.rmdir()
            yield _by_row(np.concatenate([records for records, _ in self._pending]))


def _by_row(records: Records) -> Records:
    return records[np.argsort(records["row"], kind="stable")]


class RecordReader:
    """The records of parts, in order, any number at a time."""

    def __init__(self, parts: Iterator[Records]) -> None:
        self._parts = parts
        self._rest = next(parts)

    def take(self, count: int) -> Records:
        """The next ``count`` records."""
        while len(self._rest) < count:
            self._rest = np.concatenate((self._rest, next(self._parts)))
        taken, self._rest = self._rest[:count], self._rest[count:]
        return taken


# Ids in spill files, each with one range of the sorted ids, so that memory holds one range at a time.


IDS = 1 << 16  # about so many ids in a range
_MOST_RANGES = 256
_SAMPLE = 64  # ids sampled per bound
_COMPARED = 64  # bytes of an id; ids with the same first bytes are in one range
_MOST_PENDING = 1 << 16  # ids in memory before they go to disk


def bounds_of(batches: Iterable[list[str]], size: int) -> list[bytes]:
    """Bounds between ranges for ``size`` ids, from a sample of them.

    >>> bounds_of([["b", "a"]], 2)
    []
    """
    ranges = min(-(-size // IDS), _MOST_RANGES)
    if ranges < 2:  # noqa: PLR2004  one range has no bounds
        return []
    step = max(size // (ranges * _SAMPLE), 1)
    sample, seen = [], 0
    for batch in batches:
        sample += batch[-seen % step :: step]
        seen += len(batch)
    ordered = sorted(name.encode()[:_COMPARED] for name in sample)
    return [ordered[len(ordered) * place // ranges] for place in range(1, ranges)]


class IdRanges:
    """Takes ids, batch by batch, and returns them range by range, unsorted within a range."""

    def __init__(self, folder: Path, bounds: list[bytes]) -> None:
        self._folder = Path(mkdtemp(dir=folder, prefix="id-ranges-"))
        self._bounds = np.array(bounds, dtype=f"S{_COMPARED}")
        self._pending: list[str] = []
        self._rows = 0

    def add(self, ids: list[str]) -> None:
        """Add the ids of the next rows."""
        self._pending += ids
        if len(self._pending) >= _MOST_PENDING:
            self._write()

    def _write(self) -> None:
        with needs_extra("parquet"):
            import pyarrow as pa

        prefixes = np.array([name.encode()[:_COMPARED] for name in self._pending], dtype=f"S{_COMPARED}")
        range_of = np.searchsorted(self._bounds, prefixes, side="right")
        order = np.argsort(range_of, kind="stable")
        ends = np.cumsum(np.bincount(range_of, minlength=len(self._bounds) + 1)).tolist()
        batch = pa.record_batch(
            {"id": pa.array(self._pending, pa.large_string()).take(order), "row": self._rows + order}
        )
        for number, (low, high) in enumerate(zip([0, *ends], ends, strict=False)):
            if high > low:
                with self._path(number).open("ab") as file, pa.ipc.new_stream(file, batch.schema) as out:
                    out.write_batch(batch.slice(low, high - low))
        self._rows += len(self._pending)
        self._pending = []

    def __iter__(self) -> Iterator[IdRange]:
        """Each range once: the ids and the row of each; the files are deleted as they are read."""
        self._write()
        for number in range(len(self._bounds) + 1):
            found = _read(self._path(number))
            self._path(number).unlink(missing_ok=True)
            if number == len(self._bounds):
                self._folder.rmdir()
            yield found

    def _path(self, number: int) -> Path:
        return self._folder / f"{number:03d}"


def _read(path: Path) -> IdRange:
    import pyarrow as pa

    batches = []
    if path.exists():
        with path.open("rb") as file:
            while file.tell() < path.stat().st_size:
                batches += list(pa.ipc.open_stream(file))
    if not batches:
        return pa.array([], pa.large_string()), np.zeros(0, dtype=np.int64)
    table = pa.Table.from_batches(batches).combine_chunks()
    return table.column("id").combine_chunks(), table.column("row").to_numpy()


# Files that a task makes: written in a folder of the attempt, then renamed.


@contextmanager
def task_files(target: Path) -> Iterator[Path]:
    """A folder whose files are moved into ``target`` if the block ends without an error; folders in it are deleted."""
    folder = Path(mkdtemp(dir=target, prefix="spill-"))
    try:
        yield folder
        for file in [entry for entry in folder.iterdir() if entry.is_file()]:
            file.replace(target / file.name)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


# Arrays on disk: temporary arrays, read by position, and ``.npy`` files, written from start to end.


class TemporaryArray:
    """A temporary file of values of one dtype: they are appended, then read by position."""

    def __init__(self, folder: Path, dtype: Any) -> None:  # Any: a dtype
        self._file = TemporaryFile(dir=folder)  # noqa: SIM115  closed by close()
        self.dtype = np.dtype(dtype)
        self._size = 0

    def __len__(self) -> int:
        return self._size

    def add(self, values: Values) -> None:
        """Append values; not allowed after the first read."""
        self._file.write(np.ascontiguousarray(values, dtype=self.dtype).data)
        self._size += len(values)

    def read(self, low: int = 0, high: int | None = None) -> Values:
        """The values ``low:high``, by default all."""
        values: Values = np.empty((self._size if high is None else high) - low, dtype=self.dtype)
        self.read_into(values, low)
        return values

    def read_into(self, values: Values, low: int) -> None:
        """Fill an array with the values from ``low`` on."""
        self._file.seek(low * self.dtype.itemsize)
        if self._file.readinto(values.data.cast("B")) != values.nbytes:
            raise OSError(EIO, "a temporary file cannot be read back")

    def close(self) -> None:
        """Close the file, which deletes it."""
        self._file.close()


class GrowingArray:
    """An array on disk to which values are appended; nothing stays in memory."""

    def __init__(self, file: BinaryIO, dtype: Any) -> None:  # Any: a dtype
        self._file, self._dtype, self._size = file, np.dtype(dtype), 0
        self._write_header()
        self._begin = file.tell()

    def add(self, values: Values) -> None:
        """Append values."""
        self._file.write(np.ascontiguousarray(values, dtype=self._dtype).data)
        self._size += len(values)

    def finish(self) -> None:
        """Write the length of the array into the header, in which numpy leaves space for it."""
        self._file.seek(0)
        self._write_header()
        if self._file.tell() != self._begin:
            raise RuntimeError("no space for the length in the header of a .npy file")

    def _write_header(self) -> None:
        header = {"descr": np.lib.format.dtype_to_descr(self._dtype), "fortran_order": False, "shape": (self._size,)}
        np.lib.format.write_array_header_1_0(self._file, header)


# Documents in temporary files, in parts by ranges of their numbers; memory holds one part at a time.


class DocumentParts:
    """Parts of ``each`` documents as token numbers, and the number of documents and tokens."""

    def __init__(self, folder: Path, each: int) -> None:
        self.each = each
        self.documents = 0
        self.tokens = 0
        self.longest = 0  # number of tokens of the longest document
        self._folder = folder
        self._parts: list[TemporaryArray] = []

    def __len__(self) -> int:
        return len(self._parts)

    def add(self, tokens: Tokens, starts: IntArray, lengths: IntArray) -> None:
        """Append ``tokens[starts[p] : starts[p + 1]]`` to part p: documents of these lengths."""
        while len(self._parts) < len(starts) - 1:
            self._parts.append(TemporaryArray(self._folder, np.int32))
        for part in np.flatnonzero(np.diff(starts)).tolist():
            self._parts[part].add(tokens[starts[part] : starts[part + 1]])
        self.documents += len(lengths)
        self.tokens += int(lengths.sum())
        self.longest = max(self.longest, int(lengths.max(initial=0)))

    def parts(self, *, last: bool = False) -> Iterator[tuple[range, Tokens]]:
        """The numbers of the documents in each part, and their tokens; with ``last``, each part is then deleted."""
        for first, part in zip(range(0, self.documents, self.each), self._parts, strict=True):
            tokens = part.read()
            if last:
                part.close()
            yield range(first, min(first + self.each, self.documents)), tokens

    def close(self) -> None:
        """Delete the parts."""
        for part in self._parts:
            part.close()


# Strings on disk, read by their row.


class Appendable(Protocol):
    """An array to which values can be appended."""

    def add(self, values: NDArray[Any]) -> None:  # Any: any dtype
        """Append values."""


class StringWriter:
    """Strings written as an array of joined bytes, and an array of where each starts, and the end."""

    def __init__(self, text: Appendable, starts: Appendable) -> None:
        self._text, self._starts = text, starts
        self._end = 0
        starts.add(np.zeros(1))

    def add(self, strings: Sequence[str]) -> None:
        """Append the strings."""
        encoded = [string.encode() for string in strings]
        lengths = np.array([len(string) for string in encoded], dtype=np.int64)
        self.add_bytes(np.frombuffer(b"".join(encoded), dtype=np.uint8), lengths)

    def add_bytes(self, joined: NDArray[np.uint8], lengths: NDArray[np.int64]) -> None:
        """Append strings, given as joined bytes and the length of each."""
        ends = self._end + np.cumsum(lengths)
        self._text.add(joined)
        self._starts.add(ends)
        self._end = int(ends[-1]) if len(ends) else self._end


class TemporaryStrings:
    """Strings in temporary files: all are appended first, then read by their rows."""

    def __init__(self, folder: Path) -> None:
        self._text, self._starts = TemporaryArray(folder, np.uint8), TemporaryArray(folder, np.int64)
        self._strings = StringWriter(self._text, self._starts)

    def add(self, strings: Sequence[str]) -> None:
        """Append the strings of the next rows."""
        self._strings.add(strings)

    def at(self, rows: Sequence[int]) -> list[str]:
        """The strings of these rows."""
        bounds = (self._starts.read(row, row + 2).tolist() for row in rows)
        return [self._text.read(low, high).tobytes().decode() for low, high in bounds]

    def close(self) -> None:
        """Delete them."""
        self._text.close()
        self._starts.close()


# Strings in two files with names, written once and read by their places, also by other processes.


_BOUNDS = struct.Struct("<qq")
_SUFFIXES = (".text", ".starts")


class _Appended:
    """A file to which the values of arrays are appended."""

    def __init__(self, file: BinaryIO, dtype: str) -> None:
        self._file, self._dtype = file, np.dtype(dtype)

    def add(self, values: NDArray[Any]) -> None:  # Any: any dtype
        """Append values."""
        self._file.write(np.ascontiguousarray(values, dtype=self._dtype).data)


class StringFile:
    """Writes strings in a ``with`` block; the files have their names when it ends without an error."""

    def __init__(self, path: Path) -> None:
        self._path, self._stack = path, ExitStack()
        token = os.urandom(4).hex()  # two processes may write the same strings at the same time
        self._temporary = [path.with_name(f"{path.name}.{token}{suffix}") for suffix in _SUFFIXES]
        text, starts = (self._stack.enter_context(name.open("wb")) for name in self._temporary)
        self._strings = StringWriter(_Appended(text, "u1"), _Appended(starts, "<i8"))

    def add(self, strings: Sequence[str]) -> None:
        """Append the strings of the next places."""
        self._strings.add(strings)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        self._stack.close()
        if kind is None:
            for name, suffix in zip(self._temporary, _SUFFIXES, strict=True):
                name.replace(self._path.with_name(f"{self._path.name}{suffix}"))


def strings_at(path: Path, places: Iterable[int]) -> list[str]:
    """The strings at these places of a string file."""
    with ExitStack() as stack:
        files = [path.with_name(f"{path.name}{suffix}") for suffix in _SUFFIXES]
        text, starts = (stack.enter_context(file.open("rb")).fileno() for file in files)
        bounds = (_BOUNDS.unpack(os.pread(starts, _BOUNDS.size, 8 * place)) for place in places)
        return [os.pread(text, high - low, low).decode() for low, high in bounds]
