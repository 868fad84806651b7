"""What every route needs: the task that is judged, its store, and the addresses under which it is served."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kaiwa.store.judged_task import Judging
    from kaiwa.store.vote_store import VoteStore
    from kaiwa.web.lead_data import LeadNumbers


@dataclass(frozen=True)
class Site:
    """A served task: ``address`` is how people reach it, ``hosts`` are the Host headers that are answered."""

    judging: Judging
    address: str
    hosts: frozenset[str]
    behind_proxy: bool = False

    @property
    def store(self) -> VoteStore:
        """The open store."""
        return self.judging.store

    @cached_property
    def numbers(self) -> LeadNumbers:
        """The numbers of the lead's page."""
        from kaiwa.web.lead_data import LeadNumbers

        return LeadNumbers(self.judging.task, self.store)

    @property
    def is_secure(self) -> bool:
        """Whether people come over TLS."""
        return self.address.startswith("https://")

    @property
    def origins(self) -> frozenset[str]:
        """The origins of our own pages."""
        scheme = "https" if self.is_secure else "http"
        return frozenset(f"{scheme}://{host}" for host in self.hosts)

    def link(self, token: str) -> str:
        """A private link; the token is in the fragment, which no log and no Referer sees."""
        return f"{self.address}/in#{token}"
