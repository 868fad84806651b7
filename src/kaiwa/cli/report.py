from __future__ import annotations

from importlib.metadata import version
from typing import TYPE_CHECKING

import click

from kaiwa.cli.shell.output import IN_FILE, emit, json_option
from kaiwa.cli.shell.progress import progress

if TYPE_CHECKING:
    from pathlib import Path


@click.command("report", epilog="Example: kaiwa report mytask -o report.html")
@click.argument("task", type=IN_FILE)
@click.option("-o", "--output", type=IN_FILE, help="The page to write (default: TASK/report.html).")
@click.option("--takedown", type=IN_FILE, help="Further ids that may not be shown, beside TASK/takedown.txt.")
@json_option
def command(task: Path, output: Path | None, takedown: Path | None, as_json: bool) -> Path:  # noqa: FBT001
    """The results of a task folder as one offline HTML page, and the same as files for a paper.

    Shows the leaderboard of each measure with tied ranks and intervals, which runs really differ and on
    which topics, two runs side by side, the assessors' agreement, the pool, the variances, how many topics
    the next round needs, a data card, methods and limits. Beside report.html, the folder report-files
    holds LaTeX tables, CSV and JSON of every number, and PDF figures.
    """
    from kaiwa.flow.report import write_report
    from kaiwa.task.export_files import files_beside
    from kaiwa.task.settings import read_task

    folder = read_task(task)
    path = output or folder.report
    with progress("reporting") as moved:
        results = write_report(folder, path, version=version("kaiwa"), takedown=takedown, on_progress=moved)
    best = {one.scores.measure: one.comparison.standings[0].run for one in results.measures}
    needed = {one.scores.measure: one.design.n for one in results.measures if one.design}
    lines = [f"{measure}: {run} leads" for measure, run in best.items()]
    fields = {"report": str(path), "files": str(files_beside(path)), "best": best, "topics": needed}
    text = "\n".join([*lines, f"report: {path}", f"tables, data and figures: {files_beside(path)}"])
    emit(text, fields, as_json=as_json)
    return path
