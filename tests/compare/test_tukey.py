import numpy as np
import pytest

from kaiwa.compare.tukey import one_way_tukey_hsd, studentised_range_quantile, studentised_range_tail, tukey_hsd

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
    assert studentised_range_tail(np.array([q]), runs, df)[0] == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize(("runs", "df", "expected"), [(3, 20, 3.58), (10, 40, 4.73), (2, 10, 3.15), (5, 60, 3.98)])
def test_studentised_range_points_of_the_printed_tables(runs: int, df: int, expected: float) -> None:
    """Upper 5% points as printed in textbook tables of the studentised range."""
    assert studentised_range_quantile(0.05, runs, df) == pytest.approx(expected, abs=0.005)


def test_a_pair_at_the_critical_difference_has_p_alpha() -> None:
    """The critical difference and the p-values come from the same distribution."""
    by_topic = np.random.default_rng(1).random((20, 4))
    result = tukey_hsd(by_topic, alpha=0.05)
    error = result.critical_difference / studentised_range_quantile(0.05, 4, 57)
    assert studentised_range_tail(np.array([result.critical_difference / error]), 4, 57)[0] == pytest.approx(0.05)


def test_matched_test_sees_what_the_unmatched_one_misses() -> None:
    """Where topics differ far more than runs, only the matched test finds the runs apart."""
    rng = np.random.default_rng(1)
    by_topic = rng.normal(0, 1, (50, 1)) + np.array([0.0, 0.1]) + rng.normal(0, 0.05, (50, 2))
    assert tukey_hsd(by_topic).p[0, 1] < 1e-6
    assert one_way_tukey_hsd(by_topic).p[0, 1] > 0.3


def test_runs_a_constant_apart_differ_surely() -> None:
    """Without residual variance any difference is certain, and none is none."""
    assert tukey_hsd(np.array([[0.5, 0.5, 0.25], [0.75, 0.75, 0.5]])).p[0].tolist() == [1.0, 1.0, 0.0]
