"""The results of a round: everything the report shows, computed from the files of a task folder."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.comparison.leaderboard import Leaderboard, compare_runs
from kaiwa.comparison.notes import with_few_topics
from kaiwa.comparison.ranks import TeamBest, best_of_teams
from kaiwa.comparison.standardise import standardisation_factors, standardised
from kaiwa.comparison.variance import PooledVariance, pooled_variance
from kaiwa.errors import DesignError, InputError, option
from kaiwa.files.inputs import digest
from kaiwa.formats.readers import read_qrels, read_runs, read_scores, read_topics, read_votes
from kaiwa.formats.topics import read_pool
from kaiwa.labelling.agreement import Agreement, Contested, agreement, most_contested
from kaiwa.nouns.ids import unpack
from kaiwa.nouns.scores import Scores
from kaiwa.nouns.votes import NA
from kaiwa.pooling.items import (
    Coverage,
    Share,
    coverage,
    depth_pool,
    listed_pool,
    pool_sizes,
    run_shares,
    team_of,
    team_shares,
    unjudged_items,
)
from kaiwa.stats.kendall import TauResult, kendall_tau
from kaiwa.stats.p_values import tied_means
from kaiwa.task.comment_texts import comment_texts, takedown_ids
from kaiwa.task.progress import JudgingProgress, judging_progress
from kaiwa.task.record import Step, path_in, read_steps
from kaiwa.task.status import round_status
from kaiwa.topicset.pilots import one_way_design, required_design

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kaiwa.nouns.matrix import Matrix
    from kaiwa.nouns.run import Run
    from kaiwa.nouns.votes import Votes
    from kaiwa.task.folder import Task
    from kaiwa.topicset.sizes import Answer


# The data card of a round: what the collection is, and the exact files behind it.


_LANGUAGES = {"zh": "Chinese", "ja": "Japanese", "en": "English"}
_NOT_GIVEN = "not given"
NOT_RECORDED = "not recorded"


def card_facts(results: RoundResults) -> list[tuple[str, str]]:
    """The facts about the collection that the task folder holds."""
    settings, runs = results.task.settings, results.measures[0].scores.runs
    teams = {team_of(run) for run in runs}
    facts = [
        ("languages", ", ".join(_LANGUAGES.get(one, one) for one in settings.languages)),
        ("origin", settings.origin or f"{_NOT_GIVEN} ([task] origin in kaiwa.toml)"),
        ("licence", settings.licence or f"{_NOT_GIVEN} ([task] licence in kaiwa.toml)"),
        ("topics", f"{len(results.measures[0].scores.topics):,}"),
        ("runs", f"{len(runs):,}" + (f" of {len(teams):,} teams" if len(teams) < len(runs) else "")),
    ]
    if results.pool and results.pool.pooled:
        depth = f"to depth {results.pool.depth}" if results.pool.depth else "(depth not recorded)"
        facts.append(("items pooled", f"{results.pool.items:,} {depth}"))
    if results.votes:
        votes = results.votes
        given = int((votes.level != NA).sum())
        facts += [
            ("items judged", f"{votes.items:,}"),
            ("votes", f"{given:,} on the levels 0 to {votes.top}, and {votes.missing:,} NA"),
            ("assessors", f"{len(votes.assessors):,}"),
            ("gains", _how(results, results.task.qrels)),
        ]
    return [
        *facts,
        ("scores", _how(results, results.task.scores)),
        ("measures", ", ".join(one.scores.measure for one in results.measures)),
        ("comparison", f"{settings.test}, alpha {settings.alpha:g}, {settings.trials:,} trials, seed {settings.seed}"),
    ]


def _how(results: RoundResults, path: Path) -> str:
    """How a file was made, as recorded."""
    step = results.steps.get(path.name)
    return step.described() if step else NOT_RECORDED


def card_inputs(results: RoundResults) -> list[tuple[str, str, str, str]]:
    """Each file behind the results: its name, what made it with which options as recorded, and its SHA-256."""
    rows = list[tuple[str, str, str, str]]()
    for path in results.task.sources:
        name = path_in(results.task.folder, path)
        step = results.steps.get(name)
        made = f"kaiwa {step.verb}, version {step.version}" if step else NOT_RECORDED
        rows.append((name, made, step.described() if step else NOT_RECORDED, digest(path)))
    return rows


# What was pooled and how much of it is judged, from the pool file, its record, the runs and the qrels.


@dataclass(frozen=True)
class PoolFacts:
    """The items of each topic, shares of runs and teams, sizes at each depth, and what is unjudged.

    The items are those of ``pool.tsv`` if there is one (``pooled``), else the first comments of the runs.
    ``depth`` is that of the record of the pool, None if there is none.
    """

    pooled: bool
    depth: int | None
    per_topic: list[int]
    sizes: list[int]
    runs: list[Share]
    teams: list[Share]
    coverage: list[Coverage]
    unjudged: int | None

    @property
    def items(self) -> int:
        """How many items there are."""
        return sum(self.per_topic)


def pool_facts(runs: list[Run], task: Task, *, depth: int | None) -> PoolFacts:
    """The facts of the task's pool; ``depth`` is the recorded one."""
    shown = depth or task.settings.depth
    pooled = task.pool.exists()
    pool = listed_pool(runs, read_pool(task.pool)) if pooled else depth_pool(runs, depth=shown)
    reach = max(int(pool.ranks.max(initial=1)), shown) if pooled and depth is None else shown
    gains = read_qrels(task.qrels) if task.qrels.exists() else None
    per_topic = np.bincount(pool.topic, minlength=len(pool.topics))
    return PoolFacts(
        pooled=pooled,
        depth=depth if pooled else None,
        per_topic=per_topic[per_topic > 0].tolist(),
        sizes=pool_sizes(runs, depth=shown),
        runs=run_shares(pool, depth=reach),
        teams=team_shares(pool, depth=reach),
        coverage=[coverage(run, gains, depth=shown) for run in runs] if gains else [],
        unjudged=unjudged_items(pool, gains) if gains else None,
    )


CONTESTED = 10


@dataclass(frozen=True)
class MeasureResults:
    """One measure: which runs differ, each team's best, the variances raw and standardised, and the next n."""

    scores: Matrix
    std_ab: Matrix
    comparison: Leaderboard
    teams: tuple[TeamBest, ...]
    variance: PooledVariance
    standardised_variance: PooledVariance
    design: Answer | None
    one_way: Answer | None


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
        raise InputError(f"{outdated[0]}; make it again (kaiwa make), or report it as it is with {option('stale')}")
    steps = read_steps(task.folder)
    scores = read_scores(task.scores)
    chosen = task.settings.chosen_measures(scores, task.scores)
    ids = takedown_ids(task, takedown)
    hidden = Takedown(ids, _replaced_topics(scores, ids))
    scores = Scores(_renamed(scores.matrix(measure), hidden) for measure in chosen)
    runs = read_runs(task.runs) if task.runs else []
    votes = read_votes(task.votes, top=_recorded(steps, task.qrels, "max_level")) if task.votes.exists() else None
    posts = read_topics(task.topics) if task.topics.exists() else {}
    disputed = most_contested(votes, CONTESTED + len(ids)) if votes else []
    return RoundResults(
        task=task,
        steps=steps,
        progress=judging_progress(task, ids),
        stale=outdated,
        measures=[_measure(table, task) for table in scores.matrices()],
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


def _replaced_topics(scores: Scores, ids: frozenset[str]) -> dict[str, str]:
    topics = [topic for topic in scores.topics if topic in ids]
    return {topic: f"takedown-{number}" for number, topic in enumerate(topics, start=1)}


def _renamed(scores: Matrix, hidden: Takedown) -> Matrix:
    return replace(scores, topics=tuple(map(hidden.topic, scores.topics)))


def _measure(scores: Matrix, task: Task) -> MeasureResults:
    settings = task.settings
    comparison = compare_runs(
        scores,
        test=settings.test,
        trials=settings.trials,
        alpha=settings.alpha,
        rng=np.random.default_rng(settings.seed),
        margin=settings.verdict_margin,
    )
    comparison = with_few_topics(comparison, scores)
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
        one_way=one_way_design(design.asked, [scores.values]) if design else None,
    )


def _design(scores: Matrix, task: Task) -> Answer | None:
    try:
        return required_design(scores, task.settings.requirement)
    except (InputError, DesignError):
        return None  # without variance there is no design; the page reports it


def _agreement(votes: Votes, seed: int) -> Agreement | None:
    found = agreement(votes, rng=np.random.default_rng(seed))
    return found if found.items else None  # agreement needs two assessors


def _taus(scores: Scores, measures: list[str]) -> dict[tuple[str, str], TauResult]:
    means = {measure: tied_means(scores.matrix(measure).oriented) for measure in measures}
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
