from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kaiwa.cli.command import Made, verb
from kaiwa.cli.options import store_option, task_argument
from kaiwa.cli.output import IN_FILE, OUT_FILE, Shown, form_options, result_options, show
from kaiwa.store.backup import backup
from kaiwa.store.invitations import ROLES, invite
from kaiwa.store.logged_votes import votes
from kaiwa.store.verification import verify

if TYPE_CHECKING:
    from pathlib import Path


@verb("invite", epilog="Example: kaiwa invite mytask Ann Bob")
@click.argument("task", type=IN_FILE)
@click.argument("names", nargs=-1, metavar="NAME...")
@click.option("--role", type=click.Choice(ROLES), default="assessor", show_default=True, help="What they may see.")
@click.option("--list", is_flag=True, help="List everybody who was invited.")
@click.option("--revoke", metavar="NAME", multiple=True, help="End the link and the sessions of a person; repeatable.")
@store_option
@form_options
def invite_command(task: Path, *, names: tuple[str, ...], shown: Shown, **options: Any) -> None:  # Any: of kaiwa.invite
    """Print one private link for each NAME, to be sent to that person alone.

    The server may run or not. A link is shown once; a second invitation of the same person ends the first. Votes name
    a person by a code such as A1, never by the name.
    """
    show(invite(task, *names, **options), shown)


@verb("votes", epilog="Example: kaiwa votes mytask -o mytask/votes.csv")
@task_argument
@click.option(
    "--add", type=IN_FILE, metavar="FILE", help="First add the votes of a file to the log, each of them once."
)
@click.option("--despite-findings", is_flag=True, help="All votes, also those with findings of kaiwa verify.")
@store_option
@result_options
def votes_command(task: Path, *, shown: Shown, **options: Any) -> Made:  # Any: the arguments of kaiwa.votes
    """The votes of a task (default: this folder): counted here, written as tidy CSV with -o FILE.

    Assessors are named by their codes. A vote that was taken back, or that came after an item had its votes, is left
    out; kaiwa gains turns the file into qrels, kaiwa convert writes it in another format. --add takes votes from
    elsewhere, in any format of votes, while no server runs.

    A vote that kaiwa verify has a finding for is left out, and a note says so. Nothing is written if the chain of the
    log is broken, or a vote is without its text. --despite-findings writes all votes. Tables: votes, levels.
    """
    made = votes(task, **options)
    show(made, shown)
    return Made(shown.output, {"head": made.head})


@verb("verify", epilog="Example: kaiwa verify mytask")
@task_argument
@click.option(
    "--heads", metavar="HASH", multiple=True, help="A head published earlier; it must be in the log. Repeatable."
)
@store_option
@result_options
@click.pass_context
def verify_command(ctx: click.Context, /, task: Path, *, shown: Shown, **options: Any) -> None:  # Any: of kaiwa.verify
    """Check the votes of a task (default: this folder): chain, texts, keys and counts.

    A changed, missing or moved row is found, and a text that is not the one that was shown. Heads that earlier exports
    recorded must be in the log. The exit code is 1 if something is wrong: each finding is a line, and each kind of them
    another, with what it means and whether votes are affected. Table: findings.
    """
    checked = verify(task, **options)
    show(checked, shown)
    if checked.findings:
        ctx.exit(1)


@verb("backup", epilog="Example: kaiwa backup mytask")
@task_argument
@click.option("-o", "--output", type=OUT_FILE, help="The copy; default: a new file in the task's folder backups.")
@store_option
@form_options
def backup_command(task: Path, *, output: Path | None, store: str | None, shown: Shown) -> None:
    """Copy the votes of a task (default: this folder) to a SQLite file, also while people vote.

    The copy is checked before it gets its name. It opens as votes.db of a task folder. What the takedown lists name is
    left out of it, and so are the sessions.
    """
    show(backup(task, output=output, store=store), shown)
