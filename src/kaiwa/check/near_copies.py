"""What is wrong between run files: two of one name, two of one team that are nearly the same."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.check.problems import Problem
from kaiwa.formats.run_files import STC_NAME

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from kaiwa.check.raw_run import RawRun

NEAR_COPY_SHARE = 0.95
"""Runs that agree on this share of all (topic, place) are near copies: one run under two names."""


@dataclass(frozen=True)
class Gist:
    """What must be remembered of a run to compare it with the others: eight bytes a line."""

    path: str
    name: str
    team: str
    places: NDArray[np.int64]


def gist(run: RawRun) -> Gist:
    """The run's name, team, and one number for each (topic, place, comment)."""
    match = STC_NAME.fullmatch(run.stem)
    places = [
        hash((topic, place, line.comment)) for topic, lines in run.by_topic.items() for place, line in enumerate(lines)
    ]
    return Gist(
        path=str(run.path),
        name=run.ranked[0].name if run.ranked else "",
        team=match["team"] if match else "",
        places=np.unique(np.array(places, dtype=np.int64)),
    )


def problems_between(runs: Sequence[Gist]) -> Iterator[Problem]:
    """The problems that only show when the files are seen together."""
    for first, second in combinations(runs, 2):
        if first.name and first.name == second.name:
            yield Problem(
                second.path, 0, 0, "same-run-name", f"run {second.name!r} is also in {first.path}; rename one"
            )
        if first.team and first.team == second.team and (share := shared_places(first, second)) >= NEAR_COPY_SHARE:
            what = f"{share:.0%} of its places are those of {first.path}; submit runs that differ"
            yield Problem(second.path, 0, 0, "twin-runs", what)


def shared_places(first: Gist, second: Gist) -> float:
    """The share of (topic, place) at which both runs have the same comment, of the longer run's places."""
    longer = max(len(first.places), len(second.places))
    return len(np.intersect1d(first.places, second.places, assume_unique=True)) / longer if longer else 0.0
