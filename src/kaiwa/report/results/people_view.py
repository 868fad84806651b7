"""Invitations and people, as text and JSON fields."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from kaiwa.report.text_tables import table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


class _Known(Protocol):
    @property
    def name(self) -> str: ...
    @property
    def role(self) -> str: ...
    @property
    def code(self) -> str: ...


class _Invite(_Known, Protocol):
    @property
    def link(self) -> str: ...


class _Person(_Known, Protocol):
    @property
    def state(self) -> str: ...


@dataclass(frozen=True)
class InvitesView:
    """One private link per person."""

    invites: Sequence[_Invite]

    def text(self) -> str:
        """Name and link, one per line."""
        return "\n".join(f"{one.name} ({one.role} {one.code})  {one.link}" for one in self.invites)

    def fields(self) -> Mapping[str, Any]:  # Any: JSON values
        """The links."""
        names = ("name", "role", "code", "link")
        return {"invites": [{name: getattr(one, name) for name in names} for one in self.invites]}


@dataclass(frozen=True)
class PeopleView:
    """Everybody who was invited."""

    people: Sequence[_Person]

    def text(self) -> str:
        """A line per person."""
        rows = [[one.name, one.role, one.code, one.state] for one in self.people]
        return table(["name", "role", "code", "state"], rows) if rows else "nobody is invited yet"

    def fields(self) -> Mapping[str, Any]:  # Any: JSON values
        """The people."""
        names = ("name", "role", "code", "state")
        return {"people": [{name: getattr(one, name) for name in names} for one in self.people]}
