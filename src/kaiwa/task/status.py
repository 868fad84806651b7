"""The status of a round: each file as done, incomplete, stale or missing, and the next command to type."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from kaiwa.errors import counted
from kaiwa.files.inputs import digest
from kaiwa.formats.reading import path_of
from kaiwa.formats.topics import read_pool
from kaiwa.show.result import Description, Result, Table
from kaiwa.task.comment_texts import made_for_others, takedown_ids
from kaiwa.task.folder import read_task
from kaiwa.task.progress import EXPORT, collected_votes, judging_progress
from kaiwa.task.record import Step, option_text, path_in, read_steps, unlike_record
from kaiwa.task.steps import RoundStep, round_steps

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet
    from os import PathLike
    from pathlib import Path

    from kaiwa.task.folder import Task


DONE, INCOMPLETE, STALE, MISSING = "done", "incomplete", "stale", "missing"


@dataclass(frozen=True)
class StepState:
    """One file of the round: done, incomplete, stale or missing, why, and the command that makes it.

    ``makes`` is false where people make the file; ``command`` then says what to do.
    """

    file: str
    state: str
    why: str
    command: str
    makes: bool


@dataclass(frozen=True, repr=False)
class Status(Result):
    """The whole round of a task folder, file by file, and what to do next.

    >>> import kaiwa
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> kaiwa.status(kaiwa.init(Path(mkdtemp(), "chat")))
    Status(0 of 7 files done, next: 'put the topics into topics.tsv (id TAB text)')
    """

    folder: Path
    steps: tuple[StepState, ...]

    def __repr__(self) -> str:
        done = sum(step.state == DONE for step in self.steps)
        return f"Status({done} of {counted(len(self.steps), 'file')} done, next: {self.next!r})"

    @property
    def next(self) -> str | None:
        """The next thing to do; None when the round is complete."""
        return next((step.command for step in self.steps if step.state != DONE), None)

    @property
    def stale(self) -> list[StepState]:
        """The files of the round that are not what the settings and their inputs would make now."""
        return [step for step in self.steps if step.state == STALE]

    def describe(self) -> Description:
        """A row for each file, and the next command."""
        rows = [[step.file, step.state, step.why] for step in self.steps]
        return Description(
            tables=[Table("steps", ["file", "state", "why"], rows, ["file", "state", ""])],
            fields={"steps": [asdict(step) for step in self.steps], "next": self.next},
            notes=[f"Next, in {self.folder}: {self.next}" if self.next else "The round is complete."],
        )


def status(task: PathLike[str] | str = ".") -> Status:
    """What is done, incomplete, stale or missing in a task folder, and the next command to type there.

    A file is stale if one of its inputs or settings has changed since it was made, as the verbs have recorded it.

    >>> import kaiwa
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> found = kaiwa.status(kaiwa.init(Path(mkdtemp(), "chat")))
    >>> found.columns()["state"][0], found.next
    ('missing', 'put the topics into topics.tsv (id TAB text)')
    """
    return round_status(read_task(path_of("task", task)))


def round_status(task: Task) -> Status:
    """The state of every file of the task folder."""
    made = read_steps(task.folder)
    states = dict[str, StepState]()
    for step in round_steps(task):
        name = path_in(task.folder, step.path)
        states[name] = _state(task, name, step, made.get(name), states)
    return Status(task.folder, tuple(states.values()))


def _state(task: Task, name: str, step: RoundStep, record: Step | None, earlier: Mapping[str, StepState]) -> StepState:
    if step.path == task.votes:
        return _votes_state(task, name, step, record)
    there = bool(task.runs) if step.path.is_dir() else step.path.exists()
    if not there:
        return StepState(name, MISSING, "", step.command, not step.by_hand)
    if reasons := _differing(step, record) or _changed(task.folder, record, step.inputs):
        return StepState(name, STALE, "; ".join(reasons), step.command, not step.by_hand)
    if record and (mixed := unlike_record(task.folder, record, besides=name if step.by_hand else "")):
        command = f"make it again with: kaiwa {record.verb}" if step.by_hand else step.command
        return StepState(name, STALE, mixed, command, not step.by_hand)
    if waiting := _waiting(task, step, record, earlier):
        return StepState(name, STALE, f"{waiting} must be made first", step.command, not step.by_hand)
    why = made_for_others(task) if step.path == task.topics else ""
    why = why or ("" if record or step.by_hand else "not recorded")
    return StepState(name, DONE, why, step.command, not step.by_hand)


def _votes_state(task: Task, name: str, step: RoundStep, record: Step | None) -> StepState:
    """The state of the vote file, which also depends on the votes of the server that it does not have."""
    hidden = takedown_ids(task)
    collected = collected_votes(task, hidden)
    has_newer = bool(collected and collected.votes and (record.options.get("head") if record else "") != collected.head)
    command = f"export the votes with: {EXPORT}" if collected and collected.progress.complete else step.command
    if not task.votes.exists():
        why = collected.described() if collected and has_newer else _to_judge(task, hidden)
        return StepState(name, MISSING, why, command if has_newer else step.command, makes=False)
    findings = judging_progress(task, hidden).findings()
    if collected and has_newer:
        findings.append(f"{collected.described()}; export them with: {EXPORT}")
    state = INCOMPLETE if findings else DONE
    return StepState(name, state, "; ".join(findings), command if has_newer else step.command, makes=False)


def _to_judge(task: Task, hidden: AbstractSet[str]) -> str:
    """How many items wait for votes that have not been exported yet."""
    if not task.pool.exists():
        return ""
    items = sum(hidden.isdisjoint(item) for item in read_pool(task.pool))
    return f"{counted(items, 'item')} to judge, {counted(task.settings.votes_per_item, 'vote')} each"


def _waiting(task: Task, step: RoundStep, record: Step | None, earlier: Mapping[str, StepState]) -> str:
    """The first input that must be made before this file; a file that no verb made does not need its inputs."""
    behind = {STALE, MISSING} if record else {STALE}
    names = sorted(path_in(task.folder, path) for path in step.inputs)
    return next((name for name in names if name in earlier and earlier[name].state in behind), "")


def _changed(folder: Path, record: Step | None, inputs: tuple[Path, ...]) -> list[str]:
    """The first input that was changed, added or removed since the file was made, if any."""
    if record is None:
        return []  # not made by a verb here: taken as it is
    for name in (path_in(folder, path) for path in inputs if path.exists()):
        if name not in record.inputs:
            return [f"{name} is new"]
    for name, known in record.inputs.items():
        path = folder / name
        if not path.is_file():
            return [f"{name} is missing"]
        if digest(path) != known:
            return [f"{name} has changed"]
    return []


def _differing(step: RoundStep, record: Step | None) -> list[str]:
    """Each option whose recorded value is not the one in the settings."""
    if record is None:
        return []
    return [
        f"made with {name} {option_text(record.options[name])}, but kaiwa.toml has {option_text(value)}"
        for name, value in step.options.items()
        if record.options.get(name) is not None and not _same(record.options[name], value)
    ]


def _same(recorded: object, wanted: object) -> bool:
    """Whether a recorded value is the wanted one; of a list, whether it holds all that is wanted."""
    if isinstance(wanted, tuple):
        return isinstance(recorded, list) and set(wanted) <= set(recorded)
    return recorded == wanted
