from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kaiwa.cli.shell.output import IN_FILE, OUT_FILE, Summary, emit, json_option, remark
from kaiwa.cli.shell.shared_options import store_option, task_argument
from kaiwa.cli.shell.verb import Made
from kaiwa.errors import counted

if TYPE_CHECKING:
    from pathlib import Path


@click.command("votes", epilog="Example: kaiwa votes mytask -o mytask/votes.csv")
@task_argument
@click.option("-o", "--output", type=OUT_FILE, help="Write the votes here.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["votes-csv", "stc-labels"]),
    default="votes-csv",
    show_default=True,
    help="Tidy CSV, or a line per item with a label per vote.",
)
@click.option("--import", "imported", metavar="FILE", type=IN_FILE, help="Take the votes of a file into the store.")
@store_option
@json_option
def command(
    task: Path, *, output: Path | None, form: str, imported: Path | None, store: str | None, as_json: bool
) -> Made | None:
    """Write what was voted (default task: this folder), or take in votes from elsewhere.

    Assessors are named by their codes. A vote that was taken back, or that came after an item had its votes, is not
    written; kaiwa gains turns the file into qrels. --import recognises votes that it has taken before.
    """
    from kaiwa.flow.judging.votes import export_votes, import_votes

    if imported is not None:
        if output is not None:
            raise click.UsageError("--import takes no -o; export with a second command")
        done = import_votes(task, imported, store=store)
        parts = f"{done.known:,} known already, {done.changed:,} changed, {done.outside:,} on items outside the pool"
        line = f"{counted(done.new, 'new vote')}; {parts}"
        fields = ("new", "known", "changed", "outside", "head")
        emit(Summary(line, {name: getattr(done, name) for name in fields}), as_json=as_json)
        return None
    text, made = export_votes(task, output, form=form, store=store)
    votes, late = made.votes, f", {counted(made.surplus, 'surplus vote')} left out" if made.surplus else ""
    who = f"of {counted(len(votes.assessors), 'assessor')} on {counted(votes.items, 'item')}"
    line = f"{counted(len(votes.level), 'vote')} {who}{late}; head of the log {made.head}"
    numbers = {"votes": len(votes.level), "items": votes.items, "assessors": list(votes.assessors)}
    if as_json:
        emit(Summary(line, {**numbers, "surplus": made.surplus, "head": made.head}), as_json=True)
    elif output is None:
        click.echo(text, nl=False)
    if not as_json:
        remark(line)
    return Made(output, {"head": made.head})
