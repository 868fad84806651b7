"""The verbs on runs and scores: score runs, correlate two rankings, pool variances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from kaiwa.api.arguments import name_list, one_of
from kaiwa.errors import InputError, option
from kaiwa.model.gains import Gains
from kaiwa.model.run import Run
from kaiwa.model.votes import Votes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kaiwa.compare.rank_agreement import RankAgreement
    from kaiwa.compare.variance_components import Variance
    from kaiwa.formats.intent_files import IntentChances
    from kaiwa.measure.scoring import Reading, Scored
    from kaiwa.measure.vote_resampling import VoteIntervals
    from kaiwa.model.scores import Scores
    from kaiwa.studies.judging import Judged

    Judging = Gains | Votes | Mapping[str, Gains]

OFFICIAL = ("nG@1", "nERR@10", "P+")
NO_RELEVANT = ("leave-out", "zero")


def score(
    runs: Run | Iterable[Run],
    gains: Judging,
    measures: str | Sequence[str] = OFFICIAL,
    *,
    levels: Mapping[int, float] | None = None,
    top: float | Literal["topic"] | None = None,
    scheme: str = "mean",
    p: float = 0.2,
    chances: IntentChances | None = None,
    condensed: bool = False,
    truncate: int | None = None,
    no_relevant: str = "leave-out",
) -> Scored:
    """The scores of the runs by each measure, with what was left out: ``undefined``, ``unanswered``, ``unknown``.

    ``gains`` are judgements; or votes, combined by ``scheme`` and ``p`` (needed for Acc(L2)@5); or judgements by
    intent, as ``read_intents`` gives them, with their ``chances``. ``levels`` maps grades to gains; ``top`` declares
    the scale's highest gain, or takes each topic's own. ``condensed`` removes unjudged items from every list,
    ``truncate`` cuts it at a rank. Topics without a relevant item are left out, or count 0 with
    ``no_relevant="zero"``.

    >>> import kaiwa
    >>> gains = kaiwa.Gains.from_lists({"q1": {"a": 2, "b": 1}, "q2": {"c": 0}})
    >>> run = kaiwa.Run.from_dict({"q1": {"b": 2.0, "a": 1.0}}, name="R1")
    >>> scores = kaiwa.score(run, gains, "nG@1", levels={1: 1, 2: 3})
    >>> scores.means()
    {'R1': {'nG@1': 0.3333333333333333}}
    >>> print(scores)
    run    nG@1
    ---  ------
    R1   0.3333
    Means over 1 topic
    1 topic without a relevant item left out: q2
    R1: no answer for 1 judged topic, scored 0: q2
    """
    from kaiwa.measure.scoring import score as score_runs

    judged = _judged(gains, levels=levels, top=top, scheme=scheme, p=p, chances=chances)
    reading = _reading(condensed=condensed, truncate=truncate, no_relevant=no_relevant)
    return score_runs(_listed(runs), judged.judgements, _named(measures), reading=reading)


def vote_intervals(
    runs: Run | Iterable[Run],
    votes: Votes,
    measures: str | Sequence[str] = OFFICIAL,
    *,
    levels: Mapping[int, float] | None = None,
    top: float | Literal["topic"] | None = None,
    scheme: str = "mean",
    p: float = 0.2,
    condensed: bool = False,
    truncate: int | None = None,
    no_relevant: str = "leave-out",
    samples: int = 200,
    seed: int = 1,
) -> VoteIntervals:
    """95% intervals of the mean scores over other panels of assessors, "measures x runs".

    >>> import kaiwa
    >>> rows = [("q1", "a", "ann", 2), ("q1", "a", "bob", 1), ("q1", "b", "ann", 0), ("q1", "b", "bob", 1)]
    >>> run = kaiwa.Run.from_dict({"q1": {"b": 2.0, "a": 1.0}}, name="R1")
    >>> kaiwa.vote_intervals(run, kaiwa.Votes.from_rows(rows), "nG@1").low.shape
    (1, 1)
    """
    from kaiwa.measure.chosen_measure import choose
    from kaiwa.measure.judgements import Answers
    from kaiwa.measure.vote_resampling import vote_intervals as intervals

    judged = _judged(votes, levels=levels, top=top, scheme=scheme, p=p, chances=None)
    if judged.weighing is None:
        raise InputError("intervals resample votes, but gains hold none; give the votes")
    judgements = judged.judgements
    return intervals(
        Answers.of(_listed(runs), judgements.table, len(judgements.gains.topics)),
        judgements,
        [choose(name) for name in _named(measures)],
        _reading(condensed=condensed, truncate=truncate, no_relevant=no_relevant),
        gain=judged.weighing.gain,
        by_person=judged.votes,
        rng=np.random.default_rng(seed),
        samples=samples,
    )


def tau(
    first: Scores,
    second: Scores,
    *,
    ties: Literal["tau-b", "listed"] = "tau-b",
    interval: Literal["hwc", "null", "bootstrap"] = "hwc",
    confidence: float = 0.95,
    trials: int = 2_000,
    persistence: float = 0.9,
    seed: int = 1,
    engine: str = "local",
) -> RankAgreement:
    """The agreement of two measures, or two sets of judgements, in ranking runs: Kendall's tau with an interval.

    The result also has tau_ap, rank-biased overlap and the overlap of the first 1, 3, 5 and 10 runs. ``ties`` are
    corrected for (``tau-b``) or broken by the order in which the runs are ``listed``. ``engine`` computes the draws.

    >>> import kaiwa, numpy
    >>> one = kaiwa.Scores("AP", ("q1",), ("A", "B", "C", "D"), numpy.array([[0.5, 0.4, 0.3, 0.2]]))
    >>> two = kaiwa.Scores("P+", ("q1",), ("A", "B", "C", "D"), numpy.array([[0.5, 0.3, 0.4, 0.2]]))
    >>> round(kaiwa.tau(one, two).tau.tau, 4)
    0.6667
    """
    from kaiwa.compare.rank_agreement import rank_agreement
    from kaiwa.engine.trial_workers import trial_workers

    one_of("ties", ties, ("tau-b", "listed"))
    one_of("interval", interval, ("hwc", "null", "bootstrap"))
    with trial_workers(engine) as workers:
        return rank_agreement(
            first,
            second,
            ties=ties,
            interval=interval,
            confidence=confidence,
            trials=trials,
            persistence=persistence,
            rng=np.random.default_rng(seed),
            workers=workers,
        )


def variance(
    *scores: Scores, trials: int = 2_000, confidence: float = 0.95, seed: int = 1, engine: str = "local"
) -> Variance:
    """V_E and V_E2 of one or several score matrices, pooled by their degrees of freedom, with bootstrap limits.

    ``engine`` computes the limits.

    >>> import kaiwa, numpy
    >>> scores = kaiwa.Scores("AP", ("q1", "q2"), ("A", "B"), numpy.array([[0.5, 0.25], [0.25, 0.25]]))
    >>> kaiwa.variance(scores, scores).v_e
    0.015625
    """
    from kaiwa.api.score_comparisons import variance_of_scores

    values = [table.values for table in scores]
    rng = np.random.default_rng(seed)
    return variance_of_scores(values, trials=trials, confidence=confidence, rng=rng, engine=engine)


def _judged(
    gains: Judging,
    *,
    levels: Mapping[int, float] | None,
    top: float | Literal["topic"] | None,
    scheme: str,
    p: float,
    chances: IntentChances | None,
) -> Judged:
    """The judgements, from the kind that was given."""
    from kaiwa.measure.gain_scale import Scale
    from kaiwa.studies.judging import judged_gains, judged_intents, judged_votes

    if isinstance(top, str):
        one_of("top", top, ("topic",))
    by_grade = None if levels is None else {float(level): gain for level, gain in levels.items()}
    declared = None if top is None or isinstance(top, str) else float(top)
    scale = Scale(levels=by_grade, top=declared, by_topic=top == "topic")
    if isinstance(gains, Votes):
        return judged_votes(gains, scale, scheme=scheme, p=p)
    if isinstance(gains, Gains):
        return judged_gains(gains, scale)
    if not gains:
        raise InputError("no judgements; give those of at least one intent")
    likely = {} if chances is None else chances.chances
    kinds = frozenset[tuple[str, str]]() if chances is None else chances.navigational
    return judged_intents(gains, scale, chances=likely, navigational=kinds)


def _reading(*, condensed: bool, truncate: int | None, no_relevant: str) -> Reading:
    from kaiwa.measure.scoring import Reading

    one_of("no_relevant", no_relevant, NO_RELEVANT)
    return Reading(condensed=condensed, truncate=truncate, zero=no_relevant == "zero")


def _listed(runs: Run | Iterable[Run]) -> list[Run]:
    listed = [runs] if isinstance(runs, Run) else list(runs)
    if not listed:
        raise InputError("no runs to score; give at least one")
    names = [run.name for run in listed]
    if duplicate := next((name for place, name in enumerate(names) if name in names[:place]), None):
        raise InputError(f"duplicate run name {duplicate!r}; rename one of the runs")
    return listed


def _named(measures: str | Sequence[str]) -> list[str]:
    named = name_list("measures", measures)
    if not named:
        example = option("measures", python='["nG@1", "nERR@10"]')
        raise InputError(f"no measures; give at least one, as {example}")
    return named
