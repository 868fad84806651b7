from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kaiwa.cli.shell.output import emit, json_option, out_option, remarks, seed_option
from kaiwa.cli.shell.progress import progress
from kaiwa.cli.shell.shared_options import (
    confidence_option,
    direction_options,
    engine_option,
    one_measure_option,
    scores_argument,
    trials_option,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kaiwa.model.direction import Direction
    from kaiwa.report.results.crossed_view import CrossedVarianceView


@click.command("variance", epilog="Example: kaiwa variance pilot1.csv pilot2.csv -m nERR@10")
@scores_argument
@one_measure_option
@direction_options()
@confidence_option
@click.option(
    "--crossed",
    is_flag=True,
    help="Model topic, run, assessor and repeat, with missing scores; all files together.",
)
@trials_option(2000, "Bootstrap draws of topics.")
@out_option
@seed_option
@engine_option
@json_option
def command(
    scores: tuple[Path, ...],
    *,
    measure: str | None,
    directions: Mapping[str, Direction],
    confidence: float,
    crossed: bool,
    trials: int,
    output: Path | None,
    seed: int,
    engine: str,
    as_json: bool,
) -> None:
    """V_E, V_E2 and variance components of scores, for designing the next round.

    Several files are pooled by their degrees of freedom; limits are bootstrap limits over topics. With --crossed:
    components of a mixed model, the leniency of assessors, and the effect of one more topic, assessor or repeat.
    """
    if crossed:
        emit(_crossed(scores, measure, directions, confidence), as_json=as_json, output=output)
        return
    import numpy as np

    from kaiwa.engine.trial_workers import trial_workers
    from kaiwa.flow.scoring.variance import variance_of_files
    from kaiwa.report.results.variance_view import VarianceView

    with remarks() as remark, progress("resampling topics"), trial_workers(engine) as workers:
        measured = variance_of_files(
            scores,
            measure=measure,
            trials=trials,
            confidence=confidence,
            rng=np.random.default_rng(seed),
            workers=workers,
            directions=directions,
            remark=remark,
        )
    emit(VarianceView(measured.found, measured.scores), as_json=as_json, output=output)


def _crossed(
    scores: tuple[Path, ...], measure: str | None, directions: Mapping[str, Direction], confidence: float
) -> CrossedVarianceView:
    from kaiwa.flow.scoring.variance import crossed_variance_of_files
    from kaiwa.report.results.crossed_view import CrossedVarianceView

    with remarks() as remark, progress("fitting the model"):
        found = crossed_variance_of_files(
            scores, measure=measure, confidence=confidence, directions=directions, remark=remark
        )
    return CrossedVarianceView(found)
