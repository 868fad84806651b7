"""Variance components of votes: topic, item and assessor; the leniency of assessors; the effect of another vote."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.compare.crossed_model import coded, known_terms
from kaiwa.compare.crossed_variance import CrossedVariance, Extra, leniency_of, limited_components, require_confidence
from kaiwa.errors import InputError, counted
from kaiwa.model.ids import unpack
from kaiwa.model.votes import NA
from kaiwa.stats.mixed_elimination import ASSESSOR, ASSESSOR_TOPIC, TOPIC, TOPIC_RUN
from kaiwa.stats.reml import reml

if TYPE_CHECKING:
    from kaiwa.model.votes import Votes
    from kaiwa.stats.reml import Fit

ITEM = "item"


def vote_variance(votes: Votes, *, confidence: float = 0.95) -> CrossedVariance:
    """The components of the levels that assessors gave, whoever judged what; NA votes are left out.

    The error of a design is that of an item's mean level over the assessors who judge it.

    >>> from kaiwa.model.votes import Votes
    >>> rows = [(f"q{i % 4}", f"c{i}", who, i % 3 // 2 + lift) for i in range(12) for who, lift in (("a", 0), ("b", 1))]
    >>> [(one.assessor, round(one.effect, 2)) for one in vote_variance(Votes.from_rows(rows)).leniency]
    [('b', 0.5), ('a', -0.5)]
    """
    require_confidence(confidence)
    given = votes.level != NA
    item, assessor = coded(votes.item[given]), coded(votes.assessor[given])
    names = [name for place, name in enumerate(votes.assessors) if (votes.assessor[given] == place).any()]
    topic = coded(np.unique(unpack(votes.topics), return_inverse=True)[1].ravel()[votes.item[given]])
    levels = votes.level[given].astype(float)
    if len(names) < 2 or int(item.max()) + 1 == len(item) or not np.ptp(levels):  # noqa: PLR2004  one has no variance
        raise InputError("no two assessors voted on the same items, or all votes are equal; add votes")
    terms = {
        TOPIC: topic,
        ASSESSOR: assessor,
        TOPIC_RUN: item,
        ASSESSOR_TOPIC: coded(assessor, topic),
    }
    fit = reml(levels, 0 * item, known_terms(terms, 0 * item), topic)
    topics, items = int(topic.max()) + 1, int(item.max()) + 1
    sizes = (
        counted(topics, "topic"),
        counted(items, "item"),
        counted(len(names), "assessor"),
        counted(len(item), "vote"),
    )
    return CrossedVariance(
        measure="votes",
        sizes=sizes,
        topics=topics,
        runs=0,
        assessors=len(names),
        repeats=1,
        scores=len(item),
        missing=0,
        components=limited_components(fit, confidence, {TOPIC_RUN: ITEM}),
        leniency=leniency_of(fit, names, np.bincount(assessor), confidence),
        extras=_extras(fit, topics, items, len(item)),
        confidence=confidence,
        criterion=fit.found.criterion,
    )


def _extras(fit: Fit, topics: int, items: int, votes: int) -> tuple[Extra, ...]:
    """The present votes of an item, and one more."""
    noise = fit.residual + fit.variances.get(ASSESSOR, 0.0) + fit.variances.get(ASSESSOR_TOPIC, 0.0)
    return tuple(
        Extra(change, topics, votes / items + more, 1.0, votes + more * items, (noise / (votes / items + more)) ** 0.5)
        for more, change in enumerate(("now", "one more assessor"))
    )
