"""Confidence intervals: the expected width of the interval on a difference of two systems."""

from __future__ import annotations

from dataclasses import dataclass
from math import erfc, sqrt
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.stats.anova import critical_f, noncentral_f_tail, residuals, run_deviations
from kaiwa.stats.studentised_range import critical_range

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.nouns.ids import FloatArray


def expected_width(*, n: FloatArray, variance: FloatArray, alpha: FloatArray) -> FloatArray:
    """The expected width of the 1 - alpha interval on a mean difference whose per-topic variance is ``variance``.

    2 t(n-1) E[sqrt V] / sqrt n (Sakai 2018, Section 6.2). Only the ratio of the gamma functions is computed, so it
    works far beyond n = 343, where a spreadsheet's GAMMA overflows.

    >>> expected_width(n=np.array([10.0, 1e6]), variance=np.array(0.25), alpha=np.array(0.05)).round(6).tolist()
    [0.695799, 0.00196]
    """
    parts = np.broadcast_arrays(n, variance, alpha)
    size, sigma2, level = (np.atleast_1d(part).astype(float) for part in parts)
    phi = size - 1.0
    t = np.sqrt(critical_f(level, np.ones_like(phi), phi))
    width: FloatArray = 2 * t * mean_sd_ratio(phi) * np.sqrt(sigma2 / size)
    return width.reshape(parts[0].shape)


def mean_sd_ratio(df: FloatArray) -> FloatArray:
    """E[sqrt V] / sigma for a sample variance V on ``df`` degrees: sqrt(2/df) Gamma((df+1)/2) / Gamma(df/2).

    >>> mean_sd_ratio(np.array([1.0, 1e9])).round(6).tolist()
    [0.797885, 1.0]
    """
    from scipy.special import poch

    ratio: FloatArray = poch(df / 2, 0.5) / np.sqrt(df / 2)
    return ratio


# One-way ANOVA: m systems, each scored on n topics, whose best and worst differ by min_diff.


def one_way_anova_power(
    *, n: FloatArray, systems: FloatArray, min_diff: FloatArray, variance: FloatArray, alpha: FloatArray
) -> FloatArray:
    """The exact probability that ANOVA rejects "all equal" if best and worst differ by ``min_diff``, others midway.

    Sakai 2018, Section 6.4: Delta = minD^2 / (2 sigma^2), phiA = m - 1, phiE = m (n - 1), lambda = n Delta.

    >>> cell = dict(systems=10.0, min_diff=0.15, variance=0.0643, alpha=0.05)
    >>> one_way_anova_power(n=np.array([90, 92]), **cell).round(4).tolist()
    [0.7984, 0.8091]
    """
    phi_a, phi_e = systems - 1.0, systems * (n - 1.0)
    noncentrality = n * min_diff**2 / (2 * variance)
    return f_power(phi_a, phi_e, noncentrality, alpha)


def f_power(phi_a: FloatArray, phi_e: FloatArray, noncentrality: FloatArray, alpha: FloatArray) -> FloatArray:
    """The probability that the F-test at level ``alpha`` rejects under this noncentrality."""
    parts = np.broadcast_arrays(alpha, phi_a, phi_e, noncentrality)
    level, df1, df2, lam = (np.atleast_1d(part).astype(float) for part in parts)
    return noncentral_f_tail(critical_f(level, df1, df2), df1, df2, lam).reshape(parts[0].shape)


def sakai_power(
    *, n: FloatArray, systems: FloatArray, min_diff: FloatArray, variance: FloatArray, alpha: FloatArray
) -> FloatArray:
    """The power behind the published tables: a normal approximation with a minus where the derivation gives a plus.

    Sakai 2015, after Nagata 2003: power = P(U >= u) with
    u = [sqrt(w/phiE) sqrt(2 phiE - 1) - sqrt(c/phiA) sqrt(2 phi* - 1)] / sqrt(c/phiA - w/phiE);
    a radicand that is not positive counts as power 0.

    >>> cell = dict(systems=10.0, min_diff=0.15, variance=0.0643, alpha=0.05)
    >>> sakai_power(n=np.array([89, 90]), **cell).round(4).tolist()
    [0.7981, 0.8035]
    """
    parts = np.broadcast_arrays(n, systems, min_diff, variance, alpha)
    size, m, minD, sigma2, level = (np.atleast_1d(part).astype(float) for part in parts)
    phiA, phiE, lam = m - 1, m * (size - 1), size * minD**2 / (2 * sigma2)
    w = critical_f(level, phiA, phiE)
    c = (phiA + 2 * lam) / (phiA + lam)
    phi_star = (phiA + lam) * ((phiA + lam) / (phiA + 2 * lam))
    radicand = c / phiA - w / phiE
    usable = radicand > 0
    top = np.sqrt(w / phiE) * np.sqrt(2 * phiE - 1) - np.sqrt(c / phiA) * np.sqrt(2 * phi_star - 1)
    u = top / np.sqrt(np.where(usable, radicand, 1.0))
    tail = np.array([erfc(v / sqrt(2)) / 2 for v in u.ravel().tolist()]).reshape(u.shape)
    return np.where(usable, tail, 0.0).reshape(parts[0].shape)


# The randomised Tukey HSD: its power to find the best-worst difference, wherever the other systems' means lie.


FAR = 1e4
NORMAL_DF = 1e7
"""Degrees of freedom at which a studentised range is the range of normal means."""


def randomised_range_power(
    *, n: FloatArray, systems: FloatArray, min_diff: FloatArray, variance: FloatArray, alpha: FloatArray
) -> FloatArray:
    """The probability that the best-worst pair is significant, the other systems in two clusters, the worst case.

    >>> cell = dict(systems=np.array(10.0), min_diff=0.15, variance=0.02, alpha=0.05)
    >>> randomised_range_power(n=np.array([30.0, 36.0]), **cell).round(3).tolist()
    [0.694, 0.817]
    """
    half = np.floor(systems / 2)
    spread = half * (systems - half) / systems
    return _power(spread, n=n, systems=systems, min_diff=min_diff, variance=variance, alpha=alpha)


def midway_power(
    *, n: FloatArray, systems: FloatArray, min_diff: FloatArray, variance: FloatArray, alpha: FloatArray
) -> FloatArray:
    """The same with all other systems midway between best and worst, the most favourable case.

    >>> cell = dict(systems=np.array(10.0), min_diff=0.15, variance=0.02, alpha=0.05)
    >>> midway_power(n=np.array([30.0]), **cell).round(3).tolist()
    [0.812]
    """
    return _power(np.array(0.5), n=n, systems=systems, min_diff=min_diff, variance=variance, alpha=alpha)


def _power(
    spread: FloatArray,
    *,
    n: FloatArray,
    systems: FloatArray,
    min_diff: FloatArray,
    variance: FloatArray,
    alpha: FloatArray,
) -> FloatArray:
    """The power if the squared effects of the systems sum to ``spread`` times the squared difference.

    The pair is significant if its square, n D^2 / 2, exceeds q^2 / 2 times the mean of all squares within topics,
    of which it is a part: a doubly noncentral F with 1 and n (m - 1) - 1 degrees of freedom. Its denominator is
    approximated by a chi-square with the same mean and variance (Patnaik 1949).
    """
    parts = np.broadcast_arrays(spread, n, systems, min_diff, variance, alpha)
    share, size, m, minD, sigma2, level = (np.atleast_1d(part).astype(float) for part in parts)
    half_square = np.array(
        [critical_range(a, round(k), NORMAL_DF) ** 2 / 2 for a, k in zip(level.tolist(), m.tolist(), strict=True)]
    )
    whole = size * (m - 1)
    rest = size * (share - 0.5) * minD**2 / sigma2
    mean = whole - 1 + rest
    enough = whole > half_square
    critical = half_square * mean / np.where(enough, whole - half_square, 1.0)
    df = mean**2 / (whole - 1 + 2 * rest)
    tail = _tail(critical, df, size * minD**2 / (2 * sigma2))
    return np.where(enough, tail, 0.0).reshape(parts[0].shape)


def _tail(critical: FloatArray, df: FloatArray, noncentrality: FloatArray) -> FloatArray:
    """The tail of a noncentral F with one degree of freedom; of a far one, whose sum is long, by its normal root."""
    from scipy.special import ndtr

    near = noncentrality <= FAR
    root = ndtr((np.sqrt(noncentrality) - np.sqrt(critical)) / np.sqrt(1 + critical / (2 * df)))
    tail: FloatArray = root.copy()
    tail[near] = noncentral_f_tail(critical[near], np.ones(int(near.sum())), df[near], noncentrality[near])
    return tail


# Two systems: the paired and the two-sample t-test, two-sided, by the exact noncentral distribution.


def paired_t_power(
    *, n: FloatArray, systems: FloatArray, min_diff: FloatArray, variance: FloatArray, alpha: FloatArray
) -> FloatArray:
    """The probability that a paired t-test on n topics rejects; ``variance`` is that of the per-topic differences.

    ncp = sqrt(n) minD / sigma_t, phi = n - 1.

    >>> import numpy as np
    >>> cell = dict(systems=2.0, min_diff=0.5, variance=1.0, alpha=0.05)
    >>> paired_t_power(n=np.array([33, 34]), **cell).round(4).tolist()
    [0.7954, 0.8078]
    """
    return f_power(systems - 1.0, n - 1.0, n * min_diff**2 / variance, alpha)


def two_sample_power(
    *, n: FloatArray, systems: FloatArray, min_diff: FloatArray, variance: FloatArray, alpha: FloatArray
) -> FloatArray:
    """The probability that a two-sample t-test with n topics per system rejects; ``variance`` is one system's.

    ncp = sqrt(n/2) minD / sigma, phi = 2n - 2.

    >>> import numpy as np
    >>> cell = dict(systems=2.0, min_diff=0.5, variance=1.0, alpha=0.05)
    >>> two_sample_power(n=np.array([63, 64]), **cell).round(4).tolist()
    [0.7952, 0.8015]
    """
    return f_power(systems - 1.0, 2.0 * n - 2.0, n * min_diff**2 / (2 * variance), alpha)


# Tukey's HSD: the power to find the difference between the best and the worst of m systems.


def one_way_tukey_power(
    *, n: FloatArray, systems: FloatArray, min_diff: FloatArray, variance: FloatArray, alpha: FloatArray
) -> FloatArray:
    """The probability that a pair with the difference ``min_diff`` is significant; ``variance`` is V_E.

    >>> cell = dict(systems=10.0, min_diff=0.15, variance=0.0643, alpha=0.05)
    >>> one_way_tukey_power(n=np.array([92.0]), **cell).round(3).tolist()
    [0.799]
    """
    df = systems * (n - 1.0)
    return _pair_power(systems, df, n * min_diff**2 / (2 * variance), alpha)


def paired_tukey_power(
    *,
    n: FloatArray,
    systems: FloatArray,
    min_diff: FloatArray,
    variance: FloatArray,
    alpha: FloatArray,
    range_ratio: float = 1.0,
) -> FloatArray:
    """The same if all systems are scored on the same topics; ``variance`` is V_E2.

    ``range_ratio`` is the critical range of the test over Tukey's, if the runs do not vary alike.
    """
    df = (systems - 1.0) * (n - 1.0)
    return _pair_power(systems, df, n * min_diff**2 / (2 * variance), alpha, range_ratio)


def _pair_power(
    systems: FloatArray, df: FloatArray, noncentrality: FloatArray, alpha: FloatArray, range_ratio: float = 1.0
) -> FloatArray:
    """P(|T'| > q / sqrt 2), T' noncentral t with ncp sqrt(n/2) minD / sigma, as its square, a noncentral F."""
    parts = np.broadcast_arrays(systems, df, noncentrality, alpha)
    m, phi, lam, level = (np.atleast_1d(part).astype(float) for part in parts)
    cells = zip(level.tolist(), m.tolist(), phi.tolist(), strict=True)
    q = range_ratio * np.array([critical_range(a, round(k), d) for a, k, d in cells])
    tail = noncentral_f_tail(q**2 / 2, np.ones_like(q), phi, lam)
    return tail.reshape(parts[0].shape)


# Two-way ANOVA without replication: all systems are scored on the same topics, so topic difficulty cancels.


def two_way_anova_power(
    *, n: FloatArray, systems: FloatArray, min_diff: FloatArray, variance: FloatArray, alpha: FloatArray
) -> FloatArray:
    """The exact probability that the two-way F-test rejects "all systems equal"; ``variance`` is V_E2.

    phiA = m - 1, phiE = (m - 1)(n - 1), lambda = n minD^2 / (2 V_E2).

    >>> import numpy as np
    >>> cell = dict(systems=10.0, min_diff=0.15, variance=0.0311, alpha=0.05)
    >>> two_way_anova_power(n=np.array([45]), **cell).round(4).tolist()
    [0.8087]
    """
    phi_a = systems - 1.0
    return f_power(phi_a, phi_a * (n - 1.0), n * min_diff**2 / (2 * variance), alpha)


# Power averaged over what a pilot leaves uncertain about the variance.


MIDPOINTS = (np.arange(200) + 0.5) / 200
"""The probabilities at which the distribution of the variance is averaged."""
ENOUGH_TOPICS, ENOUGH_RUNS = 20, 5
"""A smaller pilot does not show how unequal topics and runs are."""
UNEQUAL_TOPICS, UNEQUAL_RUNS = 1.0, 0.2
"""The squared relative deviation of the residual squares of topics, and of runs: upper quartiles of 57 matrices."""
ROUNDING = 1e-24
"""A sum of squares below this share of the squared scores is rounding, not variance."""


@dataclass(frozen=True)
class VarianceEstimate:
    """A pooled variance and the degrees of freedom that it is worth."""

    variance: float
    df: float

    def limits(self, confidence: float = 0.95) -> tuple[float, float]:
        """The chi-square limits of the variance.

        >>> [round(limit, 4) for limit in VarianceEstimate(1.0, 8).limits()]
        [0.4562, 3.6702]
        """
        low, high = self.variance / _scaled_chi(np.array([(1 + confidence) / 2, (1 - confidence) / 2]), self.df)
        return float(low), float(high)


def estimated_variance(matrices: Sequence[FloatArray], *, shared_topics: bool) -> VarianceEstimate:
    """V_E2 (V_E if topics are not shared), pooled, and how well it is known if other topics and runs had been drawn.

    The variance is a sum over topics, and also a sum over runs; both sums vary. 2 / df is the sum of their squared
    relative errors, and at least that of normal scores. Topics and runs of a small pilot are taken as no more equal
    than those of real collections (docs/decisions/designs.md).

    >>> scores = np.random.default_rng(1).normal(size=(200, 8))
    >>> found = estimated_variance([scores], shared_topics=True)
    >>> (round(found.variance, 2), 400 < found.df < 7 * 199)
    (1.01, True)
    """
    paired = [one for one in matrices if one.shape[1] > 1] if shared_topics else []
    lost, used = (1, paired) if paired else (0, matrices)
    squares = [(residuals(one) if lost else run_deviations(one)) ** 2 for one in used]
    total = sum(float(one.sum()) for one in squares)
    most = float(sum((one.shape[1] - lost) * (len(one) - 1) for one in squares))
    if total <= ROUNDING * sum(float((one**2).sum()) for one in used):
        return VarianceEstimate(0.0, most)
    varied = sum(_varied(one, normal=bool(lost)) for one in squares)
    return VarianceEstimate(total / most, min(most, 2 * total**2 / varied) if varied else most)


def _varied(squares: FloatArray, *, normal: bool) -> float:
    """The squared error of the sum of residual squares, topics x runs; of a small pilot at least that of real ones."""
    found = _squared_error(squares.sum(axis=0)) + _squared_error(squares.sum(axis=1))
    topics, runs = squares.shape
    if not normal or (topics >= ENOUGH_TOPICS and runs >= ENOUGH_RUNS):
        return found
    usual = 2 / ((topics - 1) * (runs - 1)) + UNEQUAL_TOPICS / topics + UNEQUAL_RUNS / runs
    least: float = usual * float(squares.sum()) ** 2
    return max(found, least)


def variance_ratios(df: float) -> FloatArray:
    """The estimate of a variance over its true value, at equally likely points of its distribution.

    >>> ratios = variance_ratios(8)
    >>> (len(ratios), round(float(ratios.mean()), 2))
    (200, 1.0)
    """
    return _scaled_chi(MIDPOINTS, df)


def _scaled_chi(probabilities: FloatArray, df: float) -> FloatArray:
    """Quantiles of a chi-square over its degrees of freedom."""
    from scipy.special import gammaincinv

    scaled: FloatArray = np.maximum(gammaincinv(df / 2, probabilities) * 2 / df, 1e-12)
    return scaled


def _squared_error(parts: FloatArray) -> float:
    """The squared standard error of a sum of independent parts."""
    return float(len(parts) * parts.var(ddof=1)) if len(parts) > 1 else 0.0
