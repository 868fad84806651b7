from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kaiwa.cli.shell.complete import Named
from kaiwa.cli.shell.output import IN_FILE, emit, json_option
from kaiwa.cli.shell.progress import progress

if TYPE_CHECKING:
    from pathlib import Path


@click.command("reproduce", epilog="Example: kaiwa reproduce topic-set-size")
@click.argument("names", nargs=-1, type=Named("reproduction"))
@click.option("--labels", type=IN_FILE, help="The public STC Japanese label file, for kappa.")
@json_option
def command(names: tuple[str, ...], *, labels: Path | None, as_json: bool) -> None:
    """Recompute published numbers and compare them with the papers.

    NAMES: topic-set-size, tau, standardisation-tau, unanimity, measures, kappa (default: all).
    Exit code 1 if a row differs from the paper.
    """
    from kaiwa.flow.rounds.reproduce import reproduce
    from kaiwa.report.results.reproduce_view import ReproduceView

    with progress("recomputing"):
        found = reproduce(names, labels=labels)
    emit(ReproduceView(found), as_json=as_json)
    if not all(row.agrees for one in found for row in one.rows):
        click.get_current_context().exit(1)
