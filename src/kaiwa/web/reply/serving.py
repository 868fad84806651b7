"""One process that answers: it listens at once, is ready when the index is warm, and follows the index on the disk."""

from __future__ import annotations

import asyncio
import gc
import json
import logging
import os
import platform
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

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
from starlette.exceptions import HTTPException

from kaiwa.errors import KaiwaError
from kaiwa.ranking.warm_bot import LiveBot
from kaiwa.web.reply.app import Limits, make_app, names_of
from kaiwa.web.server import bound_socket, run_server

if TYPE_CHECKING:
    from collections.abc import Callable
    from concurrent.futures import Future

    from kaiwa.ranking.warm_bot import BotSource, OpenBot
    from kaiwa.web.address import Address
    from kaiwa.web.reply.app import Question


# Answers, one after another in a thread of their own, so that the server stays awake; too many at once are refused.


_LATER = {"Retry-After": "1"}


class Answerer:
    """The thread that answers, and the questions that wait for it."""

    def __init__(self, live: LiveBot, limits: Limits, metrics: Metrics) -> None:
        self._live, self._limits = live, limits
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="kaiwa-reply")
        self._pending: set[Future[bytes]] = set()
        metrics.waiting.set_function(lambda: len(self._pending))

    async def answer(self, question: Question) -> bytes:
        """The answer as JSON; a question that cannot be answered now is an HTTP error."""
        opened = self.opened()
        try:
            system = opened.system(question.system)
        except KaiwaError as fault:
            raise HTTPException(422, f"{fault}") from None
        if len(self._pending) >= self._limits.waiting:
            raise HTTPException(503, "too many requests are waiting; try again", _LATER)
        work = self._thread.submit(answer_to, question, system, opened)
        self._pending.add(work)
        work.add_done_callback(self._pending.discard)
        try:
            async with asyncio.timeout(self._limits.seconds):
                return await asyncio.wrap_future(work)
        except TimeoutError:
            raise HTTPException(503, "the answer takes too long; try again", _LATER) from None
        except KaiwaError as fault:  # of the index or a takedown list: the question is valid
            log.error("%s", fault)  # noqa: TRY400  one line, no traceback
            raise HTTPException(503, "the index cannot answer now; see the log of the server", _LATER) from None

    def opened(self) -> OpenBot:
        """The bot, if it is open and warm."""
        if self._live.opened is None:
            raise HTTPException(503, "the index is not open yet; try again", _LATER)
        return self._live.opened

    def close(self) -> None:
        """End the thread; what waits for it is given up."""
        self._thread.shutdown(wait=False, cancel_futures=True)


def answer_to(question: Question, system: str, opened: OpenBot) -> bytes:
    """The JSON of ``kaiwa reply --json``, as UTF-8; without reasons if they are not asked for."""
    shown = json.dumps(_fields(question, system, opened), ensure_ascii=False, allow_nan=False)
    return shown.encode(errors="backslashreplace")  # a lone surrogate, as JSON escapes it


def _fields(question: Question, system: str, opened: OpenBot) -> dict[str, Any]:  # Any: JSON values
    post, bot = question.post, opened.bot
    if question.explain:
        return dict(bot.reply(post, k=question.k, system=system).describe().fields)
    rows = [asdict(one) for one in bot.bare_replies(post, k=question.k, system=system)]
    return {"post": post, "system": system, "replies": rows}


# Logs as lines of JSON on stderr; a line never has the text of a post.


class JsonLines(logging.Formatter):
    """One JSON object per record: time, level, process, the message, and the fields of a request."""

    def format(self, record: logging.LogRecord) -> str:
        """The record as a line.

        >>> import logging
        >>> record = logging.LogRecord("kaiwa", logging.ERROR, "", 0, "no such index", None, None)
        >>> '"level": "error"' in JsonLines().format(record)
        True
        """
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        given = getattr(record, "request", None)
        said = given if given is not None else {"message": record.getMessage()}
        fields = {"time": time, "level": record.levelname.lower(), "process": os.getpid(), **said}
        return json.dumps(fields, ensure_ascii=False).encode(errors="backslashreplace").decode()


LOGGER = "kaiwa.reply"


def log_as_json(*, with_requests: bool) -> None:
    """Make every log of this process lines of JSON on stderr; requests are logged if wanted.

    Only a process that is ours does so: the command, and those that it starts. In Python the caller's logging stays.
    """
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.getLogger(LOGGER).setLevel(logging.INFO if with_requests else logging.WARNING)


# The numbers of one process, for Prometheus.


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


_LOOK_SECONDS = 1.0
log = logging.getLogger(LOGGER)


@dataclass(frozen=True)
class ReplyService:
    """What is served where, with which limits, and whether processes of its own log requests."""

    source: BotSource
    address: Address
    limits: Limits = field(default_factory=Limits)
    logs_requests: bool = True


def serve_replies(
    service: ReplyService, port: int, tell: Callable[[str], None], *, is_over: Callable[[], bool] = lambda: False
) -> None:
    """Answer posts until the process is stopped; ``tell`` gets the address when the index is warm."""
    address = service.address
    bound = bound_socket(address.host, port)
    metrics, live = Metrics(), LiveBot(service.source)
    url = address.listening_at(bound.getsockname()[1])
    follower = Follower(live, metrics, ready=lambda: tell(url))
    answerer = Answerer(live, service.limits, metrics)
    try:
        run_server(
            make_app(answerer, service.limits, metrics, names_of(address)),
            bound,
            started=follower.start,
            certificate=address.certificate,
            key=address.key,
            is_over=lambda: follower.failure is not None or is_over(),
        )
    finally:
        follower.end()
        answerer.close()
        gc.unfreeze()
    if follower.failure is not None:
        raise follower.failure


class Follower:
    """The thread that opens the index, and opens it again when it has been replaced."""

    def __init__(self, live: LiveBot, metrics: Metrics, ready: Callable[[], None]) -> None:
        self._live, self._metrics, self._ready = live, metrics, ready
        self._ended, self._logged = Event(), ""
        self._thread = Thread(target=self._follow, name="kaiwa-follower", daemon=True)
        self.failure: Exception | None = None

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def end(self) -> None:
        """End the thread."""
        self._ended.set()
        if self._thread.is_alive():
            self._thread.join()

    def _follow(self) -> None:
        try:
            self._look()
            self._ready()
            while not self._ended.wait(_LOOK_SECONDS):
                self._look_again()
        except Exception as fault:  # noqa: BLE001  raised again by the main thread
            self.failure = fault

    def _look(self) -> None:
        if self._live.look() and self._live.opened is not None:
            self._logged = ""
            self._metrics.opened(self._live.opened)
            _keep_what_is_loaded()

    def _look_again(self) -> None:
        """As ``_look``; what cannot be opened is logged once, and the old index answers."""
        try:
            self._look()
        except (KaiwaError, OSError) as fault:
            if f"{fault}" != self._logged:
                self._logged = f"{fault}"
                log.error("the index is not replaced: %s", fault)  # noqa: TRY400  one line, no traceback
                self._metrics.not_opened()


def _keep_what_is_loaded() -> None:
    """Leave modules and the index out of garbage collections, which would stop requests; an old index is collected."""
    gc.unfreeze()
    gc.collect()
    gc.freeze()
