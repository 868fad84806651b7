"""The studentised range, against scipy.stats and printed tables."""

from __future__ import annotations

import numpy as np
import pytest

from kaiwa.stats.studentised_range import critical_range, range_tail

# printed by scipy 1.17.1: studentized_range.sf(q, k, df), to ten digits
SCIPY = [
    (3.0, 3, 20, 0.1107567979),
    (3.6, 3, 20, 0.0484375407),
    (5.0, 2, 5, 0.0166414434),
    (4.0, 10, 38, 0.1632431834),
    (5.5, 44, 4257, 0.0587949319),
    (6.0, 129, 6272, 0.0940645907),
]


@pytest.mark.parametrize(("q", "runs", "df", "expected"), SCIPY)
def test_studentised_range_agrees_with_scipy(q: float, runs: int, df: int, expected: float) -> None:
    """Two quadratures of the same integral, ours and scipy's, agree to ten digits."""
    assert range_tail(np.array([q]), runs, df)[0] == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(("runs", "df", "expected"), [(3, 20, 3.58), (10, 40, 4.73), (2, 10, 3.15), (5, 60, 3.98)])
def test_studentised_range_points_of_the_printed_tables(runs: int, df: int, expected: float) -> None:
    """Upper 5% points as printed in textbook tables of the studentised range."""
    assert critical_range(0.05, runs, df) == pytest.approx(expected, abs=0.005)
