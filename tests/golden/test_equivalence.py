"""Verdicts on 40 random matrices against tests of other libraries (``python -m benchmarks.oracles.equivalence``)."""

import csv
from pathlib import Path

import pytest
from benchmarks.oracles.equivalence import letters_of, pair_verdicts, random_matrix

from kaiwa.nouns.scores import Scores

TABLE = Path(__file__).parent / "data" / "equivalence_verdicts.csv"
ROWS = list(csv.DictReader(line for line in TABLE.read_text(encoding="utf-8").splitlines() if not line.startswith("#")))


def scores_of(row: dict[str, str]) -> Scores:
    """The scores of one random matrix."""
    values, margin = random_matrix(int(row["matrix"]))
    assert margin == float(row["margin"])
    topics, runs = values.shape
    return Scores.from_matrix("x", tuple(map(str, range(topics))), tuple(f"r{run}" for run in range(runs)), values)


def test_verdicts_against_a_baseline_are_those_of_two_one_sided_t_tests() -> None:
    """statsmodels: ttost_paired at alpha / 2 over the comparisons; better and worse by Holm's rule."""
    for row in ROWS:
        found = scores_of(row).compare(baseline="r0", test="t", margin=float(row["margin"]))
        assert letters_of(found.pairs) == row["baseline"], row["matrix"]


def test_verdicts_on_all_pairs_are_those_of_the_studentised_range() -> None:
    """scipy: studentized_range."""
    for row in ROWS:
        found = scores_of(row).compare(test="tukey", margin=float(row["margin"]))
        assert found.critical_difference == pytest.approx(float(row["tukey_difference"]), rel=1e-9)
        assert letters_of(found.pairs) == row["tukey"], row["matrix"]


def test_verdicts_of_the_robust_test_are_those_of_its_definition() -> None:
    """Sign flips one at a time: the critical difference within four standard errors, and what follows from it."""
    for row in ROWS:
        scores, margin = scores_of(row), float(row["margin"])
        found = scores.compare(test="robust", trials=5_000, margin=margin)
        assert float(row["robust_low"]) <= found.critical_difference <= float(row["robust_high"]), row["matrix"]
        assert letters_of(found.pairs) == pair_verdicts(scores.values, margin, found.critical_difference)


def test_the_table_has_every_verdict() -> None:
    """A table of one verdict would show nothing."""
    assert set("".join(row["baseline"] for row in ROWS)) == set("ENBWU")
    assert set("".join(row["tukey"] for row in ROWS)) == set("EBWU")
