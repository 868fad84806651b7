"""Several rankings made one: by reciprocal rank, or by scores added up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.registry import Names

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Ranking = Sequence[tuple[int, float]]  # comments with their scores, best first

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
    """CombSUM times the number of rankings that hold the comment (Fox and Shaw 1994).

    >>> comb_mnz([[(7, 9.0), (8, 3.0), (9, 0.0)], [(8, 5.0)]])
    {7: 1.0, 8: 2.6666666666666665, 9: 0.0}
    """
    held: dict[int, int] = {}
    for ranking in rankings:
        for comment, _ in ranking:
            held[comment] = held.get(comment, 0) + 1
    return {comment: score * held[comment] for comment, score in comb_sum(rankings).items()}


FUSIONS: Names[Callable[[Sequence[Ranking]], dict[int, float]]] = Names(
    "fusion", {"rrf": reciprocal_rank, "combsum": comb_sum, "combmnz": comb_mnz}
)
