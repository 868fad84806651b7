from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

import click

from kaiwa.ambient import progress
from kaiwa.cli.command import Made, listed_ids, verb
from kaiwa.cli.options import Named, takedown_option, task_argument
from kaiwa.cli.output import IN_FILE, OUT_FILE, emit, json_option

if TYPE_CHECKING:
    from pathlib import Path

    from kaiwa.reporting.results import RoundResults


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
    from kaiwa.task.folder import read_task
    from kaiwa.task.inputs import settings_for

    folder = read_task(task)
    path = output or folder.report
    with progress("reporting") as moved:
        results = write_report(
            folder, path, version=version("kaiwa"), takedown=listed_ids(takedown), stale=stale, on_progress=moved
        )
    emit(ReportView(results, path, files_beside(path)), as_json=as_json)
    return Made(path, settings_for("report", folder.settings))


@dataclass(frozen=True)
class ReportView:
    """A report that was written, and the folder of its files."""

    results: RoundResults
    page: Path
    files: Path

    def text(self) -> str:
        """Who has rank 1 by each measure, and where the report is."""
        from kaiwa.comparison.texts import first_rank
        from kaiwa.nouns.votes import SIMULATED_NOTICE

        marks = [f"{mark}: {'; '.join(why)}" for mark, why in self._marks().items() if why]
        lines = [f"{one.scores.label}: {first_rank(one.comparison)}" for one in self.results.measures]
        simulated = [SIMULATED_NOTICE] if self._is_simulated() else []
        return "\n".join(
            [*simulated, *marks, *lines, f"report: {self.page}", f"tables, data and figures: {self.files}"]
        )

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """The paths, who has rank 1 and the best mean by each measure, the topics of the next round, and the marks."""
        from kaiwa.comparison.texts import best_means, first_runs

        ranked = {one.scores.measure: one.comparison for one in self.results.measures}
        return {
            "report": str(self.page),
            "files": str(self.files),
            "rank_1": {measure: first_runs(one) for measure, one in ranked.items()},
            "best_mean": {measure: best_means(one) for measure, one in ranked.items()},
            "topics": {one.scores.measure: one.design.n for one in self.results.measures if one.design},
            "plug_in_topics": {one.scores.measure: one.design.plug_in_n for one in self.results.measures if one.design},
            **{mark.lower(): why for mark, why in self._marks().items()},
            "simulated": self._is_simulated(),
        }

    def _is_simulated(self) -> bool:
        return self.results.votes is not None and self.results.votes.simulated

    def _marks(self) -> dict[str, list[str]]:
        return {"PROVISIONAL": self.results.progress.findings(), "STALE": self.results.stale}


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
