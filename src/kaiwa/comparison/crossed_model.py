"""The crossed model of scores: which random terms the observations can distinguish, and the model fitted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError
from kaiwa.stats.reml import ANSWER, ASSESSOR, ASSESSOR_RUN, ASSESSOR_TOPIC, TOPIC, TOPIC_RUN, reml

if TYPE_CHECKING:
    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.nouns.matrix import Observations
    from kaiwa.stats.reml import Fit


MAX_COLUMNS = 4_000
MAX_CELLS = 40_000_000
"""Columns of runs, assessors and assessor x run; and entries of the table of topics and assessors x columns."""
_ROUNDING = 1e-20


@dataclass(frozen=True)
class CrossedModel:
    """The model fitted to observations, with the scores that it was fitted to.

    ``identical`` names those of whom only one score was used, because they never differ: repeats, assessors.
    """

    observed: Observations
    fit: Fit
    identical: str


@dataclass(frozen=True)
class _Codes:
    """The codes of the scores."""

    topic: IntArray
    run: IntArray
    assessor: IntArray
    repeat: IntArray
    values: FloatArray


def crossed_model(observed: Observations) -> CrossedModel:
    """The model with fixed run means and every random term that the observations can distinguish, fitted by REML."""
    codes, identical = _distinct(
        _Codes(observed.topic, observed.run, observed.assessor, observed.repeat, observed.values)
    )
    _require_design(observed, codes)
    known = known_terms(_terms(codes), codes.run)
    wide = sum(int(known[term].max()) + 1 for term in (ASSESSOR, ASSESSOR_RUN) if term in known) + len(observed.runs)
    if wide > MAX_COLUMNS or wide * len(observed.topics) > MAX_CELLS:
        known.pop(ASSESSOR_RUN, None)
    fit = reml(codes.values, codes.run, known, codes.topic)
    return CrossedModel(observed, fit, identical)


def _distinct(codes: _Codes) -> tuple[_Codes, str]:
    """The scores, one of repeats that never differ and one of assessors who never do, and the name of these."""
    once = _one_of(codes, codes.assessor)
    if once is None:
        return codes, ""
    repeated = ["repeats"] if len(once.values) < len(codes.values) else []
    alike = _one_of(once, 0 * once.assessor)
    if alike is None or len(alike.values) == len(once.values):
        return once, "".join(repeated)
    return alike, " and ".join([*repeated, "assessors"])


def _one_of(codes: _Codes, assessor: IntArray) -> _Codes | None:
    """One score of each topic, run and assessor; None if their scores differ."""
    group = coded(codes.topic, codes.run, assessor)
    first = np.unique(group, return_index=True)[1]
    if len(first) == len(group):
        return codes
    gaps = codes.values - codes.values[first][group]
    if (gaps**2).sum() > _ROUNDING * ((codes.values - codes.values.mean()) ** 2).sum():
        return None
    return _Codes(codes.topic[first], codes.run[first], assessor[first], 0 * first, codes.values[first])


def _require_design(observed: Observations, codes: _Codes) -> None:
    """Refuse scores from which nothing about runs can be estimated."""
    word_topic, word_run = observed.axes
    what = ""
    if len(observed.topics) < 2 or len(observed.runs) < 2:  # noqa: PLR2004  one has no variance
        what = f"the model needs two {word_topic}s and two {word_run}s; add some"
    elif len(codes.values) <= len(observed.runs) + len(observed.topics) - 1:
        what = f"there are too few scores for {len(observed.topics)} {word_topic}s; add some"
    elif codes.assessor.any() and int(coded(codes.run, codes.assessor).max()) + 1 == len(observed.runs):
        what = (
            f"each {word_run} has one assessor, so that leniency and quality cannot be distinguished; "
            f"let an assessor judge several {word_run}s"
        )
    elif np.ptp(codes.values - (np.bincount(codes.run, codes.values) / np.bincount(codes.run))[codes.run]) == 0:
        what = f"the scores of each {word_run} are equal; there is no variance to estimate"
    if what:
        raise InputError(f"{observed.measure}: {what}")


def _terms(codes: _Codes) -> dict[str, IntArray]:
    """Every term of the model, with its codes, those that others contain first."""
    topic, run, assessor = codes.topic, codes.run, codes.assessor
    return {
        TOPIC: coded(topic),
        ASSESSOR: coded(assessor),
        TOPIC_RUN: coded(topic, run),
        ASSESSOR_TOPIC: coded(assessor, topic),
        ASSESSOR_RUN: coded(assessor, run),
        ANSWER: coded(topic, run, codes.repeat),
    }


def known_terms(terms: dict[str, IntArray], run: IntArray) -> dict[str, IntArray]:
    """The terms that are neither constant nor the same as runs, scores or an earlier term, with their codes."""
    known: dict[str, IntArray] = {}
    for term, code in terms.items():
        levels = int(code.max()) + 1
        if 1 < levels < len(code) and not any(_same(code, other) for other in (run, *known.values())):
            known[term] = code
    return known


def _same(one: IntArray, other: IntArray) -> bool:
    """Whether two codes group the scores alike."""
    levels = int(one.max()) + 1
    return levels == int(other.max()) + 1 == int(coded(one, other).max()) + 1


def coded(*codes: IntArray) -> IntArray:
    """One code for each combination, without gaps."""
    joint = np.zeros(len(codes[0]), dtype=np.int64)
    for code in codes:
        joint = np.unique(joint * (int(code.max()) + 1) + code, return_inverse=True)[1].ravel()
    return joint
