"""The options of ``kaiwa serve``: where a server listens, and how it answers posts."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from kaiwa.cli.shell.output import IN_FILE, FiniteRange
from kaiwa.cli.shell.shared_options import gathered, takedown_option
from kaiwa.errors import InputError, option

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kaiwa.web.address import Address
    from kaiwa.web.reply.limits import Limits

_MOST_PROCESSES = 64
_MOST_K = 1000
_ADDRESS = (
    click.option("--port", metavar="N", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0: any."),
    click.option("--host", default="127.0.0.1", show_default=True, help="Another one needs TLS or --insecure."),
    click.option("--url", default="", help="The address of a proxy before this server, as people type it."),
    click.option("--tls-cert", type=IN_FILE, help="A certificate (PEM)."),
    click.option("--tls-key", type=IN_FILE, help="The key of the certificate (PEM)."),
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
    click.option("--model", type=IN_FILE, help="--reply: a learned ranker (kaiwa train)."),
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
    model: Path | None
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
        from kaiwa.web.reply.limits import Limits

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
