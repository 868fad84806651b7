"""Inputs opened for reading: files, and pipes, which can be opened again.

A pipe gives its bytes once. They are kept in a temporary file without a name, as far as they were read, until the
process ends; each opening of the pipe reads from its beginning, so a named pipe is read once in a process. The file
is bounded, so that a pipe without an end does not fill the disk.
"""

from __future__ import annotations

import atexit
import io
import os
import stat
import sys
from typing import IO, TYPE_CHECKING

from kaiwa.errors import InputError

if TYPE_CHECKING:
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


# Zstandard: from the standard library (Python 3.14 or later), or from its backport.


if sys.version_info >= (3, 14):
    from compression.zstd import ZstdError, ZstdFile, compress
else:
    from backports.zstd import ZstdError, ZstdFile, compress

__all__ = ["ZstdError", "ZstdFile", "compress"]
