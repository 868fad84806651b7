"""The gains of votes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kaiwa.errors import counted
from kaiwa.formats.qrels_files import qrels_text
from kaiwa.model.simulated import SIMULATED_NOTICE
from kaiwa.report.results.left_out_view import change_fields, change_text

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kaiwa.label.gain_schemes import VotedGains
    from kaiwa.model.votes import Votes
    from kaiwa.studies.left_out_assessors import LeaderboardChange


@dataclass(frozen=True)
class GainsView:
    """Gains made from votes; ``changes`` of the leaderboard, without some assessors."""

    made: VotedGains
    votes: Votes
    output: Path | None
    without: Sequence[str] = ()
    changes: Sequence[LeaderboardChange] = ()

    def text(self) -> str:
        """The gains as TREC qrels, or what changes in the leaderboard."""
        if self.changes:
            marks = [SIMULATED_NOTICE] if self.votes.simulated else []
            return "\n\n".join([*marks, change_text(self.changes, self.without)])
        return qrels_text(self.made.gains).rstrip("\n")

    def summary(self) -> str:
        """How many gains there are, and what was ignored."""
        gains = self.made.gains
        left_out = f", without {', '.join(self.without)}" if self.without else ""
        mark = f". {SIMULATED_NOTICE}" if self.votes.simulated else ""
        return (
            f"{counted(len(gains), 'gain')} of {counted(len(gains.topics), 'topic')} by {gains.how}{left_out}, "
            f"gmax {gains.top:g}; {counted(self.votes.missing, 'NA vote')} ignored, "
            f"{counted(self.made.without_votes, 'item')} without a vote left unjudged{mark}"
        )

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """The counts as JSON fields."""
        gains = self.made.gains
        return {
            "scheme": gains.how,
            "gmax": gains.top,
            "topics": len(gains.topics),
            "items": len(gains),
            "missing": self.votes.missing,
            "without_votes": self.made.without_votes,
            "output": None if self.output is None else str(self.output),
            "without": list(self.without),
            "leaderboard": change_fields(self.changes),
            "simulated": self.votes.simulated,
        }
