from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kaiwa.cli.command import Made, verb
from kaiwa.cli.options import store_option, task_argument
from kaiwa.cli.output import IN_FILE, OUT_FILE, Summary, emit, json_option, remark
from kaiwa.errors import counted

if TYPE_CHECKING:
    from pathlib import Path


@verb("invite", epilog="Example: kaiwa invite mytask Ann Bob")
@click.argument("task", type=IN_FILE)
@click.argument("names", nargs=-1, metavar="NAME...")
@click.option(
    "--role", type=click.Choice(["assessor", "lead"]), default="assessor", show_default=True, help="What they may see."
)
@click.option("--list", "list_people", is_flag=True, help="List everybody who was invited.")
@click.option("--revoke", metavar="NAME", multiple=True, help="End the link and the sessions of a person.")
@store_option
@json_option
def invite_command(
    task: Path,
    *,
    names: tuple[str, ...],
    role: str,
    list_people: bool,
    revoke: tuple[str, ...],
    store: str | None,
    as_json: bool,
) -> None:
    """Print one private link for each NAME, to be sent to that person alone.

    The server may run or not. A link is shown once; a second invitation of the same person ends the first. Votes name
    a person by a code such as A1, never by the name.
    """
    from kaiwa.store.invite import InvitesView, PeopleView, invite_people, listed_people, no_names, revoke_people

    if bool(names) + bool(revoke) + list_people > 1:
        raise click.UsageError("NAME..., --list and --revoke are commands of their own; give one of them")
    if names:
        emit(InvitesView(invite_people(task, names, role, store=store)), as_json=as_json)
    elif revoke:
        emit(PeopleView(revoke_people(task, revoke, store=store)), as_json=as_json)
    elif list_people:
        emit(PeopleView(listed_people(task, store=store)), as_json=as_json)
    else:
        raise no_names()


@verb("votes", epilog="Example: kaiwa votes mytask -o mytask/votes.csv")
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
@click.option("--despite-findings", is_flag=True, help="Write all votes, also those with findings of kaiwa verify.")
@store_option
@json_option
def votes_command(
    task: Path,
    *,
    output: Path | None,
    form: str,
    imported: Path | None,
    despite_findings: bool,
    store: str | None,
    as_json: bool,
) -> Made | None:
    """Write what was voted (default task: this folder), or take in votes from elsewhere.

    Assessors are named by their codes. A vote that was taken back, or that came after an item had its votes, is not
    written; kaiwa gains turns the file into qrels. --import recognises votes that it has taken before.

    A vote that kaiwa verify has a finding for is left out, and a note says so. Nothing is written if the chain of the
    log is broken, or a vote is without its text. --despite-findings writes all votes.
    """
    from kaiwa.store.votes import export_votes, import_votes

    if imported is not None:
        if output is not None:
            raise click.UsageError("--import takes no -o; export with a second command")
        done = import_votes(task, imported, store=store)
        parts = f"{done.known:,} known already, {done.changed:,} changed, {done.outside:,} on items outside the pool"
        line = f"{counted(done.new, 'new vote')}; {parts}"
        fields = ("new", "known", "changed", "outside", "head")
        emit(Summary(line, {name: getattr(done, name) for name in fields}), as_json=as_json)
        return None
    text, made = export_votes(task, output, form=form, store=store, despite_findings=despite_findings)
    votes, late = made.votes, f", {counted(made.surplus, 'surplus vote')} left out" if made.surplus else ""
    who = f"of {counted(len(votes.assessors), 'assessor')} on {counted(votes.items, 'item')}"
    line = f"{counted(len(votes.level), 'vote')} {who}{late}; head of the log {made.head}"
    numbers = {"votes": len(votes.level), "items": votes.items, "assessors": list(votes.assessors)}
    if as_json:
        more = {"surplus": made.surplus, "left_out": len(made.left_out), "head": made.head}
        emit(Summary(line, {**numbers, **more}), as_json=True)
    elif output is None:
        click.echo(text, nl=False)
    for note in made.notes:
        remark(f"note: {note}")
    if not as_json:
        remark(line)
    return Made(output, {"head": made.head})


@verb("verify", epilog="Example: kaiwa verify mytask")
@task_argument
@click.option("--head", "heads", metavar="HASH", multiple=True, help="A head published earlier; it must be in the log.")
@store_option
@json_option
@click.pass_context
def verify_command(ctx: click.Context, task: Path, *, heads: tuple[str, ...], store: str | None, as_json: bool) -> None:
    """Check the votes of a task (default: this folder): chain, texts, keys and counts.

    A changed, missing or moved row is found, and a text that is not the one that was shown. Heads that earlier exports
    recorded must be in the log. The exit code is 1 if something is wrong: each finding is a line, and each kind of them
    another, with what it means and whether votes are affected.
    """
    from kaiwa.store.log_check import summaries
    from kaiwa.store.verify import verify_task

    checked = verify_task(task, store=store, heads=heads)
    lines = [f"{one.code}: {one.message}" for one in checked.findings]
    lines += summaries(checked.findings)
    lines.append(f"{counted(checked.rows, 'row')}, {counted(len(checked.findings), 'finding')}; head {checked.head}")
    findings = [one.fields() for one in checked.findings]
    fields = {"rows": checked.rows, "head": checked.head, "findings": findings}
    emit(Summary("\n".join(lines), fields), as_json=as_json)
    if checked.findings:
        ctx.exit(1)


@verb("backup", epilog="Example: kaiwa backup mytask")
@task_argument
@click.option("-o", "--output", type=OUT_FILE, help="The copy; default: a new file in the task's folder backups.")
@store_option
@json_option
def backup_command(task: Path, *, output: Path | None, store: str | None, as_json: bool) -> None:
    """Copy the votes of a task (default: this folder) to a SQLite file, also while people vote.

    The copy is checked before it gets its name. It opens as votes.db of a task folder. What the takedown lists name is
    left out of it, and so are the sessions.
    """
    from kaiwa.store.verify import backup_task

    made = backup_task(task, output, store=store)
    line = f"{made.path}: {counted(made.rows, 'row')}, checked; head {made.head}"
    fields = {"path": str(made.path), "rows": made.rows, "head": made.head, "findings": made.findings}
    emit(Summary(line, fields), as_json=as_json)
    if made.findings:
        remark(f"note: the copy has {counted(made.findings, 'finding')} of the store; see them with: kaiwa verify")
