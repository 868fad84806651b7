from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kaiwa.cli.command import Made, takedown_of_task, task_folder, verb
from kaiwa.cli.options import MEASURE as MEASURE_NAME
from kaiwa.cli.options import order_option, takedown_option
from kaiwa.cli.output import IN_FILE, OUT_FILE, Shown, result_options, seed_option, show
from kaiwa.pooling.pool import DEPTH, MEASURE, pool

if TYPE_CHECKING:
    from pathlib import Path


@verb("pool", epilog="Example: kaiwa pool runs/*.txt --depth 10 -o pool.tsv")
@click.argument("runs", nargs=-1, type=IN_FILE)
@click.option("--depth", type=click.IntRange(1), default=DEPTH, show_default=True, help="Ranks of each run to pool.")
@click.option("--max-items", type=click.IntRange(1), help="Maximum items: rank by rank, R1 runs before R2 runs.")
@order_option
@click.option("--qrels", type=IN_FILE, help="Judgements: adds the unjudged share and each team left out.")
@takedown_option
@click.option(
    "-m",
    "--measures",
    metavar="NAME",
    type=MEASURE_NAME,
    multiple=True,
    default=(MEASURE,),
    show_default=MEASURE,
    help="With --qrels: the one measure of the rankings with each team left out.",
)
@click.option(
    "--sheet", type=OUT_FILE, help="Write the task's pool as a sheet to judge: .csv, or .html with --assessor."
)
@click.option("--assessors", metavar="NAME", multiple=True, help="The columns of a .csv sheet (default: A1).")
@click.option("--assessor", metavar="NAME", help="The assessor of an .html sheet.")
@seed_option
@result_options
def pool_command(
    runs: tuple[Path, ...],
    *,
    takedown: Path | None,
    sheet: Path | None,
    shown: Shown,
    **options: Any,  # Any: the arguments of kaiwa.pool
) -> Made:
    """Pool runs into the items to judge.

    The items are shuffled and have no run names. With -o POOL the runs and ranks of each item go to a second file,
    POOL.organisers.csv, for the organisers only: no other user can read it. With --sheet and without RUNS, the
    pool of the task folder is written with its texts, to be judged without a server; the votes are read back.
    Tables: runs, teams, unjudged, left_out, items.
    """
    listed: Any = list(runs) if len(runs) != 1 else runs[0]  # Any: a task folder is one path
    given: Any = listed or (task_folder() if sheet is not None else None)  # Any: the function says what is wrong
    if given is None and sheet is None:
        context = click.get_current_context()
        raise click.MissingParameter(ctx=context, param=context.command.params[0])
    hidden = takedown if sheet is not None else takedown_of_task(takedown)
    made = pool(given, takedown=hidden, sheet=sheet, **options)
    show(made, shown)
    return Made(sheet or shown.output, {} if sheet else {name: options[name] for name in ("depth", "max_items")})
