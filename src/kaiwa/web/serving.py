"""A task served on an address until the process is stopped."""

from __future__ import annotations

import gc
import logging
from contextlib import contextmanager
from threading import Event, Thread
from typing import TYPE_CHECKING

from kaiwa.errors import KaiwaError
from kaiwa.store.invitations import Invited
from kaiwa.store.judged_task import TakedownWatch
from kaiwa.store.people import ORGANISER
from kaiwa.web.address import is_loopback
from kaiwa.web.app import make_app
from kaiwa.web.server import bound_socket, run_server
from kaiwa.web.site import Site

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kaiwa.store.judged_task import Judging
    from kaiwa.web.address import Address


_LOOK_SECONDS = 1.0
log = logging.getLogger("kaiwa.web")


def serve_task(
    judging: Judging, address: Address, tell: Callable[[str, list[Invited]], None], *, invite: Sequence[str] = ()
) -> None:
    """Serve a task until the process is stopped.

    When requests are answered, ``tell`` gets the address, and the people with new links: the organiser, then those of
    ``invite``.
    """
    bound = bound_socket(address.host, address.port)
    site = _site(judging, address, bound.getsockname()[1])
    judging.store.set_fact("address", site.address)
    people = [_invited(site, ORGANISER, "organiser"), *(_invited(site, name, "assessor") for name in invite)]
    with _kept_what_is_loaded(), _watched_lists(judging):
        run_server(
            make_app(site),
            bound,
            started=lambda: tell(site.address, people),
            certificate=address.certificate,
            key=address.key,
        )


def _invited(site: Site, name: str, role: str) -> Invited:
    person, token = site.store.access.invite(name, role).result()
    return Invited.of(person, site.link(token))


@contextmanager
def _kept_what_is_loaded() -> Iterator[None]:
    """Modules, texts and votes are left out of garbage collections: each would stop every request for 30 ms."""
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


@contextmanager
def _watched_lists(judging: Judging) -> Iterator[None]:
    """While the block runs, a takedown list that changes is applied within seconds."""
    ended, watch = Event(), TakedownWatch(judging)

    def look() -> None:
        while not ended.wait(_LOOK_SECONDS):
            try:
                watch.look()
            except KaiwaError as fault:  # an unreadable list is tried again
                log.error("%s", fault)  # noqa: TRY400  one line, no traceback

    thread = Thread(target=look, name="kaiwa-takedown", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _site(judging: Judging, address: Address, port: int) -> Site:
    url, shown = address.url_at(port), address.shown_host
    names = {shown, *(("127.0.0.1", "localhost", "[::1]") if is_loopback(address.host) else ())}
    hosts = {f"{name}:{port}" for name in names} | {url.split("://", 1)[1]}
    return Site(judging, url, frozenset(host.lower() for host in hosts), behind_proxy=bool(address.url))
