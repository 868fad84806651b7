"""The next round's number of topics, from the scores of this one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kaiwa.compare.standardisation import standardisation_factors, standardised
from kaiwa.stats.anova import within_run_variance
from kaiwa.topicset.answer import Design, answered
from kaiwa.topicset.requirement import completed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kaiwa.model.scores import Scores
    from kaiwa.topicset.requirement import Requirement


@dataclass(frozen=True)
class NextDesign:
    """One measure's design from its raw scores and from its standardised ones."""

    raw: Design
    std_ab: Design


@dataclass(frozen=True)
class NextRound:
    """The designs of every measure, and the measure that needs most topics."""

    by_measure: dict[str, NextDesign]
    measure: str

    @property
    def largest(self) -> Design:
        """The design that is enough for every measure."""
        return self.by_measure[self.measure].raw


def next_round(tables: Iterable[Scores], asked: Requirement) -> NextRound:
    """The design of each measure under the requirement, whose variance is replaced by the measure's own."""
    found = {table.measure: _next_design(table, asked) for table in tables}
    return NextRound(found, max(found, key=lambda measure: found[measure].raw.n))


def required_design(asked: Requirement, variance: float) -> Design:
    """The topic set that meets the requirement at this variance."""
    return answered(completed(replace(asked, variance=float(variance))))


def _next_design(table: Scores, asked: Requirement) -> NextDesign:
    std_ab = standardised(table, standardisation_factors(table))
    return NextDesign(*(required_design(asked, within_run_variance(one.values)) for one in (table, std_ab)))
