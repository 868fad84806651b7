from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kaiwa.cli.shell.complete import SCORED_MEASURE
from kaiwa.cli.shell.output import IN_FILE, OUT_FILE, emit, json_option, out_option, remark, remarks
from kaiwa.cli.shell.progress import progress
from kaiwa.cli.shell.shared_options import direction_options, scores_argument

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kaiwa.model.direction import Direction


@click.command(
    "standardise", epilog="Example: kaiwa standardise scores.csv --method std-ab --save-factors factors.csv -o std.csv"
)
@scores_argument
@click.option("-m", "--measure", "measures", type=SCORED_MEASURE, multiple=True, help="Only this measure; repeatable.")
@direction_options()
@click.option(
    "--method", type=click.Choice(["std", "std-cdf", "std-ab"]), default="std-ab", show_default=True, help="Method."
)
@click.option("-A", "a", type=float, default=0.15, show_default=True, help="Slope of std-AB.")
@click.option("-B", "b", type=float, default=0.5, show_default=True, help="Middle of std-AB.")
@click.option("--factors", type=IN_FILE, help="Standardise by these factors, saved from an earlier round.")
@click.option("--save-factors", type=OUT_FILE, help="Save each topic's mean and standard deviation here.")
@out_option
@json_option
def command(
    scores: tuple[Path, ...],
    *,
    measures: tuple[str, ...],
    directions: Mapping[str, Direction],
    method: str,
    a: float,
    b: float,
    factors: Path | None,
    save_factors: Path | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Make scores comparable across topics: std, std-CDF, std-AB.

    Each score minus its topic's mean over the runs is divided by the topic's standard deviation. A topic on which
    all runs tie gets the middle value: B, or 0 under std. Where lower scores are better, lower standardised scores
    are better too. Several files are standardised together.
    """
    from kaiwa.disk.joint_output import together
    from kaiwa.flow.scoring.standardise import standardise_files
    from kaiwa.report.results.standardise_view import StandardiseView

    with together(), remarks() as heard, progress("standardising"):
        result = standardise_files(
            scores,
            method=method,
            a=a,
            b=b,
            factors=factors,
            save_factors=save_factors,
            measures=measures,
            directions=directions,
            remark=heard,
        )
        view = StandardiseView(result.scores, result.tied_topics, method)
        if output is not None:
            emit(view, as_json=False, output=output)
    for line in view.remarks():
        remark(line)
    if as_json or output is None:
        emit(view, as_json=as_json)
