"""What every verb has: --quiet, defaults of a task, inputs that it never overwrites, a record of what it writes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from kaiwa.cli.shell.output import OUT_FILE, quiet_option
from kaiwa.cli.shell.task_defaults import take_task_defaults, task_folder, tell_task_defaults
from kaiwa.disk.joint_output import Addition, finish, is_written, together
from kaiwa.disk.protected_inputs import reading, refuse_input

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_NOT_RECORDED = {"as_json", "output", "quiet"}
_OF_OTHER_VERBS = {"demo", "run"}
"""Verbs that run others, which write the files that the next ones read."""
_READ_AGAIN = {*_OF_OTHER_VERBS, "init"}
"""Verbs that read what they have written; they record nothing themselves."""
_NEVER_MADE = ("kaiwa.toml", "takedown.txt")
"""The files of a task that people write and that every verb in its folder reads."""
_MAKER = {"topics.tsv": "topics", "pool.tsv": "pool", "pool.organisers.csv": "pool", "votes.csv": "votes"}
"""The files that a round begins with, and the verb that makes each: no other verb writes over them."""


class VerbGroup(click.Group):
    """A verb with commands of its own, which have what every verb has; listed in the order of their definition."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """The commands, as defined."""
        return list(self.commands)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, with what every verb has."""
        found = super().get_command(ctx, cmd_name)
        return found and completed_verb(found)


@dataclass(frozen=True)
class Made:
    """The file that a verb wrote, and the options that it only knew while working, such as the top of a scale."""

    path: Path | None
    facts: Mapping[str, Any]  # Any: JSON values


def completed_verb(command: click.Command) -> click.Command:
    """The command with what every verb has, added once."""
    if not any(option.name == "quiet" for option in command.params):
        quiet_option(command)
    if command.callback is not None and not getattr(command.callback, "records", False):
        _record_what_is_written(command, command.callback)
        take_task_defaults(command)
    return command


def _record_what_is_written(command: click.Command, work: Callable[..., Any]) -> None:  # Any: what the verb returns
    """Make the command record in a task folder how each file that it writes there was made."""

    def callback(**options: Any) -> None:  # Any: what click parsed
        if command.name in _READ_AGAIN:
            _refuse_inputs(command, options)
            work(**options)
            return
        ended: click.exceptions.Exit | None = None
        with reading(_read_by(command, options)), together():
            _refuse_inputs(command, options)
            try:
                written = work(**options)  # a verb that chooses its file's name returns it
            except click.exceptions.Exit as findings:  # told by the exit code; the outputs appear
                ended, written = findings, Made(None, {})
            made = written if isinstance(written, Made) else Made(written or options.get("output"), {})
            if isinstance(made.path, Path) and is_written(made.path):
                _record(_verb_name(), made, options, _paths(command, options, written=False))
        if ended:
            raise ended
        tell_task_defaults()

    callback.records = True  # type: ignore[attr-defined]  # a command is wrapped once
    command.callback = callback


def _paths(command: click.Command, options: Mapping[str, Any], *, written: bool) -> list[Path]:  # Any: as click parsed
    """The paths that the command writes, or those that it reads."""
    types = {one.name: one.type for one in command.params}
    given = [
        (name, one) for name, value in options.items() for one in (value if isinstance(value, tuple) else (value,))
    ]
    return [one for name, one in given if isinstance(one, Path) and (types.get(name) is OUT_FILE) == written]


def _read_by(command: click.Command, options: Mapping[str, Any]) -> list[Path]:  # Any: as click parsed
    """The files that the command reads; of a folder that it knows the files of, only those."""
    if command.name in _OF_OTHER_VERBS:
        return []
    parts = [part for path in _paths(command, options, written=False) for part in _parts_read(path)]
    if command.name == "votes":  # it makes the votes of the task again and again
        parts = [part for part in parts if _MAKER.get(part.name) != "votes"]
    return [*parts, *_files_of_task(task_folder(), str(command.name))]


def _files_of_task(folder: Path | None, verb: str) -> list[Path]:
    """The files of the task folder in which a verb works: its settings, and what people made and the verb does not."""
    kept = [*_NEVER_MADE, *(name for name, maker in _MAKER.items() if maker != verb)]
    return [folder / name for name in kept] if folder else []


def _parts_read(path: Path) -> list[Path]:
    from kaiwa.task.folder_search import CONFIG

    if (path / CONFIG).is_file():
        from kaiwa.task.task_folder import read_task

        task = read_task(path)
        return [*task.sources, *(_parts_of_collection(task.repository) if task.repository.is_dir() else [])]
    return _parts_of_collection(path) or [path]


def _parts_of_collection(path: Path) -> list[Path]:
    """The files of an index or a repository that are read; none if the folder is neither."""
    if not (path / "manifest.json").is_file() and not (path / "pairs.parquet").exists():
        return []
    own = {"manifest.json", "takedown.txt"}
    return [part for part in path.iterdir() if part.name in own or part.suffix == ".parquet"]


def _refuse_inputs(command: click.Command, options: Mapping[str, Any]) -> None:  # Any: as click parsed
    """Refuse an output that is an input before the work begins."""
    context = click.get_current_context()
    typed = ParameterSource.COMMANDLINE
    chosen = {name: value for name, value in options.items() if context.get_parameter_source(name) is typed}
    for path in _paths(command, chosen, written=True):
        refuse_input(path)


def _verb_name() -> str:
    """The verb as it was typed after ``kaiwa``: ``score``, ``design cost``."""
    context: click.Context | None = click.get_current_context()
    names = list[str]()
    while context is not None and context.parent is not None:
        names.insert(0, str(context.info_name))
        context = context.parent
    return " ".join(names)


def _record(verb: str, made: Made, options: dict[str, Any], inputs: list[Path]) -> None:  # Any: what click parsed
    from importlib.metadata import version

    from kaiwa.task.step_record import RECORD, recorded_step

    given = {name: value for name, value in options.items() if _matters(name, value)}
    if made.path:
        told = {**given, **made.facts}
        step = recorded_step(made.path, inputs, verb=verb, version=version("kaiwa"), options=told)
        finish(Addition(made.path.with_name(f"{made.path.name} in {RECORD}"), step))


def _matters(name: str, value: object) -> bool:
    """Whether an option is recorded: a seed, and what is given by the user or the settings; files are inputs."""
    first = value[0] if isinstance(value, tuple) and value else value
    if name in _NOT_RECORDED or isinstance(first, Path):
        return False
    return name == "seed" or click.get_current_context().get_parameter_source(name) is not ParameterSource.DEFAULT
