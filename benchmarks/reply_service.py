"""The answering service under load, against the same answers in one Python process.

``python -m benchmarks.reply_service INDEX TOPICS`` asks the topics (id TAB text) of ``kaiwa serve --reply``: one
process, two processes, two behind nginx. Every client sends its next request when the last one is answered. Answers are
compared with those in this process before they are timed. Loopback only; each row takes ``--seconds``.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.harness import machine
from benchmarks.serve.reply_process import ReplyProcess, nginx_before
from kaiwa.formats.readers import read_topics
from kaiwa.ranking.warm_bot import BotSource, opened_bot
from kaiwa.web.reply.app import Question
from kaiwa.web.reply.serving import answer_to

if TYPE_CHECKING:
    from collections.abc import Sequence

K = 10


@dataclass(frozen=True)
class Row:
    """A row of the table: requests per second, milliseconds, and CPU milliseconds per request."""

    name: str
    per_second: float
    median: float
    p99: float
    server: float
    client: float

    def text(self) -> str:
        """The row in Markdown."""
        numbers = f"{self.per_second:.0f} | {self.median:.1f} | {self.p99:.1f} | {self.server:.2f} | {self.client:.2f}"
        return f"| {self.name} | {numbers} |"


def main() -> None:
    """Print the tables."""
    options = _options()
    print(machine())
    texts = list(read_topics(options.topics).values())
    expected = _in_process(options.index, texts)
    print("\n| service | requests/s | median ms | p99 ms | service CPU ms per request | client CPU ms |")
    print("|---|---:|---:|---:|---:|---:|")
    for processes, clients, is_proxied in ((1, 1, False), (1, 8, False), (2, 8, False), (2, 8, True)):
        row = _served(options, texts, expected, (processes, clients, is_proxied))
        print(row.text(), flush=True)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("index", type=Path, nargs="?")
    parser.add_argument("topics", type=Path, nargs="?")
    parser.add_argument("--seconds", type=float, default=10.0)
    options = parser.parse_args()
    if options.topics is None:
        print(__doc__)
        sys.exit()
    return options


def _in_process(index: Path, texts: Sequence[str]) -> list[bytes]:
    """Print the CPU time of answers in this process; the answers without reasons."""
    opened = opened_bot(BotSource(index))
    print(f"\n{opened.bot!r}, {len(texts)} posts, k = {K}.\n\n| in process | CPU ms: median | mean | p99 |")
    print("|---|---:|---:|---:|")
    for explain in (True, False):
        found, times = [], []
        for text in texts:
            begun = time.process_time()
            found.append(answer_to(Question(text, K, None, explain), "run2", opened))
            times.append(1000 * (time.process_time() - begun))
        numbers = f"{np.median(times):.2f} | {np.mean(times):.2f} | {np.quantile(times, 0.99):.2f}"
        print(f"| {'with' if explain else 'without'} reasons | {numbers} |", flush=True)
    return found


def _served(
    options: argparse.Namespace, texts: Sequence[str], expected: list[bytes], how: tuple[int, int, bool]
) -> Row:
    processes, clients, is_proxied = how
    requests = [_request(text) for text in texts]
    with TemporaryDirectory() as folder, ExitStack() as stack:
        words = ["--processes", str(processes), "--quiet"]
        service = stack.enter_context(ReplyProcess(options.index, Path(folder), words))
        ports = service.ports
        if is_proxied:
            ports = [stack.enter_context(nginx_before(ports, Path(folder) / "nginx"))]
        asyncio.run(_compare(ports[0], requests, expected))
        before, own, begun = _cpu(service.pids), time.process_time(), time.perf_counter()
        times = asyncio.run(_load(ports, requests, clients, options.seconds))
        took, own = time.perf_counter() - begun, time.process_time() - own
        spent = _cpu(service.pids) - before
    count = len(times)
    name = f"{processes} process{'es' * (processes > 1)}, {clients} client{'s' * (clients > 1)}{', nginx' * is_proxied}"
    middle, high = np.quantile(np.array(times) * 1000, [0.5, 0.99])
    return Row(name, count / took, float(middle), float(high), 1000 * spent / count, 1000 * own / count)


def _request(text: str) -> bytes:
    body = json.dumps({"post": text, "k": K}).encode()
    head = "POST /reply HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


async def _compare(port: int, requests: Sequence[bytes], expected: Sequence[bytes]) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for request, answer in zip(requests, expected, strict=True):
        if await _answer(reader, writer, request) != answer:
            sys.exit("the service answers otherwise than this process")
    writer.close()


async def _load(ports: Sequence[int], requests: Sequence[bytes], clients: int, seconds: float) -> list[float]:
    end = time.perf_counter() + seconds
    all_ = await asyncio.gather(*(_client(ports[place % len(ports)], requests, place, end) for place in range(clients)))
    return [one for times in all_ for one in times]


async def _client(port: int, requests: Sequence[bytes], place: int, end: float) -> list[float]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    times, number = list[float](), place * 31
    while (begun := time.perf_counter()) < end:
        await _answer(reader, writer, requests[number % len(requests)])
        times.append(time.perf_counter() - begun)
        number += 1
    writer.close()
    return times


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes) -> bytes:
    writer.write(request)
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    if not head.startswith(b"http/1.1 200 "):
        sys.exit(f"not answered: {head.decode()}")
    return await reader.readexactly(int(head.split(b"content-length: ")[1].split(b"\r\n")[0]))


def _cpu(pids: Sequence[int]) -> float:
    """The CPU seconds of the processes that answer."""
    stats = [Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split() for pid in pids]
    return sum(int(one[11]) + int(one[12]) for one in stats) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
