"""The next round's number of topics, from the scores of this one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kaiwa.compare.anova import within_run_variance
from kaiwa.compare.standardise import standardisation_factors, standardised
from kaiwa.errors import InputError
from kaiwa.files.scores import read_scores
from kaiwa.topicset import Design, design

if TYPE_CHECKING:
    from kaiwa.files.task import Task


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
    chosen = [measure for measure in task.settings.measures if measure in scores] or list(scores)
    said, found = task.settings, dict[str, NextDesign]()
    for measure in chosen:
        table = scores[measure]
        std_ab = standardised(table, standardisation_factors(table))
        designs = [
            design(
                variance=within_run_variance(one.values),
                systems=said.systems,
                min_diff=said.min_diff,
                power=said.power,
                alpha=said.alpha,
            )
            for one in (table, std_ab)
        ]
        found[measure] = NextDesign(*designs)
    return NextRound(found, max(found, key=lambda measure: found[measure].raw.n))
