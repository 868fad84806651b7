from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kaiwa.cli.shell.complete import SCORED_MEASURE
from kaiwa.cli.shell.output import emit, json_option, out_option, remarks, seed_option
from kaiwa.cli.shell.progress import progress
from kaiwa.cli.shell.shared_options import (
    confidence_option,
    direction_options,
    engine_option,
    scores_argument,
    trials_option,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kaiwa.model.direction import Direction
    from kaiwa.stats.kendall import Interval, Ties


@click.command("tau", epilog="Example: kaiwa tau scores.csv -m nG@1 -m nERR@10")
@scores_argument
@click.option(
    "-m",
    "--measure",
    "measures",
    type=SCORED_MEASURE,
    multiple=True,
    help="A measure; with one file, give two.",
)
@direction_options()
@click.option(
    "--interval",
    type=click.Choice(["hwc", "null", "bootstrap"]),
    default="hwc",
    show_default=True,
    help="Hollander-Wolfe-Chicken, the standard error under no relation, or runs drawn with replacement.",
)
@click.option(
    "--ties",
    type=click.Choice(["tau-b", "listed"]),
    default="tau-b",
    show_default=True,
    help="Correct for ties, or break them by the order in which the runs are listed.",
)
@confidence_option
@trials_option(2000, "Bootstrap draws.")
@click.option("--persistence", type=float, default=0.9, show_default=True, help="Persistence of rank-biased overlap.")
@out_option
@seed_option
@engine_option
@json_option
def command(
    scores: tuple[Path, ...],
    *,
    measures: tuple[str, ...],
    directions: Mapping[str, Direction],
    interval: Interval,
    ties: Ties,
    confidence: float,
    trials: int,
    persistence: float,
    output: Path | None,
    seed: int,
    engine: str,
    as_json: bool,
) -> None:
    """Rank correlation between two measures or two score files: Kendall's tau with an interval.

    Also tau_ap, rank-biased overlap and the overlap of the first 1, 3, 5 and 10 runs.
    """
    import numpy as np

    from kaiwa.engine.trial_workers import trial_workers
    from kaiwa.flow.scoring.tau import rank_agreement_of_files
    from kaiwa.report.results.tau_view import TauView

    with remarks() as remark, progress("comparing rankings"), trial_workers(engine) as workers:
        found = rank_agreement_of_files(
            scores,
            measures,
            ties=ties,
            interval=interval,
            confidence=confidence,
            trials=trials,
            persistence=persistence,
            rng=np.random.default_rng(seed),
            workers=workers,
            directions=directions,
            remark=remark,
        )
        if found.left_out:
            remark(f"left out, because only one side has them: {', '.join(found.left_out)}")
    emit(TauView(found, interval), as_json=as_json, output=output)
