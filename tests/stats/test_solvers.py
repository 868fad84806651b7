"""Solvers on functions whose answers are known."""

from __future__ import annotations

import numpy as np
import pytest

from kaiwa.stats.solvers import LARGEST_N, crossing, largest_enough, merit_of, smallest_enough


@pytest.mark.parametrize("wanted", [2, 3, 7, 1000, 123_457, LARGEST_N])
@pytest.mark.parametrize("guess", [0.0, 2.0, 6.5, 7.0, 8.0, 900.0, 2e5, 3e9])
def test_the_smallest_enough_is_found_from_any_guess(wanted: int, guess: float) -> None:
    """The merit is exactly 0 at the answer."""
    found = smallest_enough(lambda n, _cells: np.sqrt(n) - np.sqrt(float(wanted)), np.array([guess]))
    assert found.tolist() == [wanted]


def test_each_cell_has_its_own_answer() -> None:
    """Cells are told by their number, whichever of them are still open."""
    wanted = np.array([2.0, 5.0, 91.0, 4000.0, 1e6, 2.0 * LARGEST_N])
    found = smallest_enough(lambda n, cells: n - wanted[cells], np.full(6, 90.0))
    assert found.tolist() == [2, 5, 91, 4000, 1_000_000, LARGEST_N + 1]


def test_a_merit_that_is_always_enough_gives_the_least() -> None:
    """Two topics, unless another least is asked for."""
    assert smallest_enough(lambda n, _cells: n, np.array([50.0])).tolist() == [2]
    assert smallest_enough(lambda n, _cells: n, np.array([50.0]), least=5).tolist() == [5]


@pytest.mark.parametrize("root", [1e-6, 0.3, 1.0, 7.5, 4e5])
def test_a_crossing_is_found_on_the_side_that_is_enough(root: float) -> None:
    """From guesses a thousand times too large and too small."""
    for guess in (root / 1000, root / 1.05, root, root * 1000):
        found = crossing(lambda x: np.log(x / root), np.array([guess]))
        assert found[0] == pytest.approx(root, rel=1e-8)
        assert np.log(found[0] / root) >= 0


def test_where_nothing_crosses_there_is_no_answer() -> None:
    """Always enough, or never."""
    assert np.isnan(crossing(np.ones_like, np.ones(2))).all()
    assert np.isnan(crossing(lambda x: -np.ones_like(x), np.ones(2))).all()


def test_merit_has_the_sign_of_power_less_target() -> None:
    """Not negative when enough, also at equality; clearly negative when not, also at the ends."""
    power = np.array([0.8, 0.8 - 1e-16, 0.79, 0.0, 1.0, 0.81])
    merit = merit_of(power, np.array(0.8))
    assert merit[0] == 0
    assert (merit >= 0).tolist() == (power >= 0.8).tolist()
    assert merit[5] == pytest.approx(np.log(0.81 / 0.19) - np.log(4))


@pytest.mark.parametrize("most", [1, 2, 50, 99, 100])
def test_the_largest_enough_is_found(most: int) -> None:
    """Both ends included."""
    assert largest_enough(lambda m: m <= most, 1, 100) == most
