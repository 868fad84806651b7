from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kaiwa.cli.command import Made, listed_ids, verb
from kaiwa.cli.options import Named, takedown_option, task_argument
from kaiwa.cli.output import IN_FILE, OUT_FILE, Shown, form_options, result_options, show

if TYPE_CHECKING:
    from pathlib import Path


@verb("report", epilog="Example: kaiwa report mytask -o report.html")
@task_argument
@click.option("-o", "--output", type=OUT_FILE, help="The page to write (default: TASK/report.html).")
@takedown_option
@click.option("--stale", is_flag=True, help="Report files that are not up to date as they are; the page is marked.")
@form_options
def report_command(task: Path, *, output: Path | None, takedown: Path | None, stale: bool, shown: Shown) -> Made:
    """The results of a task folder (default: this one) as one offline HTML page, and the same as files for a paper.

    Shows the leaderboard of each measure with tied ranks and intervals, which runs differ significantly and on
    which topics, two runs side by side, the assessors' agreement, the pool, the variances, how many topics
    the next round needs, a data card, methods and limits. Beside report.html, the folder report-files
    holds LaTeX tables, CSV and JSON of every number, and PDF figures.

    How the files of the round were made is quoted from their records. A round whose pool is not fully judged
    is marked PROVISIONAL. Stale files are an error; see kaiwa status.
    """
    from kaiwa.reporting.report import report
    from kaiwa.task.folder import read_task
    from kaiwa.task.inputs import settings_for

    made = report(task, output=output, takedown=listed_ids(takedown), stale=stale)
    show(made, shown)
    return Made(made.path, settings_for("report", read_task(task).settings))


@verb("reproduce", epilog="Example: kaiwa reproduce topic-set-size")
@click.argument("names", nargs=-1, type=Named("reproduction"))
@click.option("--labels", type=IN_FILE, help="The public STC Japanese label file, for kappa.")
@result_options
def reproduce_command(names: tuple[str, ...], *, labels: Path | None, shown: Shown) -> None:
    """Recompute published numbers and compare them with the papers.

    NAMES: topic-set-size, tau, standardisation-tau, unanimity, measures, kappa (default: all that need no file).
    Exit code 1 if a row differs from the paper. Tables: rows, and one of each name.
    """
    from kaiwa.reporting.reproduce import reproduce

    found = reproduce(*names, labels=labels)
    show(found, shown)
    if not found.reproduced:
        click.get_current_context().exit(1)
