"""Solvers that always end: the smallest sufficient integer, and the zero of an increasing function."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from kaiwa.nouns.ids import FloatArray, IntArray


LARGEST_N = 10**9
"""The largest number of topics that a design can have."""
ROOT_STEPS = 200
WIDENINGS = 16
INTERPOLATIONS = 12
"""After this number of interpolations the interval is halved instead, so that the search ends."""


def merit_of(power: FloatArray, target: FloatArray) -> FloatArray:
    """The power minus its target, on the logit scale: never negative if the power is enough, always if it is not."""
    inside = np.clip(power, 1e-15, 1 - 1e-15)
    wanted = np.clip(target, 1e-15, 1 - 1e-15)
    gap = np.log(inside / (1 - inside)) - np.log(wanted / (1 - wanted))
    merit: FloatArray = np.where(power >= target, np.maximum(gap, 0.0), np.minimum(gap, -1e-12))
    return merit


def smallest_enough(
    merit: Callable[[FloatArray, IntArray], FloatArray], guess: FloatArray, *, least: int = 2
) -> IntArray:
    """Per cell the smallest integer whose merit is not negative; ``LARGEST_N + 1`` where none is.

    ``merit(n, cells)`` must grow with n, about linearly in its square root.
    """
    low = np.full(guess.shape, least - 1.0)
    high = np.full(guess.shape, LARGEST_N + 1.0)
    low_merit, high_merit = np.full(guess.shape, np.nan), np.full(guess.shape, np.nan)
    trial = np.clip(np.ceil(guess), least + 1, LARGEST_N)
    # the guess is nearly always right: it and the integer below it are tried in one call
    cells = np.arange(len(guess))
    upper, lower = np.split(merit(np.concatenate([trial, trial - 1]), np.concatenate([cells, cells])), 2)
    low, low_merit = np.where(upper < 0, trial, low), np.where(upper < 0, upper, low_merit)
    high, high_merit = np.where(upper >= 0, trial, high), np.where(upper >= 0, upper, high_merit)
    between = (upper >= 0) & (lower < 0)
    low, low_merit = np.where(between, trial - 1, low), np.where(between, lower, low_merit)
    high, high_merit = np.where(lower >= 0, trial - 1, high), np.where(lower >= 0, lower, high_merit)
    step = 0
    while (open_cells := np.flatnonzero(high - low > 1)).size:
        step += 1
        trial = _next_trial(low, high, low_merit, high_merit, step)
        value = merit(trial[open_cells], open_cells)
        enough = value >= 0
        up, down = open_cells[enough], open_cells[~enough]
        high[up], high_merit[up] = trial[up], value[enough]
        low[down], low_merit[down] = trial[down], value[~enough]
    return high.astype(np.int64)


def _next_trial(
    low: FloatArray, high: FloatArray, low_merit: FloatArray, high_merit: FloatArray, step: int
) -> FloatArray:
    """An integer between the bounds: next to the bound that is nearly right, or the zero of the line in sqrt(n)."""
    root_low, root_high = np.sqrt(low), np.sqrt(high)
    both = ~np.isnan(low_merit) & ~np.isnan(high_merit)
    share = np.where(both, -low_merit / np.where(both, high_merit - low_merit, 1.0), 0.5)
    crossing = (root_low + share * (root_high - root_low)) ** 2
    # the guess is rarely wrong by more than one topic or a thousandth: try next to it first, then further away
    reach = np.maximum(1.0, 0.0005 * np.where(np.isnan(high_merit), low, high)) * 4.0 ** (step - 1)
    outward = np.where(np.isnan(high_merit), low + reach, high - reach)
    trial = np.where(both, crossing, outward) if step <= INTERPOLATIONS else np.where(both, (low + high) / 2, outward)
    ceiling = np.where(both & (step % 2 == 0), np.floor(trial), np.ceil(trial))
    return np.clip(ceiling, low + 1, np.maximum(high - 1, low + 1))


def crossing(merit: Callable[[FloatArray], FloatArray], guess: FloatArray) -> FloatArray:
    """Per cell the positive point at which an increasing merit crosses zero; nan if none is near the guess.

    Chandrupatla 1997: inverse quadratic interpolation if it is safe, else halving.
    """
    low, high = _bracket(merit, guess)
    a, b, at_a, at_b = high, low, merit(high), merit(low)
    held = (at_a >= 0) & (at_b < 0)
    share = np.full_like(guess, 0.5)
    for _ in range(ROOT_STEPS):
        x = a + share * (b - a)
        at_x = merit(x)
        same = np.sign(at_x) == np.sign(at_a)
        c, at_c = np.where(same, a, b), np.where(same, at_a, at_b)
        b, at_b = np.where(same, b, a), np.where(same, at_b, at_a)
        a, at_a = x, at_x
        narrow = 2e-16 * np.abs(a) / np.maximum(np.abs(b - a), 1e-300)
        if (~held | (narrow > 0.5) | (np.abs(at_a) < 1e-14)).all():  # noqa: PLR2004  half the bracket: the last bit
            break
        share = np.clip(_inverse_quadratic((a, b, c), (at_a, at_b, at_c)), narrow, 1 - narrow)
    return np.where(held, np.where(at_a >= 0, a, b), np.nan)


def _bracket(merit: Callable[[FloatArray], FloatArray], guess: FloatArray) -> tuple[FloatArray, FloatArray]:
    low, high = guess / 1.1, guess * 1.1
    for _ in range(WIDENINGS):
        short, over = merit(high) < 0, merit(low) >= 0
        if not (short | over).any():
            break
        low, high = np.where(over, low / 4.0, low), np.where(short, high * 4.0, high)
    return low, high


def _inverse_quadratic(points: tuple[FloatArray, ...], values: tuple[FloatArray, ...]) -> FloatArray:
    """The zero of the curve through all three points, as a share of the way from the first to the second.

    One half if the interpolation is not safe.
    """
    (a, b, c), (at_a, at_b, at_c) = points, values
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        xi, phi = (a - b) / (c - b), (at_a - at_b) / (at_c - at_b)
        safe = (phi**2 < xi) & ((1 - phi) ** 2 < 1 - xi)
        share = at_a / (at_b - at_a) * at_c / (at_b - at_c)
        share = share + (c - a) / (b - a) * at_a / (at_c - at_a) * at_b / (at_c - at_b)
    return np.where(safe & np.isfinite(share), share, 0.5)


def largest_enough(enough: Callable[[int], bool], low: int, high: int) -> int:
    """The largest integer in [low, high] that is enough; ``low`` must be, and none after the first that is not.

    >>> largest_enough(lambda m: m * m <= 50, 1, 100)
    7
    """
    while high > low:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if enough(middle) else (low, middle - 1)
    return low
