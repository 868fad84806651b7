"""The report of a task folder: one offline page, and beside it every number, table and figure as files."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.disk.atomic_files import write_text
from kaiwa.disk.joint_output import together
from kaiwa.disk.protected_inputs import reading
from kaiwa.errors import DesignError, InputError, counted
from kaiwa.flow.rounds.report_files import MARK, ReportHead, files_beside, write_files
from kaiwa.model.ids import unpack
from kaiwa.model.simulated import SIMULATED_NOTICE
from kaiwa.report.document.page import page
from kaiwa.report.document.parts import Paragraph
from kaiwa.report.sections.collection_sections import (
    agreement_section,
    data_card_section,
    pool_section,
    systems_section,
)
from kaiwa.report.sections.measure_sections import (
    measure_section,
    next_round_section,
    summary_section,
    tau_section,
    variance_section,
)
from kaiwa.report.sections.methods_limits import Judging, ResultLimits, limits_section, methods_section
from kaiwa.report.sections.side_by_side import Material, side_by_side_section
from kaiwa.report.sections.topic_explorer import topics_section
from kaiwa.studies.pilot_design import pilot_ratio
from kaiwa.task.data_card import card_facts, card_inputs
from kaiwa.task.round_results import MeasureResults, RoundResults, round_results
from kaiwa.topicset import difference_found

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kaiwa.report.document.parts import Section
    from kaiwa.task.task_folder import Task

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
        top=gains.options.get("top") if gains else None,
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
    try:
        found = difference_found(
            n=np.array(float(len(one.scores.topics))),
            systems=np.array(float(len(one.scores.runs))),
            variance=np.array(one.variance.v_e2 or one.variance.v_e),
            alpha=task.settings.alpha,
            power=task.settings.power,
            test=task.settings.requirement.test,
            range_ratio=pilot_ratio([one.scores], replace(task.settings.requirement, systems=len(one.scores.runs))),
        )
    except (InputError, DesignError, ZeroDivisionError, FloatingPointError):
        return None
    return float(found) if np.isfinite(found) else None


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
