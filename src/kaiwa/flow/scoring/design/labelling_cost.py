"""The ways of judging to compare, measured on run and judgement files if these are given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.errors import InputError, option
from kaiwa.formats.readers import read_qrels, read_runs, votes_with_top
from kaiwa.label.gain_schemes import voted_gains
from kaiwa.studies.labelling_variance import Panels, drawn_panels, measured_labellings, measured_pool
from kaiwa.topicset.budget import Labelling, pool_items

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np

    from kaiwa.flow.scoring.design.options import Question

DEFAULT_RUNS = 10


def labellings(
    question: Question, *, variance: float, shared_topics: bool, rng: np.random.Generator
) -> list[Labelling]:
    """The ways of judging to compare, measured on runs and judgements if these are given."""
    judged = read_runs(list(question.judged)) if question.judged else []
    pooled = question.runs or len(judged) or DEFAULT_RUNS
    if question.votes is None and question.qrels is None:
        sizes = {
            depth: measured_pool(judged, depth=depth, pooled=pooled)
            if judged
            else pool_items(depth, pooled, question.overlap)
            for depth in question.depths
        }
        return [
            Labelling(depth, items, assessors, question.seconds, variance)
            for depth, items in sizes.items()
            for assessors in question.assessors
        ]
    return measured_labellings(
        judged,
        _panels(question, rng),
        measure=question.measure or "nERR@10",
        depths=question.depths,
        seconds=question.seconds,
        shared_topics=shared_topics,
        pooled=pooled,
        by_panel=question.votes is not None,
    )


def _panels(question: Question, rng: np.random.Generator) -> Panels:
    if question.votes is not None:
        return _panels_of_votes(question.votes, question.votes_top, question.assessors, rng=rng)
    if question.qrels is None:
        raise InputError(f"no judgements; give {option('qrels')} or {option('votes')}")
    return _panels_of_qrels(question.qrels, question.assessors)


def _panels_of_qrels(path: Path, assessors: Sequence[int]) -> Panels:
    """The same judgements for each number of assessors: qrels do not show the effect of other numbers."""
    gains = read_qrels(path)
    return {people: [gains] for people in assessors}


def _panels_of_votes(path: Path, top: int | None, assessors: Sequence[int], *, rng: np.random.Generator) -> Panels:
    made = voted_gains(votes_with_top(path, top))
    most = int(made.counts.sum(axis=1).max())
    if max(assessors) > most:
        raise InputError.at("assessors", f"{max(assessors)} per item, but {path} has {most}", f"give at most {most}")
    return drawn_panels(made, assessors, rng=rng)
