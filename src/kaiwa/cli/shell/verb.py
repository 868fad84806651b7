"""What every verb has: --quiet, defaults from the settings of a task, and a record of the files it writes there."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from kaiwa.cli.shell.output import quiet_option
from kaiwa.cli.shell.task_defaults import take_task_defaults, tell_task_defaults

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_NOT_RECORDED = {"as_json", "output", "quiet"}


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
        written = work(**options)  # a verb that chooses its file's name returns it
        tell_task_defaults()
        made = written if isinstance(written, Made) else Made(written or options.get("output"), {})
        if isinstance(made.path, Path) and made.path.is_file():
            _record(_verb_name(), made, options)

    callback.records = True  # type: ignore[attr-defined]  # a command is wrapped once
    command.callback = callback


def _verb_name() -> str:
    """The verb as it was typed after ``kaiwa``: ``score``, ``design cost``."""
    context: click.Context | None = click.get_current_context()
    names = list[str]()
    while context is not None and context.parent is not None:
        names.insert(0, str(context.info_name))
        context = context.parent
    return " ".join(names)


def _record(verb: str, made: Made, options: dict[str, Any]) -> None:  # Any: what click parsed
    from importlib.metadata import version

    from kaiwa.task.step_record import record_step

    values = [one for value in options.values() for one in (value if isinstance(value, tuple) else (value,))]
    inputs = [one for one in values if isinstance(one, Path) and one != made.path]
    given = {name: value for name, value in options.items() if _matters(name, value)}
    if made.path:
        record_step(made.path, inputs, verb=verb, version=version("kaiwa"), options={**given, **made.facts})


def _matters(name: str, value: object) -> bool:
    """Whether an option is recorded: a seed, and what is given by the user or the settings; files are inputs."""
    first = value[0] if isinstance(value, tuple) and value else value
    if name in _NOT_RECORDED or isinstance(first, Path):
        return False
    return name == "seed" or click.get_current_context().get_parameter_source(name) is not ParameterSource.DEFAULT
