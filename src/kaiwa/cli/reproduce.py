from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from kaiwa.cli.shell.complete import Named
from kaiwa.cli.shell.output import IN_FILE, emit, json_option
from kaiwa.cli.shell.progress import progress
from kaiwa.report.text_tables import table

if TYPE_CHECKING:
    from pathlib import Path

    from kaiwa.studies.reproductions import Reproduction


@click.command("reproduce", epilog="Example: kaiwa reproduce topic-set-size")
@click.argument("names", nargs=-1, type=Named("reproduction"))
@click.option("--labels", type=IN_FILE, help="The public STC Japanese label file, for kappa.")
@json_option
def command(names: tuple[str, ...], labels: Path | None, as_json: bool) -> None:  # noqa: FBT001
    """Published numbers computed again, paper next to ours.

    NAMES: topic-set-size, tau, standardisation-tau, unanimity, measures, kappa; all when none is given.
    Exit code 1 when a row does not agree with print.
    """
    from kaiwa.flow.reproduce import reproduce

    with progress("computing again"):
        found = reproduce(names, labels=labels)
    fields = {
        "reproductions": [{**asdict(one), "agreeing": one.agreeing} for one in found],
        "rows": sum(len(one.rows) for one in found),
        "agreeing": sum(one.agreeing for one in found),
    }
    emit("\n\n".join(map(_text, found)), fields, as_json=as_json)
    if fields["rows"] != fields["agreeing"]:
        sys.exit(1)


def _text(one: Reproduction) -> str:
    rows = [[row.what, row.printed, row.ours, "agrees" if row.agrees else "DIFFERS", row.remark] for row in one.rows]
    head = f"{one.name}: {one.source}"
    tail = f"{one.agreeing} of {len(one.rows)} rows agree with print. {one.note}".strip()
    return f"{head}\n{table(['what', 'printed', 'ours', 'verdict', ''], rows)}\n{tail}"
