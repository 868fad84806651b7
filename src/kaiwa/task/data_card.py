"""The data card of a round: what the collection is, and the exact files behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.model.votes import NA
from kaiwa.pool import team_of
from kaiwa.task.step_record import digest, path_in

if TYPE_CHECKING:
    from pathlib import Path

    from kaiwa.task.round_results import RoundResults

_LANGUAGES = {"zh": "Chinese", "ja": "Japanese", "en": "English"}
_NOT_GIVEN = "not given"
NOT_RECORDED = "not recorded"


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
    if results.pool and results.pool.pooled:
        depth = f"to depth {results.pool.depth}" if results.pool.depth else "(depth not recorded)"
        facts.append(("items pooled", f"{results.pool.items:,} {depth}"))
    if results.votes:
        votes = results.votes
        given = int((votes.level != NA).sum())
        facts += [
            ("items judged", f"{votes.items:,}"),
            ("votes", f"{given:,} on the levels 0 to {votes.top}, and {votes.missing:,} NA"),
            ("assessors", f"{len(votes.assessors):,}"),
            ("gains", _how(results, results.task.qrels)),
        ]
    return [
        *facts,
        ("scores", _how(results, results.task.scores)),
        ("measures", ", ".join(one.scores.measure for one in results.measures)),
        ("comparison", f"{settings.test}, alpha {settings.alpha:g}, {settings.trials:,} trials, seed {settings.seed}"),
    ]


def _how(results: RoundResults, path: Path) -> str:
    """How a file was made, as recorded."""
    step = results.steps.get(path.name)
    return step.described() if step else NOT_RECORDED


def card_inputs(results: RoundResults) -> list[tuple[str, str, str, str]]:
    """Each file behind the results: its name, what made it with which options as recorded, and its SHA-256."""
    rows = list[tuple[str, str, str, str]]()
    for path in results.task.sources:
        name = path_in(results.task.folder, path)
        step = results.steps.get(name)
        made = f"kaiwa {step.verb}, version {step.version}" if step else NOT_RECORDED
        rows.append((name, made, step.described() if step else NOT_RECORDED, digest(path)))
    return rows
