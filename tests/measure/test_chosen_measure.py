"""Options of measures at their bounds."""

from __future__ import annotations

import pytest

from kaiwa.errors import InputError
from kaiwa.measures.table import choose


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


def test_stop_weights_may_be_any_finite_numbers_from_0() -> None:
    """One per level."""
    assert choose("NCUgu,P(s=0:0.5)").options["s"] == (0.0, 0.5)
    for name in ("NCUgu,P(s=1:inf)", "NCUgu,P(s=-0.1:1)", "NCUgu,P(s=1:nan)"):
        with pytest.raises(InputError, match="s must lie in"):
            choose(name)


@pytest.mark.parametrize(
    ("option", "inside", "outside"),
    [
        ("NCUrb,IE(rho={})", (0.0001, 1), (0.00009, 1.01)),
        ("NCUrb,P(gamma={})", (0, 1), (-0.01, 1.01)),
        ("nDCG(b={})@5", (1.01, 1000), (1.009, 1001)),
        ("Q(beta={})", (0, 1_000_000), (-0.01, 1_000_001)),
        ("RBP(p={})", (0, 0.9999), (-0.01, 0.99991)),
    ],
)
def test_every_option_has_its_bounds(option: str, inside: tuple[float, float], outside: tuple[float, float]) -> None:
    """Both ends are taken, and what lies beyond is refused."""
    for value in inside:
        assert value in choose(option.format(value)).options.values()
    for value in outside:
        with pytest.raises(InputError, match="must lie in"):
            choose(option.format(value))
