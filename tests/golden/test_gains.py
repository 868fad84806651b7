"""Schemes from votes to gains against Sakai (EVIA 2017), N=5 assessors, Dmax=3."""

from __future__ import annotations

import numpy as np
import pytest

from kaiwa.labelling.gains import SCHEMES

RATINGS = {
    (2, 2, 2, 2, 2): (10, 13, 11.5, 10),
    (1, 1, 2, 3, 3): (10, 11, 10.5, 10 / 3),
    (0, 1, 3, 3, 3): (10, 10, 10, 0),
    (0, 0, 0, 0, 1): (1, 3, 2, 2 / 3),
    (0, 0, 0, 0, 2): (2, 3, 2.5, 2 / 3),
    (0, 0, 0, 0, 3): (3, 3, 3, 0),
    (0, 0, 0, 0, 0): (0, 0, 0, 0),
}
"""Ratings to RawG, UG(.2), UG(.1), WG."""

COUNTS = np.array([np.bincount(ratings, minlength=4) for ratings in RATINGS])
VALUES = np.arange(4.0)


@pytest.mark.parametrize(("scheme", "p", "column"), [("sum", 0, 0), ("unanimity", 0.2, 1), ("unanimity", 0.1, 2)])
def test_raw_and_unanimity_aware_gains_are_the_papers(scheme: str, p: float, column: int) -> None:
    """RawG, UG(p=.2) and UG(p=.1)."""
    expected = [gains[column] for gains in RATINGS.values()]
    assert SCHEMES[scheme].gain(COUNTS, VALUES, p) == pytest.approx(expected)


def test_weighted_gains_shrink_by_the_spread() -> None:
    """WG = (1 - D/Dmax) RawG; the first three are the paper's, the rest follow from the definition."""
    expected = [gains[3] for gains in RATINGS.values()]
    assert SCHEMES["weighted"].gain(COUNTS, VALUES, 0.0) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("votes", "majority", "median"),
    [
        ((0, 0, 2), 0, 0),
        ((0, 2, 2), 2, 2),
        ((1, 2), 1, 1.5),
        ((0, 0, 3, 3), 0, 1.5),
        ((3,), 3, 3),
        ((0, 1, 2, 3), 0, 1.5),
    ],
)
def test_majority_prefers_the_lower_level_and_median_the_middle(
    votes: tuple[int, ...], majority: float, median: float
) -> None:
    """Ties: the majority takes the lower level, the median the mean of the two middle votes."""
    counts = np.bincount(votes, minlength=4)[None]
    assert SCHEMES["majority"].gain(counts, VALUES, 0.0)[0] == majority
    assert SCHEMES["median"].gain(counts, VALUES, 0.0)[0] == median


@pytest.mark.parametrize("scheme", [name for name in SCHEMES if name != "levels"])
def test_no_gain_is_above_the_schemes_top(scheme: str) -> None:
    """Every set of five ratings from 0..3, and the top is reached by five top ratings."""
    every = np.array([[a, b, c, 5 - a - b - c] for a in range(6) for b in range(6 - a) for c in range(6 - a - b)])
    gains = SCHEMES[scheme].gain(every, VALUES, 0.2)
    assert gains.max() == pytest.approx(SCHEMES[scheme].top(3.0, 5, 0.2))
    assert gains[every[:, 3] == 5] == pytest.approx(gains.max())
