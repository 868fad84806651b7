"""The database goes away at every stage of every change: memory is what is on the disk; the change succeeds later."""

from __future__ import annotations

import logging
import time
from dataclasses import replace
from threading import Event
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from benchmarks.serve.postgres_process import new_database
from benchmarks.serve.small_task import make_task
from sqlalchemy import event, select, text

from kaiwa.nouns.criteria import ladder
from kaiwa.store import log_writer as group_commit
from kaiwa.store import schema
from kaiwa.store.ballots import Ballots
from kaiwa.store.database import Database
from kaiwa.store.judged_task import TakedownWatch, open_judging
from kaiwa.store.log_check import check_store
from kaiwa.store.log_writer import Change
from kaiwa.store.records import Refused, StoreUnavailable
from kaiwa.store.tables import read_facts, read_leases, read_log, read_people, read_sessions
from kaiwa.store.task_items import shown_by_item
from kaiwa.store.vote_store import StoreSettings

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from sqlalchemy.engine import Connection

    from conftest import Round
    from kaiwa.store.vote_store import VoteStore

BEGIN, STATEMENT, COMMIT, ANSWER = "begin", "statement", "commit", "answer"
MOMENTS = (BEGIN, STATEMENT, COMMIT, ANSWER)
"""The connection is lost before the transaction, before what it writes, before its commit, and after its commit."""


@pytest.fixture(scope="module")
def one_database(database_url: str) -> str:
    """The URL of a database of these tests."""
    return new_database(database_url, "outages")


@pytest.fixture
def emptied(one_database: str) -> str:
    """The same, without tables."""
    with psycopg.connect(one_database) as connection:
        connection.execute("DROP SCHEMA public CASCADE")
        connection.execute("CREATE SCHEMA public")
    return one_database


@pytest.fixture(params=["sqlite", "postgresql"])
def kept(request: pytest.FixtureRequest, empty: Round, monkeypatch: pytest.MonkeyPatch) -> Round:
    """A round in a file, or in a database; its writer looks for nothing by itself."""
    monkeypatch.setattr(group_commit, "_IDLE", 600)
    if request.param == "postgresql":
        empty.location = request.getfixturevalue("emptied")
    return empty


class Outage:
    """Closes the connection under an open store, once, at a moment of the next transaction that writes."""

    def __init__(self, store: VoteStore, moment: str) -> None:
        self._moment, self._writes, self.came = moment, False, False
        engine, self._connection, self._database = store._writer._engine, store._writer._connection, store.database
        if moment == BEGIN:
            self._close()
        event.listen(engine, "before_cursor_execute", self._on_statement)
        event.listen(engine, "commit", self._on_commit)

    def _close(self) -> None:
        driver = self._connection.connection.driver_connection
        assert driver is not None
        self.came = True
        backend = None if self._database.is_sqlite else driver.info.backend_pid
        driver.close()
        if backend is not None:
            self._await_end(backend)

    def _await_end(self, backend: int) -> None:
        """Wait until the database has noticed: the lock of the writer ends with its connection."""
        listed, end = select(text("pid")).select_from(text("pg_stat_activity")), time.monotonic() + 60
        with self._database.reading() as connection:
            while backend in connection.execute(listed).scalars().all() and time.monotonic() < end:
                connection.execute(text("SELECT pg_stat_clear_snapshot()"))
                time.sleep(0.005)

    def _on_statement(self, _: object, __: object, statement: str, *___: object) -> None:
        self._writes |= statement.split(maxsplit=1)[0] in {"INSERT", "UPDATE", "DELETE"}
        if self._writes and self._moment == STATEMENT and not self.came:
            self._close()

    def _on_commit(self, _: object) -> None:
        if self._writes and self._moment in {COMMIT, ANSWER} and not self.came:
            if self._moment == ANSWER:
                self._connection.connection.commit()
            self._close()


def known(store: VoteStore) -> dict[str, Any]:  # Any: values of several kinds
    """What an open store has in memory."""
    state = store.state
    assert not state.reserved
    return {
        "log": (state.count, state.head),
        "leases": dict(state.leases),
        "people": {one.code: one for one in store.people()},
        "revoked": state.revoked,
        "sessions": dict(store.access._sessions.values()),
        "items": set(state.items),
    }


def stored(kept: Round) -> dict[str, Any]:  # Any: values of several kinds
    """What is on the disk."""
    with Database(kept.location).reading() as connection:
        rows, people = list(read_log(connection)), read_people(connection)
        served = schema.items.select().where(schema.items.c.served == 1)
        return {
            "log": (rows[-1].seq, rows[-1].hash),
            "leases": {one.lease: one for one in read_leases(connection)},
            "people": people,
            "revoked": frozenset(code for code, one in people.items() if not one.is_active),
            "sessions": read_sessions(connection),
            "items": {row.item for row in connection.execute(served)},
        }


def a_lease(_: Round, store: VoteStore) -> object:
    """Items are given out."""
    return store.work_for("A2").result()


def a_renewal(_: Round, store: VoteStore) -> object:
    """A list that is not finished is given out again."""
    return store.work_for("A1").result()


def a_vote(kept: Round, store: VoteStore) -> object:
    """The same vote each time."""
    lease = next(iter(store.state.leases.values()))
    return store.append(Ballots("A1", (kept.ballot_on(store, lease, key="the-same-key"),)))


def an_invitation(_: Round, store: VoteStore) -> object:
    """A new private link."""
    return store.access.invite("cid", "assessor").result()


def a_revocation(_: Round, store: VoteStore) -> object:
    """A link, and its sessions, end."""
    return store.access.set_state("ann", "revoke").result()


def a_fact(_: Round, store: VoteStore) -> object:
    """A value of the store."""
    return store.set_fact("address", "http://127.0.0.1:1")


def a_takedown(_: Round, store: VoteStore) -> object:
    """A comment and a post are removed."""
    return store.take_down({"q0-c1", "q1"})


def a_session(_: Round, store: VoteStore) -> object:
    """Somebody comes in."""
    return store.access.start_session(store.people()[0])[1].result()


def an_ended_session(_: Round, store: VoteStore) -> object:
    """Somebody leaves."""
    return store.access.end_session("not a session").result()


CHANGES = (
    a_lease,
    a_renewal,
    a_vote,
    an_invitation,
    a_revocation,
    a_fact,
    a_takedown,
    a_session,
    an_ended_session,
)


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_what_was_not_committed_is_not_known_and_can_be_done_again(
    kept: Round, change: Callable[[Round, VoteStore], object], moment: str
) -> None:
    """Memory stays as it was, whether the commit is on the disk or not; the next attempt finds what is there."""
    with kept.open() as store:
        for name in ("ann", "bob"):
            kept.person(store, name)
        kept.vote(store, "A1", kept.places(store, "A1")[0])
        before = known(store)
        assert before == stored(kept)
        outage = Outage(store, moment)
        with pytest.raises(StoreUnavailable):
            change(kept, store)
        assert outage.came
        assert known(store) == before
        assert (stored(kept) == before) or moment == ANSWER
        change(kept, store)
        assert known(store) == stored(kept)
        kept.vote(store, "A2", kept.places(store, "A2")[0])
    assert check_store(Database(kept.location)).findings == ()
    with Database(kept.location).reading() as connection:
        assert read_facts(connection).get("address", "") == ("http://127.0.0.1:1" if change is a_fact else "")


def test_an_ended_session_whose_answer_was_lost_is_ended(kept: Round) -> None:
    """Who has left is not signed in, although the server was told of a failure."""
    with kept.open() as store:
        kept.person(store, "ann")
        secret, written = store.access.start_session(store.people()[0])
        written.result()
        Outage(store, ANSWER)
        with pytest.raises(StoreUnavailable):
            store.access.end_session(secret).result()
        store.access.refresh().result()
        assert store.access.session_of(secret) is None


def test_a_lease_that_was_not_committed_takes_no_vote(kept: Round) -> None:
    """Nobody was given it; the item is given out with another lease."""
    with kept.open() as store:
        code = kept.person(store, "ann")
        for _ in range(2):
            Outage(store, COMMIT)
            with pytest.raises(StoreUnavailable):
                store.work_for(code).result()
        places = kept.places(store, code)
        assert {one.lease.lease for one in places} == set(store.state.leases)
        assert [kept.vote(store, code, one).seq for one in places] == list(range(1, len(places) + 1))
    assert check_store(Database(kept.location)).findings == ()


def together(store: VoteStore, work: Callable[[], None]) -> None:
    """Let what is submitted wait together for one transaction."""
    begun, go_on = Event(), Event()

    def wait(_: Connection) -> None:
        begun.set()
        go_on.wait(60)

    waiting = store._writer.submit(Change(wait))
    begun.wait(60)
    work()
    go_on.set()
    waiting.result()


def test_requests_in_one_transaction_get_one_list_each_and_no_place_twice(kept: Round) -> None:
    """One assessor asks twice and gets the same list; two assessors do not both get the last place of an item."""
    kept.settings = StoreSettings(1, ladder())
    with kept.open() as store:
        people = [kept.person(store, f"person {number}") for number in range(6)]  # three posts, two lists each
        asked = []
        together(store, lambda: asked.extend(store.work_for(code) for code in people * 2))
        found = [one.result() for one in asked]
        for first, again in zip(found[:6], found[6:], strict=True):
            assert [one.lease for one in first] == [one.lease for one in again]
        given = [one.item.item for places in found[:6] for one in places]
        assert len(given) == len(set(given)) == len(store.state.items) == len(store.state.leases)
        assert known(store)["leases"] == {one.lease: one for one in _leases(kept)}


def _leases(kept: Round) -> list[Any]:  # Any: leases
    with Database(kept.location).reading() as connection:
        return list(read_leases(connection))


def test_a_refused_vote_changes_nothing_of_a_transaction_with_leases(kept: Round) -> None:
    """A refusal is of one request alone."""
    with kept.open() as store:
        ann, bob = kept.person(store, "ann"), kept.person(store, "bob")
        place = kept.places(store, ann)[0]
        asked: list[Any] = []
        bad = replace(kept.ballot(place), shown="0")
        together(store, lambda: asked.extend((store.submit(Ballots(ann, (bad,))), store.work_for(bob))))
        assert isinstance(asked[0].exception(), Refused)
        assert kept.vote(store, bob, asked[1].result()[0]).seq == 1
    assert check_store(Database(kept.location)).findings == ()


def test_a_renewal_that_meets_no_row_is_told_and_stored_again(kept: Round, caplog: pytest.LogCaptureFixture) -> None:
    """A vote never refers to a lease that the store does not have."""
    with kept.open() as store:
        code = kept.person(store, "ann")
        places = kept.places(store, code)
        with Database(kept.location).writing() as connection:
            connection.execute(schema.leases.delete().where(schema.leases.c.lease == places[0].lease.lease))
        with caplog.at_level(logging.ERROR, "kaiwa.store"):
            again = kept.places(store, code)
        assert [one.lease.lease for one in again] == [one.lease.lease for one in places]
        assert "1 lease of A1 was missing in the store" in caplog.text
        kept.vote(store, code, again[0])
    assert check_store(Database(kept.location)).findings == ()


def test_a_full_disk_gives_nothing_out_and_leases_follow_when_there_is_room(empty: Round) -> None:
    """The same people get their lists later, and every vote is on a lease that is stored."""
    empty.settings = StoreSettings(40, ladder())
    with empty.open() as store:
        people = [empty.person(store, f"person {number}") for number in range(40)]
        empty.vote(store, people[0], empty.places(store, people[0])[0])
        driver = store._writer._connection.connection.driver_connection
        assert driver is not None
        driver.execute(f"PRAGMA max_page_count = {driver.execute('PRAGMA page_count').fetchone()[0]}")
        faults = [store.work_for(code).exception() for code in people]
        assert any(isinstance(fault, StoreUnavailable) and "disk is full" in str(fault) for fault in faults)
        assert known(store) == stored(empty)
        driver.execute("PRAGMA max_page_count = 1000000")
        for code in people:
            place = next(one for one in empty.places(store, code) if one.vote is None)
            empty.vote(store, code, place)
        assert known(store) == stored(empty)
    assert check_store(Database(empty.path)).findings == ()


def test_a_takedown_that_failed_is_applied_by_the_next_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The list is not read as applied before the store has forgotten what it names."""
    monkeypatch.setattr(group_commit, "_IDLE", 600)
    judging = open_judging(make_task(tmp_path / "task", topics=2, comments=3, votes_per_item=1))
    with judging.store as store:
        watch = TakedownWatch(judging)
        assert (watch.look(), watch.look()) == (True, False)
        (tmp_path / "task" / "takedown.txt").write_text("q0-c1\n", encoding="utf-8")
        Outage(store, COMMIT)
        with pytest.raises(StoreUnavailable):
            watch.look()
        assert len(store.state.items) == 6
        assert (watch.look(), watch.look()) == (True, False)
        assert "q0-c1" not in {one.comment for one in store.state.items.values()}
        assert len(store.state.items) == 5


def test_a_log_that_was_replaced_while_the_connection_was_lost_is_not_written_to(kept: Round) -> None:
    """Acknowledged votes that the database has lost are not covered by new ones."""
    with kept.open() as store:
        code = kept.person(store, "ann")
        first, second = kept.places(store, code)[:2]
        kept.vote(store, code, first)
        with Database(kept.location).writing() as connection:
            connection.execute(schema.votes.delete())
        Outage(store, BEGIN)
        for _ in range(2):
            with pytest.raises(StoreUnavailable):
                kept.vote(store, code, second)
    with Database(kept.location).reading() as connection:
        assert list(read_log(connection)) == []
        assert shown_by_item(connection)
