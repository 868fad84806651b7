from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kaiwa.cli.shell.output import IN_FILE, emit, json_option
from kaiwa.cli.shell.shared_options import store_option

if TYPE_CHECKING:
    from pathlib import Path


@click.command("invite", epilog="Example: kaiwa invite mytask Ann Bob")
@click.argument("task", type=IN_FILE)
@click.argument("names", nargs=-1, metavar="NAME...")
@click.option(
    "--role", type=click.Choice(["assessor", "lead"]), default="assessor", show_default=True, help="What they may see."
)
@click.option("--list", "list_people", is_flag=True, help="List everybody who was invited.")
@click.option("--revoke", metavar="NAME", multiple=True, help="End the link and the sessions of a person.")
@store_option
@json_option
def command(
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
    from kaiwa.flow.judging.invite import invite_people, listed_people, no_names, revoke_people
    from kaiwa.report.results.people_view import InvitesView, PeopleView

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
