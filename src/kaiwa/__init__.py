"""Kaiwa: run and measure a Short Text Conversation task, or any part of one.

The names below are the public API; each is loaded when first used, so ``import kaiwa`` costs nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # loading ``typing`` would take longer than all else here; a Ctrl-C meanwhile is a traceback
if TYPE_CHECKING:
    from typing import Any

    from kaiwa.api.answer_verbs import open_index as open  # noqa: A004  kaiwa.open, not the builtin
    from kaiwa.api.answer_verbs import retrieve_run, train_models, train_ranker
    from kaiwa.api.designs import (
        design,
        design_decision,
        design_from_pilots,
        design_pass_rate,
        labelling_costs,
        plan_rounds,
        simulate_design,
    )
    from kaiwa.api.measure_table import measures
    from kaiwa.api.noun_readers import (
        read_chances,
        read_factors,
        read_intents,
        read_observations,
        read_qrels,
        read_run,
        read_runs,
        read_scores,
        read_topics,
        read_votes,
    )
    from kaiwa.api.noun_writers import write_factors, write_runs, write_topics
    from kaiwa.api.repository_verbs import clean_pairs, index_repository, sample_topics
    from kaiwa.api.score_verbs import score, tau, variance, vote_intervals
    from kaiwa.api.task_verbs import check_runs, pool_runs, write_pool, write_report
    from kaiwa.check.checked_files import Check
    from kaiwa.compare.baseline import BaselineComparison
    from kaiwa.compare.comparison import Comparison
    from kaiwa.compare.crossed_comparison import CrossedComparison
    from kaiwa.compare.crossed_variance import CrossedVariance
    from kaiwa.compare.rank_agreement import RankAgreement
    from kaiwa.compare.standardisation import Factors
    from kaiwa.compare.variance_components import Variance
    from kaiwa.errors import DesignError, InputError, KaiwaError, UnknownName
    from kaiwa.flow.answers.retrieve import Bot
    from kaiwa.label.agreement import Agreement
    from kaiwa.label.assessor_quality import PanelQuality
    from kaiwa.measure.scoring import Scored
    from kaiwa.model.gains import Gains
    from kaiwa.model.observations import Observations
    from kaiwa.model.pair import Pair
    from kaiwa.model.run import Run
    from kaiwa.model.score_set import ScoreSet
    from kaiwa.model.scores import Scores
    from kaiwa.model.votes import Votes
    from kaiwa.rank.answer_filters import Filters
    from kaiwa.rank.replies import Replies
    from kaiwa.studies.pool_report import PoolReport
    from kaiwa.topicset.answer import Design

    __version__: str

_HOMES = {
    "kaiwa.api.answer_verbs": "open_index retrieve_run train_models train_ranker",
    "kaiwa.api.designs": (
        "design design_decision design_from_pilots design_pass_rate labelling_costs plan_rounds simulate_design"
    ),
    "kaiwa.api.measure_table": "measures",
    "kaiwa.api.noun_readers": (
        "read_chances read_factors read_intents read_observations read_qrels read_run read_runs read_scores "
        "read_topics read_votes"
    ),
    "kaiwa.api.repository_verbs": "clean_pairs index_repository sample_topics",
    "kaiwa.api.score_verbs": "score tau variance vote_intervals",
    "kaiwa.api.task_verbs": "check_runs pool_runs write_pool write_report",
    "kaiwa.api.noun_writers": "write_factors write_runs write_topics",
    "kaiwa.check.checked_files": "Check",
    "kaiwa.compare.baseline": "BaselineComparison",
    "kaiwa.compare.comparison": "Comparison",
    "kaiwa.compare.crossed_comparison": "CrossedComparison",
    "kaiwa.compare.crossed_variance": "CrossedVariance",
    "kaiwa.compare.rank_agreement": "RankAgreement",
    "kaiwa.compare.standardisation": "Factors",
    "kaiwa.compare.variance_components": "Variance",
    "kaiwa.errors": "DesignError InputError KaiwaError UnknownName",
    "kaiwa.flow.answers.retrieve": "Bot",
    "kaiwa.label.agreement": "Agreement",
    "kaiwa.label.assessor_quality": "PanelQuality",
    "kaiwa.measure.scoring": "Scored",
    "kaiwa.model.gains": "Gains",
    "kaiwa.model.observations": "Observations",
    "kaiwa.model.pair": "Pair",
    "kaiwa.model.run": "Run",
    "kaiwa.model.score_set": "ScoreSet",
    "kaiwa.model.scores": "Scores",
    "kaiwa.model.votes": "Votes",
    "kaiwa.rank.answer_filters": "Filters",
    "kaiwa.rank.replies": "Replies",
    "kaiwa.studies.pool_report": "PoolReport",
    "kaiwa.topicset.answer": "Design",
}
_PUBLIC = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [
    "Agreement",
    "BaselineComparison",
    "Bot",
    "Check",
    "Comparison",
    "CrossedComparison",
    "CrossedVariance",
    "Design",
    "DesignError",
    "Factors",
    "Filters",
    "Gains",
    "InputError",
    "KaiwaError",
    "Observations",
    "Pair",
    "PanelQuality",
    "PoolReport",
    "RankAgreement",
    "Replies",
    "Run",
    "ScoreSet",
    "Scored",
    "Scores",
    "UnknownName",
    "Variance",
    "Votes",
    "check_runs",
    "clean_pairs",
    "design",
    "design_decision",
    "design_from_pilots",
    "design_pass_rate",
    "index_repository",
    "labelling_costs",
    "measures",
    "open",
    "plan_rounds",
    "pool_runs",
    "read_chances",
    "read_factors",
    "read_intents",
    "read_observations",
    "read_qrels",
    "read_run",
    "read_runs",
    "read_scores",
    "read_topics",
    "read_votes",
    "retrieve_run",
    "sample_topics",
    "score",
    "simulate_design",
    "tau",
    "train_models",
    "train_ranker",
    "variance",
    "vote_intervals",
    "write_factors",
    "write_pool",
    "write_report",
    "write_runs",
    "write_topics",
]


def __getattr__(name: str) -> Any:  # Any: the attribute's own type
    if name == "__version__":
        from importlib.metadata import version

        return version("kaiwa")
    inside = "open_index" if name == "open" else name
    if name == "open_index" or inside not in _PUBLIC:
        raise AttributeError(f"module 'kaiwa' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_PUBLIC[inside]), inside)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
