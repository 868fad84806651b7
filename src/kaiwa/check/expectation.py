from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Sequence

    from kaiwa.check.raw_run import RawRun


@dataclass(frozen=True)
class Expectation:
    """What the task allows: its topics, its comments, its takedown list, and the number of comments per topic."""

    topics: Sequence[str] | None = None
    comments: Container[str] | None = None
    takedown: Container[str] = field(default_factory=frozenset)
    depth: int | None = None

    def depth_for(self, run: RawRun) -> int | None:
        """The maximum number of comments per topic: by default ten in an STC run, unlimited in a TREC run."""
        if self.depth is not None:
            return self.depth
        return None if run.is_trec else 10
