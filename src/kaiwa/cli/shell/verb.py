"""What every verb has: --quiet, and a record of the files it wrote into a task folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kaiwa.cli.shell.output import quiet_option


class VerbGroup(click.Group):
    """A verb with commands of its own, which have what every verb has; listed in the order of their definition."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """The commands, as defined."""
        return list(self.commands)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, with what every verb has."""
        found = super().get_command(ctx, cmd_name)
        return found and completed_verb(found)


def completed_verb(command: click.Command) -> click.Command:
    """The command with what every verb has, added once."""
    if not any(option.name == "quiet" for option in command.params):
        quiet_option(command)
    return _recorded(command)


def _recorded(command: click.Command) -> click.Command:
    """The command, recording in a task folder what each file it writes there was made from."""
    work = command.callback
    if work is None or getattr(work, "records", False):
        return command

    def callback(**options: Any) -> None:  # Any: what click parsed
        written = work(**options) or options.get("output")  # a verb that chooses its file's name returns it
        if isinstance(written, Path) and written.is_file():
            _record(_verb_name(), written, options)

    callback.records = True  # type: ignore[attr-defined]  # a command is wrapped once
    command.callback = callback
    return command


def _verb_name() -> str:
    """The verb as it was typed after ``kaiwa``: ``score``, ``design cost``."""
    context: click.Context | None = click.get_current_context()
    names = list[str]()
    while context is not None and context.parent is not None:
        names.insert(0, str(context.info_name))
        context = context.parent
    return " ".join(names)


def _record(verb: str, written: Path, options: dict[str, Any]) -> None:  # Any: what click parsed
    from importlib.metadata import version

    from kaiwa.task.step_record import record_step

    values = [one for value in options.values() for one in (value if isinstance(value, tuple) else (value,))]
    inputs = [one for one in values if isinstance(one, Path) and one != written]
    record_step(written, inputs, verb=verb, version=version("kaiwa"), seed=options.get("seed"))
