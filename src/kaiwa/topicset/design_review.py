"""The pilot against the round: the variance that a design assumed beside the one that came out, and the next size."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from kaiwa.errors import InputError, counted, option
from kaiwa.show.result import Description, Result, Table
from kaiwa.task.inputs import takes_task
from kaiwa.topicset.design import Asked, number
from kaiwa.topicset.pilot_scores import read_pilots
from kaiwa.topicset.pilots import from_pilots, matrices_of, pilot_variance
from kaiwa.topicset.requirement import INTERVAL, completed
from kaiwa.topicset.sizes import answered, power_at, smallest_difference
from kaiwa.topicset.texts import percent, verb_for

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kaiwa.formats.reading import ScoresInput
    from kaiwa.nouns.matrix import Axes, Matrix
    from kaiwa.show.text import Cell
    from kaiwa.topicset.pilot_scores import Pilots
    from kaiwa.topicset.power_functions import VarianceEstimate
    from kaiwa.topicset.requirement import Requirement

CONFIDENCE = 0.95


@dataclass(frozen=True)
class Reviewed:
    """One measure of a round: what the design assumed, what came out, and what the next round needs.

    ``assumed`` and ``variance`` are the variances before and after, ``ratio`` is the second over the first, with its
    95% limits. ``planned_n`` is the number of topics that the assumed variance asks for, ``planned_power`` and
    ``power`` are those of the round's ``topics`` under either variance, ``min_diff`` is the smallest difference that
    these topics find with the required power, and ``n`` the number of topics for the next round.
    """

    topics: int
    runs: int
    assumed: float
    variance: float
    ratio: float
    ratio_low: float
    ratio_high: float
    planned_n: int
    planned_power: float
    power: float
    min_diff: float
    n: int
    plug_in_n: int | None

    @property
    def verdict(self) -> str:
        """Whether the variance is ``larger``, ``smaller`` or ``as assumed``, by the limits of the ratio."""
        if self.ratio_low > 1:
            return "larger"
        return "smaller" if self.ratio_high < 1 else "as assumed"


@dataclass(frozen=True, repr=False, eq=False)
class DesignReview(Result):
    """A round beside the design that it was made by; ``n`` is the number of topics for the next one.

    ``n``, ``power``, ``assumed``, ``variance`` and ``ratio`` are those of the measure that needs most topics.

    >>> import kaiwa
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> scores = kaiwa.Scores.from_matrix("M", range(40), "ABC", rng.normal(size=(40, 3)) / 5 + 0.5)
    >>> kaiwa.design_review(scores, variance=0.01, systems=3, min_diff=0.15, test="tukey").verdict
    'larger'
    """

    measures: Mapping[str, Reviewed]
    asked: Requirement
    axes: Axes
    remarks: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"DesignReview(n={self.n}, ratio={self.ratio:.4g}, verdict={self.verdict!r}, test={self.test!r})"

    @property
    def measure(self) -> str:
        """The measure that needs most topics."""
        return max(self.measures, key=lambda name: self.measures[name].n)

    @property
    def one(self) -> Reviewed:
        """What is said of this measure."""
        return self.measures[self.measure]

    @property
    def n(self) -> int:
        """The number of topics for the next round."""
        return self.one.n

    @property
    def power(self) -> float:
        """The power that the round had."""
        return self.one.power

    @property
    def assumed(self) -> float:
        """The variance that the design assumed."""
        return self.one.assumed

    @property
    def variance(self) -> float:
        """The variance that came out."""
        return self.one.variance

    @property
    def ratio(self) -> float:
        """The variance that came out over the assumed one."""
        return self.one.ratio

    @property
    def verdict(self) -> str:
        """Whether the variance is ``larger``, ``smaller`` or ``as assumed``."""
        return self.one.verdict

    @property
    def test(self) -> str:
        """The test that is designed for."""
        return self.asked.test

    def describe(self) -> Description:
        """The next size, and per measure the variance before and after with what it means for the round."""
        one, topic = self.one, self.axes.topic
        columns = list(_fields(one))
        rows: list[list[Cell]] = [[name, *_fields(each).values()] for name, each in self.measures.items()]
        shown: list[list[Cell]] = [
            [
                name,
                each.assumed,
                each.variance,
                f"{each.ratio:.2f}",
                f"{each.ratio_low:.2f} to {each.ratio_high:.2f}",
                each.planned_n,
                each.topics,
                f"{percent(each.power)}",
                each.min_diff,
                each.n,
            ]
            for name, each in self.measures.items()
        ]
        error = self.asked.kind.error
        header = ["measure", f"assumed {error}", f"{error} of the round", "ratio", "95% limits", f"planned {topic}s"]
        header += [f"{topic}s", "power", "smallest difference", f"next {topic}s"]
        named = f" ({self.measure})" if len(self.measures) > 1 else ""
        title = (
            f"{verb_for(topic)} {self.n:,} {topic}s for the next round{named}: the variance of this one, "
            f"{one.variance:.4g}, is {_verdict(one)}. With {counted(one.topics, topic)} the round found a best-worst "
            f"difference of {self.asked.min_diff:.4g} among {self.asked.systems:,} systems with a probability of "
            f"{percent(one.power)}; by the assumed variance it is {percent(one.planned_power)}."
        )
        return Description(
            tables=[Table("measures", ["measure", *columns], rows, header, shown)],
            title=title,
            notes=[*self.remarks, *self._notes()],
            fields={
                "n": self.n,
                "power": self.power,
                "measure": self.measure,
                "assumed": self.assumed,
                "variance": self.variance,
                "ratio": self.ratio,
                "verdict": self.verdict,
                "test": self.test,
                "measures": {name: _fields(each) for name, each in self.measures.items()},
            },
        )

    def _notes(self) -> list[str]:
        """What the limits are, and what the numbers of topics are from."""
        topic, run = self.axes
        notes = [
            f"Limits that hold 1: the two differ no more than by chance, if other {topic}s and {run}s are drawn.",
            f"next {topic}s: from the variance of the round alone, counting what its scores leave uncertain.",
        ]
        if self.asked.notes:
            notes += self.asked.notes
        return notes


@takes_task
def design_review(
    scores: ScoresInput | None = None,
    measures: str | Sequence[str] | None = None,
    *,
    pilot: ScoresInput | None = None,
    variance: float | None = None,
    systems: int | None = None,
    min_diff: float | None = None,
    power: float | None = None,
    alpha: float | None = None,
    test: str | None = None,
    scale: float = 1.0,
) -> DesignReview:
    """The variance that a design assumed beside that of the round's ``scores``, and the next number of topics.

    What was assumed is the ``pilot`` of the design, scores in any form, or its ``variance``, a number: V_E, or V_E2 if
    a test that shares topics is named. The requirement is that of ``kaiwa.design``; a task folder as ``scores`` stands
    for its scores and its requirement. A measure of the scores is compared with that of the same name in the pilot,
    or with the only one if both have one.

    >>> import kaiwa
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> pilot, scores = (rng.normal(size=(n, 3)) / 5 + 0.5 for n in (30, 60))
    >>> pilot = kaiwa.Scores.from_matrix("M", range(30), "ABC", pilot)
    >>> scores = kaiwa.Scores.from_matrix("M", range(60), "ABC", scores)
    >>> kaiwa.design_review(scores, pilot=pilot, systems=3, min_diff=0.15).verdict
    'as assumed'
    """
    if scores is None:
        raise InputError.at("scores", "is missing", "give the scores of the round, or its task folder")
    if (pilot is None) == (variance is None):
        what = "is missing" if pilot is None else "stands beside a variance"
        raise InputError.at("pilot", what, f"give the scores of the pilot, or the {option('variance')} that it gave")
    if test == INTERVAL:
        raise InputError.at("test", "an interval has no power", "choose another test")
    found = read_pilots(scores, measures)
    asked = Asked(systems, min_diff, None, power, alpha, test, "exact", 0.0, scale, None)
    requirement = asked.requirement(is_number=variance is not None)
    requirement = completed(requirement if variance is None else replace(requirement, variance=number(variance)))
    known = None if pilot is None else read_pilots(pilot)
    reviewed = {}
    for name, tables in found.by_measure.items():
        if known is None:
            before, assumed = requirement, None
        else:
            matrices = matrices_of(_of_pilot(known, name, found))
            before, assumed = from_pilots(requirement, matrices), pilot_variance(matrices, requirement.test)
        reviewed[name] = _reviewed(tables, requirement, before, assumed)
    if known is None and len(reviewed) > 1:
        found.one_measure()  # an error: a variance is that of one measure
    first = next(iter(found.by_measure.values()))[0]
    return DesignReview(reviewed, requirement, first.axes, found.remarks)


def ratio_limits(after: VarianceEstimate, before: VarianceEstimate) -> tuple[float, float]:
    """The 95% limits of a ratio of two variances, from F with the degrees of freedom that each estimate is worth.

    >>> from kaiwa.topicset.power_functions import VarianceEstimate
    >>> low, high = ratio_limits(VarianceEstimate(2.0, 30), VarianceEstimate(1.0, 30))
    >>> (round(low, 2), round(high, 2))
    (0.96, 4.15)
    """
    from scipy.special import fdtri

    ratio, tail = after.variance / before.variance, (1 - CONFIDENCE) / 2
    return ratio / float(fdtri(after.df, before.df, 1 - tail)), ratio / float(fdtri(after.df, before.df, tail))


def _of_pilot(pilot: Pilots, name: str, scores: Pilots) -> list[Matrix]:
    """The pilot's scores by the measure of this name; if both have one measure, by that one."""
    if len(pilot.by_measure) == 1 == len(scores.by_measure):
        return pilot.one_measure()
    if name not in pilot.by_measure:
        known = ", ".join(pilot.by_measure)
        what = f"has no measure {name!r} (it has {known})"
        raise InputError.at(pilot.places[0], what, f"choose measures that both have ({option('measures')})")
    return pilot.by_measure[name]


def _reviewed(
    tables: list[Matrix], asked: Requirement, before: Requirement, assumed: VarianceEstimate | None
) -> Reviewed:
    """One measure: ``before`` is the requirement with the assumed variance, as ``assumed`` if scores gave it."""
    matrices = matrices_of(tables)
    after, out = from_pilots(asked, matrices), pilot_variance(matrices, asked.test)
    n = sum(len(table.topics) for table in tables)
    if assumed is None:
        low, high = (limit / before.variance for limit in out.limits(CONFIDENCE))
    else:
        low, high = ratio_limits(out, assumed)
    following = answered(after)
    return Reviewed(
        topics=n,
        runs=max(len(table.runs) for table in tables),
        assumed=before.variance,
        variance=out.variance,
        ratio=out.variance / before.variance,
        ratio_low=low,
        ratio_high=high,
        planned_n=answered(before).n,
        planned_power=power_at(replace(before, n=n)),
        power=power_at(replace(after, n=n)),
        min_diff=smallest_difference(replace(after, n=n, min_diff=None)),
        n=following.n,
        plug_in_n=following.plug_in_n,
    )


def _fields(one: Reviewed) -> dict[str, Any]:  # Any: JSON values
    return asdict(one) | {"verdict": one.verdict}


def _verdict(one: Reviewed) -> str:
    """The ratio in words."""
    if one.verdict == "as assumed":
        return f"that of the design, {one.assumed:.4g}, within chance (ratio {one.ratio:.2f})"
    return f"{one.ratio:.2f} times that of the design, {one.assumed:.4g}, more than chance explains"
