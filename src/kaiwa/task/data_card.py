"""The data card of a round: what the collection is, and the exact files behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.model.votes import NA
from kaiwa.pool import team_of
from kaiwa.task.step_record import digest, read_steps

if TYPE_CHECKING:
    from kaiwa.task.round_results import RoundResults
    from kaiwa.task.task_folder import Task

_LANGUAGES = {"zh": "Chinese", "ja": "Japanese", "en": "English"}
_NOT_GIVEN = "not given"


def card_facts(results: RoundResults) -> list[tuple[str, str]]:
    """The facts about the collection that the task folder holds."""
    settings, runs = results.task.settings, results.measures[0].scores.runs
    teams = {team_of(run) for run in runs}
    facts = [
        ("languages", ", ".join(_LANGUAGES.get(one, one) for one in settings.languages)),
        ("origin", settings.origin or f"{_NOT_GIVEN} ([task] origin in kaiwa.toml)"),
        ("licence", settings.licence or f"{_NOT_GIVEN} ([task] licence in kaiwa.toml)"),
        ("topics", f"{len(results.measures[0].scores.topics):,}"),
        ("runs", f"{len(runs):,}" + (f" of {len(teams):,} teams" if len(teams) < len(runs) else "")),
    ]
    if results.pool:
        facts.append(("items pooled", f"{sum(results.pool.per_topic):,} to depth {settings.depth}"))
    if results.votes:
        votes = results.votes
        given = int((votes.level != NA).sum())
        facts += [
            ("items judged", f"{votes.items:,}"),
            ("votes", f"{given:,} on the levels 0 to {votes.top}, and {votes.missing:,} NA"),
            ("assessors", f"{len(votes.assessors):,}"),
            ("gains", f"scheme {settings.scheme}"),
        ]
    return [
        *facts,
        ("measures", ", ".join(one.scores.measure for one in results.measures)),
        ("comparison", f"alpha {settings.alpha:g}, {settings.trials:,} trials, seed {settings.seed}"),
    ]


def card_inputs(task: Task) -> list[tuple[str, str, str, str]]:
    """Each file behind the results: its name, what made it and with which seed if recorded, and its SHA-256."""
    steps = read_steps(task.folder)
    rows = list[tuple[str, str, str, str]]()
    for path in task.sources:
        name = str(path.relative_to(task.folder))
        step = steps.get(name)
        made = f"kaiwa {step.verb}, version {step.version}" if step else "-"
        seed = str(step.seed) if step and step.seed is not None else "-"
        rows.append((name, made, seed, digest(path)))
    return rows
