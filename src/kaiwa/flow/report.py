"""The results of a round: everything the report shows, computed from the files of a task folder."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.compare.comparison import Comparison, compare_runs
from kaiwa.compare.components import Variance, pooled_variance
from kaiwa.compare.standardise import standardisation_factors, standardised
from kaiwa.compare.tau import TauResult, kendall_tau
from kaiwa.compare.teams import TeamBest, best_of_teams
from kaiwa.errors import DesignError, InputError
from kaiwa.files.runs import read_runs
from kaiwa.files.scores import read_scores
from kaiwa.files.topics import read_topics
from kaiwa.files.writing import write_text
from kaiwa.flow.agree import AgreementReport, agree_file
from kaiwa.flow.next import chosen_measures, required_design
from kaiwa.pool import Share, depth_pool, run_shares
from kaiwa.report.html import page
from kaiwa.report.round import (
    agreement_section,
    measure_section,
    next_round_section,
    pool_section,
    systems_section,
    tau_section,
    topics_section,
    variance_section,
)

if TYPE_CHECKING:
    from pathlib import Path

    from kaiwa.files.task import Task
    from kaiwa.model import Run, Scores, ScoreSet
    from kaiwa.topicset import Design


@dataclass(frozen=True)
class MeasureResults:
    """One measure: which runs differ, each team's best, the variances raw and standardised, and the next n."""

    scores: Scores
    std_ab: Scores
    comparison: Comparison
    teams: tuple[TeamBest, ...]
    variance: Variance
    standardised_variance: Variance
    design: Design | None


@dataclass(frozen=True)
class PoolFacts:
    """How many items were pooled, to which depth, and each run's share."""

    items: int
    depth: int
    shares: list[Share]


@dataclass(frozen=True)
class RoundResults:
    """Everything a report shows of a round."""

    task: Task
    measures: list[MeasureResults]
    taus: dict[tuple[str, str], TauResult]
    agreement: AgreementReport | None
    pool: PoolFacts | None
    descriptions: dict[str, str]
    posts: dict[str, str]


def round_results(task: Task) -> RoundResults:
    """The results of the task's scores, votes and runs; what is not there yet is left out."""
    if not task.scores.exists():
        raise InputError.at(task.scores, "no scores yet", "make them with: kaiwa score runs/*.txt -o scores.csv")
    scores = read_scores(task.scores)
    chosen = chosen_measures(scores, task.settings)
    runs = read_runs(task.runs) if task.runs else []
    return RoundResults(
        task=task,
        measures=[_measure(scores[measure], task) for measure in chosen],
        taus=_taus(scores, chosen),
        agreement=agree_file(task.votes, seed=task.settings.seed) if task.votes.exists() else None,
        pool=_pool(runs, task.settings.depth) if runs else None,
        descriptions={run.name: run.description for run in runs},
        posts=read_topics(task.topics) if task.topics.exists() else {},
    )


def _measure(scores: Scores, task: Task) -> MeasureResults:
    said = task.settings
    comparison = compare_runs(scores, trials=said.trials, alpha=said.alpha, rng=np.random.default_rng(said.seed))
    raw = pooled_variance([scores.values], rng=np.random.default_rng(said.seed))
    std_ab = standardised(scores, standardisation_factors(scores))
    return MeasureResults(
        scores=scores,
        std_ab=std_ab,
        comparison=comparison,
        teams=best_of_teams(comparison),
        variance=raw,
        standardised_variance=pooled_variance([std_ab.values], rng=np.random.default_rng(said.seed)),
        design=_design(raw.v_e, task),
    )


def _design(v_e: float, task: Task) -> Design | None:
    try:
        return required_design(v_e, task.settings)
    except (InputError, DesignError):
        return None  # a round without variance asks for no topics; the page says so


def _taus(scores: ScoreSet, measures: list[str]) -> dict[tuple[str, str], TauResult]:
    means = {measure: np.array(list(scores[measure].means().values())) for measure in measures}
    pairs = [pair for pair in combinations(measures, 2) if scores[pair[0]].runs == scores[pair[1]].runs]
    enough = 3
    return {pair: kendall_tau(means[pair[0]], means[pair[1]]) for pair in pairs if len(means[pair[0]]) >= enough}


def _pool(runs: list[Run], depth: int) -> PoolFacts:
    pool = depth_pool(runs, depth=depth)
    return PoolFacts(len(pool), depth, run_shares(pool, depth=depth))


def report_page(results: RoundResults, *, version: str) -> str:
    """The whole report as one offline HTML page."""
    task, first = results.task.settings, results.measures[0]
    sections = [measure_section(one.comparison, one.teams) for one in results.measures]
    sections.append(next_round_section({one.scores.measure: one.design for one in results.measures}))
    sections.append(
        variance_section([(one.scores.measure, one.variance, one.standardised_variance) for one in results.measures])
    )
    if len(first.scores.runs) > 1:
        sections.append(topics_section(first.scores, first.std_ab, results.posts))
    if results.taus:
        sections.append(tau_section(results.taus))
    if results.agreement:
        sections.append(agreement_section(results.agreement.agreement, results.agreement.contested))
    if results.pool:
        sections.append(pool_section(results.pool.items, results.pool.depth, results.pool.shares))
    if results.descriptions:
        sections.append(systems_section(results.descriptions))
    lead = (
        f"{len(first.scores.runs)} runs, {len(first.scores.topics)} topics, "
        f"measures {', '.join(one.scores.measure for one in results.measures)}."
    )
    footer = f"Made by Kaiwa {version}; seed {task.seed}, {task.trials:,} trials, alpha {task.alpha:g}."
    return page(task.title, sections, lead=lead, banner=task.notice, footer=footer)


def write_report(task: Task, path: Path, *, version: str) -> RoundResults:
    """Write the report of a task folder; what it was made of."""
    results = round_results(task)
    write_text(path, report_page(results, version=version))
    return results
