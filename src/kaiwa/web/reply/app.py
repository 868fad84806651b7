"""The answering service: one endpoint that answers posts, and three for those who run it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from kaiwa.web.reply.gate import Gate
from kaiwa.web.reply.question import question_in_body, question_in_query

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp

    from kaiwa.web.reply.answerer import Answerer
    from kaiwa.web.reply.gate import Names
    from kaiwa.web.reply.limits import Limits
    from kaiwa.web.reply.metrics import Metrics


def make_app(answerer: Answerer, limits: Limits, metrics: Metrics, names: Names) -> ASGIApp:
    """The application: ``/reply``, ``/healthz``, ``/readyz`` and ``/metrics``."""

    async def reply(request: Request) -> Response:
        if request.method == "POST":
            question = question_in_body(await request.body(), limits)
        else:
            question = question_in_query(request.query_params, limits)
        return Response(await answerer.answer(question), media_type="application/json")

    async def health(_: Request) -> Response:
        return JSONResponse({"healthy": True})

    async def ready(_: Request) -> Response:
        return JSONResponse({"ready": True, "index": answerer.opened().bot.index.identity})

    async def numbers(request: Request) -> Response:
        content, kind = metrics.text(request.headers.get("accept", ""))
        return Response(content, media_type=kind)

    routes = [
        Route("/reply", reply, methods=["GET", "POST"]),
        Route("/healthz", health),
        Route("/readyz", ready),
        Route("/metrics", numbers),
    ]
    handlers: dict[Any, Any] = {HTTPException: _http_error}  # Any: starlette's own types
    app = Starlette(routes=routes, exception_handlers=handlers)
    app.router.redirect_slashes = False
    return Gate(app, names, metrics)


async def _http_error(_: Request, fault: HTTPException) -> Response:
    return JSONResponse({"error": fault.detail}, fault.status_code, headers=fault.headers)
