"""Where the searches for a size or a difference start: a start near the answer saves most of the work."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kaiwa.stats.solvers import crossing, smallest_enough
from kaiwa.topicset import sizes
from kaiwa.topicset.sizes import _guess, difference_found, topics_for_width, topics_needed

if TYPE_CHECKING:
    from collections.abc import Callable

SYSTEMS, DIFFERENCES = (part.ravel() for part in np.meshgrid([2.0, 5.0, 20.0], [0.02, 0.05, 0.1, 0.2]))
PAIRS = {"paired-t", "two-sample-t"}


class Recorded:
    """A solver that keeps the guess that it starts from."""

    def __init__(self, solver: Callable[..., np.ndarray]) -> None:
        self.solver, self.guess = solver, np.zeros(0)

    def __call__(self, merit: Callable[..., np.ndarray], guess: np.ndarray) -> np.ndarray:
        """The solver's answer."""
        self.guess = guess
        return self.solver(merit, guess)


def guesses(test: str, alpha: float, power: float) -> tuple[np.ndarray, np.ndarray]:
    """The first guesses and the answers, for two systems only if the test is for pairs."""
    kept = (SYSTEMS == 2) | (test not in PAIRS)
    m, d = SYSTEMS[kept], DIFFERENCES[kept]
    guess = _guess(m, d**2 / 0.06, alpha=alpha, power=power, test=test)
    return guess, topics_needed(systems=m, min_diff=d, variance=np.array(0.06), alpha=alpha, power=power, test=test)


@pytest.mark.parametrize(("alpha", "power"), [(0.05, 0.8), (0.01, 0.9)])
@pytest.mark.parametrize("test", ["anova", "two-way", "paired-t", "two-sample-t"])
def test_the_first_guess_for_an_f_test_is_the_answer_or_one_less(test: str, alpha: float, power: float) -> None:
    """Before it is rounded up."""
    guess, n = guesses(test, alpha, power)
    assert (guess <= n).all()
    assert (guess > n - 1.3).all()


@pytest.mark.parametrize("test", ["one-way-tukey", "tukey"])
def test_the_first_guess_for_tukeys_test_is_bonferronis_bound(test: str) -> None:
    """Up to 5% above the answer, and exact for two systems."""
    guess, n = guesses(test, 0.05, 0.8)
    assert (guess > n - 1.3).all()
    assert (guess <= 1.05 * n).all()
    assert (guess[SYSTEMS == 2] <= n[SYSTEMS == 2]).all()
    assert (guess[SYSTEMS == 5] > 1.03 * n[SYSTEMS == 5])[:2].all()


@pytest.mark.parametrize("width", [0.02, 0.1, 0.3])
@pytest.mark.parametrize("alpha", [0.05, 0.2])
def test_the_first_guess_for_an_interval_is_near_the_answer(
    width: float, alpha: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number for a known variance, and z more for an unknown one."""
    seen = Recorded(smallest_enough)
    monkeypatch.setattr(sizes, "smallest_enough", seen)
    n = topics_for_width(width, variance=0.06, alpha=alpha)
    assert seen.guess[0] == pytest.approx(n, abs=1.5)


def test_the_first_guess_for_a_difference_is_near_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to a fifth above it, at any number of topics: the difference falls with the root of that number."""
    seen = Recorded(crossing)
    monkeypatch.setattr(sizes, "crossing", seen)
    found = difference_found(n=np.array([20.0, 91.0, 1000.0]), systems=np.array(10.0), variance=np.array(0.0643))
    assert (seen.guess > found).all()
    assert (seen.guess < 1.2 * found).all()
