"""The options of ``kaiwa serve``: where a server listens, and how it answers posts."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, fields
from functools import partial
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from kaiwa.cli.command import task_folder, verb
from kaiwa.cli.options import gathered, store_option, takedown_option, task_argument
from kaiwa.cli.output import IN_FILE, FiniteRange, Summary, emit, how, is_quiet, json_option, remark
from kaiwa.errors import InputError, needs_extra, option

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kaiwa.web.address import Address
    from kaiwa.web.reply.app import Limits
    from kaiwa.web.serving import Served


# The options of ``kaiwa serve``: where a server listens, and how it answers posts.


_MOST_PROCESSES = 64
_MOST_K = 1000
_ADDRESS = (
    click.option("--port", metavar="N", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0: any."),
    click.option("--host", default="127.0.0.1", show_default=True, help="Another one needs TLS or --insecure."),
    click.option("--url", default="", help="The address of a proxy before this server, as people type it."),
    how("--tls-cert", type=IN_FILE, help="A certificate (PEM)."),
    how("--tls-key", type=IN_FILE, help="The key of the certificate (PEM)."),
    click.option("--insecure", is_flag=True, help="Serve other machines without TLS."),
)
_REPLY = (
    click.option("--reply", type=IN_FILE, metavar="INDEX", help="Answer posts from an index; no task is served."),
    click.option(
        "--processes",
        metavar="N",
        type=click.IntRange(1, _MOST_PROCESSES),
        default=1,
        show_default=True,
        help="--reply: processes, at the ports from --port on.",
    ),
    click.option("--models", type=IN_FILE, help="--reply: the folder of models (kaiwa models)."),
    click.option("--ranker", type=IN_FILE, help="--reply: a learned ranker (kaiwa train)."),
    takedown_option,
    click.option(
        "--max-k",
        metavar="N",
        type=click.IntRange(1, _MOST_K),
        default=100,
        show_default=True,
        help="--reply: the most comments of an answer.",
    ),
    click.option(
        "--max-waiting",
        metavar="N",
        type=click.IntRange(1),
        default=64,
        show_default=True,
        help="--reply: waiting posts of a process; more get 503.",
    ),
    click.option(
        "--timeout",
        metavar="SECONDS",
        type=FiniteRange(0, 600, min_open=True),
        default=10.0,
        show_default=True,
        help="--reply: the longest wait for an answer.",
    ),
)


@dataclass(frozen=True)
class AddressOptions:
    """Where a server listens."""

    port: int
    host: str
    url: str
    tls_cert: Path | None
    tls_key: Path | None
    insecure: bool

    def address(self) -> Address:
        """The address, which the server checks."""
        from kaiwa.web.address import Address

        return Address(self.host, self.port, self.url, self.tls_cert, self.tls_key, self.insecure)


@dataclass(frozen=True)
class ReplyOptions:
    """How posts are answered; ``reply`` is the index, None if a task is served."""

    reply: Path | None
    processes: int
    models: Path | None
    ranker: Path | None
    takedown: Path | None
    max_k: int
    max_waiting: int
    timeout: float

    def check(self) -> None:
        """Refuse options of the one server with the other."""
        given = [name for name in _own_names() if _is_given(name)]
        if self.reply is None and given:
            raise InputError(f"{option(given[0])} is for answering posts; give {option('reply', 'INDEX')} too")
        for name, shown in (("task", "TASK"), ("store", option("store")), ("invite", option("invite"))):
            if self.reply is not None and _is_given(name):
                raise InputError(f"{shown} is for judging; leave it out, or leave out {option('reply')}")

    def limits(self) -> Limits:
        """The limits of a process."""
        from kaiwa.web.reply.app import Limits

        return Limits(self.max_k, self.max_waiting, self.timeout)


def _own_names() -> list[str]:
    return [one.name for one in fields(ReplyOptions) if one.name != "reply"]


def _is_given(name: str) -> bool:
    return click.get_current_context().get_parameter_source(name) is ParameterSource.COMMANDLINE


def serving_options(function: Callable[..., Any]) -> Callable[..., Any]:  # Any: click's own type of a callback
    """The command with both groups of options, given to it as ``where`` and ``answering``."""
    made = gathered(ReplyOptions, "answering")(gathered(AddressOptions, "where")(function))
    for one in reversed((*_ADDRESS, *_REPLY)):
        made = one(made)
    return made


@verb("serve", epilog="Example: kaiwa serve mytask --port 8080")
@task_argument
@serving_options
@click.option("--invite", metavar="NAME", multiple=True, help="Print a private link for this assessor too.")
@store_option
@json_option
def serve_command(
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
        from kaiwa.store.people import checked_names
        from kaiwa.web.serving import serve
    from kaiwa.store.judged_task import open_judging

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
    from kaiwa.ranking.warm_bot import BotSource

    address = where.address()
    address.check(sent="posts")
    source = BotSource(index, answering.models, answering.ranker, answering.takedown, task_folder())
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
