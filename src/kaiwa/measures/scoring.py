"""Scores of runs per topic, with the topics that were left out or counted 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, option
from kaiwa.measures.judgements import Answers, Batch, Judgements
from kaiwa.measures.table import Chosen, choose
from kaiwa.nouns.matrix import Matrix
from kaiwa.nouns.scores import Scores

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kaiwa.measures.lists import BoolArray
    from kaiwa.nouns.ids import FloatArray
    from kaiwa.nouns.run import Run
    from kaiwa.nouns.scores import Origin


PORTION_ROWS = 1 << 15


@dataclass(frozen=True)
class Reading:
    """How lists are read before they are scored.

    ``condensed`` removes unjudged items; ``truncate`` cuts each list at a rank first; ``zero`` counts a
    topic without a relevant item as 0 for every run (as NTCIR does) instead of leaving it out.
    """

    condensed: bool = False
    truncate: int | None = None
    zero: bool = False

    def __post_init__(self) -> None:
        if self.truncate is not None and self.truncate < 1:
            raise InputError(f"{option('depth', str(self.truncate))} is not a rank; give one from 1")


@dataclass(frozen=True, eq=False)
class RunScores:
    """One run's scores, measures x judged topics, NaN if undefined; its unanswered and its unknown topics."""

    name: str
    order: str
    values: FloatArray
    unanswered: tuple[str, ...]
    unknown: tuple[str, ...]


def score_together(
    runs: Sequence[Run], judgements: Judgements, measures: Sequence[Chosen], reading: Reading
) -> list[RunScores]:
    """Each run's scores by every measure on every judged topic; small runs are faster together than alone."""
    topics = judgements.gains.topics
    answers = Answers.of(runs, judgements.table, len(topics))
    for run, unknown in zip(runs, answers.unknown, strict=True):
        if len(unknown) == len(run.topics):
            raise InputError(f"run {run.name!r} shares no topic with the judgements; give the qrels of its own topics")
    values = values_of(answers, judgements, measures, reading)
    absent = (answers.lengths == 0).reshape(len(runs), -1)
    return [
        RunScores(
            run.name,
            run.order,
            values[:, place],
            tuple(topics[topic] for topic in np.flatnonzero(absent[place]).tolist()),
            answers.unknown[place],
        )
        for place, run in enumerate(runs)
    ]


def values_of(answers: Answers, judgements: Judgements, measures: Sequence[Chosen], reading: Reading) -> FloatArray:
    """The values of joined lists, measures x runs x judged topics; NaN for topics without a relevant item."""
    values = np.empty((len(measures), len(answers.lengths)))
    for lists, topics, rows in answers.batches(reading.truncate):
        batch = Batch(judgements, topics, rows)
        seen = batch.condensed if reading.condensed else batch
        for place, measure in enumerate(measures):
            values[place, lists] = measure.value(seen)
    by_run = values.reshape(len(measures), -1, answers.topics)
    by_run[:, :, judgements.ideals.relevant == 0] = np.nan
    return by_run


def in_portions(runs: Iterable[Run]) -> Iterator[list[Run]]:
    """Small runs in portions, large ones alone; the memory of each is freed before the next is read."""
    portion: list[Run] = []
    rows = 0
    for run in runs:
        portion.append(run)
        rows += len(run)
        if rows >= PORTION_ROWS:
            yield portion
            portion.clear()  # the caller still holds this list, and must not keep the runs alive
            rows = 0
    if portion:
        yield portion


def gather(
    runs: Sequence[RunScores],
    judgements: Judgements,
    measures: Sequence[Chosen],
    reading: Reading,
    origin: Origin | None = None,
) -> Scores:
    """The scores of several runs, one topics x runs table per measure."""
    topics = judgements.gains.topics
    defined = judgements.ideals.relevant > 0
    undefined = tuple(topics[place] for place in np.flatnonzero(~defined).tolist())
    if not defined.any():
        what = "no topic has a relevant item, so no measure is defined"
        raise InputError(f"{what}; check the qrels and {option('levels')}")
    kept = topics if reading.zero else tuple(topics[place] for place in np.flatnonzero(defined).tolist())
    names = tuple(run.name for run in runs)
    tables = [
        Matrix(measure.text, kept, names, _by_topic(runs, place, defined, reading))
        for place, measure in enumerate(measures)
    ]
    return Scores(
        tables,
        undefined=undefined,
        unanswered={run.name: run.unanswered for run in runs if run.unanswered},
        unknown={run.name: run.unknown for run in runs if run.unknown},
        orders={run.name: run.order for run in runs},
        remarks=tuple(measure.name.remark for measure in measures if measure.name.remark),
        origin=origin,
    )


def _by_topic(runs: Sequence[RunScores], place: int, defined: BoolArray, reading: Reading) -> FloatArray:
    """One measure's scores, topics x runs, of the topics that count."""
    by_topic = np.stack([run.values[place] for run in runs], axis=1)
    if reading.zero:
        by_topic[~defined] = 0.0
    return by_topic if reading.zero or defined.all() else by_topic[defined]


def score(
    runs: Iterable[Run], judgements: Judgements, measures: Sequence[str], *, reading: Reading | None = None
) -> Scores:
    """The scores of the runs by each measure, topics x runs.

    >>> from kaiwa.nouns.qrels import Qrels
    >>> from kaiwa.nouns.run import Run
    >>> gains = Qrels.from_lists({"q1": {"a": 3, "b": 1}})
    >>> run = Run.from_lists("R1", {"q1": [("b", 2.0), ("a", 1.0)]})
    >>> score([run], Judgements(gains, np.array([3.0])), ["nG@1"]).means()
    {'R1': {'nG@1': 0.3333333333333333}}
    """
    chosen = [choose(name) for name in measures]
    reading = reading or Reading()
    scored = [one for portion in in_portions(runs) for one in score_together(portion, judgements, chosen, reading)]
    return gather(scored, judgements, chosen, reading)
