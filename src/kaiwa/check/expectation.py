from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Container, Mapping, Sequence

    from kaiwa.check.raw_run import RawRun


@dataclass(frozen=True)
class Expectation:
    """What the task allows: its topics, its comments, and the number of comments per topic.

    ``takedown`` has the ids that no run may contain, those that follow from listed ones among them.
    ``merged`` gives the comment that cleaning kept for each near-duplicate that it removed.
    """

    topics: Sequence[str] | None = None
    comments: Container[str] | None = None
    takedown: Container[str] = field(default_factory=frozenset)
    depth: int | None = None
    merged: Mapping[str, str] = field(default_factory=dict)

    def kept_id(self, comment: str) -> str:
        """The id that the comment has in the repository: another one if cleaning merged it."""
        return self.merged.get(comment, comment)

    def shown_topics(self) -> list[str]:
        """The task's topics without those of the takedown."""
        return [topic for topic in self.topics or () if topic not in self.takedown]

    def depth_for(self, run: RawRun) -> int | None:
        """The maximum number of comments per topic: by default ten in an STC run, unlimited in a TREC run."""
        if self.depth is not None:
            return self.depth
        return None if run.is_trec else 10
