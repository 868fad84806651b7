"""What runs get whose team, or year, had no part in the factors of a standardisation: how long factors hold.

Sakai (ICTIR 2016; AIRS 2016) leaves this as future work. ``held_without_teams`` leaves each team out in turn,
``held_over_years`` takes the factors of each earlier year.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.comparison.ranks import team_of
from kaiwa.comparison.standardise import scale_top, standardisation_factors, standardised
from kaiwa.errors import InputError, counted, option
from kaiwa.stats.kendall import kendall_tau
from kaiwa.stats.p_values import tied_means

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.nouns.factors import TopicFactors
    from kaiwa.nouns.ids import FloatArray
    from kaiwa.nouns.matrix import Matrix


FEWEST = 2
"""A topic's standard deviation needs two runs."""


@dataclass(frozen=True)
class HeldRow:
    """How factors without a team, or of another year, hold for its runs.

    ``mean_known`` is the mean of these runs by factors in which they had a part, ``mean_unknown`` by those ``of`` the
    others; ``clipped`` are the shares of their scores at an end of the scale. ``tau`` compares the two rankings, of all
    runs or of those of the year; ``moved`` counts the runs whose place changes.
    """

    measure: str
    left_out: str
    factors_of: str
    runs: int
    topics: int
    mean_known: float
    mean_unknown: float
    largest_change: float
    clipped_known: float
    clipped_unknown: float
    tau: float
    moved: int


@dataclass(frozen=True)
class UnknownRun:
    """What one run gets by factors in which it had a part, and by those of the others: its mean and its place."""

    measure: str
    run: str
    left_out: str
    factors_of: str
    mean_known: float
    mean_unknown: float
    place_known: int
    place_unknown: int


def held_without_teams(
    scores: Matrix, *, a: float, b: float, pattern: str | None
) -> tuple[list[HeldRow], list[UnknownRun]]:
    """Each team left out of the factors in turn."""
    teams = [team_of(run, pattern) for run in scores.runs]
    if None in teams:
        what = f"run {scores.runs[teams.index(None)]!r} is not named by team, as T1-C-R1"
        raise InputError(f"{what}; give {option('team_pattern')}")
    names = [str(team) for team in dict.fromkeys(teams)]
    known = _Standings.of(scores, standardisation_factors(scores), a=a, b=b)
    rows, unknown = list[HeldRow](), list[UnknownRun]()
    for name in names:
        own = [place for place, team in enumerate(teams) if team == name]
        others = [place for place, team in enumerate(teams) if team != name]
        if len(others) < FEWEST:
            what = f"{counted(len(others), 'run')} of other teams than {name!r}"
            raise InputError(f"{scores.measure}: {what}; factors need 2")
        factors = standardisation_factors(_of_runs(scores, others))
        found = _Standings.of(scores, factors, a=a, b=b)
        row, runs = _compared(known, found, own, left_out=name, factors_of="others")
        rows.append(row)
        unknown += runs
    return rows, unknown


def held_over_years(
    years: Sequence[Matrix], names: Sequence[str], *, a: float, b: float
) -> tuple[list[HeldRow], list[UnknownRun]]:
    """The runs of each year by the factors of each earlier one, on the topics that both have."""
    rows, unknown = list[HeldRow](), list[UnknownRun]()
    for (earlier, of), (later, name) in combinations(zip(years, names, strict=True), 2):
        shared = [topic for topic in later.topics if topic in set(earlier.topics)]
        if not shared:
            raise InputError.at(name, f"shares no topic with {of}", "factors hold for the same topics only")
        now = _of_topics(later, shared)
        known = _Standings.of(now, standardisation_factors(now), a=a, b=b)
        found = _Standings.of(now, standardisation_factors(_of_topics(earlier, shared)), a=a, b=b)
        row, runs = _compared(known, found, range(len(now.runs)), left_out=name, factors_of=of)
        rows.append(row)
        unknown += runs
    return rows, unknown


@dataclass(frozen=True, eq=False)
class _Standings:
    """Runs by some factors: their means, their places, and which scores are at an end of the scale."""

    scores: Matrix
    means: FloatArray
    places: FloatArray
    at_an_end: FloatArray

    @classmethod
    def of(cls, scores: Matrix, factors: TopicFactors, *, a: float, b: float) -> _Standings:
        made = standardised(scores, factors, a=a, b=b)
        z = standardised(scores, factors, method="std").values
        outside = (a * z + b < 0) | (a * z + b > scale_top(b))
        means = tied_means(made.oriented)
        places = 1.0 + (means[:, None] < means).sum(axis=1)
        return cls(made, made.values.mean(axis=0), places, outside.mean(axis=0))


def _compared(
    known: _Standings, unknown: _Standings, own: Sequence[int], *, left_out: str, factors_of: str
) -> tuple[HeldRow, list[UnknownRun]]:
    places = list(own)
    scores = known.scores
    before, after = known.means[places], unknown.means[places]
    tau = 1.0
    if np.ptp(known.places) and np.ptp(unknown.places):
        tau = kendall_tau(-known.places, -unknown.places).tau
    elif np.ptp(known.places) or np.ptp(unknown.places):
        tau = 0.0
    row = HeldRow(
        scores.measure,
        left_out,
        factors_of,
        len(places),
        len(scores.topics),
        float(before.mean()),
        float(after.mean()),
        float(np.abs(after - before).max()),
        float(known.at_an_end[places].mean()),
        float(unknown.at_an_end[places].mean()),
        tau,
        int((known.places != unknown.places).sum()),
    )
    runs = [
        UnknownRun(
            scores.measure,
            scores.runs[place],
            left_out,
            factors_of,
            float(known.means[place]),
            float(unknown.means[place]),
            int(known.places[place]),
            int(unknown.places[place]),
        )
        for place in places
    ]
    return row, runs


def _of_runs(scores: Matrix, places: Sequence[int]) -> Matrix:
    return replace(scores, runs=tuple(scores.runs[place] for place in places), values=scores.values[:, list(places)])


def _of_topics(scores: Matrix, topics: Sequence[str]) -> Matrix:
    rows = [scores.topics.index(topic) for topic in topics]
    return replace(scores, topics=tuple(topics), values=scores.values[rows])
