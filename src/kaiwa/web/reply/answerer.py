"""Answers, one after another in a thread of their own, so that the server stays awake; too many at once are refused."""

from __future__ import annotations

import asyncio
import json
import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from starlette.exceptions import HTTPException

from kaiwa.errors import KaiwaError
from kaiwa.report.results.reply_view import ReplyView

if TYPE_CHECKING:
    from concurrent.futures import Future

    from kaiwa.flow.answers.serve_reply import LiveBot, OpenBot
    from kaiwa.web.reply.limits import Limits
    from kaiwa.web.reply.metrics import Metrics
    from kaiwa.web.reply.question import Question

_LATER = {"Retry-After": "1"}
log = logging.getLogger("kaiwa.reply")


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
        found = bot.reply(post, k=question.k, system=system)
        return ReplyView(post, system, found, bot.index.tokeniser, found.weights).fields()
    rows = [asdict(one) for one in bot.bare_replies(post, k=question.k, system=system)]
    return {"post": post, "system": system, "replies": rows}
