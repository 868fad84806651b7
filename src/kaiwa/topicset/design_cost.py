"""What a design costs in assessors' hours under each way of judging, or the best use of so many hours."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.errors import InputError, counted, option
from kaiwa.formats.reading import qrels_of, runs_of, votes_of
from kaiwa.labelling.gains import voted_gains
from kaiwa.measures.table import one_measure
from kaiwa.show.result import Description, Result, Table
from kaiwa.task.inputs import takes_task
from kaiwa.topicset.budget import Labelling, Split, best_split, cheapest, given_topics, pool_items
from kaiwa.topicset.design import Design, answer_fields, design
from kaiwa.topicset.labelling_cost import Panels, drawn_panels, measured_labellings, measured_pool
from kaiwa.topicset.texts import answer_notes, headline, percent

if TYPE_CHECKING:
    from kaiwa.comparison.variance import Variance
    from kaiwa.formats.reading import QrelsInput, RunInput, ScoresInput, VotesInput
    from kaiwa.nouns.run import Run
    from kaiwa.show.text import Cell

POOLED = 10
OVERLAP = 0.5
MEASURE = "nERR@10"


@dataclass(frozen=True, repr=False, eq=False)
class DesignCost(Result):
    """Each way of judging with its topics, cost, power and smallest difference, the most careful first.

    ``n``, ``labels``, ``cost`` (in hours), ``power`` and ``min_diff`` are those of the first; ``hours`` are what may be
    spent.

    >>> import kaiwa
    >>> kaiwa.design_cost(variance=0.0643, systems=10, min_diff=0.15)
    DesignCost(n=91, cost=62.56 hours, 1 way of judging)
    """

    design: Design
    ways: tuple[Split, ...]
    hours: float | None = None

    def __repr__(self) -> str:
        return f"DesignCost(n={self.n}, cost={self.cost:.4g} hours, {counted(len(self.ways), 'way')} of judging)"

    @property
    def n(self) -> int:
        """The topics of the first way."""
        return self.ways[0].n

    @property
    def labels(self) -> int:
        """How many labels the first way takes in all."""
        return self.ways[0].labels

    @property
    def cost(self) -> float:
        """The assessors' hours of the first way."""
        return self.ways[0].hours

    @property
    def power(self) -> float:
        """The power of the first way."""
        return self.ways[0].power

    @property
    def min_diff(self) -> float:
        """The smallest difference that the first way finds."""
        return self.ways[0].min_diff

    def describe(self) -> Description:
        """The design or cost of each way of judging, and what was measured or only assumed."""
        best, topic = self.ways[0], self.design.axes.topic
        rows: list[list[Cell]] = [list(_way_fields(one).values()) for one in self.ways]
        columns = list(_way_fields(best))
        shown = ("depth", "assessors", "items", "variance", "n", "labels", "hours", "power", "min_diff", "agreement")
        header = [
            *("depth", "assessors", f"items per {topic}", "variance", f"{topic}s"),
            *("labels", "hours", "power", "smallest difference", "tau"),
        ]
        return Description(
            tables=[Table("ways", columns, rows, header, [_printed(one, shown) for one in self.ways])],
            title=(
                f"{self._lead()} {best.n:,} {topic}s with pools of depth {best.labelling.depth}, "
                f"{counted(best.labelling.assessors, 'assessor')} per item: {best.labels:,} labels, "
                f"{_hours(best.hours)}, power {percent(best.power)}."
            ),
            notes=[
                *self.design.remarks,
                *self._notes(),
                f"The design: {headline(self.design, topic=topic)}",
                *answer_notes(self.design, topic=topic),
            ],
            fields={
                "n": self.n,
                "labels": self.labels,
                "cost": self.cost,
                "power": self.power,
                "min_diff": self.min_diff,
                "hours": self.hours,
                "ways": [_way_fields(one) for one in self.ways],
                "design": answer_fields(self.design),
            },
        )

    def _lead(self) -> str:
        way = self.ways[0].labelling
        if not (way.agreement is not None and way.panels) and len(self.ways) > 1:
            return "The safest of these designs is"
        if self.hours:
            return f"The best design for {_hours(self.hours)} is"
        return "The cheapest design is" if self.design.solved == "n" else "The design has"

    def _notes(self) -> list[str]:
        """What was measured, and what is only assumed and so decides nothing."""
        way = self.ways[0].labelling
        notes = []
        if way.agreement is not None:
            notes.append(
                "tau: agreement of the order of runs with that under all judgements; ways with tau below 0.9 are last."
            )
        unknown = [
            name for name, known in (("pool depth", way.agreement is not None), ("assessors", way.panels)) if not known
        ]
        if unknown and len(self.ways) > 1:
            data = option("votes") if way.agreement is not None else f"{option('runs')} with {option('votes')}"
            notes.append(
                f"The effect of {' and '.join(unknown)} on the variance is not known, so the most careful way is "
                f"first; {data} measures whether less is enough."
            )
        return notes


@takes_task
def design_cost(
    scores: ScoresInput | None = None,
    measures: str | Sequence[str] | None = None,
    *,
    variance: float | str | Variance | None = None,
    systems: int | None = None,
    min_diff: float | None = None,
    topics: int | None = None,
    power: float | None = None,
    alpha: float | None = None,
    test: str | None = None,
    method: str = "exact",
    correlation: float = 0.0,
    scale: float = 1.0,
    solve: str | None = None,
    hours: float | None = None,
    depth: int | Sequence[int] = 10,
    votes_per_item: int | Sequence[int] = 3,
    seconds: float = 15.0,
    pooled: int | None = None,
    overlap: float = OVERLAP,
    runs: RunInput | None = None,
    qrels: QrelsInput | None = None,
    votes: VotesInput | None = None,
    max_level: int | None = None,
    seed: int = 1,
) -> DesignCost:
    """What a design costs in labels and assessors' hours under each way of judging; or the best use of ``hours``.

    A way of judging is a pool depth and a number of votes per item, each of which takes ``seconds``. ``pooled`` runs
    (10, or as many as ``runs``) are pooled, of which two have the share ``overlap`` of their answers in common. With
    ``runs`` pools are measured, with their ``qrels`` the effect of depth on the variance too, and with ``votes`` also
    that of fewer votes per item, under the measure (nERR@10 without scores). The other arguments are those of
    ``kaiwa.design``: ``topics`` are what is to be paid for, instead of those that a way of judging needs.

    >>> import kaiwa
    >>> round(kaiwa.design_cost(variance=0.0643, systems=10, min_diff=0.15).cost, 1)
    62.6
    >>> kaiwa.design_cost(variance=0.0643, systems=10, min_diff=0.15, topics=100).labels
    16500
    """
    measured = qrels is not None or votes is not None
    _refuse_what_cannot_act(
        runs=runs,
        qrels=qrels,
        votes=votes,
        max_level=max_level,
        overlap=overlap,
        seed=seed,
        topics=topics,
        hours=hours,
    )
    found = design(
        scores,
        None if measured and scores is None else measures,
        variance=variance,
        systems=systems,
        min_diff=min_diff,
        topics=topics,
        power=power,
        alpha=alpha,
        test=test,
        method=method,
        correlation=correlation,
        scale=scale,
        solve=solve,
    )
    depths, people = _listed(depth), _listed(votes_per_item)
    judged = runs_of(runs) if runs is not None else []
    pool = pooled or len(judged) or POOLED
    if measured:
        if votes is not None:
            panels = _panels_of_votes(votes, max_level, people, rng=np.random.default_rng(seed))
        else:
            gains = qrels_of(qrels)  # type: ignore[arg-type]  # one of the two is given
            panels = {each: [gains] for each in people}  # qrels do not show the effect of other numbers
        ways = measured_labellings(
            judged,
            panels,
            measure=_measure(measures),
            depths=depths,
            seconds=seconds,
            shared_topics=found.asked.kind.shares_topics,
            pooled=pool,
            by_panel=votes is not None,
        )
    else:
        ways = [
            Labelling(at, _items(judged, at, pool, overlap), each, seconds, found.variance)
            for at in depths
            for each in people
        ]
    known = replace(found.known, power=found.asked.power or 0.8)
    if hours is not None:
        splits = best_split(known, ways, hours=hours)
    elif topics is not None:
        splits = given_topics(known, ways, n=topics)
    else:
        splits = cheapest(known, ways)
    return DesignCost(found, splits, None if hours is None else float(hours))


def _refuse_what_cannot_act(
    *,
    runs: RunInput | None,
    qrels: QrelsInput | None,
    votes: VotesInput | None,
    max_level: int | None,
    overlap: float,
    seed: int,
    topics: int | None,
    hours: float | None,
) -> None:
    contradictions = (
        (
            qrels is not None and votes is not None,
            f"{option('qrels')} and {option('votes')} both judge the {option('runs')}; give one of them",
        ),
        (
            (qrels is not None or votes is not None) and runs is None,
            f"{option('qrels')} and {option('votes')} judge runs; give these too ({option('runs')})",
        ),
        (
            max_level is not None and votes is None,
            f"{option('max_level')} is the scale of votes; give these too ({option('votes')}), or leave it out",
        ),
        (
            seed != 1 and votes is None,
            f"{option('seed')} draws from votes; give these too ({option('votes')}), or leave it out",
        ),
        (
            overlap != OVERLAP and runs is not None,
            f"{option('overlap')} is measured on the {option('runs')}; leave out one of them",
        ),
        (
            topics is not None and hours is not None,
            f"{option('hours')} finds how many topics they pay for; leave out {option('topics')}, or the hours",
        ),
    )
    for is_so, line in contradictions:
        if is_so:
            raise InputError(line)


def _measure(measures: str | Sequence[str] | None) -> str:
    """The measure that the runs are scored by."""
    return one_measure(MEASURE if measures is None or not len(measures) else measures)


def _items(judged: list[Run], depth: int, pooled: int, overlap: float) -> float:
    return measured_pool(judged, depth=depth, pooled=pooled) if judged else pool_items(depth, pooled, overlap)


def _panels_of_votes(
    votes: VotesInput, max_level: int | None, people: Sequence[int], *, rng: np.random.Generator
) -> Panels:
    made = voted_gains(votes_of(votes, max_level=max_level))
    most = int(made.counts.sum(axis=1).max())
    if max(people) > most:
        place = option("votes_per_item")
        raise InputError(f"{place}: {max(people)} per item, but the votes have {most}; give at most {most}")
    return drawn_panels(made, people, rng=rng)


def _listed(given: int | Sequence[int]) -> list[int]:
    return list(given) if isinstance(given, Sequence) else [given]


def _way_fields(split: Split) -> dict[str, Any]:  # Any: JSON values
    bought = {
        "n": split.n,
        "labels": split.labels,
        "hours": split.hours,
        "power": split.power,
        "min_diff": split.min_diff,
    }
    return vars(split.labelling) | bought


def _printed(split: Split, names: Sequence[str]) -> list[Cell]:
    """A row as people read it: items and hours rounded."""
    own = _way_fields(split)
    own["items"] = round(own["items"], 1)
    own["hours"] = round(own["hours"], 1 if own["hours"] >= 1 else 4)
    return [own[name] for name in names]


def _hours(hours: float) -> str:
    shown = f"{hours:,.0f}" if hours >= 10 else f"{hours:.2g}"  # noqa: PLR2004  two digits are enough
    return f"{shown} hour{'' if shown == '1' else 's'}"
