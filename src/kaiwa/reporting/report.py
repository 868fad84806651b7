"""The report of a task folder: one offline page, and beside it every number, table and figure as files."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from math import isfinite
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.errors import DesignError, InputError, counted
from kaiwa.files.atomic import atomic_folder, reading, sweep, together, write_text
from kaiwa.files.marks import UNFINISHED, Mark
from kaiwa.formats.fields import csv_text
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
from kaiwa.show.page import Bullets, Data, Drawing, Paragraph, Table, all_parts, distinct, page
from kaiwa.show.text import visible
from kaiwa.topicset.pilots import from_pilots
from kaiwa.topicset.sizes import smallest_difference

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from kaiwa.show.page import Section
    from kaiwa.task.folder import Task


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
    shown = [part for part in parts if isinstance(part, Table)]
    tables = [part.table if isinstance(part, Data) else part for part in parts if isinstance(part, Table | Data)]
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


def _latex(table: Table) -> str:
    caption = visible(table.caption).replace("\n", " ")
    return f"% {caption}\n" + latex_table(table.shown_header, table.shown, digits=table.digits)


def _json(sections: Sequence[Section], head: ReportHead, tables: dict[str, Table]) -> dict[str, Any]:  # Any: JSON
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
