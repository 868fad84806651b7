"""The gains of votes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kaiwa.errors import counted
from kaiwa.formats.qrels_files import qrels_text

if TYPE_CHECKING:
    from pathlib import Path

    from kaiwa.label.gain_schemes import VotedGains


@dataclass(frozen=True)
class GainsView:
    """Gains made by a scheme; ``missing`` counts NA votes."""

    made: VotedGains
    missing: int
    scheme: str
    output: Path | None

    def text(self) -> str:
        """The gains as TREC qrels."""
        return qrels_text(self.made.gains).rstrip("\n")

    def summary(self) -> str:
        """How many gains there are, and what was ignored."""
        gains = self.made.gains
        return (
            f"{counted(len(gains), 'gain')} of {counted(len(gains.topics), 'topic')} by {self.scheme}, "
            f"gmax {gains.top:g}; {counted(self.missing, 'NA vote')} ignored, "
            f"{counted(self.made.without_votes, 'item')} without a vote left unjudged"
        )

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """The counts as JSON fields."""
        gains = self.made.gains
        return {
            "scheme": self.scheme,
            "gmax": gains.top,
            "topics": len(gains.topics),
            "items": len(gains),
            "missing": self.missing,
            "without_votes": self.made.without_votes,
            "output": None if self.output is None else str(self.output),
        }
