"""Kaiwa: run and measure a Short Text Conversation task, or any part of one.

The names below are the public API; each is loaded when first used, so ``import kaiwa`` costs nothing.
"""

from __future__ import annotations

TYPE_CHECKING = False  # loading ``typing`` would take longer than all else here; a Ctrl-C meanwhile is a traceback
if TYPE_CHECKING:
    from typing import Any

    from kaiwa.checking.check import Check, check
    from kaiwa.comparison.comparison import Comparison, compare
    from kaiwa.comparison.standardisation_study import Standardisation, standardisation
    from kaiwa.comparison.standardise import standardise
    from kaiwa.comparison.tau import Correlation, tau
    from kaiwa.comparison.unanimity import Study, unanimity
    from kaiwa.comparison.variance import Variance, variance
    from kaiwa.corpus.repository import Repository, clean
    from kaiwa.corpus.topics import topics
    from kaiwa.demonstration.demo import Demo, demo
    from kaiwa.errors import DesignError, InputError, KaiwaError, UnknownName
    from kaiwa.formats.convert import convert
    from kaiwa.formats.reading import (
        read_chances,
        read_factors,
        read_intents,
        read_qrels,
        read_run,
        read_runs,
        read_scores,
        read_topics,
        read_votes,
    )
    from kaiwa.labelling.agreement import Agreement, agree
    from kaiwa.labelling.assessors import PanelQuality
    from kaiwa.labelling.voted_qrels import VotedQrels, gains
    from kaiwa.measures.score import score
    from kaiwa.naming.names import NameTable, names
    from kaiwa.nouns.factors import Factors
    from kaiwa.nouns.noun import Noun
    from kaiwa.nouns.pair_ids import PairIds, PairTexts
    from kaiwa.nouns.qrels import IntentChances, Qrels
    from kaiwa.nouns.run import Run, Runs
    from kaiwa.nouns.scores import Scores
    from kaiwa.nouns.topics import Topics
    from kaiwa.nouns.votes import Votes
    from kaiwa.pooling.pool import Pool, pool
    from kaiwa.ranking.answering import Bot, RunFolder, open, reply, retrieve, retrieve_all  # noqa: A004  kaiwa.open
    from kaiwa.ranking.fusion import fuse
    from kaiwa.ranking.replies import Replies
    from kaiwa.ranking.trained_models import Models, models
    from kaiwa.ranking.training import Training, train
    from kaiwa.reporting.report import Report, report
    from kaiwa.reporting.reproduce import Reproduction, reproduce
    from kaiwa.retrieval.index import Index, index
    from kaiwa.store.backup import Backup, backup
    from kaiwa.store.invitations import Invitations, invite
    from kaiwa.store.logged_votes import LoggedVotes, votes
    from kaiwa.store.verification import Verification, verify
    from kaiwa.task.init import NewTask, init
    from kaiwa.task.making import Making, make
    from kaiwa.task.status import Status, status
    from kaiwa.topicset.design import Design, design
    from kaiwa.topicset.design_cost import DesignCost, design_cost
    from kaiwa.topicset.design_decision import DesignDecision, design_decide
    from kaiwa.topicset.design_pass_rate import DesignPassRate, design_pass_rate
    from kaiwa.topicset.design_review import DesignReview, design_review
    from kaiwa.topicset.design_rounds import DesignRounds, design_rounds
    from kaiwa.topicset.design_simulation import DesignSimulation, design_simulate
    from kaiwa.web.served import Served, serve

    __version__: str

_HOMES = {
    "kaiwa.checking.check": "Check check",
    "kaiwa.comparison.comparison": "Comparison compare",
    "kaiwa.comparison.standardisation_study": "Standardisation standardisation",
    "kaiwa.comparison.standardise": "standardise",
    "kaiwa.comparison.tau": "Correlation tau",
    "kaiwa.comparison.unanimity": "Study unanimity",
    "kaiwa.comparison.variance": "Variance variance",
    "kaiwa.corpus.repository": "Repository clean",
    "kaiwa.corpus.topics": "topics",
    "kaiwa.demonstration.demo": "Demo demo",
    "kaiwa.errors": "DesignError InputError KaiwaError UnknownName",
    "kaiwa.formats.convert": "convert",
    "kaiwa.formats.reading": (
        "read_chances read_factors read_intents read_qrels read_run read_runs read_scores read_topics read_votes"
    ),
    "kaiwa.labelling.agreement": "Agreement agree",
    "kaiwa.labelling.assessors": "PanelQuality",
    "kaiwa.labelling.voted_qrels": "VotedQrels gains",
    "kaiwa.measures.score": "score",
    "kaiwa.naming.names": "NameTable names",
    "kaiwa.nouns.factors": "Factors",
    "kaiwa.nouns.noun": "Noun",
    "kaiwa.nouns.pair_ids": "PairIds PairTexts",
    "kaiwa.nouns.qrels": "IntentChances Qrels",
    "kaiwa.nouns.run": "Run Runs",
    "kaiwa.nouns.scores": "Scores",
    "kaiwa.nouns.topics": "Topics",
    "kaiwa.nouns.votes": "Votes",
    "kaiwa.pooling.pool": "Pool pool",
    "kaiwa.ranking.answering": "Bot RunFolder open reply retrieve retrieve_all",
    "kaiwa.ranking.fusion": "fuse",
    "kaiwa.ranking.replies": "Replies",
    "kaiwa.ranking.trained_models": "Models models",
    "kaiwa.ranking.training": "Training train",
    "kaiwa.reporting.report": "Report report",
    "kaiwa.reporting.reproduce": "Reproduction reproduce",
    "kaiwa.retrieval.index": "Index index",
    "kaiwa.store.backup": "Backup backup",
    "kaiwa.store.invitations": "Invitations invite",
    "kaiwa.store.logged_votes": "LoggedVotes votes",
    "kaiwa.store.verification": "Verification verify",
    "kaiwa.task.init": "NewTask init",
    "kaiwa.task.making": "Making make",
    "kaiwa.task.status": "Status status",
    "kaiwa.topicset.design": "Design design",
    "kaiwa.topicset.design_cost": "DesignCost design_cost",
    "kaiwa.topicset.design_decision": "DesignDecision design_decide",
    "kaiwa.topicset.design_pass_rate": "DesignPassRate design_pass_rate",
    "kaiwa.topicset.design_review": "DesignReview design_review",
    "kaiwa.topicset.design_rounds": "DesignRounds design_rounds",
    "kaiwa.topicset.design_simulation": "DesignSimulation design_simulate",
    "kaiwa.web.served": "Served serve",
}
_PUBLIC = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [
    "Agreement",
    "Backup",
    "Bot",
    "Check",
    "Comparison",
    "Correlation",
    "Demo",
    "Design",
    "DesignCost",
    "DesignDecision",
    "DesignError",
    "DesignPassRate",
    "DesignReview",
    "DesignRounds",
    "DesignSimulation",
    "Factors",
    "Index",
    "InputError",
    "IntentChances",
    "Invitations",
    "KaiwaError",
    "LoggedVotes",
    "Making",
    "Models",
    "NameTable",
    "NewTask",
    "Noun",
    "PairIds",
    "PairTexts",
    "PanelQuality",
    "Pool",
    "Qrels",
    "Replies",
    "Report",
    "Repository",
    "Reproduction",
    "Run",
    "RunFolder",
    "Runs",
    "Scores",
    "Served",
    "Standardisation",
    "Status",
    "Study",
    "Topics",
    "Training",
    "UnknownName",
    "Variance",
    "Verification",
    "VotedQrels",
    "Votes",
    "agree",
    "backup",
    "check",
    "clean",
    "compare",
    "convert",
    "demo",
    "design",
    "design_cost",
    "design_decide",
    "design_pass_rate",
    "design_review",
    "design_rounds",
    "design_simulate",
    "fuse",
    "gains",
    "index",
    "init",
    "invite",
    "make",
    "models",
    "names",
    "open",
    "pool",
    "read_chances",
    "read_factors",
    "read_intents",
    "read_qrels",
    "read_run",
    "read_runs",
    "read_scores",
    "read_topics",
    "read_votes",
    "reply",
    "report",
    "reproduce",
    "retrieve",
    "retrieve_all",
    "score",
    "serve",
    "standardisation",
    "standardise",
    "status",
    "tau",
    "topics",
    "train",
    "unanimity",
    "variance",
    "verify",
    "votes",
]


def __getattr__(name: str) -> Any:  # Any: the attribute's own type
    if name == "__version__":
        from importlib.metadata import version

        return version("kaiwa")
    if name not in _PUBLIC:
        if name.startswith("_"):  # asked by Python itself
            raise AttributeError(f"module 'kaiwa' has no attribute {name!r}")
        from kaiwa.other_tools import no_function

        raise no_function(name, _PUBLIC)
    from importlib import import_module

    return getattr(import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
