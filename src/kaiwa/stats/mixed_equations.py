"""The normal equations of a crossed mixed model, solved by elimination; the REML criterion and its gradient.

Scores are fixed run means plus random effects of topic, topic x run, answer, assessor, assessor x topic and assessor x
run. Effects inside a topic are eliminated first: answers and topic x run are diagonal, topic and assessor x topic are
small blocks. What is left has a column per run, assessor and assessor x run, so that time and memory grow linearly with
the topics. The criterion is -2 log of the REML likelihood (Bates et al. 2015); ratios are variances over that of the
residual.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.stats.mixed_elimination import (
    ANSWER,
    ASSESSOR,
    ASSESSOR_RUN,
    ASSESSOR_TOPIC,
    TERMS,
    TOPIC,
    TOPIC_RUN,
    Blocks,
    Elimination,
    Sums,
    block_diagonal,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kaiwa.model.ids import FloatArray, IntArray

    Sparse = Any  # Any: scipy.sparse has no types; an array if there are few cells

_SMALL = 3_000_000
"""Operations of a dense crossproduct of the cells' rows below which sparse matrices only cost time."""


@dataclass(frozen=True)
class Evaluation:
    """The REML criterion at given ratios and residual variance, and what follows from them.

    ``gradient`` is that of the criterion by ratio, in the order of the equations' terms. ``coefficients`` are fixed run
    means, then the effects of assessors and assessor x run; ``inverse`` times the residual variance is the covariance
    of their errors.
    """

    criterion: float
    rss: float
    residual: float
    gradient: FloatArray
    coefficients: FloatArray
    inverse: FloatArray


class MixedEquations:
    """The equations of scores with a run and with level codes of the random terms.

    ``codes`` has, for each term of the model, the level of each score, from 0 and without gaps; ``topic`` is given even
    if it is not a term.
    """

    def __init__(self, values: FloatArray, run: IntArray, codes: Mapping[str, IntArray], topic: IntArray) -> None:
        self.terms = tuple(term for term in TERMS if term in codes)
        self.scores, self.runs = len(values), int(run.max()) + 1
        self.sizes = {term: int(codes[term].max()) + 1 for term in self.terms}
        self.centre = np.bincount(run, values) / np.bincount(run)
        self._topics, self._slots = int(topic.max()) + 1, 0
        columns = self._columns(values - self.centre[run], run, codes, topic)
        self._plain = self._sums(columns)
        self._answers = self._answer_sums(columns, codes.get(ANSWER))

    def _columns(self, y: FloatArray, run: IntArray, codes: Mapping[str, IntArray], topic: IntArray) -> list[Sparse]:
        """The columns of cells, of effects inside a topic, and of all others with y, scores x columns."""
        from scipy.sparse import csr_array, hstack

        def indicator(code: IntArray | None, columns: int | None = None) -> Sparse:
            if code is None:
                return csr_array((len(y), 0))
            shape = (len(y), int(code.max()) + 1 if columns is None else columns)
            return csr_array((np.ones(len(y)), (np.arange(len(y)), code)), shape=shape)

        slots = _slots(topic, codes[ASSESSOR_TOPIC]) if ASSESSOR_TOPIC in codes else None
        self._slots = (TOPIC in codes) * 1 if slots is None else 1 + int(slots.max()) + 1
        places = self._topics * self._slots
        local = indicator(topic * self._slots, places) if TOPIC in codes else csr_array((len(y), places))
        if slots is not None:
            local += indicator(topic * self._slots + 1 + slots, places)
        wide = [indicator(run), *(indicator(codes.get(term)) for term in (ASSESSOR, ASSESSOR_RUN))]
        return [indicator(codes.get(TOPIC_RUN)), csr_array(local), csr_array(hstack([*wide, y[:, None]]))]

    def _sums(self, columns: list[Sparse]) -> Sums:
        cells, local, wide = columns
        across = cells.T @ local, cells.T @ wide
        if cells.shape[1] * (local.shape[1] + wide.shape[1]) ** 2 <= _SMALL:
            across = across[0].toarray(), across[1].toarray()
        return Sums(
            np.asarray(cells.power(2).sum(axis=0), dtype=float).ravel(),
            *across,
            block_diagonal(local.T @ local, self._topics, self._slots),
            (local.T @ wide).toarray(),
            (wide.T @ wide).toarray(),
        )

    def _answer_sums(self, columns: list[Sparse], answer: IntArray | None) -> list[tuple[int, int, Sums]]:
        """For each number of scores of an answer: that number, the number of such answers, the sums over them."""
        from scipy.sparse import csr_array

        if answer is None:
            return []
        sizes = np.bincount(answer)
        found = []
        for size in np.unique(sizes).tolist():
            chosen = np.flatnonzero(sizes[answer] == size)
            _, group = np.unique(answer[chosen], return_inverse=True)
            total = csr_array((np.ones(len(chosen)), (group, chosen)), shape=(int(group.max()) + 1, self.scores))
            found.append((int(size), total.shape[0], self._sums([total @ part for part in columns])))
        return found

    def evaluate(self, ratios: Mapping[str, float], residual: float | None = None) -> Evaluation:
        """The criterion at these ratios; without a residual variance, at the one that minimises it."""
        sums, criterion = self._plain, 0.0
        for size, count, part in self._answers:
            sums = sums.plus(part, -ratios[ANSWER] / (1 + size * ratios[ANSWER]))
            criterion += count * np.log1p(size * ratios[ANSWER])
        solved = Elimination.of(sums, ratios, self._priors(ratios))
        freedom = self.scores - self.runs
        variance = solved.rss / freedom if residual is None else residual
        criterion += solved.log_determinant + freedom * np.log(2 * np.pi * variance) + solved.rss / variance
        adjoint = solved.adjoint(variance)
        return Evaluation(
            float(criterion),
            solved.rss,
            variance,
            np.array([self._slope(term, ratios[term], solved, adjoint) for term in self.terms]),
            solved.coefficients + np.pad(self.centre, (0, len(solved.coefficients) - self.runs)),
            solved.inverse,
        )

    def _priors(self, ratios: Mapping[str, float]) -> FloatArray:
        """1 over the ratio of each wide column but y; 0 for the runs, which are fixed."""
        wide = [np.full(self.sizes[term], 1 / ratios[term]) for term in (ASSESSOR, ASSESSOR_RUN) if term in self.sizes]
        return np.concatenate([np.zeros(self.runs), *wide])

    def _slope(self, term: str, ratio: float, solved: Elimination, adjoint: Blocks) -> float:
        """The derivative of the criterion by one ratio."""
        if term == ANSWER:
            return sum(
                count * size / (1 + size * ratio) - solved.slope_by_sums(adjoint, part) / (1 + size * ratio) ** 2
                for size, count, part in self._answers
            )
        if term == TOPIC_RUN:
            levels, trace = self.sizes[term], solved.slope_by_cells(adjoint, np.ones(self.sizes[term]))
        elif term in {TOPIC, ASSESSOR_TOPIC}:
            diagonal = np.diagonal(adjoint.local, axis1=1, axis2=2)
            chosen = diagonal[:, :1] if term == TOPIC else diagonal[:, 1:]
            levels, trace = chosen.size, float(chosen.sum())
        else:
            levels, trace = self.sizes[term], float(np.diagonal(adjoint.wide)[self.of_term(term)].sum())
        return levels / ratio - trace / ratio**2

    def of_term(self, term: str) -> slice:
        """The places of a wide term among the coefficients."""
        start = self.runs + (self.sizes.get(ASSESSOR, 0) if term == ASSESSOR_RUN else 0)
        return slice(start, start + self.sizes.get(term, 0))


def _slots(topic: IntArray, assessor_topic: IntArray) -> IntArray:
    """The place of each score's assessor among the assessors of its topic, from 0."""
    levels, first = np.unique(assessor_topic, return_index=True)
    order = np.lexsort((levels, topic[first]))
    sorted_topics = topic[first][order]
    starts = np.flatnonzero(np.append(True, sorted_topics[1:] != sorted_topics[:-1]))
    place = np.arange(len(levels)) - np.repeat(starts, np.diff(np.append(starts, len(levels))))
    slots = np.empty(len(levels), dtype=np.int64)
    slots[order] = place
    return slots[assessor_topic]
