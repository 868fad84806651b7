"""The process that reads Parquet files which Kaiwa did not write; see ``foreign_parquet`` for the other side.

Its standard input is a socket. Each request is a JSON object and the descriptor of an open file; the answer is a
message for each batch of rows, and one that ends it. Each message begins with a letter.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import traceback
from contextlib import suppress
from dataclasses import asdict
from multiprocessing.connection import Connection
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from kaiwa.errors import InputError, needs_extra
from kaiwa.files.parquet import table_size, text_batches

if TYPE_CHECKING:
    from collections.abc import Iterator


BATCH, SIZE, END, REFUSED, NO_MEMORY, FAULT = b"B", b"S", b"E", b"R", b"M", b"F"
MAX_WORKER_BYTES = 8 << 30
"""Of memory that the process may use."""


def main() -> None:
    """Answer requests until the other side closes the socket."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the command, which closes the socket
    _limit_memory()
    channel = socket.socket(fileno=os.dup(sys.stdin.fileno()))
    with suppress(EOFError, ConnectionError), channel, Connection(os.dup(channel.fileno())) as messages:
        while request := messages.recv_bytes():
            _, descriptors, *_ = socket.recv_fds(channel, 1, 1)
            with os.fdopen(descriptors[0], "rb") as file:
                for message in answer(json.loads(request), file):
                    messages.send_bytes(message)


def answer(request: dict[str, Any], file: IO[bytes]) -> Iterator[bytes]:  # Any: JSON values
    """The messages for a request: the size of the table if no columns are named, else the batches of the columns."""
    path = Path(request["path"])
    try:
        if request["names"]:
            groups = range(*request["groups"]) if request["groups"] else None
            for batch in text_batches(file, path, request["names"], request["shape"], groups):
                yield BATCH + _packed(batch)
        else:
            yield SIZE + json.dumps(asdict(table_size(file, path))).encode()
        yield END
    except InputError as refusal:
        yield REFUSED + refusal.marked.encode(errors="surrogateescape")
    except MemoryError:
        yield NO_MEMORY
    except Exception:  # noqa: BLE001  the outermost line of this process; the command reports it as its own fault
        yield FAULT + traceback.format_exc().encode(errors="surrogateescape")


def _packed(batch: Any) -> bytes:  # Any: an Arrow batch
    with needs_extra("parquet"):
        import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as stream:
        stream.write_batch(batch)
    packed: bytes = sink.getvalue().to_pybytes()
    return packed


def _limit_memory() -> None:
    """Make an allocation without end an error, where the system can."""
    import resource

    with suppress(ValueError, OSError):
        _, most = resource.getrlimit(resource.RLIMIT_DATA)
        limit = MAX_WORKER_BYTES if most == resource.RLIM_INFINITY else min(MAX_WORKER_BYTES, most)
        resource.setrlimit(resource.RLIMIT_DATA, (limit, most))


if __name__ == "__main__":
    main()
