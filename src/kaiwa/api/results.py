"""Results with their looks: what the verbs of the nouns give back, as text, HTML and tables for other libraries."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kaiwa.api.tabular import Sheet, Shown, Tabular
from kaiwa.compare.comparison import Comparison as ComparedRuns
from kaiwa.compare.variance_components import Variance as FoundVariance
from kaiwa.label.agreement import Agreement as FoundAgreement
from kaiwa.report.results.design_answer import answer_text, headline, percent
from kaiwa.report.results.leaderboard import (
    HEADING,
    leaderboard_latex,
    leaderboard_rows,
    leaderboard_text,
    methods_paragraph,
)
from kaiwa.topicset import Design as FoundDesign

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.label.agreement import Estimate
    from kaiwa.rank.replies import Reply
    from kaiwa.report.text_tables import Cell


@dataclass(frozen=True)
class Comparison(Shown, Tabular, ComparedRuns):
    """All pairs of runs under one measure, compared; prints itself as a leaderboard, and is one to data frames."""

    def __str__(self) -> str:
        return leaderboard_text(self)

    def to_latex(self) -> str:
        """The leaderboard as a LaTeX tabular with booktabs rules."""
        return leaderboard_latex(self)

    def methods(self) -> str:
        """What was done, in words that can stand in a paper."""
        return methods_paragraph(self)

    def _sheet(self) -> Sheet:
        return Sheet(HEADING, leaderboard_rows(self), f"Leaderboard by mean {self.measure}")

    def columns(self) -> dict[str, Sequence[object]]:
        """The columns by name."""
        return dict(zip(HEADING, zip(*leaderboard_rows(self), strict=True), strict=True))


@dataclass(frozen=True)
class Variance(Shown, FoundVariance):
    """The variances that topic set size design takes, with bootstrap limits over topics."""

    def _sheet(self) -> Sheet:
        rows: list[list[Cell]] = [
            ["V_E (within runs)", self.v_e, *(self.v_e_limits or (None, None))],
            ["V_E2 (two-way residual)", self.v_e2, *(self.v_e2_limits or (None, None))],
        ]
        return Sheet(
            ["variance", "value", "low", "high"],
            rows,
            f"{self.topics:,} topics, {self.runs:,} runs; {percent(self.confidence)} limits",
            digits=6,
        )


@dataclass(frozen=True)
class Agreement(Shown, FoundAgreement):
    """How far the votes agree, with intervals over topics."""

    def _sheet(self) -> Sheet:
        named = {"Fleiss' kappa": self.fleiss, "raw agreement": self.raw}
        named |= {f"Krippendorff's alpha, {metric}": estimate for metric, estimate in self.alpha.items()}
        counts = f"{self.items:,} items of {self.topics:,} topics, {self.votes:,} votes"
        rows = [[name, *_bounds(estimate)] for name, estimate in named.items()]
        return Sheet(["statistic", "value", "95% low", "high"], rows, counts)


@dataclass(frozen=True)
class Design(Shown, FoundDesign):
    """A solved requirement; prints itself as the whole answer, shows itself as its first sentence and neighbours."""

    def __str__(self) -> str:
        return answer_text(self)

    def _sheet(self) -> Sheet:
        goal = f"smallest difference at {percent(self.asked.power or 0.8)}"
        rows = [[near.n, near.power, near.min_diff] for near in self.alternatives]
        if self.width is not None:
            return Sheet(["topics", "expected width"], [[row[0], row[2]] for row in rows], "Nearby", headline(self))
        return Sheet(["topics", "power", goal], rows, "Nearby", headline(self))


class Replies(Shown, list["Reply"]):
    """The comments to answer a post with, best first, and the reasons for each."""

    def _sheet(self) -> Sheet:
        rows: list[list[Cell]] = [
            [reply.text, reply.score, reply.post_text, " ".join(reply.words), reply.comment] for reply in self
        ]
        return Sheet(["reply", "score", "to the post", "words shared", "comment"], rows)


def _bounds(estimate: Estimate) -> list[Cell]:
    """The estimate and its interval; nothing where they are undefined."""
    return [None if value != value else value for value in (estimate.value, estimate.low, estimate.high)]  # noqa: PLR0124
