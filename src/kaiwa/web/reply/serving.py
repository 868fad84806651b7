"""One process that answers: it listens at once, is ready when the index is warm, and follows the index on the disk."""

from __future__ import annotations

import gc
import logging
from dataclasses import dataclass, field
from threading import Event, Thread
from typing import TYPE_CHECKING

from kaiwa.errors import KaiwaError
from kaiwa.flow.answers.serve_reply import LiveBot
from kaiwa.web.http_server import bound_socket, run_server
from kaiwa.web.reply.answerer import Answerer
from kaiwa.web.reply.app import make_app
from kaiwa.web.reply.gate import names_of
from kaiwa.web.reply.json_log import log_as_json
from kaiwa.web.reply.limits import Limits
from kaiwa.web.reply.metrics import Metrics

if TYPE_CHECKING:
    from collections.abc import Callable

    from kaiwa.flow.answers.serve_reply import BotSource
    from kaiwa.web.address import Address

_LOOK_SECONDS = 1.0
log = logging.getLogger("kaiwa.reply")


@dataclass(frozen=True)
class ReplyService:
    """What is served where, with which limits."""

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
    log_as_json(with_requests=service.logs_requests)
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
