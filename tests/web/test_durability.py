"""Acknowledged means durable: kills, full disks, copies under load, one writer; on SQLite and PostgreSQL."""

from __future__ import annotations

import asyncio
import json
import re
import resource
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from benchmarks.serve.assessor_client import AssessorClient
from benchmarks.serve.kills import exported, killed_under_load
from benchmarks.serve.page_client import Client, ballot
from benchmarks.serve.postgres_process import new_database, running_postgres
from benchmarks.serve.server_process import ServerProcess, in_own_thread, invited, run_kaiwa
from benchmarks.serve.small_task import make_task

from kaiwa.store.database import Database
from kaiwa.store.tables import read_log

if TYPE_CHECKING:
    from collections.abc import Callable

NO_REPEATS = "repeat_share = 0.0\n"
"""The second votes on items that come back are not exported."""

pytestmark = pytest.mark.xdist_group("web_durability")


def is_tracing_forbidden() -> bool:
    """Whether strace is installed, as the Makefile does, and may not trace another process here."""
    command = ["strace", "-o", "/dev/null", "true"]
    return (
        shutil.which("strace") is not None and subprocess.run(command, check=False, capture_output=True).returncode != 0
    )


@pytest.mark.skipif(is_tracing_forbidden(), reason="strace may not trace here, so the calls of the server are not seen")
def test_a_vote_is_on_the_disk_before_it_is_acknowledged_and_nobody_is_called(tmp_path: Path) -> None:
    """The order of the calls: the vote is read, fdatasync, the answer; and no outbound connection at all."""
    task = make_task(tmp_path / "task", topics=1, comments=3, votes_per_item=1)
    calls = tmp_path / "calls"
    traced = "trace=fdatasync,fsync,recvfrom,sendto,connect"
    strace = ["strace", "-D", "-f", "--seccomp-bpf", "-s", "4096", "-e", traced, "-o", str(calls)]
    with ServerProcess(task, before=strace) as server:
        client = Client(server.port, invited(task, ["Ann"])[0])
        sent = ballot(client.work()[0])
        assert client.request("POST", "/votes", {"votes": [sent]}).status == 200
    lines = calls.read_text(encoding="utf-8", errors="replace").splitlines()
    asked = next(place for place, line in enumerate(lines) if "recvfrom" in line and sent["key"] in line)
    told = next(place for place, line in enumerate(lines) if "sendto" in line and sent["key"] in line)
    synced = [place for place, line in enumerate(lines) if re.search(r"fdatasync\(|fsync\(", line)]
    assert any(asked < place < told for place in synced), lines[asked : told + 1]
    assert "HTTP/1.1 200" in lines[told], lines[told]  # a killed process has sent a whole answer or nothing
    assert [line for line in lines if "connect(" in line and "AF_INET" in line] == []


def test_twenty_kills_under_fifty_clients_lose_and_double_nothing(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    """Votes that were stored and not acknowledged come again, and their keys keep them single."""
    task = make_task(tmp_path / "task", topics=60, comments=20, votes_per_item=50, settings=NO_REPEATS)
    found = killed_under_load(task, kills=20, clients=50)
    record_property("would-be doubles", found.saved_by_key)
    print(f"would-be doubles: {found.saved_by_key} of {found.pressed} votes, {found.kills} kills")  # noqa: T201  asked for
    assert (found.lost, found.doubled) == ((), ()), found.log
    assert found.saved_by_key > 0, found
    assert run_kaiwa("verify", str(task)).returncode == 0
    assert exported(task, None) == found.given


def test_six_kills_of_the_server_and_its_postgresql_lose_and_double_nothing(tmp_path: Path) -> None:
    """The database alone, both, the server alone: nothing is found, and the export is what was pressed."""
    with running_postgres() as database:
        store = new_database(database.url, "kills")
        task = make_task(tmp_path / "task", topics=60, comments=20, votes_per_item=50, settings=NO_REPEATS)
        found = killed_under_load(task, kills=6, clients=20, store=store, database=database)
        assert (found.lost, found.doubled) == ((), ()), found.log
        verified = run_kaiwa("verify", str(task), "--store", store, check=False)
        assert (verified.returncode, " 0 findings;" in verified.stdout) == (0, True), verified.stdout
        assert exported(task, store) == found.given


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_second_server_is_refused_in_one_line(tmp_path: Path, kind: str, request: pytest.FixtureRequest) -> None:
    """While the first one runs, and not after it was stopped; people are invited beside it."""
    store = new_database(request.getfixturevalue("database_url"), "second") if kind == "postgresql" else None
    task = make_task(tmp_path / "task", topics=1, comments=3, votes_per_item=1)
    words = ["--store", store] if store else []
    with ServerProcess(task, store=store) as server:
        refused = run_kaiwa("serve", str(task), "--port", "0", *words, check=False)
        assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
        assert "in use by another server" in refused.stderr
        imported = tmp_path / "votes.csv"
        imported.write_text("topic,comment,assessor,level\nq0,q0-c0,ann,2\n", encoding="utf-8")
        also = run_kaiwa("votes", str(task), "--add", str(imported), *words, check=False)
        assert (also.returncode, also.stderr.count("\n")) == (2, 1)
        client = Client(server.port, invited(task, ["Ann"], store=store)[0])
        assert client.vote(client.work()[0]).status == 200
    assert run_kaiwa("votes", str(task), "--add", str(imported), *words).returncode == 0


def test_a_full_disk_is_503_with_its_cause_logged_and_the_same_keys_succeed_later(tmp_path: Path) -> None:
    """Nothing is acknowledged without a row."""
    task = make_task(tmp_path / "task", topics=2, comments=30, votes_per_item=1)
    with ServerProcess(task) as server:
        client = Client(server.port, invited(task, ["Ann"])[0])
        items = client.work()
        sizes = [path.stat().st_size for path in task.glob("votes.db*")]
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (max(sizes), resource.RLIM_INFINITY))
        votes = [ballot(one, note="n" * 4000) for one in items]
        statuses = {vote["key"]: client.request("POST", "/votes", {"votes": [vote]}).status for vote in votes}
        assert 503 in statuses.values()
        stored = client.request("GET", "/votes/mine").json()["votes"]
        assert {one["key"] for one in stored} == {key for key, status in statuses.items() if status == 200}
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
        assert {client.request("POST", "/votes", {"votes": [vote]}).status for vote in votes} == {200}
        assert len(client.request("GET", "/votes/mine").json()["votes"]) == len(votes)
    log = server.log.read_text(encoding="utf-8")
    assert "disk" in log
    assert "nnnn" not in log
    assert run_kaiwa("verify", str(task)).returncode == 0


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_a_copy_taken_while_people_vote_holds_every_vote_acknowledged_before(
    tmp_path: Path, kind: str, request: pytest.FixtureRequest
) -> None:
    """It opens as a store of the task, and is sound."""
    store = new_database(request.getfixturevalue("database_url"), "copied") if kind == "postgresql" else None
    task = make_task(tmp_path / "task", topics=30, comments=20, votes_per_item=50)
    words = ["--store", store] if store else []
    with ServerProcess(task, store=store) as server:
        people = [AssessorClient(server.port, one) for one in invited(task, [f"P{n}" for n in range(50)], store=store)]
        before, copy = in_own_thread(_copied_under_load(task, people, words))
    assert before
    with Database(copy).reading() as connection:
        assert before <= {row.key for row in read_log(connection)}
    restored = make_task(tmp_path / "restored", topics=30, comments=20, votes_per_item=50)
    shutil.copy(copy, restored / "votes.db")
    assert run_kaiwa("verify", str(restored)).returncode == 0
    with ServerProcess(restored):
        pass


async def _copied_under_load(task: Path, people: list[AssessorClient], words: list[str]) -> tuple[set[str], Path]:
    for one in people:
        await one.sign_in()
    votes = [asyncio.create_task(one.vote_until(time.monotonic() + 3)) for one in people]
    await asyncio.sleep(1)
    before = {key for one in people for key in one.acknowledged}
    done = await asyncio.to_thread(run_kaiwa, "backup", str(task), "--json", *words)
    await asyncio.gather(*votes)
    for one in people:
        one.close()
    return before, Path(json.loads(done.stdout)["path"])


def test_sigterm_under_load_ends_cleanly_and_loses_nothing(tmp_path: Path) -> None:
    """The exit code is 0, and what waited is stored or not acknowledged."""
    task = make_task(tmp_path / "task", topics=20, comments=20, votes_per_item=50)
    server = ServerProcess(task)
    server.start()
    people = [AssessorClient(server.port, one) for one in invited(task, [f"P{n}" for n in range(10)])]

    async def vote() -> int:
        for one in people:
            await one.sign_in()
        votes = [asyncio.create_task(one.vote_until(time.monotonic() + 1.5)) for one in people]
        await asyncio.sleep(0.7)
        code = await asyncio.to_thread(server.end, signal.SIGTERM)
        await asyncio.to_thread(server.start)
        await asyncio.gather(*votes)
        for one in people:
            one.close()
        return code

    assert in_own_thread(vote()) == 0
    assert server.end() == 0
    with Database(task / "votes.db").reading() as connection:
        assert {row.key for row in read_log(connection)} == {key for one in people for key in one.acknowledged}


def test_a_lost_connection_is_made_again_with_its_lock(tmp_path: Path, database_url: str) -> None:
    """PostgreSQL ends the server's connections: the next vote is stored, and a second server is still refused."""
    import psycopg

    store = new_database(database_url, "lost")
    task = make_task(tmp_path / "task", topics=1, comments=3, votes_per_item=1)
    with ServerProcess(task, store=store) as server:
        client = Client(server.port, invited(task, ["Ann"], store=store)[0])
        votes = [ballot(one) for one in client.work()]
        assert client.request("POST", "/votes", {"votes": votes[:1]}).status == 200
        with psycopg.connect(store, autocommit=True) as connection:
            others = "FROM pg_stat_activity WHERE datname = 'lost' AND pid <> pg_backend_pid()"
            assert connection.execute(f"SELECT pg_terminate_backend(pid) {others}").fetchall() != []
        statuses = [client.request("POST", "/votes", {"votes": votes[1:]}).status for _ in range(3)]
        assert statuses[-1] == 200
        refused = run_kaiwa("serve", str(task), "--port", "0", "--store", store, check=False)
        assert (refused.returncode, "in use by another server" in refused.stderr) == (2, True)
    assert run_kaiwa("verify", str(task), "--store", store).returncode == 0


def test_a_database_without_rights_is_one_line(tmp_path: Path, database_url: str) -> None:
    """And so is one that is not there."""
    import psycopg

    store = new_database(database_url, "closed")
    with psycopg.connect(store, autocommit=True) as connection:
        connection.execute("CREATE ROLE guest LOGIN")
        connection.execute("REVOKE ALL ON SCHEMA public FROM PUBLIC")
    task = make_task(tmp_path / "task", topics=1, comments=3, votes_per_item=1)
    for url, said in (
        (store.replace("kaiwa@", "guest@"), "no rights in the database"),
        (store.replace("/closed?", "/nowhere?"), "nowhere"),
        ("mysql://there", "unknown"),
        ("there", "is not a URL"),
    ):
        refused = run_kaiwa("serve", str(task), "--port", "0", "--store", url, check=False)
        assert (refused.returncode, refused.stderr.count("\n")) == (2, 1), refused.stderr
        assert said in refused.stderr
