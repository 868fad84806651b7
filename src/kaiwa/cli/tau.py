from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kaiwa.cli.shell.complete import SCORED_MEASURE
from kaiwa.cli.shell.output import IN_FILE, deliver, json_option, out_option, remark, seed_option
from kaiwa.cli.shell.progress import progress

if TYPE_CHECKING:
    from pathlib import Path

    from kaiwa.compare.rank_agreement import RankAgreement
    from kaiwa.report.text_tables import Cell
    from kaiwa.stats.kendall import Interval, Ties


@click.command("tau", epilog="Example: kaiwa tau scores.csv -m nG@1 -m nERR@10")
@click.argument("scores", nargs=-1, required=True, type=IN_FILE)
@click.option(
    "-m",
    "--measure",
    "measures",
    type=SCORED_MEASURE,
    multiple=True,
    help="A measure; two for one file, one or none for two.",
)
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
@click.option(
    "--confidence", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.95, show_default=True
)
@click.option("--trials", type=click.IntRange(100), default=2000, show_default=True, help="Bootstrap draws.")
@click.option("--persistence", type=float, default=0.9, show_default=True, help="Persistence of rank-biased overlap.")
@out_option
@seed_option
@json_option
def command(
    scores: tuple[Path, ...],
    *,
    measures: tuple[str, ...],
    interval: Interval,
    ties: Ties,
    confidence: float,
    trials: int,
    persistence: float,
    output: Path | None,
    seed: int,
    as_json: bool,
) -> None:
    """Rank correlation between two measures or two score files: Kendall's tau with an interval.

    Beside it stand tau_ap, rank-biased overlap and the overlap of the first 1, 3, 5 and 10 runs.
    """
    import numpy as np

    from kaiwa.flow.tau import tau_of_files
    from kaiwa.report.text_tables import table

    with progress("comparing rankings"):
        found = tau_of_files(
            scores,
            measures,
            ties=ties,
            interval=interval,
            confidence=confidence,
            trials=trials,
            persistence=persistence,
            rng=np.random.default_rng(seed),
        )
    if found.left_out:
        remark(f"left out, as only one side has them: {', '.join(found.left_out)}")
    heading = f"{found.a} against {found.b}, {len(found.runs)} runs\n"
    text = heading + table(["agreement", "value", "low", "high"], _rows(found, interval, persistence))
    deliver(text, _fields(found, persistence), as_json=as_json, output=output)


def _rows(found: RankAgreement, interval: Interval, persistence: float) -> list[list[Cell]]:
    tau = found.tau
    rows: list[list[Cell]] = [
        [f"tau ({tau.ties}, {interval} interval)", tau.tau, tau.low, tau.high],
        ["tau_ap", found.tau_ap, "", ""],
        ["tau_ap, symmetric", found.tau_ap_symmetric, "", ""],
        [f"rank-biased overlap, p = {persistence:g}", found.rbo, "", ""],
    ]
    return rows + [[f"overlap of the first {k}", share, "", ""] for k, share in found.overlap.items()]


def _fields(found: RankAgreement, persistence: float) -> dict[str, object]:
    return {
        "a": found.a,
        "b": found.b,
        **vars(found.tau),
        "tau_ap": found.tau_ap,
        "tau_ap_symmetric": found.tau_ap_symmetric,
        "rbo": found.rbo,
        "persistence": persistence,
        "overlap": {str(k): share for k, share in found.overlap.items()},
        "left_out": list(found.left_out),
    }
