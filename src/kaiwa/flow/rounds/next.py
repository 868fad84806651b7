"""The next round's number of topics, from the scores in a task folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.errors import InputError
from kaiwa.formats.score_loading import read_scores
from kaiwa.studies.next_round import NextRound, next_round
from kaiwa.task.task_folder import read_task

if TYPE_CHECKING:
    from pathlib import Path


def next_round_of(folder: Path) -> NextRound:
    """The design of each of the task's measures under the task's requirement."""
    task = read_task(folder)
    if not task.scores.exists():
        raise InputError.at(task.scores, "no scores yet", "see: kaiwa status")
    scores = read_scores(task.scores)
    chosen = task.settings.chosen_measures(scores, task.scores)
    return next_round([scores[measure] for measure in chosen], task.settings.requirement)
