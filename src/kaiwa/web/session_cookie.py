"""The cookie of a session: an opaque id, which scripts and other sites do not see."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.responses import Response

COOKIE = "kaiwa"


def session_in(headers: Mapping[bytes, bytes]) -> str:
    """The session that a request names; empty if none.

    >>> session_in({b"cookie": b"lang=ja; kaiwa=abc"})
    'abc'
    """
    for part in headers.get(b"cookie", b"").split(b";"):
        name, _, value = part.strip().partition(b"=")
        if name.decode("latin-1") == COOKIE:
            return value.decode("latin-1")
    return ""


def set_session(answer: Response, secret: str, *, is_secure: bool) -> None:
    """Give the browser its session."""
    answer.set_cookie(COOKIE, secret, path="/", httponly=True, samesite="strict", secure=is_secure)


def clear_session(answer: Response, *, is_secure: bool) -> None:
    """Take the session from the browser."""
    answer.delete_cookie(COOKIE, path="/", httponly=True, samesite="strict", secure=is_secure)
