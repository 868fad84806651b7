"""The tables of the vote log, the same on SQLite and PostgreSQL."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Float, Integer, MetaData, Table, Text, UniqueConstraint

VERSION = 1
"""The version of these tables; a store of a newer one is refused, an older one is migrated after a copy."""

metadata = MetaData()

facts = Table(
    "facts",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", Text, nullable=False),
)
"""One value each: the version, the salt of the item ids and orders, the address of the server, a counter of changes."""

people = Table(
    "people",
    metadata,
    Column("code", Text, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("role", Text, nullable=False),
    Column("state", Text, nullable=False),
    Column("token", Text, nullable=False),
    Column("created", Text, nullable=False),
)
"""The log and every export name a person by ``code``; ``token`` is a SHA-256."""

sessions = Table(
    "sessions",
    metadata,
    Column("digest", Text, primary_key=True),
    Column("code", Text, nullable=False),
    Column("created", Float, nullable=False),
)

items = Table(
    "items",
    metadata,
    Column("item", Text, primary_key=True),
    Column("topic", Text, nullable=False),
    Column("comment", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("shown", Text, nullable=False),
    Column("answer", Integer),
    Column("feedback", Text, nullable=False),
    Column("served", Integer, nullable=False),
)
"""The items of the pool, of training and of gold; ``answer`` is the known level of the last two."""

texts = Table(
    "texts",
    metadata,
    Column("item", Text, primary_key=True),
    Column("shown", Text, primary_key=True),
    Column("post", Text, nullable=False),
    Column("text", Text, nullable=False),
    Column("removed", Integer, nullable=False),
)
"""Every post and comment that was ever delivered, by their hash; ``removed`` by a takedown."""

leases = Table(
    "leases",
    metadata,
    Column("lease", Text, primary_key=True),
    Column("item", Text, nullable=False),
    Column("assessor", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("unit", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("expires", Float, nullable=False),
)

votes = Table(
    "votes",
    metadata,
    Column("seq", BigInteger().with_variant(Integer, "sqlite"), primary_key=True, autoincrement=False),
    Column("key", Text, nullable=False),
    Column("item", Text, nullable=False),
    Column("shown", Text, nullable=False),
    Column("assessor", Text, nullable=False),
    Column("kind", Text, nullable=False),
    Column("failed", Text, nullable=False),
    Column("level", Integer),
    Column("unsure", Integer, nullable=False),
    Column("note", Text, nullable=False),
    Column("flag", Integer, nullable=False),
    Column("skip", Integer, nullable=False),
    Column("undo_of", Text, nullable=False),
    Column("view", Text, nullable=False),
    Column("position", Integer, nullable=False),
    Column("seen_ms", BigInteger, nullable=False),
    Column("lang", Text, nullable=False),
    Column("client_time", Text, nullable=False),
    Column("server_time", Text, nullable=False),
    Column("lease", Text, nullable=False),
    Column("version", Text, nullable=False),
    Column("prev", Text, nullable=False),
    Column("hash", Text, nullable=False),
    UniqueConstraint("assessor", "key"),
)
"""The log. Nothing is updated or deleted; a current value is derived."""
