"""Parquet files that Kaiwa did not write, read in a process of their own.

The C++ library ends its process on some damaged files, and Python cannot catch that. Only ``parquet_worker`` ends: the
file is refused in one line. A worker reads one file after another; two files at the same time need two workers.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import contextmanager, suppress
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

from kaiwa.errors import InputError, needs_extra
from kaiwa.files import parquet_worker
from kaiwa.files.inputs import open_whole_input
from kaiwa.files.parquet import TableSize, refusing_damage, text_lists
from kaiwa.files.parquet_worker import END, FAULT, MAX_WORKER_BYTES, NO_MEMORY, REFUSED

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path


MAX_SECONDS = 300
"""For one batch of rows; the slowest batch within the other limits takes a few seconds."""
_MAX_MESSAGE_BYTES = 1 << 28
_FAULTS = {REFUSED, NO_MEMORY, FAULT}
_idle: list[_Worker] = []


def foreign_batches(
    path: Path, names: Sequence[str], shape: str, groups: range | None = None
) -> Iterator[list[list[str]]]:
    """The named columns of a Parquet file, of all row groups or of these, as lists of text, batch by batch.

    ``shape`` describes the columns in an error.
    """
    with needs_extra("parquet"):
        import pyarrow as pa

    for message in _answers(path, names, shape, groups):
        with refusing_damage(path), pa.ipc.open_stream(message) as stream:
            batch = stream.read_next_batch()
        yield text_lists(batch, path)


def foreign_size(path: Path) -> TableSize:
    """The size of the table in a Parquet file."""
    with needs_extra("parquet"):
        import pyarrow as pa  # noqa: F401  the other process needs it

    (message,) = _answers(path, (), "")
    found = json.loads(bytes(message))
    return TableSize(found["rows"], found["column_bytes"], tuple(found["group_bytes"]))


def _answers(path: Path, names: Sequence[str], shape: str, groups: range | None = None) -> Iterator[memoryview]:
    """The messages of a worker, without their letters."""
    if path.is_dir():
        raise InputError.at(path, "is a folder, not a file", "give a Parquet file")
    chosen = None if groups is None else [groups.start, groups.stop]
    request = {"path": os.fspath(path), "names": list(names), "shape": shape, "groups": chosen}
    try:
        file = open_whole_input(path)
    except FileNotFoundError:
        raise InputError.at(path, "no such file", "check the name and the folder") from None
    with file, _working(path) as worker:
        worker.ask(json.dumps(request).encode(), file.fileno())
        while (message := worker.message(path))[:1] != END:
            yield memoryview(message)[1:]


@contextmanager
def _working(path: Path) -> Iterator[_Worker]:
    """An idle worker or a new one; it is kept for the next file unless its answer was not read to the end."""
    worker = _idle.pop() if _idle else _Worker(path)
    try:
        yield worker
    finally:
        if worker.is_done:
            _idle.append(worker)
        else:
            worker.stop()


class _Worker:
    """One process, and the socket to it."""

    def __init__(self, path: Path) -> None:
        self._channel, other = socket.socketpair()
        self._messages = Connection(os.dup(self._channel.fileno()))
        command = [sys.executable or "", "-m", parquet_worker.__name__]
        settings = {**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path)), "PYTHONSAFEPATH": "1"}
        with other:
            try:
                self._process = subprocess.Popen(  # noqa: S603  our own module
                    command, stdin=other.fileno(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=settings
                )
            except OSError as fault:
                self._channel.close()
                self._messages.close()
                what = f"the process that reads Parquet cannot be started ({fault})"
                raise InputError.at(path, what, "write the pairs as TSV or JSONL") from None
        self.is_done = True

    def ask(self, request: bytes, descriptor: int) -> None:
        """Send a request and an open file; what goes wrong is seen where the answer is read."""
        self.is_done = False
        with suppress(OSError):
            self._messages.send_bytes(request)
            socket.send_fds(self._channel, [b"f"], [descriptor])

    def message(self, path: Path) -> bytes:
        """The next message; a refusal, and the end of the process, are errors."""
        if not self._messages.poll(MAX_SECONDS):
            what = f"reading a part of it takes over {MAX_SECONDS} seconds"
            raise InputError.at(path, what, "write it again, in smaller row groups")
        try:
            message = self._messages.recv_bytes(_MAX_MESSAGE_BYTES)
        except (EOFError, OSError):
            raise self._ended(path) from None
        kind, text = message[:1], message[1:].decode(errors="surrogateescape") if message[:1] in _FAULTS else ""
        self.is_done = kind in {END, *_FAULTS}
        if kind == REFUSED:
            raise InputError(text)
        if kind == NO_MEMORY:
            what = f"needs over {MAX_WORKER_BYTES >> 30} GiB of memory to read"
            raise InputError.at(path, what, "write it again, in smaller row groups")
        if kind == FAULT:
            raise RuntimeError(text)
        return message

    def _ended(self, path: Path) -> Exception:
        """The error for a process that ended by itself: a signal is about the file, an exit code is a fault of ours."""
        code = self._process.wait()
        if code >= 0:
            return RuntimeError(f"the process that reads Parquet ended with exit code {code}")
        what = f"is damaged or too large: the process that reads it ended with {signal.Signals(-code).name}"
        return InputError.at(path, what, "write it again")

    def stop(self) -> None:
        """End the process."""
        self._messages.close()
        self._channel.close()
        self._process.kill()
        self._process.wait()


@atexit.register
def _stop_idle() -> None:
    while _idle:
        _idle.pop().stop()


os.register_at_fork(after_in_child=_idle.clear)  # the workers belong to the process that started them
