from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kaiwa.cli.shell.output import OUT_FILE, emit, json_option

if TYPE_CHECKING:
    from pathlib import Path


@click.command("init", epilog="Example: kaiwa init mytask")
@click.argument("folder", type=OUT_FILE)
@json_option
def command(folder: Path, as_json: bool) -> None:  # noqa: FBT001
    """Make a task folder with a commented kaiwa.toml."""
    from kaiwa.flow.rounds.init import init_task
    from kaiwa.report.results.round_view import InitView

    emit(InitView(init_task(folder)), as_json=as_json)
