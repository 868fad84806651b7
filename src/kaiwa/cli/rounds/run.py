from __future__ import annotations

import contextlib
import io
from pathlib import Path

import click

from kaiwa.cli.shell.output import emit, json_option, remark
from kaiwa.cli.shell.shared_options import task_argument
from kaiwa.cli.shell.typed_command import run_typed

EXIT_NOT_COMPLETE = 1


@click.command("run", epilog="Example: kaiwa run mytask")
@task_argument
@click.option("--dry-run", is_flag=True, help="Only print the commands.")
@json_option
@click.pass_context
def command(ctx: click.Context, task: Path, *, dry_run: bool, as_json: bool) -> None:
    """Do the remaining steps of the round in a task folder (default: this one), in order.

    Runs the command of every file that is missing or stale, as kaiwa status prints it, and stops where
    people must act: topics, runs, votes. Exit code 1 if the round is not complete at the end; with unjudged
    items the report is made and marked PROVISIONAL.
    """
    from kaiwa.flow.rounds.status import remaining_steps, task_status
    from kaiwa.report.results.round_view import RunView

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
            from kaiwa.flow.rounds.report_files import remove_leftovers

            remove_leftovers(Path("report.html"))
    view = RunView(tuple(done), task_status(task), task, dry_run)
    emit(view, as_json=as_json)
    if view.status.next and not dry_run:
        ctx.exit(EXIT_NOT_COMPLETE)
