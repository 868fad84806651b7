from __future__ import annotations

import os
import sys
from functools import partial
from typing import TYPE_CHECKING

import click

from kaiwa.cli.shell.output import Summary, emit, is_quiet, json_option, remark
from kaiwa.cli.shell.serving_options import serving_options
from kaiwa.cli.shell.shared_options import store_option, task_argument
from kaiwa.cli.shell.task_defaults import task_folder
from kaiwa.errors import needs_extra

if TYPE_CHECKING:
    from pathlib import Path

    from kaiwa.cli.shell.serving_options import AddressOptions, ReplyOptions
    from kaiwa.web.serving import Served


@click.command("serve", epilog="Example: kaiwa serve mytask --port 8080")
@task_argument
@serving_options
@click.option("--invite", metavar="NAME", multiple=True, help="Print a private link for this assessor too.")
@store_option
@json_option
def command(
    task: Path,
    *,
    where: AddressOptions,
    answering: ReplyOptions,
    invite: tuple[str, ...],
    store: str | None,
    as_json: bool,
) -> None:
    """Serve the pages of a task (default: this folder): assessors judge the pool, the lead sees how it goes.

    The votes are in votes.db in the folder, or in the PostgreSQL database of --store. Ctrl-C stops the server; every
    vote that a page shows as saved is on the disk. The printed link is the organiser's; kaiwa invite makes the others.

    With --reply INDEX, no task is served: POST /reply answers posts, as kaiwa reply --json does.
    """
    answering.check()
    if answering.reply is None:
        _serve_task(task, where, store, invite, as_json=as_json)
    else:
        _serve_replies(answering.reply, where, answering, as_json=as_json)


def _serve_task(
    task: Path, where: AddressOptions, store: str | None, invite: tuple[str, ...], *, as_json: bool
) -> None:
    with needs_extra("web"):
        from kaiwa.store.people_changes import checked_names
        from kaiwa.web.serving import serve
    from kaiwa.flow.judging.serve import open_judging

    address = where.address()
    address.check()
    names = checked_names(invite)
    judging = open_judging(task, store)
    with judging.store:
        serve(judging, address, lambda served: _tell(served, as_json=as_json), invite=names)
    remark(f"stopped; {judging.store.state.count:,} rows are in the log, head {judging.store.head[:12]}")


def _tell(served: Served, *, as_json: bool) -> None:
    lines = [f"{served.url} is ready; Ctrl-C stops it.", f"The organiser's private link: {served.organiser}"]
    lines += [f"The private link of {name}, to judge: {link}" for name, link in served.invites.items()]
    invites = [{"name": name, "role": "assessor", "link": link} for name, link in served.invites.items()]
    fields = {"url": served.url, "organiser": served.organiser, "invites": invites}
    emit(Summary("\n".join(lines), fields), as_json=as_json)
    sys.stdout.flush()


def _serve_replies(index: Path, where: AddressOptions, answering: ReplyOptions, *, as_json: bool) -> None:
    with needs_extra("web"):
        from kaiwa.web.reply.processes import serve_in_processes
        from kaiwa.web.reply.serving import ReplyService, serve_replies
    from kaiwa.flow.answers.serve_reply import BotSource

    address = where.address()
    address.check(sent="posts")
    source = BotSource(index, answering.models, answering.model, answering.takedown, task_folder())
    service = ReplyService(source, address, answering.limits(), logs_requests=not is_quiet())
    tell = partial(_tell_ready, where.url, as_json=as_json)
    if answering.processes == 1:
        serve_replies(service, where.port, lambda url: tell([(url, os.getpid())]))
    else:
        serve_in_processes(
            service, answering.processes, lambda made: tell([(one.url, one.process.pid) for one in made])
        )


def _tell_ready(url: str, processes: list[tuple[str, int | None]], *, as_json: bool) -> None:
    """Print the addresses; a POST to /reply of one of them is answered."""
    text = "\n".join(f"{one}/reply is ready; Ctrl-C stops it." for one, _ in processes)
    rows = [{"url": one, "pid": pid} for one, pid in processes]
    public = url.rstrip("/") or processes[0][0]
    emit(Summary(text, {"url": public, "reply": f"{public}/reply", "processes": rows}), as_json=as_json)
    sys.stdout.flush()
