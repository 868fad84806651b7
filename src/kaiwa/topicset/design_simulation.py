"""A design checked by simulation: data sets drawn from scores, and how often a test finds the difference."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.ambient import progress
from kaiwa.engine.opening import trial_workers
from kaiwa.show.result import Description, Result, Table
from kaiwa.task.inputs import takes_task
from kaiwa.topicset.design import Asked, Design, answer_fields, designed
from kaiwa.topicset.pilot_scores import read_pilots
from kaiwa.topicset.pilots import simulated_design
from kaiwa.topicset.tests import ROBUST, designed_for
from kaiwa.topicset.texts import headline, percent

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.formats.reading import ScoresInput
    from kaiwa.show.text import Cell
    from kaiwa.topicset.simulation import Simulated


@dataclass(frozen=True, repr=False, eq=False)
class DesignSimulation(Result):
    """Simulated powers of a ``test``, at the ``n`` of a ``design`` and at better ones; the last step is the answer.

    >>> import kaiwa
    >>> pilot = kaiwa.Scores.from_matrix("AP", range(8), "AB", [[0.5, 0.3], [0.6, 0.5], [0.4, 0.3], [0.7, 0.4]] * 2)
    >>> kaiwa.design_simulate(pilot, test="two-way", systems=2, min_diff=0.1, trials=500).test
    'two-way'
    """

    design: Design
    test: str
    steps: tuple[Simulated, ...]

    def __repr__(self) -> str:
        return f"DesignSimulation(n={self.n}, power={self.power:.4g}, test={self.test!r})"

    @property
    def n(self) -> int:
        """The number of topics."""
        return self.steps[-1].n

    @property
    def power(self) -> float:
        """The simulated power."""
        return self.steps[-1].power

    @property
    def error(self) -> float:
        """Its Monte-Carlo standard error."""
        return self.steps[-1].error

    @property
    def trials(self) -> int:
        """How many data sets were drawn."""
        return self.steps[-1].trials

    @property
    def method(self) -> str:
        """How the power was computed."""
        return "simulation"

    def describe(self) -> Description:
        """The simulated powers, and the design by theory."""
        topic = self.design.axes.topic
        rows: list[list[Cell]] = [[one.n, one.power, one.error, one.trials] for one in self.steps]
        return Description(
            tables=[
                Table("steps", ["n", "power", "error", "trials"], rows, [f"{topic}s", "power", "error", "data sets"])
            ],
            title=(
                f"Simulated from the scores ({self.test}): {self.n:,} {topic}s give {percent(self.power)} "
                f"(Monte-Carlo error {self.error:.3f})."
            ),
            notes=[*self.design.remarks, f"By theory: {headline(self.design, topic=topic)}"],
            fields={
                "n": self.n,
                "power": self.power,
                "error": self.error,
                "trials": self.trials,
                "method": self.method,
                "test": self.test,
                "steps": [vars(one) for one in self.steps],
                "design": answer_fields(self.design),
            },
        )


@takes_task
def design_simulate(
    scores: ScoresInput,
    measures: str | Sequence[str] | None = None,
    *,
    systems: int | None = None,
    min_diff: float | None = None,
    topics: int | None = None,
    power: float | None = None,
    alpha: float | None = None,
    test: str = ROBUST,
    designed_test: str | None = None,
    method: str = "exact",
    scale: float = 1.0,
    solve: str | None = None,
    trials: int = 20_000,
    seed: int = 1,
    engine: str = "local",
) -> DesignSimulation:
    """The power of a design by simulation from scores, and better numbers of topics while it misses the target.

    ``test`` is a test of ``kaiwa.design``, but not ``interval``; ``designed_test`` is the one whose number of topics is
    tried first, by default the same. At most ``trials`` data sets are drawn, which ``engine`` tests.

    >>> import kaiwa, numpy
    >>> values = numpy.random.default_rng(1).random((20, 3))
    >>> pilot = kaiwa.Scores.from_matrix("nERR@10", range(20), "ABC", values)
    >>> kaiwa.design_simulate(pilot, systems=3, min_diff=0.3, trials=500).n > 5
    True
    """
    pilots = read_pilots(scores, measures)
    pilot = pilots.one_matrix()
    first = designed_test or (None if method == "sakai" else test)
    asked = Asked(systems, min_diff, topics, power, alpha, first, method, 0.0, scale, solve)
    found = designed(asked, pilots, None)
    with trial_workers(engine) as workers, progress("simulating") as moved:
        steps = simulated_design(
            pilot.values,
            found,
            test=designed_for(test),
            trials=trials,
            rng=np.random.default_rng(seed),
            workers=workers,
            progress=moved,
        )
    return DesignSimulation(found, designed_for(test), steps)
