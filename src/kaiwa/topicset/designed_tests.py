"""The table of tests that a topic set can be designed for; a test is added here and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol

import numpy as np

from kaiwa.registry import Names
from kaiwa.topicset.power import one_way_anova, randomised_range, t_test, tukey_pair, two_way_anova

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray


class PowerOf(Protocol):
    """The power of a test, element by element over broadcast arrays."""

    def __call__(
        self, *, n: FloatArray, systems: FloatArray, min_diff: FloatArray, variance: FloatArray, alpha: FloatArray
    ) -> FloatArray:
        """The probability of rejection."""


@dataclass(frozen=True)
class Test:
    """A test with its power, the finding that the power is for, and the variance that it divides by.

    ``others`` says for which means of the other systems the power holds; ``midway`` is the power if they lie midway,
    where that is another.
    """

    power: PowerOf
    promise: str
    error: str
    pairs_only: bool = False
    shares_topics: bool = False
    by_range: bool = False
    others: str = ""
    midway: PowerOf | None = None

    def error_df(self, systems: FloatArray) -> FloatArray:
        """How many degrees of freedom each topic adds to the error."""
        if self.error == "differences":
            return np.ones_like(systems)
        return systems - 1.0 if self.shares_topics else systems

    def error_variance(self, variance: float, correlation: float) -> float:
        """The variance inside the test: of differences for a paired t, of residuals for a two-way design."""
        kept = (1 - correlation) if self.shares_topics else 1.0
        return variance * kept * (2.0 if self.error == "differences" else 1.0)


MIDWAY = "the means of the other systems lie in the middle, the least favourable case"
ANYWHERE = "the means of the other systems lie anywhere between best and worst: the power is the same"
CLUSTERED = (
    "half of the systems are as good as the best and half as bad as the worst, the least favourable case: shuffled "
    "scores contain the true differences"
)

TESTS: Names[Test] = Names(
    "test",
    {
        "anova": Test(one_way_anova.power, "one-way ANOVA finds that the systems differ", "V_E", others=MIDWAY),
        "two-way": Test(
            two_way_anova.power,
            "two-way ANOVA (same {topic}s) finds that the systems differ",
            "V_E2",
            shares_topics=True,
            others=MIDWAY,
        ),
        "paired-t": Test(
            t_test.paired_power,
            "a paired t-test finds the difference",
            "differences",
            pairs_only=True,
            shares_topics=True,
        ),
        "two-sample-t": Test(
            t_test.two_sample_power, "a two-sample t-test finds the difference", "V_E", pairs_only=True
        ),
        "hsd": Test(
            tukey_pair.one_way_power,
            "Tukey's HSD test finds that best and worst system differ",
            "V_E",
            by_range=True,
            others=ANYWHERE,
        ),
        "hsd-paired": Test(
            tukey_pair.paired_power,
            "Tukey's HSD test (same {topic}s) finds that best and worst system differ",
            "V_E2",
            shares_topics=True,
            by_range=True,
            others=ANYWHERE,
        ),
        "robust": Test(
            tukey_pair.paired_power,
            "the robust test (same {topic}s) finds that best and worst system differ",
            "V_E2",
            shares_topics=True,
            by_range=True,
            others=ANYWHERE,
        ),
        "randomised-hsd": Test(
            randomised_range.power,
            "the randomised Tukey HSD test (same {topic}s) finds that best and worst system differ",
            "V_E2",
            shares_topics=True,
            by_range=True,
            others=CLUSTERED,
            midway=randomised_range.midway_power,
        ),
    },
)

METHODS = ("exact", "sakai")
ONE_WAY = "anova"
"""The test of the published tables."""
ROBUST = "robust"
"""The test whose critical range follows from the runs of a pilot."""
COMPARED_WITH = "hsd"
"""The test of ``kaiwa compare`` if none is chosen."""


def designed_for(compared_with: str = COMPARED_WITH) -> str:
    """The test to design for, if the runs will be compared with this test of ``kaiwa compare``.

    Randomised tests shuffle the true differences into their null distribution; the others remove the runs' means.

    >>> designed_for("hsd"), designed_for("robust"), designed_for("tukey")
    ('randomised-hsd', 'robust', 'hsd-paired')
    """
    if compared_with in {"hsd", "step-down"}:
        return "randomised-hsd"
    return ROBUST if compared_with in {ROBUST, "robust-step-down"} else "hsd-paired"


def power_of(test: str, method: str = "exact", *, range_ratio: float = 1.0) -> PowerOf:
    """The power function of a test by a method; ``range_ratio`` is that of the robust test."""
    if test == ROBUST:
        return partial(tukey_pair.paired_power, range_ratio=range_ratio)
    return one_way_anova.sakai_power if method == "sakai" else TESTS[test].power
