"""Problems between run files: two of the same name, or two of one team that are nearly identical."""

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
"""Runs with the same comment at this share of all (topic, rank) are near copies."""


@dataclass(frozen=True)
class RunSummary:
    """What is kept of a run to compare it with the others: eight bytes per line."""

    path: str
    name: str
    team: str
    ranked: NDArray[np.int64]


def summary_of(run: RawRun) -> RunSummary:
    """The run's name and team, and a hash of each (topic, rank, comment)."""
    match = STC_NAME.fullmatch(run.stem)
    hashes = (
        hash((topic, rank, line.comment)) for topic, lines in run.by_topic.items() for rank, line in enumerate(lines)
    )
    return RunSummary(
        path=str(run.path),
        name=run.ranked[0].name if run.ranked else "",
        team=match["team"] if match else "",
        ranked=np.unique(np.fromiter(hashes, np.int64, len(run.ranked))),
    )


def problems_between(runs: Sequence[RunSummary]) -> Iterator[Problem]:
    """The problems of files compared with each other."""
    for first, second in combinations(runs, 2):
        if first.name and first.name == second.name:
            yield Problem(
                second.path,
                0,
                0,
                "same-run-name",
                f"duplicate run name {second.name!r} (first in {first.path}); rename one",
            )
        if first.team and first.team == second.team and (share := shared_ranks(first, second)) >= NEAR_COPY_SHARE:
            what = f"{share:.0%} of its ranks have the same comment as {first.path}; submit runs that differ"
            yield Problem(second.path, 0, 0, "twin-runs", what)


def shared_ranks(first: RunSummary, second: RunSummary) -> float:
    """The share of the longer run's (topic, rank) at which both runs have the same comment."""
    longer = max(len(first.ranked), len(second.ranked))
    return len(np.intersect1d(first.ranked, second.ranked, assume_unique=True)) / longer if longer else 0.0
