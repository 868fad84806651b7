"""The verbs of scores that draw trials, on the engine that computes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kaiwa.compare.baseline import compare_with_baseline
from kaiwa.compare.comparison import compare_runs
from kaiwa.compare.measure_family import compare_family
from kaiwa.compare.variance_components import pooled_variance
from kaiwa.engine.trial_workers import trial_workers

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kaiwa.compare.baseline import BaselineComparison
    from kaiwa.compare.comparison import Comparison
    from kaiwa.compare.variance_components import Variance
    from kaiwa.model.ids import FloatArray
    from kaiwa.model.scores import Scores

    Settings = Any  # Any: the keywords of the function that is called


def compare_scores(scores: Scores, *, threads: int, engine: str, **settings: Settings) -> Comparison:
    """Every pair of runs compared."""
    with trial_workers(engine, threads=threads) as workers:
        return compare_runs(scores, workers=workers, **settings)


def compare_score_set(
    scores: Iterable[Scores], *, threads: int, engine: str, **settings: Settings
) -> dict[str, Comparison]:
    """Every pair of runs compared under several measures as one family."""
    with trial_workers(engine, threads=threads) as workers:
        return compare_family(scores, workers=workers, **settings)


def compare_scores_with_baseline(
    scores: Scores, baseline: str, *, engine: str, **settings: Settings
) -> BaselineComparison:
    """Every run compared with one baseline."""
    with trial_workers(engine) as workers:
        return compare_with_baseline(scores, baseline, workers=workers, **settings)


def variance_of_scores(matrices: Sequence[FloatArray], *, engine: str, **settings: Settings) -> Variance:
    """V_E and V_E2, pooled."""
    with trial_workers(engine) as workers:
        return pooled_variance(matrices, workers=workers, **settings)
