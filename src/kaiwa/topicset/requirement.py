"""The requirement on a topic set: five quantities, one of them to be found."""

from __future__ import annotations

from dataclasses import dataclass, replace

from kaiwa.errors import InputError, UnknownName, option
from kaiwa.stats.solvers import LARGEST_N
from kaiwa.topicset.tests import METHODS, TESTS, Test

MOST_SYSTEMS = 10**6
LEAST_ALPHA = 1e-15
LEAST, MOST = 1e-60, 1e60
"""The bounds of variances and differences: quotients of their squares are numbers."""
INTERVAL = "interval"
QUANTITIES = ("n", "min_diff", "power", "systems", "alpha")
"""Without ``solve``, the first of these that is missing is found."""


@dataclass(frozen=True)
class Requirement:
    """A test, a variance, and n, power, min_diff, systems, alpha: the one that is None is to be found.

    ``variance`` is one system's score variance (V_E); ``correlation`` is that of two systems' scores on the same
    topic, so a design with shared topics divides by variance (1 - correlation). ``scale`` is the range of the
    scores, which no difference exceeds. For the interval, ``min_diff`` is its width and ``power`` is not used.
    ``range_ratio`` is the critical range of the robust test over Tukey's, on the runs of a pilot. ``df`` are the
    degrees of freedom of a variance that was estimated from a pilot, over whose true values the power is averaged; a
    variance without them is taken as known. ``test_named`` is false if the test is the papers', because none was named.
    """

    variance: float
    n: int | None = None
    power: float | None = None
    min_diff: float | None = None
    systems: int | None = None
    alpha: float | None = None
    test: str = "anova"
    method: str = "exact"
    correlation: float = 0.0
    scale: float = 1.0
    range_ratio: float = 1.0
    df: float | None = None
    test_named: bool = True

    @property
    def unknown(self) -> str:
        """The quantity to be found."""
        return next(name for name in QUANTITIES if getattr(self, name) is None)

    @property
    def notes(self) -> tuple[str, ...]:
        """What an answer takes for granted, a line each."""
        if self.test_named:
            return ()
        return ("No test is named, so the variance is taken as V_E, and the test is the papers' one-way ANOVA.",)

    @property
    def kind(self) -> Test:
        """The test's row in the table of tests."""
        return TESTS["paired-t" if self.test == INTERVAL else self.test]

    @property
    def error_variance(self) -> float:
        """The variance that the test divides by."""
        return self.kind.error_variance(self.variance, self.correlation)


def completed(asked: Requirement, *, solve: str | None = None) -> Requirement:
    """The requirement, checked, with the defaults alpha .05 and power .80; one quantity is left missing.

    >>> completed(Requirement(variance=0.06, systems=10, min_diff=0.1)).unknown
    'n'
    """
    _check_names(asked, solve)
    if asked.test == INTERVAL or asked.kind.pairs_only:
        asked = replace(asked, systems=_two(asked))
    if asked.test == INTERVAL:
        asked = replace(asked, power=0.5)
    target = solve or _left_open(asked)
    defaults = {"power": 0.8, "alpha": 0.05}
    fill = {name: defaults[name] for name in defaults if name != target and getattr(asked, name) is None}
    filled = replace(asked, **fill)  # type: ignore[arg-type]  # the two floats of ``defaults``
    if getattr(filled, target) is not None:
        raise InputError(f"{_named(target)}: is both given and to be found; leave it out or solve for another quantity")
    _check_given(filled, target)
    _check_values(filled)
    return filled


def _check_names(asked: Requirement, solve: str | None) -> None:
    known = [*TESTS, INTERVAL]
    if asked.test not in known:
        raise UnknownName.among("test", asked.test, known)
    if asked.method not in METHODS:
        raise UnknownName.among("method", asked.method, METHODS)
    if asked.method == "sakai" and asked.test != "anova":
        what = f"sakai is published for anova, not for {asked.test}"
        raise InputError.at("method", what, f"use {option('method', 'exact')}")
    if solve is not None and solve not in QUANTITIES:
        raise UnknownName.among("quantity to solve for", solve, QUANTITIES)


def _named(quantity: str) -> str:
    """The name of a quantity as it is given: ``n`` is the argument ``topics``."""
    return "topics" if quantity == "n" else quantity


def _two(asked: Requirement) -> int:
    if asked.systems not in {None, 2}:
        what = f"{asked.test} compares two systems, not {asked.systems}"
        repair = f"give {option('systems', '2')}, or {option('test', 'anova')}, two-way or tukey"
        raise InputError.at("systems", what, repair)
    return 2


def _left_open(asked: Requirement) -> str:
    for name in QUANTITIES:
        if getattr(asked, name) is None:
            return name
    raise InputError("topics, power, min_diff, systems and alpha are all given; leave out the one to be found")


def _check_given(filled: Requirement, target: str) -> None:
    for name in ("n", "min_diff", "systems"):
        if name != target and getattr(filled, name) is None:
            raise InputError.at(_named(name), "is missing", f"give it ({option(_named(name))})")


def _check_values(filled: Requirement) -> None:
    _between("variance", filled.variance, LEAST, MOST, "give a positive variance, such as 0.06")
    _between("scale", filled.scale, LEAST, MOST, "give the range of the scores, 1 for scores in 0..1")
    _between("alpha", filled.alpha, LEAST_ALPHA, 1.0, "give a probability, such as 0.05")
    _between("power", filled.power, 0.0, 1.0 - 1e-12, "give a probability, such as 0.8")
    _between("min_diff", filled.min_diff, LEAST, MOST, "give the smallest difference that matters")
    if filled.min_diff is not None and filled.min_diff > filled.scale:
        what = f"{filled.min_diff:g} is larger than the scale of the scores, {filled.scale:g}"
        raise InputError.at("min_diff", what, f"give a difference up to {filled.scale:g}, or set {option('scale')}")
    if not -1.0 <= filled.correlation < 1.0:
        raise InputError.at("correlation", f"{filled.correlation:g} is not in [-1, 1)", "give one below 1")
    _whole("systems", filled.systems, 2, MOST_SYSTEMS, "give 2 or more")
    _whole("topics", filled.n, 2, LARGEST_N, "give 2 topics or more")


def _between(name: str, value: float | None, low: float, high: float, repair: str) -> None:
    if value is not None and not low < value < high:
        allowed = "a positive number" if high > 1 else f"between {low:g} and {high:g}"
        if high > 1 and 0 < value < float("inf"):
            allowed = f"from {low:g} to {high:g}"
        raise InputError.at(name, f"{value:g} is not {allowed}", f"{repair} ({option(name)})")


def _whole(name: str, value: int | None, low: int, high: int, repair: str) -> None:
    if value is None:
        return
    if value != int(value) or not low <= value <= high:
        what = f"{value:g} is not a whole number from {low} to {high:,}"
        raise InputError.at(name, what, f"{repair} ({option(name)})")
