from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

import click

from kaiwa.cli.command import Made, listed_ids, verb
from kaiwa.cli.options import Named, takedown_option, task_argument
from kaiwa.cli.output import IN_FILE, OUT_FILE, emit, json_option, progress

if TYPE_CHECKING:
    from pathlib import Path


@verb("report", epilog="Example: kaiwa report mytask -o report.html")
@task_argument
@click.option("-o", "--output", type=OUT_FILE, help="The page to write (default: TASK/report.html).")
@takedown_option
@click.option("--stale", is_flag=True, help="Report files that are not up to date as they are; the page is marked.")
@json_option
def report_command(task: Path, *, output: Path | None, takedown: Path | None, stale: bool, as_json: bool) -> Made:
    """The results of a task folder (default: this one) as one offline HTML page, and the same as files for a paper.

    Shows the leaderboard of each measure with tied ranks and intervals, which runs differ significantly and on
    which topics, two runs side by side, the assessors' agreement, the pool, the variances, how many topics
    the next round needs, a data card, methods and limits. Beside report.html, the folder report-files
    holds LaTeX tables, CSV and JSON of every number, and PDF figures.

    How the files of the round were made is quoted from their records. A round whose pool is not fully judged
    is marked PROVISIONAL. Stale files are an error; see kaiwa status.
    """
    from kaiwa.reporting.report import files_beside, write_report
    from kaiwa.task.folder import read_task, settings_for
    from kaiwa.task.shown import ReportView

    folder = read_task(task)
    path = output or folder.report
    with progress("reporting") as moved:
        results = write_report(
            folder, path, version=version("kaiwa"), takedown=listed_ids(takedown), stale=stale, on_progress=moved
        )
    emit(ReportView(results, path, files_beside(path)), as_json=as_json)
    return Made(path, settings_for("report", folder.settings))


@verb("reproduce", epilog="Example: kaiwa reproduce topic-set-size")
@click.argument("names", nargs=-1, type=Named("reproduction"))
@click.option("--labels", type=IN_FILE, help="The public STC Japanese label file, for kappa.")
@json_option
def reproduce_command(names: tuple[str, ...], *, labels: Path | None, as_json: bool) -> None:
    """Recompute published numbers and compare them with the papers.

    NAMES: topic-set-size, tau, standardisation-tau, unanimity, measures, kappa (default: all).
    Exit code 1 if a row differs from the paper.
    """
    from kaiwa.reporting.reproduce import ReproduceView, reproduce

    with progress("recomputing"):
        found = reproduce(names, labels=labels)
    emit(ReproduceView(found), as_json=as_json)
    if not all(row.agrees for one in found for row in one.rows):
        click.get_current_context().exit(1)
