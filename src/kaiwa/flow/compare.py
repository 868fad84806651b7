"""Score files in, a comparison of their runs out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kaiwa.compare.baseline import BaselineComparison, compare_with_baseline
from kaiwa.compare.comparison import Comparison, compare_runs
from kaiwa.compare.crossed_comparison import CrossedComparison, compare_crossed
from kaiwa.compare.hsd import AUTO_CAP
from kaiwa.compare.measure_family import compare_family
from kaiwa.errors import InputError
from kaiwa.formats.score_loading import load_observations, load_scores, loaded_set, read_cells
from kaiwa.stats.trial_blocks import ONE_THREAD, Workers

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import numpy as np

    from kaiwa.compare.allpairs import Trials
    from kaiwa.formats.score_loading import Directions
    from kaiwa.stats.p_values import PRule


def compare_files(
    paths: Sequence[Path],
    *,
    measure: str | None = None,
    missing: str = "error",
    test: str = "hsd",
    trials: Trials = 5_000,
    cap: int = AUTO_CAP,
    alpha: float = 0.05,
    p_rule: PRule = "plus-one",
    rng: np.random.Generator,
    workers: Workers = ONE_THREAD,
    progress: Callable[[int, int], None] | None = None,
    directions: Directions | None = None,
    remark: Callable[[str], None] = lambda _line: None,
    margin: float | None = None,
) -> Comparison:
    """All pairs of the runs in the files compared under one measure; runs with missing scores are listed unranked.

    ``remark`` is called with each line on the files and on missing scores.
    """
    loaded = load_scores(paths, measure=measure, missing=missing, directions=directions)
    for line in loaded.remarks:
        remark(line)
    try:
        result = compare_runs(
            loaded.scores,
            test=test,
            trials=trials,
            cap=cap,
            alpha=alpha,
            p_rule=p_rule,
            rng=rng,
            workers=workers,
            progress=progress,
            margin=margin,
        )
    except InputError as fault:
        raise InputError(f"{paths[0]}: {fault}") from None
    return replace(result, unranked=loaded.unranked)


def compare_files_as_family(
    paths: Sequence[Path],
    *,
    measures: Sequence[str] = (),
    missing: str = "error",
    trials: int = 5_000,
    alpha: float = 0.05,
    p_rule: PRule = "plus-one",
    rng: np.random.Generator,
    workers: Workers = ONE_THREAD,
    progress: Callable[[int, int], None] | None = None,
    directions: Directions | None = None,
    remark: Callable[[str], None] = lambda _line: None,
    margin: float | None = None,
) -> dict[str, Comparison]:
    """All pairs of the runs in the files compared under several measures as one family, by default under all."""
    loaded = loaded_set(read_cells(paths, directions), paths[0], measures=measures, missing=missing)
    for line in loaded.remarks:
        remark(line)
    try:
        return compare_family(
            loaded.scores.values(),
            trials=trials,
            alpha=alpha,
            p_rule=p_rule,
            rng=rng,
            workers=workers,
            progress=progress,
            margin=margin,
        )
    except InputError as fault:
        raise InputError(f"{paths[0]}: {fault}") from None


def compare_files_with_baseline(
    paths: Sequence[Path],
    baseline: str,
    *,
    measure: str | None = None,
    missing: str = "error",
    test: str = "randomisation",
    trials: int | None = None,
    alpha: float = 0.05,
    p_rule: PRule = "plus-one",
    rng: np.random.Generator,
    workers: Workers = ONE_THREAD,
    directions: Directions | None = None,
    remark: Callable[[str], None] = lambda _line: None,
    margin: float | None = None,
) -> BaselineComparison:
    """Every run in the files compared with the baseline under one measure."""
    loaded = load_scores(paths, measure=measure, missing=missing, directions=directions)
    for line in loaded.remarks:
        remark(line)
    try:
        return compare_with_baseline(
            loaded.scores,
            baseline,
            test=test,
            trials=trials,
            alpha=alpha,
            p_rule=p_rule,
            rng=rng,
            workers=workers,
            margin=margin,
        )
    except InputError as fault:
        raise InputError(f"{paths[0]}: {fault}") from None


def compare_files_crossed(
    paths: Sequence[Path],
    *,
    measure: str | None = None,
    alpha: float = 0.05,
    directions: Directions | None = None,
    remark: Callable[[str], None] = lambda _line: None,
) -> CrossedComparison:
    """All pairs of the runs in the files compared by the crossed model, with every score that there is."""
    loaded = load_observations(paths, measure=measure, directions=directions)
    for line in loaded.remarks:
        remark(line)
    try:
        return compare_crossed(loaded.observed, alpha=alpha)
    except InputError as fault:
        raise InputError(f"{paths[0]}: {fault}") from None
