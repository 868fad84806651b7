"""When two scores count as equal."""

from __future__ import annotations

import numpy as np
import pytest

import kaiwa
from kaiwa.comparison.allpairs import randomised_hsd
from kaiwa.stats.p_values import tied_means, with_ties


@pytest.mark.parametrize("scale", [1e-200, 1e-13, 1.0, 1e9])
def test_the_tolerance_follows_the_scale(scale: float) -> None:
    """Neither are all tiny scores equal, nor all huge ones different."""
    by_topic = np.array([[0.1, 0.3, 0.4], [0.2, 0.0, 0.4]]) * scale
    means = tied_means(by_topic)
    assert means[0] == means[1] < means[2]


def test_an_empty_list_has_no_ties() -> None:
    """Nothing in, nothing out."""
    assert with_ties(np.zeros(0), 1.0).tolist() == []


def test_tiny_scores_are_compared_as_any_others() -> None:
    """The p-values do not depend on the unit of the scores."""
    by_topic = np.random.default_rng(1).random((12, 3)) + np.array([0.0, 0.2, 0.6])
    plain, tiny = (
        randomised_hsd(by_topic * scale, trials=499, rng=np.random.default_rng(1)).p_values() for scale in (1, 1e-15)
    )
    assert plain.tolist() == tiny.tolist()


def test_runs_with_means_equal_up_to_rounding_are_listed_as_given_and_neither_is_better() -> None:
    """The leaderboard does not order them by the last binary digit."""
    values = np.array([[0.3, 0.1 + 0.2, 0.0], [0.3, 0.3, 0.1], [0.6, 0.6, 0.2]])
    result = kaiwa.Scores.from_matrix("AP", ("1", "2", "3"), ("A", "B", "C"), values).compare(trials=99)
    assert [standing.run for standing in result.leaderboard] == ["A", "B", "C"]
    assert result.leaderboard[0].mean == result.leaderboard[1].mean
    assert result.pairs[0].better is None
