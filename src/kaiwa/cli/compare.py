from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import click

from kaiwa.cli.output import IN_FILE, emit, json_option, progress, quiet_option, seed_option

if TYPE_CHECKING:
    from pathlib import Path


@click.command("compare", epilog="Example: kaiwa compare scores.csv -m nERR@10 --trials 5000")
@click.argument("scores", type=IN_FILE)
@click.option("-m", "--measure", help="Which measure of the file to compare; needed when it holds several.")
@click.option("--trials", default="5000", show_default=True, help="How many shuffles, or auto: until no pair is close.")
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Familywise error rate.")
@seed_option
@json_option
@quiet_option
def command(
    scores: Path, *, measure: str | None, trials: str, alpha: float, seed: int, as_json: bool, quiet: bool
) -> None:
    """Compare runs: randomised Tukey HSD, effect sizes, tied ranks and groups."""
    import numpy as np

    from kaiwa.compare.comparison import compare_runs
    from kaiwa.files.scores import read_scores
    from kaiwa.flow.compare import one_measure
    from kaiwa.report.leaderboard import leaderboard_text, methods_paragraph

    table = one_measure(read_scores(scores), measure, scores)
    with progress("shuffling", quiet=quiet) as tell:
        result = compare_runs(
            table,
            trials="auto" if trials == "auto" else int(trials),
            alpha=alpha,
            rng=np.random.default_rng(seed),
            threads=os.cpu_count() or 1,
            progress=tell,
        )
    fields: dict[str, Any] = {"pairs": [vars(pair) for pair in result.pairs], "ranks": result.ranks}
    emit(leaderboard_text(result) + "\n\n" + methods_paragraph(result), fields, as_json=as_json)
