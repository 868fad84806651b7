"""How many requests a client may make: a bucket that fills again with time, and a number of requests at once."""

from __future__ import annotations

from collections import Counter, OrderedDict
from dataclasses import dataclass, field

_MOST_CLIENTS = 10_000


@dataclass(frozen=True)
class Limit:
    """At most ``burst`` requests in a row, ``per_second`` on average, and ``at_once`` without an answer yet."""

    burst: float
    per_second: float
    at_once: int = 50


SIGN_IN = Limit(burst=60, per_second=1)
"""Of one address; a room of assessors shares one."""
STRANGER = Limit(burst=200, per_second=20)
PERSON = Limit(burst=300, per_second=50, at_once=20)
"""A person gives about one vote in two seconds; a browser that comes back sends many at once."""


@dataclass
class RateLimits:
    """The buckets of the clients that came lately, and their requests without an answer."""

    _buckets: OrderedDict[str, tuple[float, float]] = field(default_factory=OrderedDict)
    _running: Counter[str] = field(default_factory=Counter)

    def allows(self, client: str, limit: Limit, now: float) -> bool:
        """Whether the client may make a request now; it is counted.

        >>> limits = RateLimits()
        >>> [limits.allows("a", Limit(2, 1), now) for now in (0.0, 0.0, 0.0, 1.0)]
        [True, True, False, True]
        """
        left, since = self._buckets.pop(client, (limit.burst, now))
        left = min(limit.burst, left + (now - since) * limit.per_second)
        allowed = left >= 1
        self._buckets[client] = (left - 1 if allowed else left), now
        if len(self._buckets) > _MOST_CLIENTS:
            self._buckets.popitem(last=False)
        return allowed

    def begins(self, client: str, limit: Limit) -> bool:
        """Whether the client may have one more request in progress; ``ends`` must follow if so.

        >>> limits = RateLimits()
        >>> [limits.begins("a", Limit(9, 9, at_once=2)) for _ in range(3)]
        [True, True, False]
        """
        if self._running[client] >= limit.at_once:
            return False
        self._running[client] += 1
        return True

    def ends(self, client: str) -> None:
        """Count a request no longer: it has its answer."""
        self._running[client] -= 1
        if not self._running[client]:
            del self._running[client]
