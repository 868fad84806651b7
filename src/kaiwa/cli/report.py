from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

import click

from kaiwa.cli.shell.output import IN_FILE, emit, json_option
from kaiwa.cli.shell.progress import progress
from kaiwa.cli.shell.shared_options import takedown_option, task_argument

if TYPE_CHECKING:
    from pathlib import Path


@click.command("report", epilog="Example: kaiwa report mytask -o report.html")
@task_argument
@click.option("-o", "--output", type=IN_FILE, help="The page to write (default: TASK/report.html).")
@takedown_option
@json_option
def command(task: Path, *, output: Path | None, takedown: Path | None, as_json: bool) -> Path:
    """The results of a task folder (default: this one) as one offline HTML page, and the same as files for a paper.

    Shows the leaderboard of each measure with tied ranks and intervals, which runs differ significantly and on
    which topics, two runs side by side, the assessors' agreement, the pool, the variances, how many topics
    the next round needs, a data card, methods and limits. Beside report.html, the folder report-files
    holds LaTeX tables, CSV and JSON of every number, and PDF figures.
    """
    from kaiwa.flow.report import write_report
    from kaiwa.flow.report_files import files_beside
    from kaiwa.report.results.round_view import ReportView
    from kaiwa.task.task_folder import read_task

    folder = read_task(task)
    path = output or folder.report
    with progress("reporting") as moved:
        results = write_report(folder, path, version=version("kaiwa"), takedown=takedown, on_progress=moved)
    emit(ReportView(results.measures, path, files_beside(path)), as_json=as_json)
    return path
