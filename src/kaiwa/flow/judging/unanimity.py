"""Does rewarding agreement change who wins? The study of Sakai (EVIA 2017) on run files."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.flow.judging.gains import gains_file
from kaiwa.formats.readers import read_qrels, read_runs
from kaiwa.label.simulated_votes import simulated_counts
from kaiwa.studies.unanimity_effect import Ratings, UnanimityStudy, unanimity_studies

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path


def simulated_ratings(qrels: Path, *, assessors: int, top: int, seed: int) -> Ratings:
    """Ratings drawn for the relevant items of a qrels file."""
    gains = read_qrels(qrels)
    rng = np.random.default_rng(seed)
    return Ratings(gains, simulated_counts(gains.gains > 0, assessors=assessors, top=top, rng=rng))


def real_ratings(votes: Path, *, top: int | None = None) -> Ratings:
    """The ratings of a vote file; ``top`` is the scale's highest level."""
    _, made = gains_file(votes, scheme="sum", top=top)
    return Ratings(made.gains, made.counts)


def unanimity_of_files(
    paths: Sequence[Path],
    ratings: Ratings,
    measures: Sequence[str],
    *,
    p: float,
    seed: int,
    trials: int = 5000,
    order: str | None = None,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> list[UnanimityStudy]:
    """Each measure's study on the run files."""
    runs = read_runs(paths, order=order)
    return unanimity_studies(runs, ratings, measures, p=p, seed=seed, trials=trials, on_progress=on_progress)
