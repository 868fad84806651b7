"""The figures on real runs that the docs cite (``benchmarks/calibration/cited.py``): right, made, and as printed."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from benchmarks.calibration.cited import MIN_DIFF, apart, latent_correlation, measure_pairs
from scipy.special import ndtri

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "benchmarks/results/calibration/cited.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("others", [True, False])
def test_two_runs_differ_by_a_tenth_in_std_ab_units(others: bool) -> None:  # noqa: FBT001  a case
    """The first and the last; the others keep the order of their means, or have nearly equal ones."""
    rng = np.random.default_rng(1)
    runs = rng.beta(1, 2, (60, 10)) * 0.3 + np.linspace(0, 0.6, 10)
    means = apart(runs, others=others).mean(axis=0)
    assert np.isclose(means[0] - means[-1], MIN_DIFF, atol=1e-6)
    middle = means[1:-1]
    assert (np.diff(middle) > 0).all() if others else np.ptp(middle) < 0.02


@pytest.mark.parametrize(("rate", "correlation"), [(0.5, 0.3), (0.62, 0.5), (0.84, 0.4), (0.15, 0.0)])
def test_verdicts_have_the_correlation_asked_for(rate: float, correlation: float) -> None:
    """Of 400,000 prompts, within four standard errors."""
    shared = latent_correlation(rate, correlation)
    rng = np.random.default_rng(2)
    difficulty, own = rng.normal(size=(400_000, 1)), rng.normal(size=(400_000, 2))
    passed = np.sqrt(shared) * difficulty + np.sqrt(1 - shared) * own < ndtri(rate)
    assert abs(np.corrcoef(passed.T)[0, 1] - correlation) < 4 / np.sqrt(400_000) * 2


def test_two_measures_are_of_one_collection() -> None:
    """Names that begin alike, and as many topics and runs."""
    ap, p10, other, further = (np.full((4, 3 + (place == 3)), place) for place in range(4))
    found = measure_pairs({"web2011_ap": ap, "web2011_p10": p10, "web2012_ap": other, "web2011_rr": further})
    assert [(float(a[0, 0]), float(b[0, 0])) for a, b in found] == [(0.0, 1.0)]


def test_the_script_runs_from_end_to_end(tmp_path: Path) -> None:
    """Few draws on two made measures of the same runs give every table of the page."""
    rng = np.random.default_rng(1)
    quality = rng.random((50, 41)) * 0.5 + np.linspace(0, 0.4, 41)
    for name in ("ap", "p10"):
        values = np.clip(quality + rng.normal(0, 0.1, quality.shape), 0, 1)
        head = ",".join(f"r{run}" for run in range(41))
        np.savetxt(tmp_path / f"made_{name}.csv", values, delimiter=",", header=head, comments="")
    command = [sys.executable, "-m", "benchmarks.calibration.cited", tmp_path, "--draws", "3"]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    assert re.findall("^## .*", done.stdout, re.MULTILINE) == re.findall("^## .*", PAGE, re.MULTILINE)
    assert [line.count("|") for line in done.stdout.splitlines()] == [line.count("|") for line in PAGE.splitlines()]


def rows(title: str) -> list[list[str]]:
    """The cells of a table of the page."""
    part = next(part for part in PAGE.split("\n## ") if part.startswith(title))
    lines = [line for line in part.splitlines() if line.startswith("| ")][1:]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def short(cell: str) -> str:
    """A share as the docs print it: .919 of ``0.919 ± 0.007``."""
    return cell.split(" ", maxsplit=1)[0].removeprefix("0")


def test_the_docs_have_the_numbers_of_the_page() -> None:
    """The table of tau, and the sentences on std-AB, pass rates and rounds."""
    compare, design = ((ROOT / "docs" / f"{name}.md").read_text(encoding="utf-8") for name in ("compare", "design"))
    held = [short(row[3]) for row in rows("95% limits of tau")]
    assert f"| two measures on the same topics | {' '.join(held[:3])} | {' '.join(held[3:6])} |" in compare
    assert f"| one measure on two sets of topics | {' '.join(held[6:9])} | {' '.join(held[9:])} |" in compare
    text = " ".join(design.split())
    kept, one = ([f"{float(row[place].split()[0]):.2f}"[1:] for place in (3, 6)] for row in rows("Designs from std-AB"))
    assert f"it was {kept[0]} for two of ten runs" in text
    assert f"and {one[0]} if only these two differ; with the number from the bound {kept[1]} and {one[1]}" in text
    anova, robust = (sorted(float(row[place].split()[0]) for row in rows("Several pass rates")) for place in (5, 6))
    assert f"in {anova[0]:.2f} to {anova[-1]:.2f} of the draws".replace("0.", ".") in text
    assert f"the best and the worst in {robust[0]:.2f} to {robust[-1]:.2f}".replace("0.", ".") in text
    plan, naive = rows("Looks after")[0][1:]
    assert f"is {plan.replace('0.', '.')}, and {short(naive)} with every test at .05" in text
