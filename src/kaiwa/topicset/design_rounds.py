"""Topics added in rounds: the level of the test after each batch that keeps the error of all tests together."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.ambient import progress
from kaiwa.engine.opening import trial_workers
from kaiwa.errors import InputError, counted, option
from kaiwa.show.result import Description, Result, Table
from kaiwa.task.inputs import takes_task
from kaiwa.topicset.design import Design, answer_fields, design
from kaiwa.topicset.pilot_scores import read_pilots
from kaiwa.topicset.pilots import from_pilots, matrices_of
from kaiwa.topicset.rounds import moved, rounds_of, schedule
from kaiwa.topicset.sizes import answered
from kaiwa.topicset.texts import answer_notes, headline, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.comparison.variance import Variance
    from kaiwa.formats.reading import ScoresInput
    from kaiwa.show.text import Cell
    from kaiwa.topicset.rounds import Look, Rounds, Schedule
    from kaiwa.topicset.sizes import Answer

SPENDING_NAMES = {"obrien-fleming": "O'Brien-Fleming", "pocock": "Pocock"}


@dataclass(frozen=True)
class Estimate:
    """What the scores of the first ``topics`` say: the variance, and ``n``, the number of topics that it asks for."""

    topics: int
    variance: float
    df: float | None
    n: int


@dataclass(frozen=True, repr=False, eq=False)
class DesignRounds(Result):
    """A plan of ``looks`` at growing data, with the level of each test.

    ``estimates`` are the variances that the scores so far gave, each of which moved the last look. ``naive`` is the
    type I error of testing every time at alpha, ``kept`` that of the plan; ``power`` is the probability that the plan
    finds the difference, with ``expected_n`` topics on average.

    >>> import kaiwa
    >>> plan = kaiwa.design_rounds(variance=0.0643, systems=10, min_diff=0.15, looks=[30, 60, 91])
    >>> [round(look.level, 3) for look in plan.looks]
    [0.001, 0.016, 0.043]
    """

    design: Design
    plan: Rounds
    estimates: tuple[Estimate, ...] = ()

    def __repr__(self) -> str:
        return f"DesignRounds(looks={[look.n for look in self.looks]}, kept={self.kept:.4g}, power={self.power:.4g})"

    @property
    def looks(self) -> tuple[Look, ...]:
        """Each look: topics so far, the level to test at, alpha spent, and the share of plans stopped by then."""
        return self.plan.looks

    @property
    def alpha(self) -> float:
        """The error of all tests together."""
        return self.plan.alpha

    @property
    def spending(self) -> str:
        """The function by which alpha is spent."""
        return self.plan.spending

    @property
    def naive(self) -> float:
        """The type I error of testing every time at alpha."""
        return self.plan.naive

    @property
    def kept(self) -> float:
        """The type I error of the plan."""
        return self.plan.kept

    @property
    def power(self) -> float:
        """The probability that the plan finds the difference."""
        return self.plan.power

    @property
    def expected_n(self) -> float:
        """The mean number of topics used if the difference exists."""
        return self.plan.expected_n

    @property
    def error(self) -> float:
        """The Monte-Carlo standard error of the type I errors."""
        return self.plan.error

    @property
    def trials(self) -> int:
        """How many data sets were simulated."""
        return self.plan.trials

    def describe(self) -> Description:
        """The level of the test after each batch, and the error that repeated tests at alpha would have."""
        topic = self.design.axes.topic
        columns = ["n", "level", "spent", "stopped"]
        rows: list[list[Cell]] = [[look.n, look.level, look.spent, look.stopped] for look in self.looks]
        printed: list[list[Cell]] = [[n, f"{level:.5f}", *rest] for n, level, *rest in rows]
        header = [f"{topic}s so far", "test at", "alpha spent", "stopped by then"]
        title = (
            f"In {counted(len(self.looks), 'round')}, with alpha spent by the {SPENDING_NAMES[self.spending]} function "
            f"of Lan and DeMets: testing each time at {self.alpha:g} would find a false difference in "
            f"{percent(self.naive)} of tasks. The levels below limit this to {percent(self.kept)} "
            f"(Monte-Carlo error {self.error:.4f}), find a true difference with a probability of "
            f"{percent(self.power)} and then use {self.expected_n:,.0f} {topic}s on average."
        )
        return Description(
            tables=[Table("looks", columns, rows, header, printed)],
            title=title,
            notes=[
                *self.design.remarks,
                *self._moves(),
                f"The design: {headline(self.design, topic=topic)}",
                *answer_notes(self.design, topic=topic),
            ],
            fields={
                **asdict(self.plan),
                "estimates": [asdict(one) for one in self.estimates],
                "design": answer_fields(self.design),
            },
        )

    def _moves(self) -> list[str]:
        """A line per variance that was estimated on the way."""
        topic = self.design.axes.topic
        return [
            f"By the scores of the first {one.topics:,} {topic}s the variance is {one.variance:.4g}, where the design "
            f"has {self.design.variance:.4g}: it asks for {one.n:,} {topic}s."
            for one in self.estimates
        ]


@takes_task
def design_rounds(
    scores: ScoresInput | None = None,
    measures: str | Sequence[str] | None = None,
    *,
    looks: Sequence[int],
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
    spending: str = "obrien-fleming",
    so_far: ScoresInput | Sequence[ScoresInput] | None = None,
    seed: int = 1,
    engine: str = "local",
) -> DesignRounds:
    """The level to test at after each batch of topics, so that all looks together keep the design's alpha.

    ``looks`` are the topics so far at each test, as in ``[30, 60, 91]``; ``spending`` is ``obrien-fleming`` or
    ``pocock``. With ``so_far``, the scores of the topics at the first look, or a list of those at the first looks, the
    variance is estimated again and the last look moves to the number of topics that it asks for; what was spent at the
    looks so far stays. The other arguments are those of ``kaiwa.design``. ``engine`` simulates the looks.

    >>> import kaiwa
    >>> plan = kaiwa.design_rounds(variance=0.0643, systems=10, min_diff=0.15, looks=[30, 60, 91])
    >>> [look.n for look in plan.looks]
    [30, 60, 91]
    """
    found = design(
        scores,
        None if scores is None and so_far is not None else measures,
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
    planned = schedule(looks, alpha=found.alpha, spending=spending)
    current: Answer = found
    estimates: list[Estimate] = []
    each: list[Any] = (
        [] if so_far is None else list(so_far) if isinstance(so_far, list | tuple) else [so_far]
    )  # Any: read
    if each and found.solved != "n":
        raise InputError(f"{option('so_far')} finds the number of {found.axes.topic}s; leave out {option('topics')}")
    for one in each:
        seen, current = _estimated(one, measures, found, planned, after=estimates[-1].topics if estimates else 0)
        estimates.append(seen)
        planned = moved(planned, seen.topics, seen.n, alpha=found.alpha, spending=spending)
    with trial_workers(engine) as workers, progress("simulating"):
        plan = rounds_of(
            current,
            planned.sizes,
            spent=planned.spent,
            spending=spending,
            rng=np.random.default_rng(seed),
            workers=workers,
        )
    return DesignRounds(found, plan, tuple(estimates))


def _estimated(
    scores: ScoresInput, measures: str | Sequence[str] | None, design: Design, planned: Schedule, *, after: int
) -> tuple[Estimate, Answer]:
    """What the scores of a look say of the variance, and the design from it; of several measures the largest."""
    pilots = read_pilots(scores, measures)
    answers = [
        answered(from_pilots(replace(design.asked, correlation=0.0), matrices_of(tables)))
        for tables in pilots.by_measure.values()
    ]
    seen = next(iter(pilots.by_measure.values()))
    topics = sum(len(one.topics) for one in seen)
    open_looks = [n for n in planned.sizes[:-1] if n > after]
    if topics not in open_looks:
        known = ", ".join(map(str, open_looks)) or "no look that is left"
        what = f"scores of {counted(topics, design.axes.topic)}, and the looks before the last are at {known}"
        raise InputError.at("so_far", what, "give the scores of the topics at one of them, in the order of the looks")
    largest = max(answers, key=lambda one: one.n)
    return Estimate(topics, largest.variance, largest.df, largest.n), largest
