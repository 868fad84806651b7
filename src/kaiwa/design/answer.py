"""The answer to a requirement: the quantity that was missing, what it promises, and its neighbours."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isnan

from kaiwa.design.find import differences_at, found, n_or_too_many, power_at, width_of
from kaiwa.design.requirement import INTERVAL, Requirement, completed
from kaiwa.design.solve import LARGEST_N

NEARBY = (0.5, 0.75, 0.9, 1.1, 1.25, 1.5, 2.0)


@dataclass(frozen=True)
class Alternative:
    """What another number of topics would buy: the power at the same difference, the difference at the same power."""

    n: int
    power: float | None
    min_diff: float | None


@dataclass(frozen=True)
class Design:
    """A solved requirement: ``n`` topics give ``power`` to find ``min_diff`` among ``systems`` at ``alpha``.

    ``power`` is by the ``method`` asked for, ``exact_power`` by exact theory; ``exact_n`` and ``published_n`` are
    what the exact method and the published approximation ask for. An interval has a ``width`` and no power.
    """

    n: int
    power: float | None
    min_diff: float
    systems: int
    alpha: float
    asked: Requirement
    solved: str
    exact_power: float | None
    exact_n: int | None
    published_n: int | None
    width: float | None
    alternatives: tuple[Alternative, ...]

    @property
    def test(self) -> str:
        """The test designed for."""
        return self.asked.test

    @property
    def method(self) -> str:
        """How the power was computed."""
        return self.asked.method

    @property
    def variance(self) -> float:
        """The score variance designed from."""
        return self.asked.variance


def design(
    *,
    variance: float,
    systems: int | None = None,
    min_diff: float | None = None,
    n: int | None = None,
    power: float | None = None,
    alpha: float | None = None,
    test: str = "anova",
    method: str = "exact",
    correlation: float = 0.0,
    scale: float = 1.0,
    solve: str | None = None,
) -> Design:
    """The topic set that meets a requirement: whichever of n, min_diff, power, systems, alpha is left out is found.

    >>> design(variance=0.0643, systems=10, min_diff=0.15).n
    91
    >>> design(variance=0.0643, systems=10, min_diff=0.15, method="sakai").n
    90
    """
    asked = Requirement(
        float(variance), n, power, min_diff, systems, alpha, test, method, float(correlation), float(scale)
    )
    return answered(completed(asked, solve=solve))


def answered(asked: Requirement) -> Design:
    """The design that meets a completed requirement."""
    return _described(asked, found(asked))


def _described(asked: Requirement, known: Requirement) -> Design:
    interval = known.test == INTERVAL
    exact = replace(known, method="exact")
    promised = replace(known, power=asked.power or 0.8)
    return Design(
        n=int(known.n or 0),
        power=None if interval else power_at(known),
        min_diff=float(known.min_diff or 0.0),
        systems=int(known.systems or 2),
        alpha=float(known.alpha or 0.05),
        asked=asked,
        solved=asked.unknown,
        exact_power=None if interval else power_at(exact),
        exact_n=_n_for(promised, "exact"),
        published_n=_n_for(promised, "sakai") if known.test == "anova" else None,
        width=width_of(known) if interval else None,
        alternatives=tuple(_alternatives(promised)),
    )


def _n_for(known: Requirement, method: str) -> int | None:
    n = n_or_too_many(replace(known, method=method, n=None))
    return n if n <= LARGEST_N else None


def _alternatives(known: Requirement) -> list[Alternative]:
    """Other numbers of topics around the answer, fewest first."""
    n = int(known.n or 2)
    sizes = sorted({max(2, min(LARGEST_N, round(n * share))) for share in NEARBY} - {n})
    if known.test == INTERVAL:
        return [Alternative(size, None, width_of(replace(known, n=size))) for size in sizes]
    differences = differences_at(known, sizes).tolist()
    return [
        Alternative(size, power_at(replace(known, n=size)), None if isnan(difference) else difference)
        for size, difference in zip(sizes, differences, strict=True)
    ]
