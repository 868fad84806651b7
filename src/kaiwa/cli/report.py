from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

import click

from kaiwa.cli.output import IN_FILE, emit, json_option
from kaiwa.cli.progress import progress

if TYPE_CHECKING:
    from pathlib import Path


@click.command("report", epilog="Example: kaiwa report mytask -o report.html")
@click.argument("task", type=IN_FILE)
@click.option("-o", "--output", type=IN_FILE, help="The page to write (default: TASK/report.html).")
@json_option
def command(task: Path, output: Path | None, as_json: bool) -> Path:  # noqa: FBT001
    """The results of a task folder as one offline HTML page.

    Shows the leaderboard of each measure with tied ranks and intervals, which runs really differ, the
    assessors' agreement, the pool, the variances, and how many topics the next round needs.
    """
    from kaiwa.files.task import read_task
    from kaiwa.flow.report import write_report

    folder = read_task(task)
    path = output or folder.report
    with progress("computing the results"):
        results = write_report(folder, path, version=version("kaiwa"))
    best = {one.scores.measure: one.comparison.standings[0].run for one in results.measures}
    needed = {one.scores.measure: one.design.n for one in results.measures if one.design}
    lines = [f"{measure}: {run} leads" for measure, run in best.items()]
    emit("\n".join([*lines, f"report: {path}"]), {"report": str(path), "best": best, "topics": needed}, as_json=as_json)
    return path
