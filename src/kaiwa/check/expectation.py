from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from kaiwa.check.raw_run import RawRun


@dataclass(frozen=True)
class Expectation:
    """What the task allows: its topics, its comments, those taken down, and how many comments a topic."""

    topics: Sequence[str] | None = None
    comments: Container[str] | None = None
    taken_down: Container[str] = field(default_factory=frozenset)
    depth: int | None = None

    def depth_for(self, run: RawRun) -> int | None:
        """The most comments a topic may have: ten in an STC run, unlimited in a TREC run, unless said."""
        if self.depth is not None:
            return self.depth
        return None if run.is_trec else 10
