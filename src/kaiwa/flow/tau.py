"""Rank correlations between two measures of one score file, or one measure of two files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.compare.rank_agreement import RankAgreement, rank_agreement
from kaiwa.errors import InputError, counted, option
from kaiwa.formats.score_loading import one_measure, read_scores

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import numpy as np

    from kaiwa.model.scores import Scores
    from kaiwa.stats.kendall import Interval, Ties


def rank_agreement_of_files(
    paths: Sequence[Path],
    measures: Sequence[str],
    *,
    ties: Ties = "tau-b",
    interval: Interval = "hwc",
    confidence: float = 0.95,
    trials: int = 2_000,
    persistence: float = 0.9,
    rng: np.random.Generator,
) -> RankAgreement:
    """The agreement of two rankings by mean score; runs that only one side has are left out and named."""
    first, second, names = _sides(paths, measures)
    if set(first.runs).isdisjoint(second.runs):
        raise InputError.at(paths[-1], f"shares no run with {paths[0]}", "give scores of the same runs")
    try:
        return rank_agreement(
            first,
            second,
            names=names,
            ties=ties,
            interval=interval,
            confidence=confidence,
            trials=trials,
            persistence=persistence,
            rng=rng,
        )
    except InputError as fault:
        raise InputError.at(paths[0], *f"{fault}".split("; ", 1)) from None


def _sides(paths: Sequence[Path], measures: Sequence[str]) -> tuple[Scores, Scores, tuple[str, str]]:
    if len(paths) == 1:
        scores = read_scores(paths[0])
        chosen = list(measures) or list(scores)
        if len(chosen) != 2:  # noqa: PLR2004
            what = f"holds {counted(len(scores), 'measure')}, of which {len(measures)} chosen"
            raise InputError.at(paths[0], what, f"choose two: {option('measure', 'A')} {option('measure', 'B')}")
        return scores[chosen[0]], scores[chosen[1]], (chosen[0], chosen[1])
    if len(paths) != 2 or len(measures) > 2:  # noqa: PLR2004
        given = f"{counted(len(paths), 'file')} and {counted(len(measures), 'measure')}"
        raise InputError(f"{given}; give one file and two measures, or two files")
    wanted = [*measures, None] if len(measures) < 2 else list(measures)  # noqa: PLR2004
    first = one_measure(read_scores(paths[0]), wanted[0], paths[0])
    second = one_measure(read_scores(paths[1]), measures[-1] if measures else None, paths[1])
    return first, second, (f"{first.measure} ({paths[0].name})", f"{second.measure} ({paths[1].name})")
