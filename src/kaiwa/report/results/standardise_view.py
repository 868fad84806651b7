"""Standardised scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kaiwa.errors import counted
from kaiwa.formats.scores.score_tables import scores_text

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kaiwa.model.score_set import ScoreSet


@dataclass(frozen=True)
class StandardiseView:
    """The new scores, and the topics of each measure on which all runs tie."""

    scores: ScoreSet
    tied_topics: Mapping[str, Sequence[str]]
    method: str

    def text(self) -> str:
        """The scores as tidy CSV."""
        return scores_text(self.scores).rstrip("\n")

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """The means and the tied topics as JSON fields."""
        return {
            "method": self.method,
            "means": {measure: one.means() for measure, one in self.scores.items()},
            "topics": {measure: len(one.topics) for measure, one in self.scores.items()},
            "direction": {measure: one.direction for measure, one in self.scores.items()},
            "tied_topics": {measure: list(topics) for measure, topics in self.tied_topics.items()},
        }

    def remarks(self) -> list[str]:
        """A line for each measure whose lower scores are better, and for each with topics on which all runs tie."""
        lower = [
            f"{one.measure}: lower is better, also after standardisation"
            for one in self.scores.values()
            if one.direction == "lower"
        ]
        axes = self.scores.axes
        return lower + [
            f"{measure}: all {axes.run}s tie on {counted(len(topics), axes.topic)}; they get the middle value there"
            for measure, topics in self.tied_topics.items()
            if topics
        ]
