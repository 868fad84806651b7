"""The table of tests that a topic set can be designed for; a test is added here and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from math import sqrt
from typing import TYPE_CHECKING, Protocol

import numpy as np

from kaiwa.errors import Names
from kaiwa.stats.anova import residual_variance
from kaiwa.stats.random_words import trial_words
from kaiwa.stats.resampling import resampled_means
from kaiwa.stats.studentised_range import critical_range
from kaiwa.topicset import power_functions
from kaiwa.topicset.power_functions import variance_ratios

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.nouns.ids import FloatArray


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
        "anova": Test(
            power_functions.one_way_anova_power, "one-way ANOVA finds that the systems differ", "V_E", others=MIDWAY
        ),
        "two-way": Test(
            power_functions.two_way_anova_power,
            "two-way ANOVA (same {topic}s) finds that the systems differ",
            "V_E2",
            shares_topics=True,
            others=MIDWAY,
        ),
        "paired-t": Test(
            power_functions.paired_t_power,
            "a paired t-test finds the difference",
            "differences",
            pairs_only=True,
            shares_topics=True,
        ),
        "two-sample-t": Test(
            power_functions.two_sample_power, "a two-sample t-test finds the difference", "V_E", pairs_only=True
        ),
        "one-way-tukey": Test(
            power_functions.one_way_tukey_power,
            "Tukey's HSD test finds that best and worst system differ",
            "V_E",
            by_range=True,
            others=ANYWHERE,
        ),
        "tukey": Test(
            power_functions.paired_tukey_power,
            "Tukey's HSD test (same {topic}s) finds that best and worst system differ",
            "V_E2",
            shares_topics=True,
            by_range=True,
            others=ANYWHERE,
        ),
        "robust": Test(
            power_functions.paired_tukey_power,
            "the robust test (same {topic}s) finds that best and worst system differ",
            "V_E2",
            shares_topics=True,
            by_range=True,
            others=ANYWHERE,
        ),
        "hsd": Test(
            power_functions.randomised_range_power,
            "the randomised Tukey HSD test (same {topic}s) finds that best and worst system differ",
            "V_E2",
            shares_topics=True,
            by_range=True,
            others=CLUSTERED,
            midway=power_functions.midway_power,
        ),
    },
)

METHODS = ("exact", "sakai")
ONE_WAY = "anova"
"""The test of the published tables."""
ROBUST = "robust"
"""The test whose critical range follows from the runs of a pilot."""
COMPARED_WITH = "robust"
"""The test of ``kaiwa compare`` if none is chosen."""


def designed_for(compared_with: str = COMPARED_WITH) -> str:
    """The test to design for, if the runs will be compared with this test of ``kaiwa compare``.

    A step-down test finds the largest difference exactly when its first step does, and the crossed model of complete
    scores has the residual of ``tukey``. A test that only designs know is itself.

    >>> [designed_for(test) for test in ("step-down", "robust-step-down", "crossed", "anova")]
    ['hsd', 'robust', 'tukey', 'anova']
    """
    if compared_with in {ROBUST, *TESTS}:
        return compared_with
    from kaiwa.comparison.allpairs import ALL_PAIRS  # a design from a number needs no tests of runs

    if compared_with in ALL_PAIRS:
        return ALL_PAIRS[compared_with].designed_as or compared_with
    return {"crossed": "tukey"}.get(compared_with, compared_with)


def power_of(test: str, method: str = "exact", *, range_ratio: float = 1.0, df: float | None = None) -> PowerOf:
    """The power function of a test by a method; ``range_ratio`` is that of the robust test.

    With ``df`` the variance is an estimate with so many degrees of freedom, and the power is its mean over the true
    variances that may be behind it (the assurance).
    """
    if test == ROBUST:
        return expected(partial(power_functions.paired_tukey_power, range_ratio=range_ratio), df)
    return expected(power_functions.sakai_power if method == "sakai" else TESTS[test].power, df)


def expected(power: PowerOf, df: float | None) -> PowerOf:
    """The power averaged over what an estimate with so many degrees of freedom leaves open; None: it is known."""
    return power if df is None else partial(_averaged, power, variance_ratios(df))


def _averaged(
    power: PowerOf,
    ratios: FloatArray,
    *,
    n: FloatArray,
    systems: FloatArray,
    min_diff: FloatArray,
    variance: FloatArray,
    alpha: FloatArray,
) -> FloatArray:
    parts = np.broadcast_arrays(n, systems, min_diff, variance, alpha)
    cells = np.broadcast_arrays(*(part[..., None] for part in parts), ratios)
    size, m, minD, sigma2, level, ratio = (cell.astype(float).ravel() for cell in cells)
    reached = power(n=size, systems=m, min_diff=minD, variance=sigma2 / ratio, alpha=level)
    mean: FloatArray = reached.reshape(cells[0].shape).mean(axis=-1)
    return mean


# Runs that do not vary alike: how much larger their critical range is than that of runs with equal variances.


TRIALS = 4_000
SIGNS_KEY, RUNS_KEY = 1, 2
"""The keys of the random signs and of the runs drawn: the same pilot has the same answer."""
NORMAL_DF = 1e7
FEWEST_RUNS = 3
"""Two runs have one difference; its variance is V_E2 itself."""


def range_ratio(matrices: Sequence[FloatArray], *, systems: int, alpha: float) -> float:
    """The critical range of so many runs like those of the pilots over that of equal runs; at least 1.

    The signs of whole topics are flipped, as by the robust test, and the runs are drawn from those of the pilot if it
    has more. Several pilots are averaged by their degrees of freedom.

    >>> rng = np.random.default_rng(1)
    >>> equal, unequal = rng.normal(size=(80, 8)), rng.normal(0, np.geomspace(1, 9, 8), (80, 8))
    >>> [round(range_ratio([one], systems=8, alpha=0.05), 2) for one in (equal, unequal)]
    [1.0, 1.18]
    """
    known = [one for one in matrices if one.shape[1] >= FEWEST_RUNS and residual_variance(one) > 0]
    if not known:
        return 1.0
    ratios = [_ratio(one, min(systems, one.shape[1]), alpha) for one in known]
    weights = [(len(one) - 1) * (one.shape[1] - 1) for one in known]
    return max(1.0, float(np.average(ratios, weights=weights)))


def _ratio(by_topic: FloatArray, systems: int, alpha: float) -> float:
    flipped = np.concatenate(list(resampled_means(by_topic, trials=TRIALS, key=SIGNS_KEY)))
    runs = flipped.shape[1]
    if systems < runs:
        drawn = trial_words(RUNS_KEY, 0, TRIALS, runs).argpartition(systems - 1, axis=1)[:, :systems]
        flipped = np.take_along_axis(flipped, drawn, axis=1)
    reached = float(np.quantile(np.ptp(flipped, axis=1), 1 - alpha))
    return reached / (critical_range(alpha, systems, NORMAL_DF) * sqrt(residual_variance(by_topic) / len(by_topic)))
