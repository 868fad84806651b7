"""The database of a store: how it is opened, who may write, and what its errors mean."""

from __future__ import annotations

import os
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqlalchemy import create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError
from sqlalchemy.pool import NullPool

from kaiwa.errors import InputError, needs_extra, option
from kaiwa.store.records import StoreUnavailable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from sqlalchemy.engine import Connection, Engine


FILE = "votes.db"
_LOCK = 0x6B61697761
"""The advisory lock of the writer in PostgreSQL: one per database."""
_DAMAGED = ("is not a vote store, or is damaged", "restore a copy made with: kaiwa backup")
_DENIED = "no rights in the database"
_DENIALS = ("permission denied", "readonly", "read-only", "unable to open", "no schema has been selected")


class Database:
    """A SQLite file or a PostgreSQL database; ``place`` names it in messages, without a password."""

    def __init__(self, location: str | Path) -> None:
        self.path = None if _is_url(location) else Path(location)
        self.url = _parsed(str(location)) if self.path is None else URL.create("sqlite", database=str(self.path))
        if self.path is not None:
            _refuse_no_file(self.path)
        self.place = str(self.path or self.url.set(drivername="postgresql").render_as_string())

    @property
    def is_sqlite(self) -> bool:
        """Whether the store is a file."""
        return self.path is not None

    def exists(self) -> bool:
        """Whether the store has been made."""
        if self.path is not None:
            return self.path.is_file() and self.path.stat().st_size > 0
        with self.reading() as connection:
            return connection.dialect.has_table(connection, "facts")

    def engine(self, *, writes: bool) -> Engine:
        """Connections that are durable when they commit; a writer of a file takes its lock when it begins."""
        if self.path is not None:
            _make_private(self.path)
            made = create_engine(self.url, poolclass=NullPool, connect_args={"timeout": 10, "check_same_thread": False})
            event.listen(made, "connect", _set_writing_pragmas if writes else _set_pragmas)
            event.listen(made, "begin", _begin_writing if writes else _begin_reading)
            return made
        with needs_extra("postgres"):
            made = create_engine(self.url, poolclass=NullPool, connect_args={"connect_timeout": 10})
        event.listen(made, "connect", _set_durable)
        return made if writes else made.execution_options(isolation_level="REPEATABLE READ")

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A connection that sees one moment of the store."""
        with self.faults():
            engine = self.engine(writes=False)
            with engine.begin() as connection:
                yield connection
            engine.dispose()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A short transaction of a command beside the server: people and sessions, never votes."""
        with self.faults():
            engine = self.engine(writes=True)
            with engine.begin() as connection:
                yield connection
            engine.dispose()

    def settle(self) -> None:
        """Put everything into the file itself, so that it can be copied and renamed."""
        if self.path is not None:
            import sqlite3

            try:
                with closing(sqlite3.connect(self.path)) as connection:
                    (mode,) = connection.execute("PRAGMA journal_mode=DELETE").fetchone()
                    if mode != "delete":  # a failed write is no error of this PRAGMA: it answers with the old mode
                        raise sqlite3.OperationalError("disk I/O error")
            except sqlite3.Error as fault:
                raise InputError.at(self.place, *_described(str(fault))) from None

    @contextmanager
    def faults(self) -> Iterator[None]:
        """The block in which an error of the database is one line about the store."""
        try:
            yield
        except DBAPIError as fault:
            raise InputError.at(self.place, *_described(str(fault.orig))) from None
        except UnicodeDecodeError:  # names of tables that are damaged
            raise InputError.at(self.place, *_DAMAGED) from None


def _is_url(location: str | Path) -> bool:
    return isinstance(location, str) and "://" in location


def _refuse_no_file(path: Path) -> None:
    """Refuse a link to nothing, such as to a disk that is not mounted: a new store there would hide the votes."""
    if path.is_symlink() and not path.exists():
        raise InputError.at(path, "is a link to a missing file", "mount its disk, or remove the link")
    if path.is_dir():
        raise InputError.at(path, "is a folder, not a vote store", "move it away, or restore a copy: kaiwa backup")


def _parsed(location: str) -> URL:
    try:
        url = make_url(location)
    except ArgumentError:
        raise InputError.at(option("store"), "is not a URL", "write postgresql://USER@HOST/DATABASE") from None
    if url.get_backend_name() != "postgresql":
        what = f"a store of the kind {url.get_backend_name()!r} is unknown"
        raise InputError.at(option("store"), what, "write postgresql://USER@HOST/DATABASE, or leave it out for a file")
    try:
        with needs_extra("postgres"):
            return _with_driver(url)
    except NoSuchModuleError:
        raise InputError.at(option("store"), "is not a URL", "write postgresql://USER@HOST/DATABASE") from None


def _with_driver(url: URL) -> URL:
    import psycopg  # noqa: F401  the message about a missing extra

    return url.set(drivername="postgresql+psycopg")


def _make_private(path: Path) -> None:
    """Make the file before SQLite does, readable by its owner only; SQLite gives its other files the same rights."""
    with _made(path), suppress(FileExistsError):
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))


@contextmanager
def _made(path: Path) -> Iterator[None]:
    """The block that makes a file; an error of the system is one line."""
    try:
        yield
    except OSError as fault:
        raise InputError.at(path, f"cannot be made ({fault.strerror})", "check the folder and its rights") from None


def _set_pragmas(connection: Any, _: object) -> None:  # Any: the driver's own connection
    connection.isolation_level = None  # SQLAlchemy says BEGIN, below
    for pragma in ("synchronous=FULL", "secure_delete=ON", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _set_writing_pragmas(connection: Any, record: object) -> None:  # Any: as above
    """A reader leaves the journal as it is: to change it is to write."""
    connection.execute("PRAGMA journal_mode=WAL")
    _set_pragmas(connection, record)


def _begin_writing(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _begin_reading(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")


def _set_durable(connection: Any, _: object) -> None:  # Any: the driver's own connection
    with connection.cursor() as cursor:
        cursor.execute("SET synchronous_commit TO on")
        cursor.execute("SET client_encoding TO 'UTF8'")
    connection.commit()


def _described(text: str) -> tuple[str, str]:
    """What an error of the database means, and what to do."""
    said = " ".join(text.split())
    lower = said.lower()
    if any(sign in lower for sign in _DENIALS):
        return f"{_DENIED} ({said})", "grant them, or give another store"
    if "not a database" in lower or "malformed" in lower:
        return _DAMAGED
    if "disk is full" in lower or "no space left" in lower:
        return "the disk is full", "free some space"
    return f"the database answers: {said}", "check that it runs and is the right one"


def unavailable(fault: DBAPIError) -> StoreUnavailable:
    """The error for a vote that could not be stored."""
    return StoreUnavailable(_described(str(fault.orig))[0])


class WriterLock:
    """The right to append votes: one server per store, until the process ends."""

    def __init__(self, database: Database) -> None:
        self._database, self._handle = database, -1

    def take_file(self, path: Path) -> None:
        """Take the lock of a file; it is beside the file, because SQLite's own locks end when a handle is closed."""
        import fcntl

        with _made(path):
            handle = os.open(path.with_name(f"{path.name}.lock"), os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(handle)
            raise self._refused() from None
        self._handle = handle

    def take_on(self, connection: Connection) -> None:
        """Take the lock of a PostgreSQL database, which ends with this connection."""
        if self._database.is_sqlite:
            return
        taken = connection.execute(text("SELECT pg_try_advisory_lock(:key)"), {"key": _LOCK}).scalar_one()
        connection.commit()
        if not taken:
            raise self._refused()

    def _refused(self) -> InputError:
        return InputError.at(self._database.place, "is in use by another server", "stop that one, or use it")

    def free(self) -> None:
        """Give the lock back."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1
