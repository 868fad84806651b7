"""Connections that wait for a request: if there are too many, the one that has waited longest is closed."""

from __future__ import annotations

import resource
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

MOST_WAITING = 500
_MOST_OPEN = 4096
"""Files and connections that the server may have open, as far as the system allows."""


class Connection(Protocol):
    """Something that can be closed at once."""

    def close_now(self) -> None:
        """End the connection without an answer."""


@dataclass
class WaitingConnections:
    """The connections without a request in progress, in the order in which they began to wait.

    Those that never sent a request are closed first: a client that opens many of them takes nobody's place.
    """

    most: int = MOST_WAITING
    _silent: dict[Connection, None] = field(default_factory=dict)
    _known: dict[Connection, None] = field(default_factory=dict)

    def add(self, connection: Connection, *, is_silent: bool) -> None:
        """Count a connection that waits from now on; close the oldest if there are too many."""
        self.remove(connection)
        (self._silent if is_silent else self._known)[connection] = None
        if len(self._silent) + len(self._known) > self.most:
            oldest = next(iter(self._silent or self._known))
            self.remove(oldest)
            oldest.close_now()

    def remove(self, connection: Connection) -> None:
        """Count a connection no longer: it has a request, or is closed."""
        self._silent.pop(connection, None)
        self._known.pop(connection, None)


def raise_open_files() -> None:
    """Let the process have enough connections open, as far as the system allows."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _MOST_OPEN if hard == resource.RLIM_INFINITY else min(_MOST_OPEN, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
