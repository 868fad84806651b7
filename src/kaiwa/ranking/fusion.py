"""Several rankings fused into one: by reciprocal rank, or by the sum of their scores.

``fuse`` is the public function: runs in, a run out. A system fuses its own rankings by the same formulas.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from kaiwa.errors import InputError, Names, option
from kaiwa.formats.reading import runs_of
from kaiwa.nouns.run import Run, distinct_scores
from kaiwa.task.inputs import takes_task

if TYPE_CHECKING:
    from kaiwa.formats.reading import RunInput

T = TypeVar("T", bound=Hashable)
Ranking = Sequence[tuple[T, float]]  # comments with their scores, best first
Formula = Callable[[Sequence[Ranking[T]]], dict[T, float]]

RANK_CONSTANT = 60


def reciprocal_rank(rankings: Sequence[Ranking[T]]) -> dict[T, float]:
    """Sum over rankings of 1 / (60 + rank), per comment (Cormack et al. 2009).

    >>> reciprocal_rank([[(7, 9.0), (8, 2.0)], [(8, 1.0)]])
    {7: 0.01639344262295082, 8: 0.03252247488101534}
    """
    total: dict[T, float] = {}
    for ranking in rankings:
        for rank, (comment, _) in enumerate(ranking, start=1):
            total[comment] = total.get(comment, 0.0) + 1 / (RANK_CONSTANT + rank)
    return total


def comb_sum(rankings: Sequence[Ranking[T]]) -> dict[T, float]:
    """Sum over rankings of the score, each ranking scaled from 0 to 1, per comment (Fox and Shaw 1994).

    >>> comb_sum([[(7, 9.0), (8, 3.0), (9, 0.0)], [(8, 5.0)]])
    {7: 1.0, 8: 1.3333333333333333, 9: 0.0}
    """
    total: dict[T, float] = {}
    for ranking in rankings:
        scores = [score for _, score in ranking]
        low, high = min(scores, default=0.0), max(scores, default=0.0)
        for comment, score in ranking:
            scaled = (score - low) / (high - low) if high > low else 1.0
            total[comment] = total.get(comment, 0.0) + scaled
    return total


def comb_mnz(rankings: Sequence[Ranking[T]]) -> dict[T, float]:
    """CombSUM times the number of rankings that contain the comment (Fox and Shaw 1994).

    >>> comb_mnz([[(7, 9.0), (8, 3.0), (9, 0.0)], [(8, 5.0)]])
    {7: 1.0, 8: 2.6666666666666665, 9: 0.0}
    """
    rankings_with: dict[T, int] = {}
    for ranking in rankings:
        for comment, _ in ranking:
            rankings_with[comment] = rankings_with.get(comment, 0) + 1
    return {comment: score * rankings_with[comment] for comment, score in comb_sum(rankings).items()}


FORMULAS: Names[Callable[[Sequence[Ranking[Any]]], dict[Any, float]]] = Names(  # Any: comments by number or by id
    "fusion", {"rrf": reciprocal_rank, "combsum": comb_sum, "combmnz": comb_mnz}
)
DESCRIPTIONS = {
    "rrf": "the sum of 1 / (60 + rank) (Cormack et al. 2009)",
    "combsum": "the sum of the scores, each ranking scaled from 0 to 1 (Fox and Shaw 1994)",
    "combmnz": "CombSUM times the number of rankings that have the comment (Fox and Shaw 1994)",
}


@takes_task
def fuse(
    runs: RunInput,
    *,
    method: str = "rrf",
    name: str = "fused",
    k: int | None = None,
) -> Run:
    """One run of several: each topic's rankings fused by ``rrf``, ``combsum`` or ``combmnz``.

    ``runs`` are runs, files, patterns, folders or data frames. A topic that some runs lack is fused from the others.
    Of equal scores the greater id comes first, as in TREC, and its score becomes the greater one. ``k`` keeps that many
    comments of each topic.

    >>> import kaiwa
    >>> first = kaiwa.Run.from_dict({"q1": {"c1": 2.0}}, name="A")
    >>> second = kaiwa.Run.from_dict({"q1": {"c2": 1.0, "c1": 0.5}}, name="B")
    >>> kaiwa.fuse([first, second]).comments_of("q1")
    ['c1', 'c2']
    """
    formula, given = FORMULAS[method], runs_of(runs)
    if len(given) < 2:  # noqa: PLR2004  one run is not fused with anything
        raise InputError(f"{len(given)} run cannot be fused; give two or more")
    if k is not None and k < 1:
        raise InputError(f"{option('k', str(k))} is not a number of comments; give 1 or more")
    topics = dict.fromkeys(topic for run in given for topic in run.topics)
    scores = {topic: formula([run.ranking(topic) for run in given if topic in run.topics]) for topic in topics}
    ordered = {
        topic: sorted(own.items(), key=lambda row: (row[1], row[0]), reverse=True)[:k] for topic, own in scores.items()
    }
    lists = {topic: distinct_scores(rows) for topic, rows in ordered.items()}
    return Run.from_lists(name, lists, description=f"{', '.join(run.name for run in given)}, fused ({method})")
