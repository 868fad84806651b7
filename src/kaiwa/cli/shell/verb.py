"""What every verb gets without asking: --quiet, and a note of what it wrote into a task folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from kaiwa.cli.shell.output import quiet_option

if TYPE_CHECKING:
    import click


def mannered(command: click.Command) -> click.Command:
    """The command with what every verb has; a command is dressed once."""
    if not any(option.name == "quiet" for option in command.params):
        quiet_option(command)
    return _recorded(command)


def _recorded(command: click.Command) -> click.Command:
    """The command, noting in a task folder what each file it writes there was made from."""
    work = command.callback
    if work is None or getattr(work, "notes", False):
        return command

    def callback(**options: Any) -> None:  # Any: what click parsed
        written = work(**options) or options.get("output")  # a verb that chooses its file's name returns it
        if isinstance(written, Path) and written.is_file():
            _note(str(command.name), written, options)

    callback.notes = True  # type: ignore[attr-defined]  # a command is wrapped once
    command.callback = callback
    return command


def _note(verb: str, written: Path, options: dict[str, Any]) -> None:  # Any: what click parsed
    from importlib.metadata import version

    from kaiwa.task.step_record import record_step

    values = [one for value in options.values() for one in (value if isinstance(value, tuple) else (value,))]
    inputs = [one for one in values if isinstance(one, Path) and one != written]
    record_step(written, inputs, verb=verb, version=version("kaiwa"), seed=options.get("seed"))
