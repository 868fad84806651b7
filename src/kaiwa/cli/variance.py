from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kaiwa.cli.shell.complete import SCORED_MEASURE
from kaiwa.cli.shell.output import IN_FILE, deliver, json_option, out_option, seed_option
from kaiwa.cli.shell.progress import progress

if TYPE_CHECKING:
    from pathlib import Path

    from kaiwa.compare.variance_components import Variance
    from kaiwa.report.text_tables import Cell


@click.command("variance", epilog="Example: kaiwa variance pilot1.csv pilot2.csv -m nERR@10")
@click.argument("scores", nargs=-1, required=True, type=IN_FILE)
@click.option("-m", "--measure", type=SCORED_MEASURE, help="Which measure; needed when a file holds several.")
@click.option(
    "--confidence", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.95, show_default=True
)
@click.option("--trials", type=click.IntRange(100), default=2000, show_default=True, help="Bootstrap draws of topics.")
@out_option
@seed_option
@json_option
def command(
    scores: tuple[Path, ...],
    *,
    measure: str | None,
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
    from kaiwa.model.plurals import counted
    from kaiwa.report.text_tables import table

    with progress("resampling topics"):
        found = variance_of_files(
            scores, measure=measure, trials=trials, confidence=confidence, rng=np.random.default_rng(seed)
        )
    pooled = f", pooled over {found.matrices} files" if found.matrices > 1 else ""
    heading = f"{counted(found.topics, 'topic')}, {counted(found.runs, 'run')}{pooled}\n"
    text = heading + table(["variance", "value", "low", "high"], _rows(found), digits=6)
    deliver(text, _fields(found), as_json=as_json, output=output)


def _rows(found: Variance) -> list[list[Cell]]:
    rows: list[list[Cell]] = [
        ["V_E (within runs)", found.v_e, *(found.v_e_limits or (None, None))],
        ["V_E2 (two-way residual)", found.v_e2, *(found.v_e2_limits or (None, None))],
    ]
    parts = found.components
    if parts:
        rows += [
            [name, value, "", ""]
            for name, value in (
                ("component: topic", parts.topic),
                ("component: run", parts.run),
                ("component: residual", parts.residual),
                ("generalisability (order)", parts.generalisability),
                ("dependability (scores)", parts.dependability),
            )
        ]
    return rows


def _fields(found: Variance) -> dict[str, object]:
    return {
        "v_e": found.v_e,
        "v_e2": found.v_e2,
        "v_e_limits": found.v_e_limits,
        "v_e2_limits": found.v_e2_limits,
        "topics": found.topics,
        "runs": found.runs,
        "matrices": found.matrices,
        "confidence": found.confidence,
        "components": vars(found.components) if found.components else None,
    }
