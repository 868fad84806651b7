"""Inputs opened for reading: files, and pipes, which can be opened again; and their digests.

A pipe gives its bytes once. They are kept in a temporary file without a name, as far as they were read, until the
process ends; each opening of the pipe reads from its beginning, so a named pipe is read once in a process. The file
is bounded, so that a pipe without an end does not fill the disk.
"""

from __future__ import annotations

import atexit
import io
import json
import os
import stat
import zlib
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any

from kaiwa.errors import InputError, needs_extra

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from _typeshed import WriteableBuffer


STDIN_NAME = "stdin"
"""The name of the file that has what stdin held: it says nothing about what it holds."""
MAX_PIPE_BYTES = 1 << 36
_BLOCK_BYTES = 1 << 18
_pipes: dict[tuple[int, int], _PipeCopy] = {}


def open_input(path: Path) -> IO[bytes]:
    """The bytes of a file, or of a pipe from its beginning; seekable."""
    state = path.stat()
    if stat.S_ISREG(state.st_mode) or stat.S_ISDIR(state.st_mode):  # opening a folder raises the error
        return path.open("rb")
    pipe = (state.st_dev, state.st_ino)
    if pipe not in _pipes:
        _pipes[pipe] = _PipeCopy(path)
    return io.BufferedReader(_PipeReader(_pipes[pipe]))


def open_whole_input(path: Path) -> IO[bytes]:
    """The bytes of a file, or of a pipe to its end, in a file with a descriptor that another process can read."""
    source = open_input(path)
    if not isinstance(source, io.BufferedReader) or not isinstance(source.raw, _PipeReader):
        return source
    with source:
        whole = _temporary_file()  # the caller closes it
        while data := source.read(_BLOCK_BYTES):
            whole.write(data)
        whole.seek(0)
        return whole


def input_size(path: Path) -> int:
    """The number of bytes of a file, or of a pipe, which is read to its end."""
    with open_input(path) as source:
        return source.seek(0, os.SEEK_END)


class _PipeCopy:
    """What was read from a pipe so far, and the pipe."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._held = _held(path)
        self._pipe = path.open("rb", buffering=0)
        self._file = _temporary_file()  # closed by close()
        self._size = 0
        self._at_end = False
        atexit.register(self.close)

    def close(self) -> None:
        """Close the pipe and its copy, when the process ends."""
        self._pipe.close()
        self._file.close()

    def read_at(self, start: int, size: int) -> bytes:
        """The bytes ``start : start + size``, fewer at the end."""
        self._read_until(start + size)
        return os.pread(self._file.fileno(), size, start)

    def size(self) -> int:
        """The number of bytes of the whole pipe."""
        self._read_until(MAX_PIPE_BYTES + 1)
        return self._size

    def _read_until(self, place: int) -> None:
        while self._size < place and not self._at_end:
            data = self._pipe.read(_BLOCK_BYTES)
            self._at_end = not data
            self._size += len(data)
            if self._size > MAX_PIPE_BYTES:
                what = f"gives over {MAX_PIPE_BYTES >> 30} GiB"
                raise InputError.at(self._path, what, "write it to a file and give the file")
            self._file.write(data)
            self._file.flush()
        if self._at_end:
            self._pipe.close()


def _temporary_file() -> IO[bytes]:
    from tempfile import TemporaryFile  # only pipes need it, and most inputs are files

    return TemporaryFile()


def _held(path: Path) -> int:
    """A handle that does not read: while it is open, no other pipe gets the number of this one."""
    return os.open(path, os.O_PATH) if hasattr(os, "O_PATH") else -1


class _PipeReader(io.RawIOBase):
    """One reading of a pipe, from its beginning."""

    def __init__(self, source: _PipeCopy) -> None:
        self._source, self._place = source, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        view = memoryview(buffer).cast("B")
        data = self._source.read_at(self._place, len(view))
        view[: len(data)] = data
        self._place += len(data)
        return len(data)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        begin = {os.SEEK_SET: 0, os.SEEK_CUR: self._place}
        self._place = (self._source.size() if whence == os.SEEK_END else begin[whence]) + offset
        return self._place


# Digests: of a file, of a record, and of the rows of a table.


_POLYNOMIAL = 0xEDB88320


@dataclass(frozen=True)
class LinesDigest:
    r"""The CRC-32 of a table as lines of cells between tabs; the digests of its parts add up to that of the table.

    >>> import pyarrow as pa
    >>> whole = LinesDigest().with_lines(pa.array(["c1", "c2"]), pa.array(["nice", "cool"]))
    >>> whole == LinesDigest().with_lines(pa.array(["c1"]), pa.array(["nice"])) + LinesDigest(
    ... ).with_lines(pa.array(["c2"]), pa.array(["cool"]))
    True
    >>> whole.crc32 == zlib.crc32(b"c1\tnice\nc2\tcool\n")
    True
    """

    lines: int = 0
    bytes: int = 0
    crc32: int = 0

    def with_lines(self, *columns: Any) -> LinesDigest:  # Any: Arrow arrays of text
        """The digest with these lines added, given as columns."""
        with needs_extra("parquet"):
            import pyarrow as pa
            import pyarrow.compute as pc

        if not len(columns[0]):
            return self
        *others, last = (column.cast(pa.large_string()) for column in columns)
        nothing, tab, end = (pa.scalar(text, pa.large_string()) for text in ("", "\t", "\n"))
        joined = pc.binary_join_element_wise(*others, pc.binary_join_element_wise(last, nothing, end), tab)
        starts = pa.Array.from_buffers(pa.int64(), len(joined) + 1, [None, joined.buffers()[1]], offset=joined.offset)
        data = joined.buffers()[2].slice(starts[0].as_py(), starts[-1].as_py() - starts[0].as_py())
        return LinesDigest(self.lines + len(columns[0]), self.bytes + data.size, zlib.crc32(data, self.crc32))

    def __add__(self, other: LinesDigest) -> LinesDigest:
        shifted = _multiplied(_power_of_x(8 * other.bytes), self.crc32)
        return LinesDigest(self.lines + other.lines, self.bytes + other.bytes, shifted ^ other.crc32)


def _multiplied(one: int, other: int) -> int:
    """The product of two polynomials over GF(2) modulo that of CRC-32, the highest power in the lowest bit."""
    product = 0
    for bit in range(31, -1, -1):
        if one >> bit & 1:
            product ^= other
        other = other >> 1 ^ (_POLYNOMIAL if other & 1 else 0)
    return product


def _power_of_x(exponent: int) -> int:
    power, square = 1 << 31, 1 << 30
    while exponent:
        if exponent & 1:
            power = _multiplied(power, square)
        square = _multiplied(square, square)
        exponent >>= 1
    return power


# Checksums of our own files, by which damage is found when they are opened or read.


_DIGEST_BLOCK = 1 << 20


def file_checksum(path: Path) -> int:
    """The CRC-32 of a file; a gibibyte takes about half a second."""
    total = 0
    with path.open("rb") as source:
        while block := source.read(_DIGEST_BLOCK):
            total = zlib.crc32(block, total)
    return total


def digest(path: Path) -> str:
    """The SHA-256 of a file's bytes."""
    import hashlib  # loads OpenSSL, and most commands need no digest

    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def short_digest(data: bytes) -> str:
    """The first 16 digits of a SHA-256, enough to tell two files from each other."""
    import hashlib  # as above

    return hashlib.sha256(data).hexdigest()[:16]


def seal_of(manifest: Mapping[str, Any]) -> int:  # Any: JSON values
    """The checksum of a manifest (its field ``seal``), computed without that field."""
    rest = {key: value for key, value in manifest.items() if key != "seal"}
    return zlib.crc32(json.dumps(rest, sort_keys=True).encode())
