"""The status of a round: each file as done, stale or missing, and the next command to type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kaiwa.task.step_record import Step, digest, read_steps

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kaiwa.task.task_folder import Task

DONE, STALE, MISSING = "done", "stale", "missing"


@dataclass(frozen=True)
class StepState:
    """One file of the round: done, stale or missing, why, and the command that makes it."""

    file: str
    state: str
    why: str
    command: str


@dataclass(frozen=True)
class RoundStatus:
    """The whole round, in order."""

    steps: tuple[StepState, ...]

    @property
    def next(self) -> str:
        """The next thing to do; empty when the round is done."""
        return next((step.command for step in self.steps if step.state != DONE), "")


def round_status(task: Task) -> RoundStatus:
    """The state of every file of the task folder."""
    made = read_steps(task.folder)
    settings = task.settings
    scores = " ".join(f"-m {measure}" for measure in settings.measures)
    wanted: list[tuple[Path, str, Sequence[Path]]] = [
        (task.topics, "put the topics into topics.tsv (id TAB text)", ()),
        (task.folder / "runs", "put the runs into runs/, then: kaiwa check runs/*.txt --topics topics.tsv", ()),
        (task.pool, f"kaiwa pool runs/*.txt --depth {settings.depth} -o pool.tsv", task.runs),
        (task.votes, "have the pool judged: votes.csv (topic,comment,assessor,level)", ()),
        (task.qrels, f"kaiwa gains votes.csv --scheme {settings.scheme} -o qrels.txt", [task.votes]),
        (task.scores, f"kaiwa score runs/*.txt --qrels qrels.txt {scores} -o scores.csv", [*task.runs, task.qrels]),
        (task.report, "kaiwa report . -o report.html", task.sources),
    ]
    states = list[StepState]()
    for path, command, inputs in wanted:
        behind = {one.file for one in states if one.state != DONE}
        states.append(_state(task, path, command, inputs, made=made, behind=behind))
    return RoundStatus(tuple(states))


def _state(
    task: Task, path: Path, command: str, inputs: Sequence[Path], *, made: dict[str, Step], behind: set[str]
) -> StepState:
    name = str(path.relative_to(task.folder))
    there = bool(task.runs) if path.is_dir() else path.exists()
    if not there:
        return StepState(name, MISSING, "", command)
    why = _stale(task.folder, made.get(name), inputs) if inputs else ""
    waiting = sorted(str(one.relative_to(task.folder)) for one in inputs if str(one.relative_to(task.folder)) in behind)
    if waiting and not why:
        why = f"{waiting[0]} must be made first"
    return StepState(name, STALE if why else DONE, why, command)


def _stale(folder: Path, step: Step | None, inputs: Sequence[Path]) -> str:
    """Why a file is out of date: an input changed, was added or was removed since it was made; empty if it is not."""
    if step is None:
        return ""  # not made by a verb here: taken as it is
    current = {str(path.relative_to(folder)): path for path in inputs if path.exists()}
    for name, path in current.items():
        if name not in step.inputs:
            return f"{name} is new"
        if digest(path) != step.inputs[name]:
            return f"{name} has changed"
    missing = [name for name in step.inputs if not (folder / name).exists()]
    return f"{missing[0]} is missing" if missing else ""
