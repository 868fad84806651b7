"""Equivalence and non-inferiority: verdicts from the simultaneous intervals of differences and a margin.

The margin is the smallest difference that matters. Every verdict is read from one set of simultaneous 1 - alpha
intervals, so with probability 1 - alpha all of them hold. Two one-sided tests at alpha each (TOST, Schuirmann 1987)
would take 1 - 2 alpha intervals; for these give twice the alpha.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Literal, Protocol

from kaiwa.errors import InputError

if TYPE_CHECKING:
    from kaiwa.model.direction import Direction

Verdict = Literal["better", "worse", "equivalent", "not inferior", "undecided"]


class Difference(Protocol):
    """The difference a - b of two runs, with its interval."""

    @property
    def a(self) -> str: ...  # noqa: D102
    @property
    def low(self) -> float: ...  # noqa: D102
    @property
    def high(self) -> float: ...  # noqa: D102
    @property
    def significant(self) -> bool: ...  # noqa: D102
    @property
    def better(self) -> str | None: ...  # noqa: D102


def require_margin(margin: float | None) -> None:
    """Refuse a margin that is not a number above 0."""
    if margin is not None and not (isfinite(margin) and margin > 0):
        raise InputError(f"margin {margin:g} is not above 0; give the smallest difference that matters, as 0.05")


def verdict_of(low: float, high: float, *, margin: float, sign: int) -> Verdict:
    """What the interval of a difference shows; ``sign`` is 1 or -1 if the difference is significant, else 0.

    A difference inside the margin does not matter, significant or not.

    >>> [verdict_of(*limits, margin=0.1, sign=0) for limits in ((-0.05, 0.08), (-0.05, 0.2), (-0.2, 0.05))]
    ['equivalent', 'not inferior', 'undecided']
    >>> verdict_of(0.02, 0.2, margin=0.1, sign=1), verdict_of(0.02, 0.08, margin=0.1, sign=1)
    ('better', 'equivalent')
    """
    if -margin < low and high < margin:
        return "equivalent"
    if sign:
        return "better" if sign > 0 else "worse"
    return "not inferior" if low > -margin else "undecided"


def pair_verdict(pair: Difference, margin: float, direction: Direction) -> Verdict:
    """The verdict on a against b; the interval of the difference is turned round if lower is better."""
    low, high = (pair.low, pair.high) if direction == "higher" else (-pair.high, -pair.low)
    sign = 0 if not pair.significant else 1 if pair.better == pair.a else -1
    return verdict_of(low, high, margin=margin, sign=sign)
