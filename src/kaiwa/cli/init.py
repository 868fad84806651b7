from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kaiwa.cli.shell.output import IN_FILE, emit, json_option

if TYPE_CHECKING:
    from pathlib import Path


@click.command("init", epilog="Example: kaiwa init mytask")
@click.argument("folder", type=IN_FILE)
@json_option
def command(folder: Path, as_json: bool) -> None:  # noqa: FBT001
    """Make a task folder with a commented kaiwa.toml."""
    from kaiwa.flow.init import init_task

    task = init_task(folder)
    text = (
        f"{task.config}: edit the settings\n{task.topics}: put the topics here (id TAB text)\n"
        f"{folder / 'runs'}/: put the runs here\nThen: kaiwa status {folder}"
    )
    emit(text, {"folder": str(folder), "config": str(task.config)}, as_json=as_json)
