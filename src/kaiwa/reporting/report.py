"""The report of a task folder: one offline page, and beside it every number, table and figure as files.

``report`` is the public function, ``Report`` its result.
"""

from __future__ import annotations

import os
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.ambient import progress
from kaiwa.comparison.texts import best_means, first_rank, first_runs
from kaiwa.errors import DesignError, InputError, counted
from kaiwa.files.atomic import atomic_folder, reading, sweep, together, write_text
from kaiwa.files.marks import UNFINISHED, Mark
from kaiwa.formats.fields import csv_text
from kaiwa.formats.reading import maybe_path, path_of
from kaiwa.formats.takedown import given_ids
from kaiwa.nouns.ids import unpack
from kaiwa.nouns.votes import SIMULATED_NOTICE
from kaiwa.reporting.collection_sections import agreement_section, data_card_section, pool_section, systems_section
from kaiwa.reporting.measure_sections import (
    measure_section,
    next_round_section,
    summary_section,
    tau_section,
    variance_section,
)
from kaiwa.reporting.methods_limits import Judging, ResultLimits, limits_section, methods_section
from kaiwa.reporting.results import MeasureResults, RoundResults, card_facts, card_inputs, round_results
from kaiwa.reporting.side_by_side import Material, side_by_side_section
from kaiwa.reporting.topic_explorer import topics_section
from kaiwa.show.figures import pdf_bytes
from kaiwa.show.latex import latex_table
from kaiwa.show.page import Bullets, Data, Drawing, Paragraph, all_parts, distinct, page
from kaiwa.show.page import Table as PageTable
from kaiwa.show.result import Description, Result, Table
from kaiwa.show.text import visible
from kaiwa.task.folder import read_task
from kaiwa.topicset.pilots import from_pilots
from kaiwa.topicset.sizes import smallest_difference

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence
    from pathlib import Path

    from kaiwa.formats.reading import AnyPath
    from kaiwa.show.page import Section
    from kaiwa.show.text import Cell
    from kaiwa.task.folder import Task


@dataclass(frozen=True, repr=False)
class Report(Result, os.PathLike[str]):
    """A report on disk, which stands for its page, and who has rank 1 by each measure.

    ``rank_1`` and ``best_mean`` name runs by measure; ``topics`` is the number of topics that the next round needs,
    ``plug_in_topics`` the same if the variance were known exactly. ``provisional`` says what is not judged, ``stale``
    which files are not up to date.

    >>> import kaiwa
    >>> kaiwa.report("task").rank_1
    {'nG@1': ['A']}
    """

    path: Path
    rank_1: dict[str, list[str]]
    best_mean: dict[str, list[str]]
    topics: dict[str, int]
    plug_in_topics: dict[str, int | None]
    provisional: list[str]
    stale: list[str]
    simulated: bool
    first_ranks: dict[str, str]

    def __fspath__(self) -> str:
        return str(self.path)

    def __repr__(self) -> str:
        return f"Report({str(self.path)!r}, {counted(len(self.rank_1), 'measure')})"

    @property
    def report(self) -> str:
        """The page."""
        return str(self.path)

    @property
    def files(self) -> str:
        """The folder of its tables, data and figures."""
        return str(files_beside(self.path))

    def describe(self) -> Description:
        """Who has rank 1 by each measure, and where the report is."""
        rows: list[list[Cell]] = [
            [
                measure,
                len(runs),
                ", ".join(runs),
                ", ".join(self.best_mean[measure]),
                self.topics.get(measure),
                self.plug_in_topics.get(measure),
            ]
            for measure, runs in self.rank_1.items()
        ]
        columns = ["measure", "runs_with_rank_1", "rank_1", "best_mean", "topics", "plug_in_topics"]
        marks = {"PROVISIONAL": self.provisional, "STALE": self.stale}
        return Description(
            tables=(Table("measures", columns, rows),),
            text="\n".join(
                [
                    *([SIMULATED_NOTICE] if self.simulated else []),
                    *(f"{mark}: {'; '.join(why)}" for mark, why in marks.items() if why),
                    *(f"{label}: {first}" for label, first in self.first_ranks.items()),
                    f"report: {self.report}",
                    f"tables, data and figures: {self.files}",
                ]
            ),
            fields={
                "report": self.report,
                "files": self.files,
                "rank_1": self.rank_1,
                "best_mean": self.best_mean,
                "topics": self.topics,
                "plug_in_topics": self.plug_in_topics,
                "provisional": self.provisional,
                "stale": self.stale,
                "simulated": self.simulated,
            },
        )


def report(
    task: AnyPath = ".",
    *,
    output: AnyPath | None = None,
    takedown: AnyPath | Collection[str] | None = None,
    stale: bool = False,
) -> Report:
    r"""The results of a task folder as one offline HTML page, and the files beside it for a paper.

    ``output`` is the page, by default ``report.html`` in the task folder; its files are in a folder of its name, such
    as ``report-files``. ``takedown`` are further ids that may not be shown, or a file of them. Files of the round that
    are not up to date (see ``kaiwa status``) are an error; with ``stale`` they are reported, and the page is marked.

    >>> import kaiwa
    >>> print(kaiwa.report("task"))
    nG@1: 1 run has rank 1: A
    report: task/report.html
    tables, data and figures: task/report-files
    """
    folder = read_task(path_of("task", task))
    path = maybe_path("output", output) or folder.report
    with progress("reporting") as moved:
        results = write_report(
            folder, path, version=version("kaiwa"), takedown=given_ids(takedown), stale=stale, on_progress=moved
        )
    ranked = {one.scores.measure: one.comparison for one in results.measures}
    designs = {one.scores.measure: one.design for one in results.measures if one.design}
    return Report(
        path=path,
        rank_1={measure: first_runs(one) for measure, one in ranked.items()},
        best_mean={measure: best_means(one) for measure, one in ranked.items()},
        topics={measure: design.n for measure, design in designs.items()},
        plug_in_topics={measure: design.plug_in_n for measure, design in designs.items()},
        provisional=results.progress.findings(),
        stale=results.stale,
        simulated=results.votes is not None and results.votes.simulated,
        first_ranks={one.scores.label: first_rank(one.comparison) for one in results.measures},
    )


# The report as files: LaTeX tables, CSV and JSON of every number, PDF figures.


MARK = Mark("report.json", "kaiwa report")


@dataclass(frozen=True)
class ReportHead:
    """The title of a report, its notice and lead, and the version that made it."""

    title: str
    notice: str
    lead: str
    version: str


def files_beside(page: Path) -> Path:
    """The folder of a page's files: ``report.html`` has ``report-files``."""
    return page.with_name(f"{page.stem}-files")


def remove_leftovers(page: Path) -> None:
    """Remove what a killed process left of the page's files."""
    sweep(files_beside(page), MARK)


def write_files(folder: Path, sections: Sequence[Section], head: ReportHead) -> None:
    """Write the folder, whole or not at all; an earlier one is replaced."""
    parts = [part for section in sections for part in all_parts(section.parts)]
    shown = [part for part in parts if isinstance(part, PageTable)]
    tables = [part.table if isinstance(part, Data) else part for part in parts if isinstance(part, PageTable | Data)]
    named = dict(zip(map(id, tables), distinct([one.name for one in tables]), strict=True))
    drawings = [part for part in parts if isinstance(part, Drawing)]
    with atomic_folder(folder, MARK) as new:
        for kind in ("data", "tables", "figures"):
            (new / kind).mkdir()
        for one in tables:
            _write(new / "data" / f"{named[id(one)]}.csv", csv_text(one.header, one.rows))
        for one in shown:
            _write(new / "tables" / f"{named[id(one)]}.tex", _latex(one))
        for name, drawing in zip(distinct([one.name for one in drawings]), drawings, strict=True):
            (new / "figures" / f"{name}.pdf").write_bytes(pdf_bytes(drawing.figure))
        values = _json(sections, head, {named[id(one)]: one for one in tables})
        files = [
            path.relative_to(new).as_posix() for path in new.rglob("*") if path.is_file() and path.name != UNFINISHED
        ]
        MARK.write(new, values, files)


def _latex(table: PageTable) -> str:
    caption = visible(table.caption).replace("\n", " ")
    return f"% {caption}\n" + latex_table(table.shown_header, table.shown, digits=table.digits)


def _json(sections: Sequence[Section], head: ReportHead, tables: dict[str, PageTable]) -> dict[str, Any]:  # Any: JSON
    return {
        **asdict(head),
        "words": {one.title: words for one in sections if (words := _words(one))},
        "tables": {
            name: {
                "caption": one.caption,
                "header": list(one.header),
                "rows": [[_number(cell) for cell in row] for row in one.rows],
            }
            for name, one in tables.items()
        },
    }


def _words(section: Section) -> list[str]:
    found = list[str]()
    for part in all_parts(section.parts):
        if isinstance(part, Paragraph):
            found.append(part.text)
        elif isinstance(part, Bullets):
            found += part.items
    return found


def _number(cell: str | float | None) -> str | float | None:
    return None if isinstance(cell, float) and not isfinite(cell) else cell


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")


STAGES = 3
"""Results, page, files: about a third of the work each."""
SHOW_VOTES = {"Side by side", "Assessors", "Methods"}


def write_report(
    task: Task,
    path: Path,
    *,
    version: str,
    takedown: frozenset[str] = frozenset(),
    stale: bool = False,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> RoundResults:
    """Write the report of a task folder, and the files beside it; returns the results shown.

    A stale file of the round is an error; with ``stale`` it is reported as it is, and the page has a mark.
    """
    MARK.refuse_foreign(files_beside(path))
    results = round_results(task, takedown=takedown, stale=stale)
    on_progress(1, STAGES)
    sections = report_sections(results)
    notices = _notices(results)
    head = ReportHead(task.settings.title, " ".join(notices), _lead(results), version)
    html = page(
        head.title,
        sections,
        lead=head.lead,
        banners=notices,
        footer=_footer(results, version),
        han=_han(task),
    )
    on_progress(2, STAGES)
    with reading(task.sources), together():
        write_files(files_beside(path), sections, head)
        write_text(path, html)
    return results


def report_sections(results: RoundResults) -> list[Section]:
    """The sections of the report, in the order of the page; sections without data are left out."""
    measures, settings = results.measures, results.task.settings
    comparisons = [one.comparison for one in measures]
    parts: list[Section | None] = [
        summary_section(comparisons),
        *(measure_section(one.comparison, one.teams) for one in measures),
        tau_section(results.taus) if results.taus else None,
        topics_section([(one.scores, one.std_ab) for one in measures], results.posts),
        side_by_side_section(_material(results), han=_han(results.task)) if results.runs else None,
        agreement_section(results.agreement, results.contested, results.texts) if results.agreement else None,
        pool_section(results.pool, results.progress.unjudged_topics) if results.pool else None,
        variance_section([(one.scores.measure, one.variance, one.standardised_variance) for one in measures]),
        next_round_section({one.scores.measure: (one.design, one.one_way) for one in measures}),
        systems_section({run.name: run.description for run in results.runs}) if results.runs else None,
        data_card_section(card_facts(results), card_inputs(results)),
        methods_section(comparisons, _judging(results), results.agreement, seed=settings.seed),
        limits_section(comparisons, _limits(results)),
    ]
    return [_with_notice(part, " ".join(_task_notices(results))) for part in parts if part]


def _with_notice(section: Section, notice: str) -> Section:
    """The section, under the task's notice if it shows votes."""
    if not notice or section.title not in SHOW_VOTES:
        return section
    return replace(section, parts=(Paragraph(notice, "banner"), *section.parts))


def _notices(results: RoundResults) -> list[str]:
    """The task's notice, and the marks of a round that is not finished or not up to date."""
    marks = _task_notices(results)
    if findings := results.progress.findings():
        marks.append(f"PROVISIONAL: {'; '.join(findings)}.")
    if results.stale:
        marks.append(f"STALE: {'; '.join(results.stale)}.")
    return marks


def _task_notices(results: RoundResults) -> list[str]:
    """The task's notice, and the mark of simulated votes if the notice does not have it."""
    notice = results.task.settings.notice
    simulated = results.votes is not None and results.votes.simulated and SIMULATED_NOTICE not in notice
    return [*([notice] if notice else []), *([SIMULATED_NOTICE] if simulated else [])]


def _material(results: RoundResults) -> Material:
    depth, name_of = _shown_depth(results), results.takedown.topic
    votes = results.votes
    cells = zip(unpack(votes.topics), unpack(votes.comments), votes.counts().tolist(), strict=True) if votes else ()
    return Material(
        measures=[one.scores for one in results.measures],
        posts=results.posts,
        lists={
            run.name: {name_of(topic): cut.comments_of(topic) for topic in run.topics}
            for run in results.runs
            for cut in [run.truncated(depth)]
        },
        votes={(name_of(topic), comment): counts for topic, comment, counts in cells},
        texts=results.texts,
        takedown=results.takedown.ids,
    )


def _shown_depth(results: RoundResults) -> int:
    """How many comments of a list are shown: the depth of the pool if it is recorded."""
    return (results.pool and results.pool.depth) or results.task.settings.depth


def _judging(results: RoundResults) -> Judging:
    """How answers were pooled, judged and scored, as far as it is recorded."""
    votes, pool, task = results.votes, results.pool, results.task
    gains, scores = results.steps.get(task.qrels.name), results.steps.get(task.scores.name)
    return Judging(
        items=pool.items if pool and pool.pooled else None,
        depth=pool.depth if pool else None,
        assessors=len(votes.assessors) if votes else None,
        top=gains.options.get("max_level") if gains else None,
        gains=gains.described() if gains else None,
        scores=scores.described() if scores else None,
    )


def _limits(results: RoundResults) -> ResultLimits:
    pool = results.pool
    smallest = {one.scores.measure: _smallest(one, results.task) for one in results.measures}
    return ResultLimits(
        notices=_notices(results),
        smallest={measure: least for measure, least in smallest.items() if least is not None},
        power=results.task.settings.power,
        unjudged=(pool.unjudged, pool.items) if pool and pool.unjudged is not None else None,
        pooled=bool(pool and pool.pooled),
        condensed=bool((step := results.steps.get(results.task.scores.name)) and step.options.get("condensed")),
        takedowns=_takedowns(results),
    )


def _smallest(one: MeasureResults, task: Task) -> float | None:
    """The smallest difference this many topics find with the required power; None without a variance."""
    topics, runs = one.scores.values.shape
    asked = replace(task.settings.requirement, n=topics, systems=runs, min_diff=None)
    try:
        found = smallest_difference(from_pilots(asked, [one.scores.values]))
    except (InputError, DesignError, ZeroDivisionError, FloatingPointError):
        return None
    return found if np.isfinite(found) else None


def _takedowns(results: RoundResults) -> int:
    """How many ids of the takedown lists appeared in this round."""
    hidden = results.takedown
    shown = {comment for run in results.runs for comment in unpack(run.comments)} if hidden.ids else set[str]()
    return len(shown & hidden.ids) + len(hidden.topics)


def _han(task: Task) -> str:
    """The language of text in Chinese characters alone."""
    languages = task.settings.languages
    return "ja" if "ja" in languages and "zh" not in languages else "zh"


def _lead(results: RoundResults) -> str:
    first = results.measures[0].scores
    names = ", ".join(one.scores.measure for one in results.measures)
    size = f"{counted(len(first.runs), 'run')}, {counted(len(first.topics), 'topic')}"
    return f"{size}, measure{'' if len(results.measures) == 1 else 's'} {names}."


def _footer(results: RoundResults, version: str) -> str:
    settings = results.task.settings
    return f"Made by Kaiwa {version}; seed {settings.seed}, {settings.trials:,} trials, alpha {settings.alpha:g}."
