from __future__ import annotations

from pathlib import Path

import click

from kaiwa.cli.shell.complete import MEASURE
from kaiwa.cli.shell.output import IN_FILE, OUT_FILE, emit, json_option, remark, seed_option
from kaiwa.cli.shell.progress import progress
from kaiwa.cli.shell.shared_options import order_option, runs_argument, takedown_option
from kaiwa.cli.shell.task_defaults import takedown_of_task
from kaiwa.cli.shell.verb import Made


@click.command("pool", epilog="Example: kaiwa pool runs/*.txt --depth 10 -o pool.tsv")
@runs_argument
@click.option("--depth", type=click.IntRange(1), default=10, show_default=True, help="Ranks of each run to pool.")
@click.option("--budget", type=click.IntRange(1), help="Maximum items: rank by rank, R1 runs before R2 runs.")
@order_option
@click.option("--qrels", type=IN_FILE, help="Judgements: adds the unjudged share and each team left out.")
@takedown_option
@click.option(
    "-m",
    "--measure",
    type=MEASURE,
    default="nERR@10",
    show_default=True,
    help="Measure for the rankings with each team left out.",
)
@click.option("-o", "--output", type=OUT_FILE, default=Path("pool.tsv"), show_default=True, help="The items to judge.")
@seed_option
@json_option
def command(
    runs: tuple[Path, ...],
    *,
    depth: int,
    budget: int | None,
    order: str | None,
    qrels: Path | None,
    takedown: Path | None,
    measure: str,
    output: Path,
    seed: int,
    as_json: bool,
) -> Made:
    """Pool runs into the items to judge.

    The items are shuffled and have no run names. The runs and ranks of each item go to a second file,
    POOL.organisers.csv, for the organisers only: no other user can read it.
    """
    from kaiwa.flow.pool import pool_runs, write_pool
    from kaiwa.report.results.pool_view import PoolView

    with progress("pooling") as moved:
        report = pool_runs(
            runs,
            depth=depth,
            budget=budget,
            seed=seed,
            order=order,
            qrels=qrels,
            measure=measure,
            takedown=takedown_of_task(takedown),
            on_progress=moved,
        )
    organisers = write_pool(output, report.pool)
    emit(PoolView(report, output, organisers), as_json=as_json)
    if not as_json:
        remark(f"items: {output}")
        remark(f"organisers only: {organisers}")
    return Made(output, {"depth": depth, "budget": budget})
