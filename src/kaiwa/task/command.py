from __future__ import annotations

import contextlib
import io
from pathlib import Path

import click

from kaiwa.cli.command import verb
from kaiwa.cli.group import run_typed
from kaiwa.cli.options import task_argument
from kaiwa.cli.output import OUT_FILE, emit, json_option, remark


@verb("init", epilog="Example: kaiwa init mytask")
@click.argument("folder", type=OUT_FILE)
@json_option
def init_command(folder: Path, as_json: bool) -> None:  # noqa: FBT001
    """Make a task folder with a commented kaiwa.toml."""
    from kaiwa.task.init import init_task
    from kaiwa.task.shown import InitView

    emit(InitView(init_task(folder)), as_json=as_json)


@verb("status", epilog="Example: kaiwa status mytask")
@task_argument
@json_option
def status_command(task: Path, *, as_json: bool) -> None:
    """What is done, stale or missing in a task folder (default: this one), and the next command to type there.

    A file is stale if one of its inputs has changed since it was made. The verbs record the inputs of each
    file that they write into the folder.
    """
    from kaiwa.task.shown import StatusView
    from kaiwa.task.status import task_status

    emit(StatusView(task_status(task), task), as_json=as_json)


EXIT_NOT_COMPLETE = 1


@verb("run", epilog="Example: kaiwa run mytask")
@task_argument
@click.option("--dry-run", is_flag=True, help="Only print the commands.")
@json_option
@click.pass_context
def run_command(ctx: click.Context, task: Path, *, dry_run: bool, as_json: bool) -> None:
    """Do the remaining steps of the round in a task folder (default: this one), in order.

    Runs the command of every file that is missing or stale, as kaiwa status prints it, and stops where
    people must act: topics, runs, votes. Exit code 1 if the round is not complete at the end; with unjudged
    items the report is made and marked PROVISIONAL.
    """
    from kaiwa.task.shown import RunView
    from kaiwa.task.status import remaining_steps, task_status

    done = list[str]()
    task_status(task)  # a folder that is not a task is an error, before its commands are looked for
    with contextlib.chdir(task):
        for step in remaining_steps(Path(), dry_run=dry_run):
            done.append(step.command)
            if not dry_run:
                remark(f"$ {step.command}")
                with contextlib.redirect_stdout(io.StringIO()):  # results are in the files; remarks are on stderr
                    run_typed(step.command)
        if not dry_run and any(Path().glob(".report-files.*")):
            from kaiwa.reporting.report import remove_leftovers

            remove_leftovers(Path("report.html"))
    view = RunView(tuple(done), task_status(task), task, dry_run)
    emit(view, as_json=as_json)
    if view.status.next and not dry_run:
        ctx.exit(EXIT_NOT_COMPLETE)
