"""The next round's number of topics, from the scores of this one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kaiwa.compare.standardisation import standardisation_factors, standardised
from kaiwa.errors import InputError
from kaiwa.studies.pilot_design import one_way_design, pilot_ratio, pilot_variance
from kaiwa.topicset.answer import Design, answered
from kaiwa.topicset.designed_tests import ONE_WAY
from kaiwa.topicset.requirement import completed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kaiwa.model.scores import Scores
    from kaiwa.topicset.requirement import Requirement


@dataclass(frozen=True)
class NextDesign:
    """One measure's design from its raw scores and from its standardised ones, and by one-way ANOVA as in print."""

    raw: Design
    std_ab: Design
    one_way: Design | None


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


def required_design(table: Scores, asked: Requirement) -> Design:
    """The topic set that meets the requirement at the variance of these scores."""
    found = pilot_variance([table], asked.test).variance
    if not found:
        raise InputError.at(table.measure, "the runs' scores do not vary", "give scores that vary")
    return answered(completed(replace(asked, variance=found, range_ratio=pilot_ratio([table], asked))))


def _next_design(table: Scores, asked: Requirement) -> NextDesign:
    raw = required_design(table, asked)
    return NextDesign(
        raw,
        required_design(standardised(table, standardisation_factors(table)), asked),
        one_way_design(raw.asked, pilot_variance([table], ONE_WAY).variance),
    )
