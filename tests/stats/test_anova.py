"""The two-way table at the edges: large scores, no variance, refusals."""

from __future__ import annotations

import numpy as np
import pytest

from kaiwa.errors import InputError
from kaiwa.stats.anova import require_matrix, residual_variance, two_way_anova, within_run_variance


def test_variance_of_large_scores_is_not_taken_for_rounding() -> None:
    """One part in a hundred million is far above what floating point loses."""
    by_topic = 1e8 + np.random.default_rng(1).random((20, 3))
    assert two_way_anova(by_topic).v_e2 == pytest.approx(residual_variance(by_topic))
    assert two_way_anova(by_topic).runs.f is not None


def test_runs_a_constant_apart_leave_no_residual() -> None:
    """What is left of such scores is rounding, and then there is nothing to divide by."""
    table = two_way_anova(np.random.default_rng(1).random((20, 1)) + np.array([0.1, 0.2, 0.7]))
    assert (table.v_e2, table.runs.f, table.runs.p) == (0.0, None, None)
    assert table.runs.ms > 0


def test_the_table_equals_a_textbook_decomposition() -> None:
    """Sums of squares add up to the total, and F is the ratio of mean squares."""
    by_topic = np.random.default_rng(2).random((7, 4))
    table = two_way_anova(by_topic)
    total = ((by_topic - by_topic.mean()) ** 2).sum()
    assert table.topics.ss + table.runs.ss + table.residual.ss == pytest.approx(total)
    assert (table.topics.df, table.runs.df, table.residual.df) == (6, 3, 18)
    assert table.runs.f == pytest.approx(table.runs.ms / table.residual.ms)


def test_scores_up_to_1e100_are_taken() -> None:
    """Beyond, squares would overflow."""
    assert require_matrix(np.array([[1e100, 0.0], [0.0, 1.0]])) == (2, 2)
    with pytest.raises(InputError, match="beyond 1e\\+100"):
        require_matrix(np.array([[1.01e100, 0.0], [0.0, 1.0]]))


@pytest.mark.parametrize(
    ("by_topic", "words"),
    [
        (np.zeros(3), "1 dimension;"),
        (np.zeros((3, 1)), "1 run; give at least 2"),
        (np.zeros((1, 3)), "1 topic; give at least 2"),
        (np.zeros((0, 3)), "0 topics; give at least 2"),
        (np.full((3, 3), np.nan), "not a finite number"),
    ],
)
def test_a_matrix_too_small_or_without_numbers_is_refused(by_topic: np.ndarray, words: str) -> None:
    """One line that says what is there and what is needed."""
    with pytest.raises(InputError, match=words):
        require_matrix(by_topic)


def test_rounding_of_large_scores_is_not_taken_for_variance() -> None:
    """At 1e9 floating point keeps 7 decimals: what is left of additive scores is rounding, whatever their size."""
    by_topic = 1e9 + 0.1 * np.arange(6.0)[:, None] + 0.3 * np.arange(4.0)
    table = two_way_anova(by_topic)
    assert (table.v_e2, table.runs.f) == (0.0, None)
    assert table.runs.ss == pytest.approx(6 * 4 * np.var(0.3 * np.arange(4.0)), rel=1e-5)


def test_the_variance_within_one_run_is_its_own() -> None:
    """V_E needs no second run."""
    scores = np.random.default_rng(3).random((9, 1))
    assert within_run_variance(scores) == pytest.approx(scores.var(ddof=1))
