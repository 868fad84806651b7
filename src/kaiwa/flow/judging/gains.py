"""Turn a vote file into a judgement file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.errors import InputError
from kaiwa.formats.qrels_files import write_qrels
from kaiwa.formats.readers import read_runs, read_votes
from kaiwa.label.gain_schemes import UNANIMITY_WEIGHT, VotedGains, voted_gains
from kaiwa.studies.left_out_assessors import LeaderboardChange, Testing, leaderboard_changes
from kaiwa.task.task_folder import read_task

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from kaiwa.model.gains import Gains
    from kaiwa.model.votes import Votes


def gains_file(
    path: Path,
    output: Path | None = None,
    *,
    scheme: str = "mean",
    levels: Mapping[float, float] | None = None,
    p: float = UNANIMITY_WEIGHT,
    top: int | None = None,
    without: Sequence[str] = (),
) -> tuple[Votes, VotedGains]:
    """The gains of a file's votes, written to ``output`` when given; ``without`` the votes of these assessors."""
    votes = votes_without(path, without, top=top)
    made = voted_gains(votes, scheme, levels=levels, p=p)
    if output is not None:
        write_qrels(output, made.gains)
    return votes, made


def votes_without(path: Path, without: Sequence[str], *, top: int | None = None) -> Votes:
    """The votes of a file, without those of some assessors; at least one assessor must remain."""
    votes = read_votes(path, top=top)
    if not without:
        return votes
    kept = votes.without(*without)
    if not kept.assessors:
        raise InputError.at(path, "every assessor would be left out", "keep at least one")
    return kept


def changes_in_task(folder: Path | None, before: Gains, after: Gains) -> list[LeaderboardChange]:
    """What changes in the leaderboards of a task folder from one set of gains to another; none without runs."""
    if folder is None:
        return []
    task = read_task(folder)
    settings = task.settings
    testing = Testing(settings.test, settings.alpha, settings.trials, settings.seed)
    runs = read_runs(task.runs) if task.runs else []
    return leaderboard_changes(runs, before, after, settings.measures, testing)
