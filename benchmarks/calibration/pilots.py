"""Tables on pilots: where the other means lie, real covariance, small pilots, drawn variances and measured pools.

Printed by ``python -m benchmarks.calibration.design``, which takes the folders of real matrices and runs.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from math import sqrt
from typing import TYPE_CHECKING

import numpy as np

from benchmarks.calibration.progress import steps
from kaiwa.comparison.allpairs import randomised_hsd, robust_hsd
from kaiwa.formats.readers import matrices, read_runs
from kaiwa.stats.anova import residual_variance, within_run_variance
from kaiwa.topicset.budget import pool_items
from kaiwa.topicset.labelling_cost import measured_pool
from kaiwa.topicset.power_functions import estimated_variance
from kaiwa.topicset.power_functions import paired_tukey_power as paired_power
from kaiwa.topicset.requirement import Requirement
from kaiwa.topicset.simulation import Lift, drawn_sets, hsd_two_way, with_equal_means
from kaiwa.topicset.sizes import answer_to, answered
from kaiwa.topicset.tests import range_ratio

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kaiwa.nouns.ids import FloatArray
    from kaiwa.nouns.run import Run

SETS, SHUFFLES, PILOTS = 1_000, 199, 16
CELLS = [(5, 0.2, 0.02), (10, 0.15, 0.02), (10, 0.15, 0.0643), (30, 0.2, 0.03)]
SIZES = [(5, 3), (5, 5), (10, 3), (10, 5), (20, 5), (25, 10)]
EFFECT = 0.5
"""The difference in the tables on real matrices, as a share of the residual standard deviation of two runs."""


def row(*cells: object) -> str:
    """A Markdown row."""
    return "| " + " | ".join(f"{cell:.4f}" if isinstance(cell, float) else str(cell) for cell in cells) + " |"


def profiles(systems: int) -> dict[str, FloatArray]:
    """True means from 1 to -1: the others midway, evenly spread, or in two clusters."""
    half = systems // 2
    return {
        "midway": np.array([1.0, *[0.0] * (systems - 2), -1.0]),
        "spread": np.linspace(1, -1, systems),
        "clusters": np.array([1.0] * half + [-1.0] * (systems - half)),
    }


def robust_finds(scores: FloatArray, rng: np.random.Generator) -> bool:
    """Whether the robust test finds that first and last run differ."""
    return bool(robust_hsd(scores, trials=SHUFFLES, rng=rng).p_values()[0, -1] <= 0.05)


def shuffled_finds(scores: FloatArray, rng: np.random.Generator) -> bool:
    """Whether the randomised Tukey HSD finds that first and last run differ."""
    return bool(randomised_hsd(scores, trials=SHUFFLES, rng=rng).p_values()[0, -1] <= 0.05)


def means_rows() -> list[str]:
    """Power at the n of two designs, by where the other means lie, on normal scores."""
    rows, rng = [], np.random.default_rng(19)
    for systems, min_diff, variance in steps("other means", CELLS):
        for name, profile in profiles(systems).items():
            cells: list[object] = [systems, min_diff, variance, name]
            for test in ("tukey", "hsd"):
                n = answer_to(variance=variance, systems=systems, min_diff=min_diff, test=test).n
                means = profile * min_diff / 2
                noise = rng.standard_normal((SETS, n, systems)) * sqrt(variance)
                sets = means + rng.normal(0, 0.17, (SETS, n, 1)) + noise
                shuffled = float(np.mean([shuffled_finds(one, rng) for one in sets]))
                flipped = float(np.mean([robust_finds(one, rng) for one in sets]))
                cells += [n, float(hsd_two_way(sets, alpha=0.05).mean()), flipped, shuffled]
            rows.append(row(*cells))
    return rows


def real_matrices(folder: Path) -> dict[str, FloatArray]:
    """The topics x runs matrices of a folder by name, those that vary and lie in 0 to 1."""
    found = {}
    for path in sorted(folder.rglob("*.csv")):
        found[f"{path.parent.name}/{path.stem}"] = matrices([path], None)[0].scores.values
    return {name: one for name, one in found.items() if residual_variance(one) > 0 and np.abs(one).max() <= 1}


def ratio_rows(real: dict[str, FloatArray]) -> list[str]:
    """One-way topics over those of the compared test, over all matrices, for 10 systems and a difference of .1."""
    rows = []
    for test in ("hsd", "robust"):
        ratios = []
        for scores in real.values():
            one_way = answer_to(variance=within_run_variance(scores), systems=10, min_diff=0.1).n
            ratios.append(one_way / designed_size(scores, test, systems=10, min_diff=0.1))
        low, middle, high = np.quantile(ratios, [0, 0.5, 1]).tolist()
        rows.append(row(test, len(ratios), low, middle, high))
    return rows


def designed_size(scores: FloatArray, test: str, *, systems: int, min_diff: float) -> int:
    """The topics that a test needs, by a pilot."""
    ratio = range_ratio([scores], systems=systems, alpha=0.05) if test == "robust" else 1.0
    variance = residual_variance(scores)
    return answered(Requirement(variance, None, 0.8, min_diff, systems, 0.05, test, scale=1e9, range_ratio=ratio)).n


def covariance_rows(real: dict[str, FloatArray]) -> list[str]:
    """The power at the designed n on topics and runs drawn from real matrices whose run means were removed."""
    rows, rng, systems = [], np.random.default_rng(23), 10
    for test, finds in (("tukey", robust_finds), ("robust", robust_finds), ("hsd", shuffled_finds)):
        for name, profile in steps(f"real covariance, {test}", profiles(systems).items()):
            powers = []
            for scores in real.values():
                if scores.shape[1] < systems:
                    continue
                variance = residual_variance(scores)
                min_diff = EFFECT * sqrt(2 * variance)
                n = designed_size(scores, test, systems=systems, min_diff=min_diff)
                errors = (scores - scores.mean(axis=0)) * sqrt(len(scores) / (len(scores) - 1))
                found = [finds(_drawn(errors, n, systems, rng) + profile * min_diff / 2, rng) for _ in range(PILOTS)]
                powers.append(float(np.mean(found)))
            rows.append(row(test, name, len(powers), *np.quantile(powers, [0.1, 0.5, 0.9]), float(np.mean(powers))))
    return rows


def _drawn(errors: FloatArray, n: int, systems: int, rng: np.random.Generator) -> FloatArray:
    runs = rng.choice(errors.shape[1], systems, replace=False)
    return errors[rng.integers(len(errors), size=n)][:, runs]


def small_pilot_rows(real: dict[str, FloatArray]) -> list[str]:
    """The mean power of designs from small pilots: at the plug-in n and at the assured n."""
    rng = np.random.default_rng(29)
    normal = {str(place): rng.standard_normal((400, 60)) for place in range(20)}
    rows = []
    for source, pool in (("normal", normal), ("real", real)):
        for topics, runs in steps(f"small pilots, {source}", SIZES):
            means = np.array([_pilot_powers(one, topics, runs, rng) for one in pool.values()])
            plug, sure = means.mean(axis=0).tolist()
            span = [f"{low:.2f} to {high:.2f}" for low, high in np.quantile(means, [0.1, 0.9], axis=0).T]
            rows.append(row(source, f"{topics} x {runs}", len(means), plug, span[0], sure, span[1]))
    return rows


def _pilot_powers(scores: FloatArray, topics: int, runs: int, rng: np.random.Generator) -> tuple[float, float]:
    """The true power of the robust test, at the plug-in n and at the assured one, averaged over pilots."""
    variance = residual_variance(scores)
    min_diff = EFFECT * sqrt(2 * variance)
    true_ratio = range_ratio([scores[:200]], systems=10, alpha=0.05)
    got = []
    for _ in range(PILOTS):
        drawn = scores[np.ix_(rng.choice(len(scores), topics, False), rng.choice(scores.shape[1], runs, False))]
        found = estimated_variance([drawn], shared_topics=True)
        if not found.variance:
            continue
        ratio = range_ratio([drawn], systems=10, alpha=0.05)
        asked = Requirement(found.variance, None, 0.8, min_diff, 10, 0.05, "robust", scale=1e9, range_ratio=ratio)
        answer = answered(replace(asked, df=found.df))
        got.append((float(answer.plug_in_n or 0), float(answer.n)))
    sizes = np.array(got)
    cell = {"systems": np.full(len(got), 10.0), "min_diff": np.array(min_diff), "alpha": np.array(0.05)}
    true = partial(paired_power, variance=np.array(variance), range_ratio=true_ratio, **cell)
    plug, assure = (float(true(n=n).mean()) for n in sizes.T)
    return plug, assure


def drawn_variance_rows() -> list[str]:
    """The residual variance of simulated data sets over that of the pilot they are drawn from."""
    rows, rng = [], np.random.default_rng(31)
    for topics, runs, systems in ((5, 6, 4), (5, 3, 6), (25, 6, 4)):
        ratios = []
        for _ in range(40):
            pilot = rng.random((topics, runs))
            sets = drawn_sets(
                with_equal_means(pilot, systems), Lift(), sets=100, n=40, systems=systems, rng=rng
            )  # fmt: skip
            ratios.append(np.mean([residual_variance(one) for one in sets]) / residual_variance(pilot))
        rows.append(row(topics, runs, systems, (topics - 1) / topics, float(np.mean(ratios))))
    return rows


def pool_rows(folder: Path) -> list[str]:
    """Pool sizes of real runs: as they are, from half of the runs, and by the formula for the runs' mean overlap."""
    runs = read_runs(sorted(folder.iterdir()))
    rows = []
    for depth in (5, 10):
        overlap = _overlap(runs, depth)
        half = measured_pool(runs[::2], depth=depth, pooled=len(runs))
        true = measured_pool(runs, depth=depth, pooled=len(runs))
        rows.append(row(len(runs), depth, true, half, overlap, pool_items(depth, len(runs), overlap)))
    return rows


def _overlap(runs: Sequence[Run], depth: int) -> float:
    """The mean share of a list that two runs have in common."""
    pair = measured_pool(runs, depth=depth, pooled=2)
    return 2 - pair / measured_pool(runs, depth=depth, pooled=1)
