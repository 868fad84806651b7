"""Sampled topics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kaiwa.errors import counted

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


@dataclass(frozen=True)
class TopicsView:
    """The topics, id to text, of how many candidates; what was removed, and what the repository keeps."""

    topics: Mapping[str, str]
    candidates: int
    removed: Mapping[str, int]
    rest: Mapping[str, int] | None
    output: Path | None

    def text(self) -> str:
        """The topics, or one line when they were written to a file."""
        if self.output:
            return f"{self.output}: {counted(len(self.topics), 'topic')} of {counted(self.candidates, 'post')}"
        return "\n".join(f"{name}\t{text}" for name, text in self.topics.items())

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """The topics and the counts as JSON fields."""
        return {"topics": self.topics, "candidates": self.candidates, "removed": self.removed, "rest": self.rest}
