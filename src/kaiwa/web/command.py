"""The options of ``kaiwa serve``: where a server listens, and how it answers posts."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from kaiwa.cli.command import task_folder, verb
from kaiwa.cli.options import store_option, takedown_option, task_argument
from kaiwa.cli.output import IN_FILE, FiniteRange, Shown, form_options, how, is_quiet, show
from kaiwa.errors import needs_extra
from kaiwa.web.served import (
    HIGHEST_PORT,
    HOST,
    LONGEST_TIMEOUT,
    MAX_K,
    MAX_WAITING,
    MOST_K,
    MOST_PROCESSES,
    PORT,
    TIMEOUT,
    Served,
    serve,
)

if TYPE_CHECKING:
    from pathlib import Path


@verb("serve", epilog="Example: kaiwa serve mytask --port 8080")
@task_argument
@click.option(
    "--port", metavar="N", type=click.IntRange(0, HIGHEST_PORT), default=PORT, show_default=True, help="0: any."
)
@click.option("--host", default=HOST, show_default=True, help="Another one needs TLS or --insecure.")
@click.option("--url", default="", help="The address of a proxy before this server, as people type it.")
@how("--tls-cert", type=IN_FILE, help="A certificate (PEM).")
@how("--tls-key", type=IN_FILE, help="The key of the certificate (PEM).")
@click.option("--insecure", is_flag=True, help="Serve other machines without TLS.")
@click.option("--invite", metavar="NAME", multiple=True, help="Print a private link for this assessor too.")
@store_option
@click.option("--reply", type=IN_FILE, metavar="INDEX", help="Answer posts from an index; no task is served.")
@click.option(
    "--processes",
    metavar="N",
    type=click.IntRange(1, MOST_PROCESSES),
    default=1,
    show_default=True,
    help="--reply: processes, at the ports from --port on.",
)
@click.option("--models", type=IN_FILE, help="--reply: the folder of models (kaiwa models).")
@click.option("--ranker", type=IN_FILE, help="--reply: a learned ranker (kaiwa train).")
@takedown_option
@click.option(
    "--max-k",
    metavar="N",
    type=click.IntRange(1, MOST_K),
    default=MAX_K,
    show_default=True,
    help="--reply: the most comments of an answer.",
)
@click.option(
    "--max-waiting",
    metavar="N",
    type=click.IntRange(1),
    default=MAX_WAITING,
    show_default=True,
    help="--reply: waiting posts of a process; more get 503.",
)
@click.option(
    "--timeout",
    metavar="SECONDS",
    type=FiniteRange(0, LONGEST_TIMEOUT, min_open=True),
    default=TIMEOUT,
    show_default=True,
    help="--reply: the longest wait for an answer.",
)
@form_options
@click.pass_context
def serve_command(
    ctx: click.Context,
    /,
    task: Path,
    *,
    reply: Path | None,
    store: str | None,
    takedown: Path | None,
    shown: Shown,
    **options: Any,  # Any: the arguments of kaiwa.serve
) -> None:
    """Serve the pages of a task (default: this folder): assessors judge the pool, the lead sees how it goes.

    The votes are in votes.db in the folder, or in the PostgreSQL database of --store. Ctrl-C stops the server; every
    vote that a page shows as saved is on the disk. The printed link is the organiser's; kaiwa invite makes the others.

    With --reply INDEX, no task is served: POST /reply answers posts, as kaiwa reply --json does.
    """
    lists = [takedown] if takedown is not None else []
    if reply is not None:
        with needs_extra("web"):
            from kaiwa.web.reply.serving import log_as_json
        log_as_json(with_requests=not is_quiet())
        lists += [folder] if (folder := task_folder()) else []
        if ctx.get_parameter_source("store") is ParameterSource.ENVIRONMENT:
            store = None  # the variable is for the votes of whatever task is served

    def ready(served: Served) -> None:
        show(served, shown)
        sys.stdout.flush()

    serve(task, reply=reply, store=store, takedown=lists or None, ready=ready, **options)
