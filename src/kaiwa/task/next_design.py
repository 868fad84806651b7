"""The next round's number of topics, from the scores of this one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kaiwa.compare.standardisation import standardisation_factors, standardised
from kaiwa.errors import InputError
from kaiwa.formats.readers import read_scores
from kaiwa.stats.anova import within_run_variance
from kaiwa.topicset import Design, design

if TYPE_CHECKING:
    from kaiwa.model.scores import Scores, ScoreSet
    from kaiwa.task.settings import Task, TaskSettings


@dataclass(frozen=True)
class NextDesign:
    """One measure's design from its raw scores and from its standardised ones."""

    raw: Design
    std_ab: Design


@dataclass(frozen=True)
class NextRound:
    """The designs of every measure, and the one that needs most topics."""

    by_measure: dict[str, NextDesign]
    measure: str

    @property
    def largest(self) -> Design:
        """The design that serves every measure."""
        return self.by_measure[self.measure].raw


def next_round(task: Task) -> NextRound:
    """The design of each of the task's measures under the task's requirement."""
    if not task.scores.exists():
        raise InputError.at(task.scores, "no scores yet", "see: kaiwa status")
    scores = read_scores(task.scores)
    found = {
        measure: _next_design(scores[measure], task.settings) for measure in chosen_measures(scores, task.settings)
    }
    return NextRound(found, max(found, key=lambda measure: found[measure].raw.n))


def chosen_measures(scores: ScoreSet, settings: TaskSettings) -> list[str]:
    """The task's measures that were scored, or all that were when none of them was."""
    return [measure for measure in settings.measures if measure in scores] or list(scores)


def required_design(variance: float, settings: TaskSettings) -> Design:
    """The topic set that meets the task's requirement at this variance."""
    return design(
        variance=variance,
        systems=settings.systems,
        min_diff=settings.min_diff,
        power=settings.power,
        alpha=settings.alpha,
    )


def _next_design(table: Scores, settings: TaskSettings) -> NextDesign:
    std_ab = standardised(table, standardisation_factors(table))
    return NextDesign(*(required_design(within_run_variance(one.values), settings) for one in (table, std_ab)))
