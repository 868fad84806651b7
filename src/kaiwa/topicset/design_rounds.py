"""Topics added in rounds: the level of the test after each batch that keeps the error of all tests together."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.ambient import progress
from kaiwa.engine.opening import trial_workers
from kaiwa.errors import counted
from kaiwa.show.result import Description, Result, Table
from kaiwa.task.inputs import takes_task
from kaiwa.topicset.design import Design, answer_fields, design
from kaiwa.topicset.rounds import rounds_of
from kaiwa.topicset.texts import answer_notes, headline, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.comparison.variance import Variance
    from kaiwa.formats.reading import ScoresInput
    from kaiwa.show.text import Cell
    from kaiwa.topicset.rounds import Look, Rounds

SPENDING_NAMES = {"obrien-fleming": "O'Brien-Fleming", "pocock": "Pocock"}


@dataclass(frozen=True, repr=False, eq=False)
class DesignRounds(Result):
    """A plan of ``looks`` at growing data, with the level of each test.

    ``naive`` is the type I error of testing every time at alpha, ``kept`` that of the plan; ``power`` is the
    probability that the plan finds the difference, with ``expected_n`` topics on average.

    >>> import kaiwa
    >>> plan = kaiwa.design_rounds(variance=0.0643, systems=10, min_diff=0.15, looks=[30, 60, 91])
    >>> [round(look.level, 3) for look in plan.looks]
    [0.001, 0.016, 0.043]
    """

    design: Design
    plan: Rounds

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
                f"The design: {headline(self.design, topic=topic)}",
                *answer_notes(self.design, topic=topic),
            ],
            fields={**asdict(self.plan), "design": answer_fields(self.design)},
        )


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
    seed: int = 1,
    engine: str = "local",
) -> DesignRounds:
    """The level to test at after each batch of topics, so that all looks together keep the design's alpha.

    ``looks`` are the topics so far at each test, as in ``[30, 60, 91]``; ``spending`` is ``obrien-fleming`` or
    ``pocock``. The other arguments are those of ``kaiwa.design``. ``engine`` simulates the looks.

    >>> import kaiwa
    >>> plan = kaiwa.design_rounds(variance=0.0643, systems=10, min_diff=0.15, looks=[30, 60, 91])
    >>> [look.n for look in plan.looks]
    [30, 60, 91]
    """
    found = design(
        scores,
        measures,
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
    with trial_workers(engine) as workers, progress("simulating"):
        plan = rounds_of(found, looks, spending=spending, rng=np.random.default_rng(seed), workers=workers)
    return DesignRounds(found, plan)
