"""The audit of the tests (``benchmarks/calibration/audit.py``): its own tests are right, and it runs."""

from __future__ import annotations

import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from benchmarks.calibration.audit_agreement import kappas, sums_of
from benchmarks.calibration.audit_nulls import changed
from benchmarks.calibration.audit_tests import ALL_PAIRS, holm, many_to_one_by_formula, max_t
from scipy.stats import ttest_rel

from kaiwa.labelling.coefficients import fleiss_kappa
from kaiwa.stats.p_values import holm as corrected

if TYPE_CHECKING:
    from kaiwa.nouns.ids import FloatArray

ROOT = Path(__file__).parents[2]


def scores(seed: int, *, topics: int = 9, runs: int = 4) -> FloatArray:
    """Runs of which the last is much better."""
    values: FloatArray = np.random.default_rng(seed).normal(size=(topics, runs)) + np.arange(runs) ** 2 / 4
    return values


@pytest.mark.parametrize("seed", range(5))
def test_holm_is_that_of_scipy_and_of_kaiwa(seed: int) -> None:
    """The p-values are those of scipy's paired t-test, corrected by Kaiwa's Holm."""
    values = scores(seed)
    first, second = np.triu_indices(values.shape[1], 1)
    p = ttest_rel(values[:, first], values[:, second]).pvalue
    assert (holm(values, np.random.default_rng(0)) == (corrected(p) <= 0.05)).all()


@pytest.mark.parametrize("seed", range(5))
def test_many_to_one_agrees_with_all_signs(seed: int) -> None:
    """Runs whose exact p, over all 512 signs of 9 topics, is far from .05 are found or not found as by that p."""
    values = scores(seed)
    differences = values[:, 1:] - values[:, :1]
    n = len(differences)
    z = (differences - differences.mean(axis=0)) * (n / (n - 1)) ** 0.5
    null = []
    for signs in product((-1.0, 1.0), repeat=n):
        means = np.array(signs) @ z / n
        null.append(np.abs(means).max() * ((1 - 1 / n) / (1 - n * (means**2).sum() / (z**2).sum())) ** 0.5)
    p = (np.array(null)[:, None] >= np.abs(differences.mean(axis=0)) - 1e-9).mean(axis=0)
    clear = (p < 0.01) | (p > 0.12)
    assert clear.any()
    assert (many_to_one_by_formula(values, np.random.default_rng(seed)) == (p <= 0.05))[clear].all()


def test_max_t_flips_raw_differences() -> None:
    """Of one pair the exact p is the share of the signs whose |t|, and so |mean|, is as large: here 2 of 2^8."""
    values = np.column_stack((np.arange(1.0, 9.0), np.zeros(8)))
    assert max_t(values, np.random.default_rng(1)).tolist() == [True]
    assert max_t(values[:5], np.random.default_rng(1)).tolist() == [False]


def test_a_pair_that_never_differs_is_never_found() -> None:
    """Two equal runs, and one that differs by the same amount on every topic: only the second can be found."""
    values = np.column_stack((np.arange(12.0), np.arange(12.0), np.arange(12.0) + 1))
    found = {name: finds(values, np.random.default_rng(1)).tolist() for name, finds in ALL_PAIRS.items()}
    assert {name: pairs[0] for name, pairs in found.items()} == dict.fromkeys(ALL_PAIRS, False)
    assert found["t + Holm"] == [False, True, True]


def test_a_changed_run_has_another_mean_or_deviation() -> None:
    """Topics drawn from one matrix: shifted by -.3, or with three times the deviation from the mean."""
    matrix = [np.random.default_rng(1).random((60, 40))]
    plain = changed(matrix, np.random.default_rng(2), 500, 5)
    worse = changed(matrix, np.random.default_rng(2), 500, 5, shift=-0.3)
    wide = changed(matrix, np.random.default_rng(2), 500, 5, factor=3.0)
    assert np.allclose(worse[:, 0], plain[:, 0] - 0.3)
    assert np.allclose(wide[:, 0], plain[:, 0] * 3)
    assert np.array_equal(wide[:, 1:], plain[:, 1:])


def test_kappa_of_sums_is_fleiss_kappa() -> None:
    """The kappa of what the topics add is Kaiwa's of all items."""
    rng = np.random.default_rng(1)
    topics = [rng.multinomial(5, rng.dirichlet((1, 1, 1)), size=items) for items in (3, 7, 1, 12)]
    assert np.isclose(kappas(sums_of(topics).sum(axis=0)), fleiss_kappa(np.concatenate(topics)))


def test_the_audit_runs_from_end_to_end(tmp_path: Path) -> None:
    """Two draws on a made matrix give a page with every table and the comparison with the independent audit."""
    matrix = np.random.default_rng(1).random((50, 45))
    np.savetxt(
        tmp_path / "made.csv", matrix, delimiter=",", header=",".join(f"r{run}" for run in range(45)), comments=""
    )
    page = tmp_path / "audit.md"
    subprocess.run(
        [
            sys.executable,
            "-m",
            "benchmarks.calibration.audit",
            tmp_path,
            "--draws",
            "2",
            "--processes",
            "1",
            "-o",
            page,
        ],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    text = page.read_text(encoding="utf-8")
    titles = ("on real runs", "on odd scores", "Where `robust` fails", "few topics", "Share of all pairs found")
    assert [
        title for title in (*titles, "against a baseline", "Beside the independent audit") if title not in text
    ] == []
