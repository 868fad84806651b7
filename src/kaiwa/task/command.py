from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kaiwa.cli.command import verb
from kaiwa.cli.options import task_argument
from kaiwa.cli.output import OUT_FILE, Shown, form_options, result_options, show

if TYPE_CHECKING:
    from pathlib import Path


@verb("init", epilog="Example: kaiwa init mytask")
@click.argument("folder", type=OUT_FILE)
@form_options
def init_command(folder: Path, *, shown: Shown) -> None:
    """Make a task folder with a commented kaiwa.toml."""
    from kaiwa.task.init import init

    show(init(folder), shown)


@verb("status", epilog="Example: kaiwa status mytask")
@task_argument
@result_options
def status_command(task: Path, *, shown: Shown) -> None:
    """What is done, stale or missing in a task folder (default: this one), and the next command to type there.

    A file is stale if one of its inputs has changed since it was made. The verbs record the inputs of each
    file that they write into the folder. Table: steps.
    """
    from kaiwa.task.status import status

    show(status(task), shown)


EXIT_NOT_COMPLETE = 1


@verb("make", epilog="Example: kaiwa make mytask")
@task_argument
@click.option("--dry-run", is_flag=True, help="Only print the commands.")
@form_options
@click.pass_context
def make_command(ctx: click.Context, task: Path, *, dry_run: bool, shown: Shown) -> None:
    """Do the remaining steps of the round in a task folder (default: this one), in order.

    Runs the command of every file that is missing or stale, as kaiwa status prints it, and stops where
    people must act: topics, runs, votes. Exit code 1 if the round is not complete at the end; with unjudged
    items the report is made and marked PROVISIONAL. Tables: steps, commands.
    """
    from kaiwa.task.making import make

    made = make(task, dry_run=dry_run)
    show(made, shown)
    if made.next and not dry_run:
        ctx.exit(EXIT_NOT_COMPLETE)
