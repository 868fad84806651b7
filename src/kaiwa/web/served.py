"""Serve a task, or replies to posts, until the process is stopped.

``serve`` is the public function, ``Served`` its result: where the server answers, and the private links. The pages of a
task are in ``serving`` and ``app``; replies by HTTP are the room ``reply``.
"""

from __future__ import annotations

import logging
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import current_thread, main_thread
from typing import TYPE_CHECKING

from kaiwa.ambient import remark
from kaiwa.errors import InputError, needs_extra, option
from kaiwa.formats.reading import maybe_path, name_list, path_of
from kaiwa.formats.takedown import given_ids
from kaiwa.show.result import Description, Result, Table
from kaiwa.web.address import Address

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from kaiwa.formats.reading import AnyPath
    from kaiwa.ranking.warm_bot import BotSource
    from kaiwa.store.invitations import Invited
    from kaiwa.web.reply.app import Limits


PORT, HOST = 8000, "127.0.0.1"
MAX_K, MAX_WAITING, TIMEOUT = 100, 64, 10.0
MOST_PROCESSES, MOST_K, LONGEST_TIMEOUT, HIGHEST_PORT = 64, 1000, 600.0, 65_535


@dataclass(frozen=True)
class Process:
    """A process that answers: its own address, and its number."""

    url: str
    pid: int | None


@dataclass(frozen=True)
class Served(Result):
    """Where a server answers: its address, its processes, and for judging the new private links.

    ``reply`` is the address to which posts are sent, None if a task is served; ``organiser`` is the organiser's private
    link, None if posts are answered. Without processes the server was stopped before it answered.

    >>> from kaiwa.web.served import Process, Served
    >>> url = "http://127.0.0.1:80"
    >>> print(Served(url, f"{url}/reply", processes=(Process(url, 7),)))
    http://127.0.0.1:80/reply is ready; Ctrl-C stops it.
    """

    url: str
    reply: str | None = None
    organiser: str | None = None
    invites: tuple[Invited, ...] = ()
    processes: tuple[Process, ...] = ()

    def __repr__(self) -> str:
        return f"Served({self.reply or self.url})"

    def describe(self) -> Description:
        """A line for each address, and for each private link."""
        ready = [f"{one.url}{'/reply' if self.reply else ''} is ready; Ctrl-C stops it." for one in self.processes]
        lines = [f"The organiser's private link: {self.organiser}"] if self.organiser else []
        lines += [f"The private link of {one.name}, to judge: {one.link}" for one in self.invites]
        links = [[one.name, one.role, one.link] for one in self.invites]
        organiser = [["organiser", "organiser", self.organiser]] if self.organiser else []
        return Description(
            tables=[
                Table("processes", ["url", "pid"], [[one.url, one.pid] for one in self.processes]),
                Table("links", ["name", "role", "link"], [*organiser, *links]),
            ],
            text="\n".join([*ready, *lines]) or f"{self.url} was stopped before it answered.",
            fields={
                "url": self.url,
                "reply": self.reply,
                "organiser": self.organiser,
                "invites": [asdict(one) for one in self.invites],
                "processes": [asdict(one) for one in self.processes],
            },
        )


def serve(
    task: AnyPath = ".",
    *,
    port: int = PORT,
    host: str = HOST,
    url: str = "",
    tls_cert: AnyPath | None = None,
    tls_key: AnyPath | None = None,
    insecure: bool = False,
    invite: str | Sequence[str] = (),
    store: str | None = None,
    reply: AnyPath | None = None,
    processes: int = 1,
    models: AnyPath | None = None,
    ranker: AnyPath | None = None,
    takedown: AnyPath | Collection[AnyPath] | None = None,
    max_k: int = MAX_K,
    max_waiting: int = MAX_WAITING,
    timeout: float = TIMEOUT,
    ready: Callable[[Served], object] = lambda _: None,
) -> Served:
    """Serve the pages of a task, or with ``reply`` the replies of an index by HTTP, until the process is stopped.

    The call ends with Ctrl-C or SIGTERM. When the server answers, ``ready`` is called with its address and the private
    links, as in ``kaiwa.serve("mytask", invite="Ann", ready=print)``; nothing else is printed. ``port`` 0 is any free
    one. ``host`` is where it listens: other machines reach it over TLS (``tls_cert``, ``tls_key``), or through a proxy
    whose address is ``url``, with ``insecure`` if the proxy is on another machine.

    A task: assessors judge its pool, the lead sees how it goes; votes are in ``votes.db`` in the folder, or in the
    PostgreSQL database ``store``. ``invite`` makes private links for assessors.

    Replies: ``reply`` is an index, ``models`` and ``ranker`` are what its systems need. ``takedown`` is a list of ids
    that are not shown, or a task folder with such lists, or several of them; lists are read again when they change. An
    answer has at most ``max_k`` comments. A process lets ``max_waiting`` posts wait, each for ``timeout`` seconds; more
    are answered with 503. Several ``processes`` listen at the ports from ``port`` on.

    >>> import kaiwa
    >>> kaiwa.serve("task", processes=2)
    Traceback (most recent call last):
    kaiwa.errors.InputError: processes= is for answering posts; add reply=INDEX, or leave it out
    """
    if current_thread() is not main_thread():
        raise InputError("kaiwa.serve runs in the main thread, where Ctrl-C stops it; give it a process of its own")
    of_replies = {
        "processes": processes != 1,
        "models": models is not None,
        "ranker": ranker is not None,
        "takedown": takedown is not None,
        "max_k": max_k != MAX_K,
        "max_waiting": max_waiting != MAX_WAITING,
        "timeout": timeout != TIMEOUT,
    }
    _refuse_idle(of_replies, {"task": Path(task) != Path(), "store": store is not None, "invite": bool(invite)}, reply)
    _check_ranges(port=port, processes=processes, max_k=max_k, max_waiting=max_waiting, timeout=timeout)
    address = Address(host, port, url, maybe_path("tls_cert", tls_cert), maybe_path("tls_key", tls_key), insecure)
    if reply is None:
        return _serve_task(path_of("task", task), address, name_list("invite", invite), store, ready)
    with needs_extra("web"):
        from kaiwa.web.reply.app import Limits
    from kaiwa.ranking.warm_bot import BotSource

    lists, ids = _lists_and_ids(takedown)
    source = BotSource(path_of("reply", reply), maybe_path("models", models), maybe_path("ranker", ranker), lists, ids)
    return _serve_replies(source, address, Limits(max_k, max_waiting, timeout), processes, ready)


def _refuse_idle(of_replies: dict[str, bool], of_judging: dict[str, bool], reply: object) -> None:
    """Refuse arguments of the one server with the other."""
    given = of_replies if reply is None else of_judging
    idle = next((name for name, is_given in given.items() if is_given), None)
    if idle is not None and reply is None:
        raise InputError(f"{option(idle)} is for answering posts; add {option('reply', 'INDEX')}, or leave it out")
    if idle is not None:
        shown = "TASK" if idle == "task" else option(idle)
        raise InputError(f"{shown} is for judging; leave it out, or leave out {option('reply')}")


def _check_ranges(*, port: int, processes: int, max_k: int, max_waiting: int, timeout: float) -> None:
    bounds = {
        "port": (port, 0, HIGHEST_PORT),
        "processes": (processes, 1, MOST_PROCESSES),
        "max_k": (max_k, 1, MOST_K),
    }
    for name, (value, low, high) in bounds.items():
        if not low <= value <= high:
            raise InputError(f"{option(name, str(value))} is not from {low} to {high:,}; give such a number")
    if max_waiting < 1:
        raise InputError(f"{option('max_waiting', str(max_waiting))} answers no post; give at least 1")
    if not 0 < timeout <= LONGEST_TIMEOUT:
        what = f"{option('timeout', f'{timeout:g}')} is not above 0 and at most {LONGEST_TIMEOUT:g}"
        raise InputError(f"{what}; give such a number of seconds")


def _serve_task(
    folder: Path, address: Address, invite: Sequence[str], store: str | None, ready: Callable[[Served], object]
) -> Served:
    with needs_extra("web"):
        from kaiwa.store.people import checked_names
        from kaiwa.web.serving import serve_task
    from kaiwa.store.judged_task import open_judging

    address.check()
    names = checked_names(invite)
    served = Served(address.url_at(address.port))

    def tell(url: str, people: list[Invited]) -> None:
        nonlocal served
        organiser, *assessors = people
        served = Served(url, None, organiser.link, tuple(assessors), (Process(url, os.getpid()),))
        ready(served)

    judging = open_judging(folder, store)
    with judging.store:
        serve_task(judging, address, tell, invite=names)
    remark(f"stopped; {judging.store.state.count:,} rows are in the log, head {judging.store.head[:12]}")
    return served


def _serve_replies(
    source: BotSource, address: Address, limits: Limits, processes: int, ready: Callable[[Served], object]
) -> Served:
    from kaiwa.web.reply.processes import serve_in_processes
    from kaiwa.web.reply.serving import LOGGER, ReplyService, serve_replies

    address.check(sent="posts")
    service = ReplyService(source, address, limits, logs_requests=logging.getLogger(LOGGER).isEnabledFor(logging.INFO))
    served = Served(address.url_at(address.port))

    def tell(made: list[Process]) -> None:
        nonlocal served
        public = address.url.rstrip("/") or made[0].url
        served = Served(public, f"{public}/reply", processes=tuple(made))
        ready(served)

    if processes == 1:
        serve_replies(service, address.port, lambda url: tell([Process(url, os.getpid())]))
    else:
        serve_in_processes(service, processes, lambda made: tell([Process(one.url, one.process.pid) for one in made]))
    return served


def _lists_and_ids(
    takedown: AnyPath | Collection[AnyPath] | None,
) -> tuple[tuple[Path, ...], frozenset[str]]:
    """The lists and task folders that are given, and the ids: a text alone is a path, in a collection an id."""
    if takedown is None or isinstance(takedown, os.PathLike | str):
        path = maybe_path("takedown", takedown)
        return (() if path is None else (path,)), frozenset()
    paths = tuple(Path(one) for one in takedown if isinstance(one, os.PathLike))
    return paths, given_ids([one for one in takedown if not isinstance(one, os.PathLike)])
