"""The results of a round: everything the report shows, computed from the files of a task folder."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.compare.comparison import Comparison, compare_runs
from kaiwa.compare.standardisation import standardisation_factors, standardised
from kaiwa.compare.teams import TeamBest, best_of_teams
from kaiwa.compare.variance_components import Variance, pooled_variance
from kaiwa.errors import DesignError, InputError, option
from kaiwa.formats.readers import read_runs, read_topics, read_votes
from kaiwa.formats.score_loading import read_scores
from kaiwa.label.agreement import Agreement, Contested, agreement, contested
from kaiwa.model.ids import unpack
from kaiwa.model.score_set import ScoreSet
from kaiwa.stats.kendall import TauResult, kendall_tau
from kaiwa.stats.ties import tied_means
from kaiwa.studies.next_round import required_design
from kaiwa.studies.pilot_design import one_way_design
from kaiwa.task.comment_texts import comment_texts, takedown_ids
from kaiwa.task.judging_progress import JudgingProgress, judging_progress
from kaiwa.task.pool_facts import PoolFacts, pool_facts
from kaiwa.task.round_status import round_status
from kaiwa.task.step_record import Step, read_steps

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kaiwa.model.run import Run
    from kaiwa.model.scores import Scores
    from kaiwa.model.votes import Votes
    from kaiwa.task.task_folder import Task
    from kaiwa.topicset import Design

CONTESTED = 10


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
    one_way: Design | None


@dataclass(frozen=True)
class Takedown:
    """The ids that must not be shown, and the names that replace those of topics among them."""

    ids: frozenset[str]
    topics: dict[str, str]

    def topic(self, name: str) -> str:
        """The topic's name, or the one that replaces it."""
        return self.topics.get(name, "(takedown)" if name in self.ids else name)


@dataclass(frozen=True)
class RoundResults:
    """Everything a report shows of a round."""

    task: Task
    steps: dict[str, Step]
    progress: JudgingProgress
    stale: list[str]
    measures: list[MeasureResults]
    taus: dict[tuple[str, str], TauResult]
    votes: Votes | None
    agreement: Agreement | None
    contested: list[Contested]
    pool: PoolFacts | None
    runs: list[Run]
    posts: dict[str, str]
    texts: dict[str, str]
    takedown: Takedown


def round_results(task: Task, *, takedown: frozenset[str] = frozenset(), stale: bool = False) -> RoundResults:
    """The results of the task's scores, votes and runs; missing files are left out.

    Files that are not what the settings and their inputs would make now are refused, unless ``stale`` allows them.
    """
    if not task.scores.exists():
        raise InputError.at(task.scores, "no scores yet", "make them with: kaiwa score runs/*.txt -o scores.csv")
    outdated = [f"{step.file}: {step.why}" for step in round_status(task).stale if step.file != task.report.name]
    if outdated and not stale:
        raise InputError(f"{outdated[0]}; make it again (kaiwa run), or report it as it is with {option('stale')}")
    steps = read_steps(task.folder)
    scores = read_scores(task.scores)
    chosen = task.settings.chosen_measures(scores, task.scores)
    ids = takedown_ids(task, takedown)
    hidden = Takedown(ids, _replaced_topics(scores, ids))
    scores = ScoreSet(_renamed(scores[measure], hidden) for measure in chosen)
    runs = read_runs(task.runs) if task.runs else []
    votes = read_votes(task.votes, top=_recorded(steps, task.qrels, "top")) if task.votes.exists() else None
    posts = read_topics(task.topics) if task.topics.exists() else {}
    disputed = contested(votes, CONTESTED + len(ids)) if votes else []
    return RoundResults(
        task=task,
        steps=steps,
        progress=judging_progress(task, ids),
        stale=outdated,
        measures=[_measure(table, task) for table in scores.values()],
        taus=_taus(scores, chosen),
        votes=votes,
        agreement=_agreement(votes, task.settings.seed) if votes else None,
        contested=[one for one in disputed if not {one.topic, one.comment} & ids][:CONTESTED],
        pool=pool_facts(runs, task, depth=_recorded(steps, task.pool, "depth")) if runs else None,
        runs=runs,
        posts={topic: post for topic, post in posts.items() if topic not in ids},
        texts=comment_texts(task, _shown_comments(runs, task.settings.depth) - ids),
        takedown=hidden,
    )


def _replaced_topics(scores: ScoreSet, ids: frozenset[str]) -> dict[str, str]:
    topics = dict.fromkeys(topic for table in scores.values() for topic in table.topics if topic in ids)
    return {topic: f"takedown-{number}" for number, topic in enumerate(topics, start=1)}


def _renamed(scores: Scores, hidden: Takedown) -> Scores:
    return replace(scores, topics=tuple(map(hidden.topic, scores.topics)))


def _measure(scores: Scores, task: Task) -> MeasureResults:
    settings = task.settings
    comparison = compare_runs(
        scores,
        test=settings.test,
        trials=settings.trials,
        alpha=settings.alpha,
        rng=np.random.default_rng(settings.seed),
        margin=settings.verdict_margin,
    )
    raw = pooled_variance([scores.values], rng=np.random.default_rng(settings.seed))
    std_ab = standardised(scores, standardisation_factors(scores))
    design = _design(scores, task)
    return MeasureResults(
        scores=scores,
        std_ab=std_ab,
        comparison=comparison,
        teams=best_of_teams(comparison),
        variance=raw,
        standardised_variance=pooled_variance([std_ab.values], rng=np.random.default_rng(settings.seed)),
        design=design,
        one_way=one_way_design(design.asked, raw.v_e) if design else None,
    )


def _design(scores: Scores, task: Task) -> Design | None:
    try:
        return required_design(scores, task.settings.requirement)
    except (InputError, DesignError):
        return None  # without variance there is no design; the page reports it


def _agreement(votes: Votes, seed: int) -> Agreement | None:
    found = agreement(votes, rng=np.random.default_rng(seed))
    return found if found.items else None  # agreement needs two assessors


def _taus(scores: ScoreSet, measures: list[str]) -> dict[tuple[str, str], TauResult]:
    means = {measure: tied_means(scores[measure].oriented) for measure in measures}
    pairs = [pair for pair in combinations(measures, 2) if scores[pair[0]].runs == scores[pair[1]].runs]
    enough = 3
    return {
        pair: kendall_tau(means[pair[0]], means[pair[1]])
        for pair in pairs
        if len(means[pair[0]]) >= enough and all(np.ptp(means[measure]) > 0 for measure in pair)
    }


def _recorded(steps: Mapping[str, Step], path: Path, name: str) -> int | None:
    """A whole number among the recorded options of a file; None if it is not recorded."""
    value = steps[path.name].options.get(name) if path.name in steps else None
    return value if isinstance(value, int) else None


def _shown_comments(runs: list[Run], depth: int) -> frozenset[str]:
    return frozenset(name for run in runs for name in unpack(run.truncated(depth).comments))
