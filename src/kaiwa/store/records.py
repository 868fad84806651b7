"""The values of the store: what a client sends, what the log holds, items, leases and people."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from kaiwa.errors import KaiwaError
from kaiwa.nouns.criteria import writable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kaiwa.nouns.criteria import TaskItem


START = "0" * 64
"""The hash before the first row."""


class Refused(KaiwaError):  # noqa: N818  reads as the thing it is
    """A vote that is not stored: its key, why, and the status of the answer."""

    def __init__(self, key: str, why: str, status: int) -> None:
        super().__init__(why)
        self.key, self.status = key, status


class StoreUnavailable(KaiwaError):  # noqa: N818  reads as the thing it is
    """Nothing was stored: the disk is full, or the database is away. The same keys can be sent again."""


@dataclass(frozen=True, slots=True)
class Ballot:
    """One vote, undo or skip as a client sends it; ``level`` is None for an undo and a skip."""

    key: str
    item: str
    shown: str
    lease: str
    failed: tuple[str, ...] = ()
    level: int | None = None
    unsure: bool = False
    note: str = ""
    flag: bool = False
    undo_of: str = ""
    view: str = ""
    position: int = 0
    seen_ms: int = 0
    lang: str = ""
    client_time: str = ""
    skip: bool = False

    def stored(self) -> dict[str, Any]:  # Any: values of columns
        """The columns that the client decides."""
        given = {one.name: getattr(self, one.name) for one in fields(self)}
        return given | {
            "failed": " ".join(self.failed),
            "unsure": int(self.unsure),
            "flag": int(self.flag),
            "skip": int(self.skip),
        }


CLIENT_COLUMNS = tuple(one.name for one in fields(Ballot))


@dataclass(frozen=True, slots=True)
class VoteRow:
    """A row of the log."""

    seq: int
    key: str
    item: str
    shown: str
    assessor: str
    kind: str
    failed: str
    level: int | None
    unsure: int
    note: str
    flag: int
    skip: int
    undo_of: str
    view: str
    position: int
    seen_ms: int
    lang: str
    client_time: str
    server_time: str
    lease: str
    version: str
    prev: str
    hash: str

    def columns(self) -> dict[str, Any]:  # Any: values of columns
        """The row by column name."""
        return {name: getattr(self, name) for name in (*CHAINED, "hash")}


CHAINED = tuple(one.name for one in fields(VoteRow) if one.name != "hash")
"""The columns whose values, in this order, make the hash of a row; ``prev`` is one of them."""


def chained(values: Mapping[str, Any]) -> str:  # Any: values of columns
    """The hash of a row: SHA-256 of its values, of which the hash before it is one."""
    return sha256(_joined(values, CHAINED).encode()).hexdigest()


def body_digest(values: Mapping[str, Any]) -> bytes:  # Any: values of columns
    """A short digest of what the client decides, to recognise another body under a known key."""
    return sha256(_joined(values, CLIENT_COLUMNS).encode()).digest()[:16]


def _joined(values: Mapping[str, Any], names: Iterable[str]) -> str:  # Any: values of columns
    """The values of some columns as one text; bytes are only in a damaged row, which has another hash then."""
    return json.dumps([values[name] for name in names], separators=(",", ":"), default=repr)


@dataclass(frozen=True, slots=True)
class Saved:
    """A stored vote: its key, its number in the log, and whether the item already had its votes."""

    key: str
    seq: int
    surplus: bool


@dataclass(frozen=True, slots=True)
class Item:
    """A post and a comment to judge: of the pool, training or gold; ``answer`` is the level known for the last two."""

    item: str
    topic: str
    comment: str
    kind: str
    shown: str
    post: str
    text: str
    answer: int | None = None
    feedback: str = ""


@dataclass(frozen=True, slots=True)
class Lease:
    """An item given to an assessor until a time; ``unit`` is the list in which it is shown."""

    lease: str
    item: str
    assessor: str
    kind: str
    unit: str
    position: int
    expires: float

    def columns(self) -> dict[str, Any]:  # Any: values of columns
        """The lease by column name."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with a private link; the log knows the ``code`` only."""

    code: str
    name: str
    role: str
    state: str
    token: str
    created: str

    @property
    def is_active(self) -> bool:
        """Whether the link and its sessions are valid; a paused assessor can still send votes."""
        return self.state != "revoked"


def stored_item(one: TaskItem, *, salt: str) -> Item:
    """The item under its opaque id, with its texts as they are delivered."""
    return Item(
        item=item_id(one.topic, one.comment, salt=salt),
        topic=one.topic,
        comment=one.comment,
        kind=one.kind,
        shown=one.shown,
        post=writable(one.post),
        text=writable(one.text),
        answer=one.answer,
        feedback=writable(one.feedback),
    )


def item_id(topic: str, comment: str, *, salt: str) -> str:
    """An id that says nothing about topic, comment, rank or run.

    >>> item_id("q1", "c9", salt="s") == item_id("q1", "c9", salt="t")
    False
    """
    return sha256(f"{salt}\0{topic}\0{comment}".encode()).hexdigest()[:24]
