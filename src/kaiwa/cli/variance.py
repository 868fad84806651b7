from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kaiwa.cli.shell.output import emit, json_option, out_option, remarks, seed_option
from kaiwa.cli.shell.progress import progress
from kaiwa.cli.shell.shared_options import (
    confidence_option,
    direction_options,
    one_measure_option,
    scores_argument,
    trials_option,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kaiwa.model.direction import Direction


@click.command("variance", epilog="Example: kaiwa variance pilot1.csv pilot2.csv -m nERR@10")
@scores_argument
@one_measure_option
@direction_options()
@confidence_option
@trials_option(2000, "Bootstrap draws of topics.")
@out_option
@seed_option
@json_option
def command(
    scores: tuple[Path, ...],
    *,
    measure: str | None,
    directions: Mapping[str, Direction],
    confidence: float,
    trials: int,
    output: Path | None,
    seed: int,
    as_json: bool,
) -> None:
    """V_E, V_E2 and variance components of scores, for designing the next round.

    Several files are pooled by their degrees of freedom; limits are bootstrap limits over topics.
    """
    import numpy as np

    from kaiwa.flow.variance import variance_of_files
    from kaiwa.report.results.variance_view import VarianceView

    with remarks() as remark, progress("resampling topics"):
        measured = variance_of_files(
            scores,
            measure=measure,
            trials=trials,
            confidence=confidence,
            rng=np.random.default_rng(seed),
            directions=directions,
            remark=remark,
        )
    emit(VarianceView(measured.found, measured.scores), as_json=as_json, output=output)
