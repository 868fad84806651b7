"""Tau against scipy, tau-a by hand, and draws in which one list ties."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import kendalltau

from kaiwa.errors import InputError
from kaiwa.stats.kendall import kendall_tau, mean_concordance

TRUTH = np.array([0.2, 0.9, 0.5, 0.1, 0.7])


def test_concordance_with_untied_scores_is_kendalls_tau() -> None:
    """Whatever the order in which the true scores are listed."""
    rows = np.random.default_rng(1).random((6, 5))
    assert mean_concordance(rows, TRUTH) == pytest.approx([kendalltau(row, TRUTH).statistic for row in rows])


def test_a_pair_that_ties_in_truth_is_neither_concordant_nor_discordant() -> None:
    """Of three pairs one ties, and the other two agree or disagree: tau-a is 2/3 and -2/3."""
    found = mean_concordance(np.array([[3.0, 2.0, 1.0], [1.0, 2.0, 3.0]]), np.array([0.5, 0.5, 0.1]))
    assert found == pytest.approx([2 / 3, -2 / 3])


def test_draws_in_which_one_list_ties_are_replaced() -> None:
    """Three runs, of which two tie in one list only: many draws have no order there."""
    x, y = np.array([1.0, 1.0, 2.0]), np.array([1.0, 2.0, 3.0])
    for lists in ((x, y), (y, x)):
        found = kendall_tau(*lists, interval="bootstrap", trials=200, rng=np.random.default_rng(1))
        assert -1 <= found.low <= found.high <= 1


@pytest.mark.parametrize("place", [0, 1])
def test_a_score_that_is_no_number_is_refused_in_either_list(place: int) -> None:
    """The other list may be complete."""
    lists = [np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0])]
    lists[place] = np.array([1.0, np.nan, 3.0])
    with pytest.raises(InputError, match="not a finite number"):
        kendall_tau(*lists)
