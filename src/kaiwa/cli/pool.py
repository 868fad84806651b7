from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kaiwa.cli.shell.complete import MEASURE
from kaiwa.cli.shell.output import IN_FILE, emit, json_option, remark, seed_option
from kaiwa.cli.shell.progress import progress
from kaiwa.report.text_tables import Cell, table

if TYPE_CHECKING:
    from kaiwa.pool import Share
    from kaiwa.studies.pool_report import PoolReport


@click.command("pool", epilog="Example: kaiwa pool runs/*.txt --depth 10 -o pool.tsv")
@click.argument("runs", nargs=-1, required=True, type=IN_FILE)
@click.option("--depth", type=click.IntRange(1), default=10, show_default=True, help="Ranks of each run to pool.")
@click.option("--budget", type=click.IntRange(1), help="Most items in all: rank by rank, R1 runs before R2 runs.")
@click.option("--order", type=click.Choice(["file", "score", "rank"]), help="What ranks a run (default: by format).")
@click.option("--qrels", type=IN_FILE, help="Judgements: what is unjudged, and each team left out.")
@click.option("--takedown", type=IN_FILE, help="Comment ids that may no longer be shown, one a line.")
@click.option(
    "-m",
    "--measure",
    type=MEASURE,
    default="nERR@10",
    show_default=True,
    help="Ranks the runs with each team left out.",
)
@click.option("-o", "--output", type=IN_FILE, default=Path("pool.tsv"), show_default=True, help="The items to judge.")
@seed_option
@json_option
def command(  # noqa: PLR0917  click passes by name
    runs: tuple[Path, ...],
    depth: int,
    budget: int | None,
    order: str | None,
    qrels: Path | None,
    takedown: Path | None,
    measure: str,
    output: Path,
    seed: int,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Pool runs into the items to judge.

    The items come out shuffled and without run names; who contributed what goes to a second file,
    POOL.organisers.csv, for the organisers only.
    """
    from kaiwa.flow.pool import pool_runs, write_pool

    with progress("pooling") as moved:
        report = pool_runs(
            runs,
            depth=depth,
            budget=budget,
            seed=seed,
            order=order,
            qrels=qrels,
            measure=measure,
            takedown=takedown,
            on_progress=moved,
        )
    organisers = write_pool(output, report.pool)
    emit(_text(report), _fields(report, output, organisers), as_json=as_json)
    if not as_json:
        remark(f"items: {output}\norganisers only: {organisers}")


def _text(report: PoolReport) -> str:
    pool = report.pool
    parts = [
        f"{len(pool):,} items to judge: {len(pool.topics):,} topics, {len(pool.runs)} runs, depth {report.depth}.",
        table(["run", "items", "only this run"], _share_rows(report.runs)),
        table(["team", "items", "only this team"], _share_rows(report.teams)),
        _sizes_text(report),
    ]
    if report.coverage:
        rows: list[list[Cell]] = [
            [
                one.run,
                *(f"{gap}/{all_}" for gap, all_ in zip(one.unjudged.tolist(), one.returned.tolist(), strict=True)),
            ]
            for one in report.coverage
        ]
        parts.append(
            "Unjudged of returned, at each rank:\n" + table(["run", *map(str, range(1, report.depth + 1))], rows)
        )
    if report.left_out:
        lost: list[list[Cell]] = [[one.team, one.items_lost, one.tau, one.largest_fall] for one in report.left_out]
        head = ["team left out", "judgements lost", "tau with the full ranking", "places its runs fall at most"]
        parts.append("Had a team not taken part:\n" + table(head, lost))
    return "\n\n".join(parts)


def _share_rows(shares: list[Share]) -> list[list[Cell]]:
    return [[share.name, share.items, share.unique] for share in shares]


def _sizes_text(report: PoolReport) -> str:
    now, deeper = report.sizes[report.depth - 1], report.sizes[-1]
    if deeper == now:
        return "A greater depth would add nothing: no run goes deeper."
    return (
        f"Depth {2 * report.depth} instead of {report.depth} would add {deeper - now:,} items ({now:,} to {deeper:,})."
    )


def _fields(report: PoolReport, output: Path, organisers: Path) -> dict[str, Any]:  # Any: JSON values
    return {
        "items": len(report.pool),
        "topics": len(report.pool.topics),
        "depth": report.depth,
        "runs": {share.name: {"items": share.items, "unique": share.unique} for share in report.runs},
        "teams": {share.name: {"items": share.items, "unique": share.unique} for share in report.teams},
        "sizes": report.sizes,
        "unjudged": {one.run: one.unjudged.tolist() for one in report.coverage},
        "left_out": {
            one.team: {"items_lost": one.items_lost, "tau": one.tau, "largest_fall": one.largest_fall}
            for one in report.left_out
        },
        "pool": str(output),
        "organisers": str(organisers),
    }
