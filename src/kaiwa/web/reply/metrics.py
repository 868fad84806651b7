"""The numbers of one process, for Prometheus."""

from __future__ import annotations

import platform
from importlib.metadata import version
from typing import TYPE_CHECKING

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    Info,
    ProcessCollector,
    disable_created_metrics,
)
from prometheus_client.exposition import choose_encoder

if TYPE_CHECKING:
    from kaiwa.flow.answers.serve_reply import OpenBot

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """Counters, gauges and a histogram in a registry of their own."""

    def __init__(self) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]  # half of the lines, of no use here
        self._registry = CollectorRegistry()
        name, registry = "kaiwa_reply", self._registry
        self._requests = Counter(f"{name}_requests", "Requests answered.", ["route", "status"], registry=registry)
        self._seconds = Histogram(
            f"{name}_request_seconds", "Time of a request.", ["route"], registry=registry, buckets=_SECONDS
        )
        self.in_flight = Gauge(f"{name}_in_flight", "Requests that are being answered.", registry=registry)
        self.waiting = Gauge(f"{name}_waiting", "Posts that wait for their answer.", registry=registry)
        self._ready = Gauge(f"{name}_ready", "1 if the index is open and warm.", registry=registry)
        self._openings = Counter(f"{name}_index_openings", "Times an index was opened.", ["result"], registry=registry)
        self._posts = Gauge(f"{name}_index_posts", "Posts of the index.", registry=registry)
        self._comments = Gauge(f"{name}_index_comments", "Comments of the index.", registry=registry)
        self._bytes = Gauge(f"{name}_index_bytes", "Bytes of the arrays of the index.", registry=registry)
        self._index = Info(f"{name}_index", "The identity of the index.", registry=registry)
        build = Info("kaiwa_build", "The program.", registry=registry)
        build.info({"version": version("kaiwa"), "python": platform.python_version()})
        ProcessCollector(registry=registry)

    def answered(self, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        self._requests.labels(route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def opened(self, one: OpenBot) -> None:
        """Describe the index that answers from now on."""
        index = one.bot.index
        self._openings.labels("done").inc()
        self._posts.set(len(index.posts.texts))
        self._comments.set(len(index.comments.texts))
        self._bytes.set(one.size)
        self._index.info({"identity": index.identity})
        self._ready.set(1)

    def not_opened(self) -> None:
        """Count an index that could not be opened."""
        self._openings.labels("failed").inc()

    def text(self, accepted: str) -> tuple[bytes, str]:
        """All numbers in the text format, and the content type that the client accepts."""
        encode, kind = choose_encoder(accepted)
        return encode(self._registry), kind
