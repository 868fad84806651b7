from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

import click

from kaiwa.cli.shell.output import OUT_FILE, emit, json_option
from kaiwa.cli.shell.progress import progress
from kaiwa.cli.shell.shared_options import takedown_option, task_argument
from kaiwa.cli.shell.task_defaults import listed_ids
from kaiwa.cli.shell.verb import Made

if TYPE_CHECKING:
    from pathlib import Path


@click.command("report", epilog="Example: kaiwa report mytask -o report.html")
@task_argument
@click.option("-o", "--output", type=OUT_FILE, help="The page to write (default: TASK/report.html).")
@takedown_option
@click.option("--stale", is_flag=True, help="Report files that are not up to date as they are; the page is marked.")
@json_option
def command(task: Path, *, output: Path | None, takedown: Path | None, stale: bool, as_json: bool) -> Made:
    """The results of a task folder (default: this one) as one offline HTML page, and the same as files for a paper.

    Shows the leaderboard of each measure with tied ranks and intervals, which runs differ significantly and on
    which topics, two runs side by side, the assessors' agreement, the pool, the variances, how many topics
    the next round needs, a data card, methods and limits. Beside report.html, the folder report-files
    holds LaTeX tables, CSV and JSON of every number, and PDF figures.

    How the files of the round were made is quoted from their records. A round whose pool is not fully judged
    is marked PROVISIONAL. Stale files are an error; see kaiwa status.
    """
    from kaiwa.flow.rounds.report import write_report
    from kaiwa.flow.rounds.report_files import files_beside
    from kaiwa.report.results.round_view import ReportView
    from kaiwa.task.round_steps import settings_for
    from kaiwa.task.task_folder import read_task

    folder = read_task(task)
    path = output or folder.report
    with progress("reporting") as moved:
        results = write_report(
            folder, path, version=version("kaiwa"), takedown=listed_ids(takedown), stale=stale, on_progress=moved
        )
    emit(ReportView(results, path, files_beside(path)), as_json=as_json)
    return Made(path, settings_for("report", folder.settings))
