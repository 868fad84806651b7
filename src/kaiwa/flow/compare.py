"""Score files in, a comparison of their runs out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kaiwa.compare.baseline import BaselineComparison, compare_with_baseline
from kaiwa.compare.comparison import Comparison, compare_runs
from kaiwa.compare.hsd import AUTO_CAP
from kaiwa.errors import InputError
from kaiwa.formats.score_loading import load_scores

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    import numpy as np

    from kaiwa.compare.allpairs import Trials
    from kaiwa.stats.p_values import PRule


@dataclass(frozen=True)
class Compared:
    """The comparison, and remarks on scores that were missing."""

    result: Comparison
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class ComparedWithBaseline:
    """The comparison with the baseline, and remarks on scores that were missing."""

    result: BaselineComparison
    remarks: tuple[str, ...]


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
    threads: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Compared:
    """All pairs of the runs in the files compared under one measure; runs with missing scores are listed unranked."""
    loaded = load_scores(paths, measure=measure, missing=missing)
    try:
        result = compare_runs(
            loaded.scores,
            test=test,
            trials=trials,
            cap=cap,
            alpha=alpha,
            p_rule=p_rule,
            rng=rng,
            threads=threads,
            progress=progress,
        )
    except InputError as fault:
        raise InputError(f"{paths[0]}: {fault}") from None
    return Compared(replace(result, unranked=loaded.unranked), loaded.remarks)


def compare_files_with_baseline(
    paths: Sequence[Path],
    baseline: str,
    *,
    measure: str | None = None,
    missing: str = "error",
    test: str = "randomisation",
    trials: int = 5_000,
    alpha: float = 0.05,
    p_rule: PRule = "plus-one",
    rng: np.random.Generator,
) -> ComparedWithBaseline:
    """Every run in the files compared with the baseline under one measure."""
    loaded = load_scores(paths, measure=measure, missing=missing)
    try:
        result = compare_with_baseline(
            loaded.scores, baseline, test=test, trials=trials, alpha=alpha, p_rule=p_rule, rng=rng
        )
    except InputError as fault:
        raise InputError(f"{paths[0]}: {fault}") from None
    return ComparedWithBaseline(result, loaded.remarks)
