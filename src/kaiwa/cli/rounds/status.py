from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kaiwa.cli.shell.output import emit, json_option
from kaiwa.cli.shell.shared_options import task_argument

if TYPE_CHECKING:
    from pathlib import Path


@click.command("status", epilog="Example: kaiwa status mytask")
@task_argument
@json_option
def command(task: Path, *, as_json: bool) -> None:
    """What is done, stale or missing in a task folder (default: this one), and the next command to type there.

    A file is stale if one of its inputs has changed since it was made. The verbs record the inputs of each
    file that they write into the folder.
    """
    from kaiwa.flow.rounds.status import task_status
    from kaiwa.report.results.round_view import StatusView

    emit(StatusView(task_status(task), task), as_json=as_json)
