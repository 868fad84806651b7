from __future__ import annotations

from pathlib import Path

import click
from click.core import ParameterSource

from kaiwa.cli.shell.complete import MEASURE
from kaiwa.cli.shell.output import IN_FILE, OUT_FILE, Summary, emit, json_option, remark, seed_option
from kaiwa.cli.shell.progress import progress
from kaiwa.cli.shell.shared_options import order_option, takedown_option
from kaiwa.cli.shell.task_defaults import takedown_of_task, task_folder
from kaiwa.cli.shell.verb import Made
from kaiwa.errors import InputError, counted, needs_extra


@click.command("pool", epilog="Example: kaiwa pool runs/*.txt --depth 10 -o pool.tsv")
@click.argument("runs", nargs=-1, type=IN_FILE)
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
@click.option(
    "-o",
    "--output",
    type=OUT_FILE,
    default=Path("pool.tsv"),
    show_default=True,
    help="The items to judge; a name that you give is written over, the default one is not.",
)
@click.option(
    "--sheet", type=OUT_FILE, help="Write the task's pool as a sheet to judge: .csv, or .html with --assessor."
)
@click.option("--assessors", metavar="A1,A2,...", help="The assessors' columns of a .csv sheet (default: A1).")
@click.option("--assessor", metavar="NAME", help="The assessor of an .html sheet.")
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
    sheet: Path | None,
    assessors: str | None,
    assessor: str | None,
    seed: int,
    as_json: bool,
) -> Made:
    """Pool runs into the items to judge.

    The items are shuffled and have no run names. The runs and ranks of each item go to a second file,
    POOL.organisers.csv, for the organisers only: no other user can read it. With --sheet and without RUNS, the
    pool of the task folder is written with its texts, to be judged without a server; the votes are read back.
    """
    if sheet is not None:
        return _write_sheet(sheet, runs, assessors, assessor, as_json=as_json)
    if not runs:
        context = click.get_current_context()
        raise click.MissingParameter(ctx=context, param=context.command.params[0])
    from kaiwa.flow.judging.pool import pool_runs, write_pool
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
    is_named = click.get_current_context().get_parameter_source("output") is not ParameterSource.DEFAULT
    organisers = write_pool(output, report.pool, replaces=is_named)
    emit(PoolView(report, output, organisers), as_json=as_json)
    if not as_json:
        remark(f"items: {output}")
        remark(f"organisers only: {organisers}")
    return Made(output, {"depth": depth, "budget": budget})


def _write_sheet(
    sheet: Path, runs: tuple[Path, ...], assessors: str | None, assessor: str | None, *, as_json: bool
) -> Made:
    from kaiwa.flow.judging.pool_sheet import assessor_names, items_to_judge, task_to_judge, write_sheet

    is_page = sheet.suffix == ".html"
    if runs:
        raise InputError("--sheet takes the pool of the task folder; pool the runs first, without --sheet")
    if is_page and (not assessor or assessors):
        raise InputError("an .html sheet is for one person; give the name with --assessor")
    if not is_page and (assessor or sheet.suffix != ".csv"):
        raise InputError("--sheet writes a .csv file (with --assessors A1,A2) or an .html page (with --assessor A3)")
    task = task_to_judge(task_folder())
    items = items_to_judge(task)
    names = [assessor] if is_page and assessor else assessor_names(assessors or "A1")
    if is_page:
        with needs_extra("web"):
            from kaiwa.web.offline_page import write_page

        write_page(sheet, task, items, names[0])
    else:
        write_sheet(sheet, items, names)
    line = f"{sheet}: {counted(len(items), 'item')} for {', '.join(names)}; the votes: kaiwa gains {sheet}"
    if is_page:
        line = (
            f"{sheet}: {counted(len(items), 'item')} for {names[0]}; open it in a browser, then use the file it saves"
        )
    emit(Summary(line, {"sheet": str(sheet), "items": len(items), "assessors": names}), as_json=as_json)
    return Made(sheet, {})
