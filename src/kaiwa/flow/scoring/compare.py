"""Score files in, a comparison of their runs out."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
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
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    import numpy as np

    from kaiwa.compare.allpairs import Trials
    from kaiwa.formats.score_loading import Directions
    from kaiwa.stats.p_values import PRule


@dataclass(frozen=True)
class ScoreFiles:
    """Score files, and how they are read; ``remark`` is called with each line on them and on missing scores."""

    paths: Sequence[Path]
    missing: str = "error"
    directions: Directions | None = None
    remark: Callable[[str], None] = lambda _line: None

    def tell(self, remarks: Sequence[str]) -> None:
        """Pass on what was noticed."""
        for line in remarks:
            self.remark(line)

    @contextmanager
    def named(self) -> Iterator[None]:
        """A block whose errors name the first file."""
        try:
            yield
        except InputError as fault:
            raise InputError(f"{self.paths[0]}: {fault.marked}") from None


@dataclass(frozen=True, eq=False)
class Resampling:
    """How a test draws and decides: chance, where trials run, the level, the rule of p-values, and a margin."""

    rng: np.random.Generator
    workers: Workers = ONE_THREAD
    progress: Callable[[int, int], None] | None = None
    alpha: float = 0.05
    p_rule: PRule = "plus-one"
    margin: float | None = None


def compare_files(
    files: ScoreFiles,
    how: Resampling,
    *,
    measure: str | None = None,
    test: str = "hsd",
    trials: Trials = 5_000,
    cap: int = AUTO_CAP,
) -> Comparison:
    """All pairs of the runs in the files compared under one measure; runs with missing scores are listed unranked."""
    loaded = load_scores(files.paths, measure=measure, missing=files.missing, directions=files.directions)
    files.tell(loaded.remarks)
    with files.named():
        result = compare_runs(
            loaded.scores,
            test=test,
            trials=trials,
            cap=cap,
            alpha=how.alpha,
            p_rule=how.p_rule,
            rng=how.rng,
            workers=how.workers,
            progress=how.progress,
            margin=how.margin,
        )
    return replace(result, unranked=loaded.unranked)


def compare_files_as_family(
    files: ScoreFiles, how: Resampling, *, measures: Sequence[str] = (), trials: int = 5_000
) -> dict[str, Comparison]:
    """All pairs of the runs in the files compared under several measures as one family, by default under all."""
    cells = read_cells(files.paths, files.directions)
    loaded = loaded_set(cells, files.paths[0], measures=measures, missing=files.missing)
    files.tell(loaded.remarks)
    with files.named():
        return compare_family(
            loaded.scores.values(),
            trials=trials,
            alpha=how.alpha,
            p_rule=how.p_rule,
            rng=how.rng,
            workers=how.workers,
            progress=how.progress,
            margin=how.margin,
        )


def compare_files_with_baseline(
    files: ScoreFiles,
    baseline: str,
    how: Resampling,
    *,
    measure: str | None = None,
    test: str = "randomisation",
    trials: int | None = None,
) -> BaselineComparison:
    """Every run in the files compared with the baseline under one measure."""
    loaded = load_scores(files.paths, measure=measure, missing=files.missing, directions=files.directions)
    files.tell(loaded.remarks)
    with files.named():
        return compare_with_baseline(
            loaded.scores,
            baseline,
            test=test,
            trials=trials,
            alpha=how.alpha,
            p_rule=how.p_rule,
            rng=how.rng,
            workers=how.workers,
            margin=how.margin,
        )


def compare_files_crossed(files: ScoreFiles, *, measure: str | None = None, alpha: float = 0.05) -> CrossedComparison:
    """All pairs of the runs in the files compared by the crossed model, with every score that there is."""
    loaded = load_observations(files.paths, measure=measure, directions=files.directions)
    files.tell(loaded.remarks)
    with files.named():
        return compare_crossed(loaded.observed, alpha=alpha)
