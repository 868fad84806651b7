"""Several rankings combined into one: by reciprocal rank, or by the sum of their scores."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import numpy as np

from kaiwa.model.ids import FloatArray
from kaiwa.registry import Names
from kaiwa.retrieve.search.matching import Candidates

Ranking = Sequence[tuple[int, float]]  # comments with their scores, best first
Features = Callable[[Candidates], Mapping[str, FloatArray]]  # computes a system's features for any candidates
Combination = Callable[[Sequence[Candidates], Features], Candidates]

RANK_CONSTANT = 60


def reciprocal_rank(rankings: Sequence[Ranking]) -> dict[int, float]:
    """Sum over rankings of 1 / (60 + rank), per comment (Cormack et al. 2009).

    >>> reciprocal_rank([[(7, 9.0), (8, 2.0)], [(8, 1.0)]])
    {7: 0.01639344262295082, 8: 0.03252247488101534}
    """
    total: dict[int, float] = {}
    for ranking in rankings:
        for rank, (comment, _) in enumerate(ranking, start=1):
            total[comment] = total.get(comment, 0.0) + 1 / (RANK_CONSTANT + rank)
    return total


def comb_sum(rankings: Sequence[Ranking]) -> dict[int, float]:
    """Sum over rankings of the score, each ranking scaled from 0 to 1, per comment (Fox and Shaw 1994).

    >>> comb_sum([[(7, 9.0), (8, 3.0), (9, 0.0)], [(8, 5.0)]])
    {7: 1.0, 8: 1.3333333333333333, 9: 0.0}
    """
    total: dict[int, float] = {}
    for ranking in rankings:
        scores = [score for _, score in ranking]
        low, high = min(scores, default=0.0), max(scores, default=0.0)
        for comment, score in ranking:
            scaled = (score - low) / (high - low) if high > low else 1.0
            total[comment] = total.get(comment, 0.0) + scaled
    return total


def comb_mnz(rankings: Sequence[Ranking]) -> dict[int, float]:
    """CombSUM times the number of rankings that contain the comment (Fox and Shaw 1994).

    >>> comb_mnz([[(7, 9.0), (8, 3.0), (9, 0.0)], [(8, 5.0)]])
    {7: 1.0, 8: 2.6666666666666665, 9: 0.0}
    """
    rankings_with: dict[int, int] = {}
    for ranking in rankings:
        for comment, _ in ranking:
            rankings_with[comment] = rankings_with.get(comment, 0) + 1
    return {comment: score * rankings_with[comment] for comment, score in comb_sum(rankings).items()}


def fused(
    rankings: Sequence[Candidates],
    _features: Features,
    *,
    formula: Callable[[Sequence[Ranking]], dict[int, float]],
) -> Candidates:
    """The candidates of all rankings, each comment once, ordered by a formula; ties by comment id."""
    scores = formula([list(zip(one.comments.tolist(), one.scores.tolist(), strict=True)) for one in rankings])
    order = sorted(scores, key=lambda comment: (-scores[comment], comment))
    posts = dict(pair for one in rankings for pair in zip(one.comments.tolist(), one.posts.tolist(), strict=True))
    return Candidates(
        comments=np.array(order, dtype=np.int64),
        posts=np.array([posts[comment] for comment in order], dtype=np.int64),
        scores=np.array([scores[comment] for comment in order], dtype=np.float64),
    )


FUSIONS: Names[Combination] = Names(
    "fusion",
    {
        "rrf": partial(fused, formula=reciprocal_rank),
        "combsum": partial(fused, formula=comb_sum),
        "combmnz": partial(fused, formula=comb_mnz),
    },
)
