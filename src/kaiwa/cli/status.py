from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from kaiwa.cli.shell.output import IN_FILE, emit, json_option
from kaiwa.report.text_tables import table


@click.command("status", epilog="Example: kaiwa status mytask")
@click.argument("task", type=IN_FILE, default=Path())
@json_option
def command(task: Path, as_json: bool) -> None:  # noqa: FBT001
    """What is done, stale or missing in a task folder, and the next command to type there.

    A file is stale when something it was made from has changed since; what each was made from is recorded
    by the verbs as they write into the folder.
    """
    from kaiwa.flow.status import task_status
    from kaiwa.task.settings import read_task

    status = task_status(read_task(task))
    rows = [[step.file, step.state, step.why] for step in status.steps]
    following = f"Next, in {task}: {status.next}" if status.next else "The round is complete."
    fields = {"steps": [asdict(step) for step in status.steps], "next": status.next or None}
    emit(f"{table(['file', 'state', ''], rows)}\n\n{following}", fields, as_json=as_json)
