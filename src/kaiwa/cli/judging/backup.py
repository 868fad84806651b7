from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kaiwa.cli.shell.output import OUT_FILE, Summary, emit, json_option
from kaiwa.cli.shell.shared_options import store_option, task_argument
from kaiwa.errors import counted

if TYPE_CHECKING:
    from pathlib import Path


@click.command("backup", epilog="Example: kaiwa backup mytask")
@task_argument
@click.option("-o", "--output", type=OUT_FILE, help="The copy; default: a new file in the task's folder backups.")
@store_option
@json_option
def command(task: Path, *, output: Path | None, store: str | None, as_json: bool) -> None:
    """Copy the votes of a task (default: this folder) to a SQLite file, also while people vote.

    The copy is checked before it gets its name. It opens as votes.db of a task folder. What the takedown lists name is
    left out of it, and so are the sessions.
    """
    from kaiwa.flow.judging.backup import backup_task

    made = backup_task(task, output, store=store)
    line = f"{made.path}: {counted(made.rows, 'row')}, checked; head {made.head}"
    emit(Summary(line, {"path": str(made.path), "rows": made.rows, "head": made.head}), as_json=as_json)
