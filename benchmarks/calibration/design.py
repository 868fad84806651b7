"""Calibration of the designs: the power at the designed n, by simulation, for every method.

``python -m benchmarks.calibration.design MATRICES RUNS > benchmarks/results/calibration/design.md``, some minutes.
MATRICES is a folder of real topics x runs matrices, RUNS one of real run files; without them their tables are left out.
"""

from __future__ import annotations

import sys
from math import sqrt
from pathlib import Path

import numpy as np

from benchmarks.calibration import pilots
from benchmarks.calibration.pilots import row
from benchmarks.calibration.progress import steps
from kaiwa.comparison.allpairs import randomised_hsd
from kaiwa.stats.anova import critical_f
from kaiwa.topicset.pass_rates import PassRates, mid_p_power, pass_rate_design
from kaiwa.topicset.rounds import rounds_of
from kaiwa.topicset.simulation import VERDICTS
from kaiwa.topicset.sizes import answer_to

SETS = 20_000
CELLS = [(0.0643, 3, 0.15), (0.0643, 10, 0.15), (0.1515, 5, 0.2), (0.0222, 30, 0.1)]
TOPIC_VARIANCE = 0.03


def drawn(
    rng: np.random.Generator, *, sets: int, n: int, means: np.ndarray, variance: float, topic: float
) -> np.ndarray:
    """Normal scores, "sets x topics x systems", with a topic effect where topics are shared."""
    shared = rng.standard_normal((sets, n, 1)) * sqrt(topic)
    return means + shared + rng.standard_normal((sets, n, len(means))) * sqrt(variance)


def achieved(test: str, n: int, systems: int, min_diff: float, variance: float) -> float:
    """The share of simulated data sets in which the test finds the difference."""
    rng = np.random.default_rng([n, systems])
    means = np.array([min_diff / 2, *[0.0] * (systems - 2), -min_diff / 2])
    topic = TOPIC_VARIANCE if test in {"two-way", "tukey", "paired-t"} else 0.0
    found = done = 0
    while done < SETS:
        batch = min(SETS - done, max(1, 1_000_000 // (n * systems)))
        found += int(
            VERDICTS[test](drawn(rng, sets=batch, n=n, means=means, variance=variance, topic=topic), alpha=0.05).sum()
        )
        done += batch
    return found / SETS


def power_rows() -> list[str]:
    """Every test at the n designed for 80% power; the published method's n too."""
    rows = []
    for test in steps("power", VERDICTS):
        for variance, many, min_diff in CELLS[:: 2 if test.endswith("-t") else 1]:
            systems = 2 if test.endswith("-t") else many
            answer = answer_to(variance=variance, systems=systems, min_diff=min_diff, test=test)
            rows.append(_power_row(answer, achieved(test, answer.n, systems, min_diff, variance)))
    for variance, systems, min_diff in CELLS:
        answer = answer_to(variance=variance, systems=systems, min_diff=min_diff, method="sakai")
        rows.append(_power_row(answer, achieved("anova", answer.n, systems, min_diff, variance)))
    return rows


def _power_row(answer: object, got: float) -> str:
    error = sqrt(got * (1 - got) / SETS)
    z = (got - answer.exact_power) / error  # type: ignore[attr-defined]
    names = ("test", "method", "systems", "min_diff", "variance", "n", "power", "exact_power")
    return row(*(getattr(answer, name) for name in names), got, error, f"{z:+.1f}")


def level_rows() -> list[str]:
    """The type I error: the share of significant tests without a difference."""
    rows = []
    for test in ("anova", "two-way", "paired-t", "two-sample-t"):
        systems = 2 if test.endswith("-t") else 5
        got = achieved(test, 40, systems, 0.0, 0.06)
        rows.append(row(test, systems, 40, 0.05, got, sqrt(got * (1 - got) / SETS)))
    return rows


def interval_rows() -> list[str]:
    """Mean width and coverage of the t interval at the designed n."""
    rows, rng = [], np.random.default_rng(7)
    for variance, width in ((0.06, 0.2), (0.06, 0.1), (0.15, 0.1)):
        n = answer_to(variance=variance, min_diff=width, test="interval").n
        sets = SETS // 4
        scores = rng.standard_normal((sets, n)) * sqrt(2 * variance)
        t = sqrt(float(critical_f(np.array([0.05]), np.ones(1), np.array([n - 1.0]))[0]))
        half = t * scores.std(axis=1, ddof=1) / sqrt(n)
        covered = float((np.abs(scores.mean(axis=1)) <= half).mean())
        rows.append(row(variance, width, n, float(2 * half.mean()), float((2 * half).std() / sqrt(sets)), covered))
    return rows


def pass_rate_rows() -> list[str]:
    """McNemar's mid-p test at the designed number of prompts."""
    rows, rng = [], np.random.default_rng(11)
    for rate, min_diff, correlation in ((0.62, 0.03, 0.5), (0.5, 0.2, 0.2), (0.8, 0.1, 0.4)):
        found = pass_rate_design(pass_rate=rate, min_diff=min_diff, correlation=correlation)
        got = _mcnemar(found.rates, found.n, rng)
        null = PassRates(rate, rate, correlation)
        level = mid_p_power(found.n, null, alpha=0.05)
        rows.append(row(rate, min_diff, correlation, found.n, found.power, got, sqrt(got * (1 - got) / SETS), level))
    return rows


def _mcnemar(rates: PassRates, n: int, rng: np.random.Generator) -> float:
    counts = rng.multinomial(n, [rates.gains, rates.losses, 1 - rates.gains - rates.losses], size=SETS)
    from scipy.stats import binom

    least, d = counts[:, :2].min(axis=1), counts[:, :2].sum(axis=1)
    p = 2 * (binom.cdf(least - 1, d, 0.5) + binom.pmf(least, d, 0.5) / 2)
    return float((p <= 0.05).mean())


def rounds_rows() -> list[str]:
    """Levels set on one set of trials, type I error counted on others."""
    rows, rng = [], np.random.default_rng(13)
    for spending in ("obrien-fleming", "pocock"):
        for test, systems in (("two-way", 2), ("anova", 10), ("tukey", 10)):
            answer = answer_to(variance=0.0643, systems=systems, min_diff=0.15, n=91, test=test)
            plan = rounds_of(answer, [30, 60, 91], spending=spending, rng=rng)
            cells = (spending, test, systems, plan.naive, plan.kept, plan.error, plan.power, plan.expected_n)
            rows.append(row(*cells))
    return rows


def randomised_rows() -> list[str]:
    """The power of the randomised Tukey HSD at the n of the tukey design, on normal scores."""
    rows, rng, sets = [], np.random.default_rng(17), 1000
    for systems, min_diff in ((3, 0.15), (6, 0.15)):
        n = answer_to(variance=0.0643, systems=systems, min_diff=min_diff, test="tukey").n
        means = np.array([min_diff / 2, *[0.0] * (systems - 2), -min_diff / 2])
        data = drawn(rng, sets=sets, n=n, means=means, variance=0.0643, topic=TOPIC_VARIANCE)
        p = [randomised_hsd(one, trials=1000, rng=rng).p_values()[0, -1] for one in data]
        got = float((np.array(p) <= 0.05).mean())
        rows.append(row(systems, min_diff, n, got, sqrt(got * (1 - got) / sets)))
    return rows


def pilot_parts() -> list[str]:
    """The tables on pilots; those on real data if its folders are given."""
    folders = [Path(name) for name in sys.argv[1:]]
    real = pilots.real_matrices(folders[0]) if folders else {}
    parts = [
        f"\n## Where the other systems' means lie ({pilots.SETS:,} normal data sets per cell, error .013)\n\n"
        "Best and worst differ by minD; the others lie midway, evenly spread, or half at either end (clusters). Power "
        "to find the\nbest-worst pair at the n of `tukey`, also that of `robust`, and at that of `hsd`, by Tukey's "
        "HSD, by the test `robust`\nand by the randomised HSD. Required: 0.80.\n\n"
        "| m | minD | V_E2 | others | n | Tukey | robust | randomised | n | Tukey | robust | randomised |\n"
        + "|---" * 12 + "|",
        *pilots.means_rows(),
        "\n## The variance of simulated data sets\n\n`--simulate` draws from a pilot; the residual variance of what is "
        "drawn over that of the pilot, and what it was without scaling.\n\n"
        "| topics | runs | systems | unscaled | drawn / pilot |\n" + "|---" * 5 + "|",
        *pilots.drawn_variance_rows(),
        f"\n## Small pilots ({pilots.PILOTS} pilots per matrix)\n\nThe mean power of the test `robust` by a design for "
        "0.80 from a small pilot, which gives\nthe variance and the range ratio; and the middle 80% of the matrices.\n"
        "\n| scores | pilot | matrices | plug-in n | range | assured n | range |\n" + "|---" * 7 + "|",
        *pilots.small_pilot_rows(real),
    ]  # fmt: skip
    if real:
        parts += [
            "\n## Real covariance\n\nTopics and 10 runs drawn from real matrices without their run means; the power at "
            "the designed n, over matrices.\n`tukey` and `robust` are tested by the test `robust`, "
            "`hsd` by the randomised HSD. The Monte-Carlo error of a mean\n"
            f"is {sqrt(0.16 / (pilots.PILOTS * len(real))):.3f}.\n\n"
            "| design | others | matrices | 10% | median | 90% | mean |\n" + "|---" * 7 + "|",
            *pilots.covariance_rows(real),
            "\n## One-way topics over those of the compared test (10 systems, minD 0.1)\n\n"
            "| compared test | matrices | least | median | most |\n" + "|---" * 5 + "|",
            *pilots.ratio_rows(real),
        ]  # fmt: skip
    if len(folders) > 1:
        parts += [
            "\n## Pool sizes of real runs\n\n`from half` extrapolates from every second run; `formula` is the upper "
            "limit from the mean overlap of two runs.\n\n"
            "| runs | depth | items per topic | from half | overlap | formula |\n" + "|---" * 6 + "|",
            *pilots.pool_rows(folders[1]),
        ]  # fmt: skip
    return parts


def main() -> None:
    """Print the tables."""
    parts = [
        ("# Calibration of the designs\n\n"
        "Made by `python -m benchmarks.calibration.design MATRICES RUNS > benchmarks/results/calibration/design.md`,\n"
        "where MATRICES is a folder of real topics x runs matrices (57 of TREC, by J. Urbano) and RUNS one of\n"
        "real runs (17 of the TREC 2003 Robust track).\n"
        f"{SETS:,} simulated data sets per row unless stated otherwise; "
        "`error` is the Monte-Carlo standard error.\n"),
        "## Power at the designed n (required: 0.80)\n\n`promised` is the power by the method of the row, `exact` the "
        "power by exact theory, `achieved` the power in simulation;\n`z` is (achieved - exact) / error.\n\n"
        "| test | method | m | minD | variance | n | promised | exact | achieved | error | z |\n" + "|---" * 11 + "|",
        *power_rows(),
        "\n## Type I error\n\n| test | m | n | alpha | achieved | error |\n" + "|---" * 6 + "|",
        *level_rows(),
        "\n## Interval width\n\n| variance | asked | n | mean width | error | coverage |\n" + "|---" * 6 + "|",
        *interval_rows(),
        "\n## Pass rates\n\n| rate | minD | correlation | prompts | promised | achieved | error | exact level |\n"
        + "|---" * 8 + "|",
        *pass_rate_rows(),
        "\n## Rounds at 30, 60, 91 topics (400,000 trials; required: an error of .050 +- .001)\n\n"
        "| spending | test | m | naive | kept | error | power | expected n |\n"
        + "|---" * 8 + "|",
        *rounds_rows(),
        "\n## The randomised Tukey HSD at the n of tukey (1,000 data sets of 1,000 permutations)\n\n"
        "| m | minD | n | achieved | error |\n" + "|---" * 5 + "|",
        *randomised_rows(),
        *pilot_parts(),
    ]  # fmt: skip
    sys.stdout.write("\n".join(parts) + "\n")


if __name__ == "__main__":
    main()
