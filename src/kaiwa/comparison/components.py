"""Variance components of topic, run, assessor and repeat; the leniency of assessors; the effect of more of each."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.comparison.crossed_model import coded, crossed_model, known_terms
from kaiwa.errors import InputError, counted
from kaiwa.nouns.ids import unpack
from kaiwa.nouns.matrix import TOPICS_AND_RUNS, Axes, Direction, Labelled
from kaiwa.nouns.votes import NA
from kaiwa.stats.reml import ANSWER, ASSESSOR, ASSESSOR_RUN, ASSESSOR_TOPIC, TERMS, TOPIC, TOPIC_RUN, reml

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kaiwa.comparison.crossed_model import CrossedModel
    from kaiwa.nouns.ids import IntArray
    from kaiwa.nouns.matrix import Observations
    from kaiwa.nouns.votes import Votes
    from kaiwa.stats.reml import Fit


RESIDUAL = "residual"


@dataclass(frozen=True)
class Component:
    """The variance of one term, its share of all, and its confidence limits.

    ``low`` and ``high`` are those of a chi-square distribution with Satterthwaite's degrees of freedom; None for a
    variance that is estimated as 0, and ``high`` with less than one degree of freedom.
    """

    name: str
    variance: float
    share: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Leniency:
    """How much higher than the average assessor one scores the same answers, predicted, with confidence limits."""

    assessor: str
    effect: float
    low: float
    high: float
    scores: int


@dataclass(frozen=True)
class Extra:
    """A larger design: ``error`` is the standard error of a difference of two runs; None if it is unknown.

    ``assessors`` and ``repeats`` are those of an answer and of a topic, on average; ``scores`` are needed in all.
    """

    change: str
    topics: int
    assessors: float
    repeats: float
    scores: int
    error: float | None


@dataclass(frozen=True)
class CrossedVariance(Labelled):
    """The crossed model of one measure's scores: components, leniency, and the effect of one more of each.

    ``runs`` is 0 if votes on items were modelled. ``missing`` counts the topic x run cells without a score.
    ``identical`` names those of whom only one score was used, because they never differ: repeats, assessors.
    ``v_e`` and ``v_e2`` are the variances of a run's score on a topic, the mean over its assessors and repeats, within
    the run and without the effect of the topic; None for votes.
    """

    measure: str
    sizes: tuple[str, ...]
    topics: int
    runs: int
    assessors: int
    repeats: int
    scores: int
    missing: int
    components: tuple[Component, ...]
    leniency: tuple[Leniency, ...]
    extras: tuple[Extra, ...]
    confidence: float
    criterion: float
    v_e: float | None = None
    v_e2: float | None = None
    identical: str = ""
    direction: Direction = "higher"
    axes: Axes = TOPICS_AND_RUNS

    def __repr__(self) -> str:
        return f"CrossedVariance({self.measure!r}, {', '.join(self.sizes)})"


def crossed_variance(observed: Observations, *, confidence: float = 0.95) -> CrossedVariance:
    """The components, leniency and extras of the model fitted to these scores.

    >>> from kaiwa.nouns.matrix import Observations
    >>> rows = [(f"q{i}", run, "", "", i % 5 + i * k % 3 + 9 * k) for i in range(9) for k, run in enumerate("AB")]
    >>> [part.name for part in crossed_variance(Observations.from_rows("quality", rows)).components]
    ['topic', 'residual']
    """
    require_confidence(confidence)
    model = crossed_model(observed)
    v_e, v_e2 = _variance_of_a_score(model)
    return CrossedVariance(
        measure=observed.measure,
        sizes=tuple(observed.sizes()),
        topics=len(observed.topics),
        runs=len(observed.runs),
        assessors=len(observed.assessors) if any(observed.assessors) else 0,
        repeats=len(observed.repeats),
        scores=len(observed.values),
        missing=missing_cells(observed),
        components=limited_components(model.fit, confidence),
        leniency=leniency_of(model.fit, observed.assessors, np.bincount(observed.assessor), confidence),
        extras=_crossed_variance_extras(model),
        confidence=confidence,
        criterion=model.fit.found.criterion,
        v_e=v_e,
        v_e2=v_e2,
        identical=model.identical,
        direction=observed.direction,
        axes=observed.axes,
    )


def missing_cells(observed: Observations) -> int:
    """How many topics x runs have no score."""
    cells = np.unique(observed.topic * len(observed.runs) + observed.run)
    return len(observed.topics) * len(observed.runs) - len(cells)


def require_confidence(confidence: float) -> None:
    """Refuse what is not a confidence level."""
    if not 0 < confidence < 1:
        raise InputError(f"confidence {confidence} is not between 0 and 1; give 0.95, for example")


def limited_components(fit: Fit, confidence: float, names: Mapping[str, str] | None = None) -> tuple[Component, ...]:
    """A component for each term of the fit, in the order of TERMS, and for the residual; ``names`` are other names."""
    variances = {**fit.variances, RESIDUAL: fit.residual}
    total = sum(variances.values())
    found = []
    for term in (*TERMS, RESIDUAL):
        if term in variances:
            low, high = _limits(fit, term, variances[term], confidence)
            name = (names or {}).get(term, term)
            found.append(Component(name, variances[term], variances[term] / total, low, high))
    return tuple(found)


def _limits(fit: Fit, term: str, variance: float, confidence: float) -> tuple[float | None, float | None]:
    from scipy.special import chdtri

    if not variance:
        return None, None
    freedom = fit.freedom_of_variance(None if term == RESIDUAL else term)
    upper, lower = chdtri(freedom, (1 - confidence) / 2), chdtri(freedom, (1 + confidence) / 2)
    if not upper:  # of almost no degrees of freedom
        return 0.0, None
    return float(variance * freedom / upper), float(variance * freedom / lower) if freedom >= 1 else None


def leniency_of(fit: Fit, names: Sequence[str], counts: IntArray, confidence: float) -> tuple[Leniency, ...]:
    """Every assessor's effect, the most lenient first; ``counts`` are the scores of each."""
    from scipy.special import ndtri

    if ASSESSOR not in fit.variances:
        return ()
    effects, errors = fit.effects(ASSESSOR)
    reach = float(ndtri((1 + confidence) / 2)) * errors
    rows = zip(names, effects.tolist(), reach.tolist(), counts.tolist(), strict=True)
    found = [Leniency(name, effect, effect - half, effect + half, count) for name, effect, half, count in rows]
    return tuple(sorted(found, key=lambda one: -one.effect))


@dataclass(frozen=True)
class _Size:
    """A design: topics, assessors of an answer, all assessors, repeats of a topic by a run."""

    topics: float
    assessors: float
    panel: float
    repeats: float


def _crossed_variance_extras(model: CrossedModel) -> tuple[Extra, ...]:
    """The present design, and one more topic, assessor and repeat, and twice the topics.

    The present error is that of the fit; the others are scaled by the variance of a difference in a complete design.
    An extra assessor judges every answer.
    """
    observed = model.observed
    cells, now = _cells(model), _present(model)
    judged = any(observed.assessors)
    larger = {
        "now": now,
        "one more topic": _Size(now.topics + 1, now.assessors, now.panel, now.repeats),
        "twice the topics": _Size(2 * now.topics, now.assessors, now.panel, now.repeats),
        **({"one more assessor": _Size(now.topics, now.assessors + 1, now.panel + 1, now.repeats)} if judged else {}),
        "one more repeat": _Size(now.topics, now.assessors, now.panel, now.repeats + 1),
    }
    errors = model.fit.differences()[0]
    median = float(np.median(errors[np.triu_indices(len(errors), 1)]))
    share = cells / (len(observed.topics) * len(observed.runs))
    return tuple(
        Extra(
            change,
            int(size.topics),
            size.assessors,
            size.repeats,
            len(observed.values)
            if change == "now"
            else round(size.topics * len(observed.runs) * share * size.repeats * size.assessors),
            median * (_spread(model, size) / _spread(model, now)) ** 0.5 if _is_known(model, change) else None,
        )
        for change, size in larger.items()
    )


def _cells(model: CrossedModel) -> int:
    """How many topic x run cells have a score."""
    observed = model.observed
    return len(np.unique(observed.topic * len(observed.runs) + observed.run))


def _present(model: CrossedModel) -> _Size:
    """The design of these scores."""
    observed = model.observed
    cell = observed.topic * len(observed.runs) + observed.run
    answers = len(np.unique(cell * len(observed.repeats) + observed.repeat))
    return _Size(len(observed.topics), len(observed.values) / answers, len(observed.assessors), answers / _cells(model))


def _variance_of_a_score(model: CrossedModel) -> tuple[float, float]:
    """V_E and V_E2 of the score of a run on a topic, which is the mean over its assessors and repeats.

    What the assessors favour in a run does not shrink with more topics, so it is part of neither.
    """
    parts, now = model.fit.variances, _present(model)
    without_topic = now.topics * (_spread(model, now) - parts.get(ASSESSOR_RUN, 0.0) / now.panel)
    topic = parts.get(TOPIC, 0.0) + parts.get(ASSESSOR_TOPIC, 0.0) / now.assessors
    return without_topic + topic, without_topic


def _spread(model: CrossedModel, size: _Size) -> float:
    """Half the variance of a difference of two runs if every cell of the design has its scores."""
    parts = model.fit.variances
    answers = size.topics * size.repeats
    if TOPIC_RUN not in parts:
        return model.fit.residual / size.topics + parts.get(ASSESSOR_RUN, 0.0) / size.panel
    return (
        parts[TOPIC_RUN] / size.topics
        + parts.get(ASSESSOR_RUN, 0.0) / size.panel
        + parts.get(ANSWER, 0.0) / answers
        + model.fit.residual / (answers * size.assessors)
    )


def _is_known(model: CrossedModel, change: str) -> bool:
    """Whether the scores show the effect of the change: repeats must have been observed, and assessors."""
    parts = model.fit.variances
    if change == "one more assessor":
        return ASSESSOR in parts and TOPIC_RUN in parts
    if change == "one more repeat":
        repeated = len(model.observed.repeats) > 1 and TOPIC_RUN in parts
        return repeated and (ANSWER in parts or ASSESSOR not in parts)
    return True


# Variance components of votes: topic, item and assessor; the leniency of assessors; the effect of another vote.


ITEM = "item"


def vote_variance(votes: Votes, *, confidence: float = 0.95) -> CrossedVariance:
    """The components of the levels that assessors gave, whoever judged what; NA votes are left out.

    The error of a design is that of an item's mean level over the assessors who judge it.

    >>> from kaiwa.nouns.votes import Votes
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
        extras=_vote_variance_extras(fit, topics, items, len(item)),
        confidence=confidence,
        criterion=fit.found.criterion,
    )


def _vote_variance_extras(fit: Fit, topics: int, items: int, votes: int) -> tuple[Extra, ...]:
    """The present votes of an item, and one more."""
    noise = fit.residual + fit.variances.get(ASSESSOR, 0.0) + fit.variances.get(ASSESSOR_TOPIC, 0.0)
    return tuple(
        Extra(change, topics, votes / items + more, 1.0, votes + more * items, (noise / (votes / items + more)) ** 0.5)
        for more, change in enumerate(("now", "one more assessor"))
    )
