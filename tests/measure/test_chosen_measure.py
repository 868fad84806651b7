"""Options of measures at their bounds."""

from __future__ import annotations

import pytest

from kaiwa.errors import InputError
from kaiwa.measure.chosen_measure import choose


@pytest.mark.parametrize("name", ["RBP(p=0)@5", "RBP(p=0.9999)@5", "iRBU(rho=1)@5", "NCUrb,IE(gamma=1)@5"])
def test_an_option_at_its_bound_is_taken(name: str) -> None:
    """The bounds are included."""
    assert choose(name).name.cutoff == 5


@pytest.mark.parametrize(
    "name",
    ["RBP(p=1)@5", "RBP(p=-0.1)@5", "iRBU(rho=0)@5", "iRBU(rho=1.1)@5", "NCUrb,IE(gamma=1.1)@5", "Q(beta=1000001)"],
)
def test_an_option_beyond_its_bounds_is_refused(name: str) -> None:
    """The message names the option and its bounds."""
    with pytest.raises(InputError, match="must lie in"):
        choose(name)


def test_an_option_with_two_values_is_one_number() -> None:
    """Persistence is a single number."""
    with pytest.raises(InputError):
        choose("RBP(p=0.5,0.6)@5")


@pytest.mark.parametrize("name", ["nG@2", "nG"])
def test_a_measure_of_rank_1_is_refused_deeper(name: str) -> None:
    """The measure nG is defined at rank 1 only."""
    with pytest.raises(InputError):
        choose(name)
