"""How many topics a right decision needs: the best systems on top, their order, or the pairs that differ."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.ambient import progress
from kaiwa.engine.opening import trial_workers
from kaiwa.errors import InputError, counted, option
from kaiwa.show.result import Description, Result, Table
from kaiwa.task.inputs import takes_task
from kaiwa.topicset.decisions import GOALS, Decision, topics_for_decision
from kaiwa.topicset.pilot_scores import read_pilots
from kaiwa.topicset.sizes import Alternative
from kaiwa.topicset.texts import percent, verb_for

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.formats.reading import ScoresInput
    from kaiwa.nouns.matrix import Direction, Matrix
    from kaiwa.topicset.pilot_scores import Names

TOP, DISCRIMINATIVE = "top", "discriminative"
ALPHA = 0.05


@dataclass(frozen=True, repr=False, eq=False)
class DesignDecision(Result):
    """The smallest ``n`` whose decision reaches the ``target``, by resampling scores; ``power`` is what it reaches.

    ``n_low`` and ``n_high`` hold the answers of 8 in 10 other pilots; ``n_high`` is None without an upper limit.

    >>> import kaiwa
    >>> pilot = kaiwa.Scores.from_matrix("AP", range(8), "AB", [[0.5, 0.3], [0.6, 0.5], [0.4, 0.3], [0.7, 0.4]] * 2)
    >>> kaiwa.design_decide(pilot, target=0.8).goal
    'top'
    """

    found: Decision
    goal: str
    target: float
    best: int
    pilot: Matrix
    remarks: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"DesignDecision(n={self.n}, goal={self.goal!r}, target={self.target:g}, power={self.power:.4g})"

    @property
    def n(self) -> int:
        """The number of topics."""
        return self.found.n

    @property
    def power(self) -> float:
        """What so many topics reach."""
        return self.found.reached

    @property
    def error(self) -> float:
        """Its Monte-Carlo standard error."""
        return self.found.error

    @property
    def method(self) -> str:
        """How it was computed."""
        return "resampling"

    @property
    def n_low(self) -> int:
        """The lower end of the answers from other pilots."""
        return self.found.low

    @property
    def n_high(self) -> int | None:
        """The upper end of the answers from other pilots."""
        return self.found.high

    @property
    def reliability(self) -> float:
        """The share of the observed differences that is true."""
        return self.found.reliability

    @property
    def alternatives(self) -> tuple[Alternative, ...]:
        """What other numbers of topics reach."""
        return tuple(Alternative(n, reached, None) for n, reached in self.found.curve)

    @property
    def measure(self) -> str:
        """The measure."""
        return self.pilot.measure

    @property
    def direction(self) -> Direction:
        """Which scores are better."""
        return self.pilot.direction

    def describe(self) -> Description:
        """The answer, and what each number of topics reaches."""
        topic, run = self.pilot.axes
        who = "system is" if self.best == 1 else f"{self.best} systems are"
        claim = {
            TOP: f"the true best {who} on top in {percent(self.power)} of {topic} sets",
            "tau": f"the order agrees with the true one by Kendall's tau {self.power:.3f} on average",
            DISCRIMINATIVE: f"Tukey's HSD distinguishes {percent(self.power)} of all pairs on average",
        }[self.goal]
        between = f"from {self.n_low:,} up, without an upper limit"
        if self.n_high is not None:
            between = f"from {self.n_low:,} to {self.n_high:,}"
        names = ("n", "power", "method", "goal", "target", "error", "n_low", "n_high", "reliability", "best")
        return Description(
            tables=[
                Table("curve", ["n", "reached"], [list(point) for point in self.found.curve], [f"{topic}s", "reached"])
            ],
            title=(
                f"{verb_for(topic)} {self.n:,} {topic}s: {claim} (target: {self.target:g}; Monte-Carlo error "
                f"{self.error:.4f})."
            ),
            notes=[
                *self.remarks,
                (
                    f"The scores ({self.pilot.label}) represent all {topic}s. The differences between the {run}s were "
                    f"reduced by {percent(1 - self.reliability)}, because observed differences are larger than true "
                    "ones."
                ),
                f"8 in 10 other pilots of {counted(len(self.pilot.topics), topic)} would answer {between}.",
            ],
            fields={
                **{name: getattr(self, name) for name in names},
                "alternatives": [asdict(one) for one in self.alternatives],
                "measure": self.measure,
                "direction": self.direction,
            },
        )


@takes_task
def design_decide(
    scores: ScoresInput,
    measures: str | Sequence[str] | None = None,
    *,
    goal: str = TOP,
    target: float = 0.9,
    best: int = 1,
    alpha: float = ALPHA,
    lower_is_better: Names = (),
    higher_is_better: Names = (),
    seed: int = 1,
    engine: str = "local",
) -> DesignDecision:
    """The smallest number of topics at which a decision reaches the target, by resampling scores.

    ``goal`` is ``top`` (the true ``best`` systems are on top in a share ``target`` of topic sets), ``tau`` (the order
    agrees with the true one by the target) or ``discriminative`` (Tukey's HSD at ``alpha`` distinguishes a share of all
    pairs). ``engine`` computes the answers of other pilots.

    >>> import kaiwa, numpy
    >>> values = numpy.random.default_rng(1).normal([0.5, 0.4, 0.3], 0.2, (60, 3))
    >>> pilot = kaiwa.Scores.from_matrix("nERR@10", range(60), "ABC", values)
    >>> kaiwa.design_decide(pilot).n > 5
    True
    """
    _ = GOALS[goal]
    if best != 1 and goal != TOP:
        raise InputError(f"{option('goal', goal)} has no best systems; leave out {option('best')}")
    if alpha != ALPHA and goal != DISCRIMINATIVE:
        raise InputError(f"{option('goal', goal)} tests nothing; leave out {option('alpha')}")
    pilots = read_pilots(scores, measures, lower_is_better=lower_is_better, higher_is_better=higher_is_better)
    pilot = pilots.one_matrix()
    with trial_workers(engine) as workers, progress("resampling"):
        found = topics_for_decision(
            pilot.oriented,
            goal=goal,
            target=target,
            k=best,
            alpha=alpha,
            rng=np.random.default_rng(seed),
            workers=workers,
        )
    return DesignDecision(found, goal, float(target), best, pilot, pilots.remarks)
