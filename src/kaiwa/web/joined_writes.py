"""Answers that are sent whole: the head and the body of a response in one call of the system.

The protocol writes them one after the other. A process that was killed in between has sent a head without its body, and
a proxy that has passed the head on cannot ask another process.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import asyncio


class JoinedWrites:
    """A transport that sends what is written in one step of the event loop at once; all else is as it was."""

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport, self._loop = transport, loop
        self._parts: list[bytes] = []

    def write(self, data: bytes) -> None:
        """Keep the data until the step is over."""
        if not self._parts:
            self._loop.call_soon(self._send)
        self._parts.append(data)

    def close(self) -> None:
        """Close when everything is sent."""
        self._send()
        self._transport.close()

    def abort(self) -> None:
        """Close now."""
        self._send()
        self._transport.abort()

    def _send(self) -> None:
        parts, self._parts = self._parts, []
        if parts:
            self._transport.write(b"".join(parts))

    def __getattr__(self, name: str) -> Any:  # Any: whatever the transport has
        return getattr(self._transport, name)
