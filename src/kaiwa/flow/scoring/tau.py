"""Rank correlations between two measures of one score file, or one measure of two files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.compare.rank_agreement import RankAgreement, rank_agreement
from kaiwa.errors import InputError, counted, option
from kaiwa.formats.score_loading import are_logs, loaded_scores, loaded_set, read_cells, read_separately
from kaiwa.stats.trial_blocks import ONE_THREAD, Workers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import numpy as np

    from kaiwa.formats.score_loading import Directions
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
    workers: Workers = ONE_THREAD,
    directions: Directions | None = None,
    remark: Callable[[str], None] = lambda _line: None,
) -> RankAgreement:
    """The agreement of two rankings by mean score; runs that only one side has are left out and named.

    ``remark`` is called with each line on the files and on missing scores.
    """
    first, second, names = _sides(paths, measures, directions or {}, remark)
    if set(first.runs).isdisjoint(second.runs):
        run = first.axes.run
        raise InputError.at(paths[-1], f"shares no {run} with {paths[0]}", f"give scores of the same {run}s")
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
            workers=workers,
        )
    except InputError as fault:
        raise InputError.at(paths[0], *fault.marked.split("; ", 1)) from None


def _sides(
    paths: Sequence[Path], measures: Sequence[str], directions: Directions, remark: Callable[[str], None]
) -> tuple[Scores, Scores, tuple[str, str]]:
    """The two rankings and their names: two measures of all files together, or one measure of each of two files."""
    if len(paths) == 1 or (are_logs(paths) and not all(path.is_dir() for path in paths)):
        return _two_measures(paths, measures, directions, remark)
    if len(paths) != 2 or len(measures) > 2:  # noqa: PLR2004
        given = f"{counted(len(paths), 'file')} and {counted(len(measures), 'measure')}"
        raise InputError(f"{given}; give one file and two measures, or two files")
    wanted = (measures[0], measures[-1]) if measures else (None, None)
    each = read_separately(paths, directions)
    sides = [
        loaded_scores(cells, path, measure=measure) for cells, path, measure in zip(each, paths, wanted, strict=True)
    ]
    for line in (line for side in sides for line in side.remarks):
        remark(line)
    first, second = (side.scores for side in sides)
    return first, second, (f"{first.measure} ({paths[0].name})", f"{second.measure} ({paths[1].name})")


def _two_measures(
    paths: Sequence[Path], measures: Sequence[str], directions: Directions, remark: Callable[[str], None]
) -> tuple[Scores, Scores, tuple[str, str]]:
    cells = read_cells(paths, directions)
    chosen = list(measures) or list(cells.tables)
    if len(chosen) != 2:  # noqa: PLR2004
        what = f"holds {counted(len(cells.tables), 'measure')}, chosen: {len(measures)}"
        raise InputError.at(paths[0], what, f"choose two: {option('measure', 'A')} {option('measure', 'B')}")
    loaded = loaded_set(cells, paths[0], measures=chosen)
    for line in loaded.remarks:
        remark(line)
    return loaded.scores[chosen[0]], loaded.scores[chosen[1]], (chosen[0], chosen[1])
