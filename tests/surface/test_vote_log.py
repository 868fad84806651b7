"""invite, votes, verify, backup and serve: the command and the Python function are one."""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
import os
import re
import signal
import sqlite3
import threading
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pytest
from click.testing import CliRunner

import kaiwa
from kaiwa.cli.command import VerbCommand
from kaiwa.cli.group import kaiwa as group
from kaiwa.errors import in_command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from click.testing import Result

VERBS = ("invite", "votes", "verify", "backup", "serve")
OF_THE_SHELL = {"form", "as_json", "table", "quiet"}
OWN_FILE = {"votes", "verify"}
"""The verbs whose -o is the file of the result, not a parameter."""
OF_PYTHON = {"ready"}
"""What the command does with the addresses of a server: it prints them."""
PAIRS = "p1\tThe first day in Hawaii\tc1\tEnjoy the beaches\np2\tIt rains\tc2\tStay at home if it rains\n"
VOTES = [("q1", "c1", "ann", 2), ("q1", "c2", "ann", 0), ("q1", "c1", "bob", 1), ("q1", "c1", "eve", 1)]


@pytest.fixture
def task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A task folder with four votes, one of them surplus, as the current folder; an index, and a file of votes."""
    (tmp_path / "pairs.tsv").write_text(PAIRS, encoding="utf-8")
    (tmp_path / "kaiwa.toml").write_text(
        '[task]\ntitle = "t"\n[judging]\nvotes_per_item = 2\nmax_level = 2\n', encoding="utf-8"
    )
    (tmp_path / "topics.tsv").write_text("q1\tA day in Hawaii\n", encoding="utf-8")
    (tmp_path / "pool.tsv").write_text("q1\tc1\nq1\tc2\n", encoding="utf-8")
    (tmp_path / "more.csv").write_text("topic,comment,assessor,level\nq1,c2,bob,1\n", encoding="utf-8")
    kaiwa.index(kaiwa.clean(tmp_path / "pairs.tsv", tmp_path / "repository"), tmp_path / "index", language="en")
    kaiwa.votes(tmp_path, add=kaiwa.Votes.from_rows(VOTES))
    monkeypatch.delenv("KAIWA_STORE", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words: str, code: int = 0) -> Result:
    """The command, which ends with the code."""
    done = CliRunner().invoke(group, list(words), catch_exceptions=False)
    assert done.exit_code == code, done.output
    return done


def edited(statement: str) -> None:
    """Change the log behind the back of the server."""
    with closing(sqlite3.connect("votes.db")) as connection, connection:
        connection.execute(statement)


def _command(verb: str) -> VerbCommand:
    found = group.get_command(click.Context(group), verb)
    assert isinstance(found, VerbCommand)
    return found


@pytest.mark.parametrize("verb", VERBS)
def test_the_command_has_the_parameters_and_defaults_of_the_function(verb: str) -> None:
    """None more, none fewer, each with the same default."""
    left_out = OF_THE_SHELL | ({"output"} if verb in OWN_FILE else set())
    options = {one.name: one for one in _command(verb).params if one.name not in left_out}
    parameters = inspect.signature(getattr(kaiwa, verb)).parameters
    assert set(options) == set(parameters) - OF_PYTHON
    for name, option in options.items():
        wanted = parameters[name].default
        given = option.default if isinstance(option.default, str | int | float | tuple | Path) else None
        assert (str(given) if isinstance(given, Path) else given or None) == (
            None if wanted is inspect.Parameter.empty else wanted or None
        ), name
        if isinstance(option, click.Option):
            assert f"--{name.replace('_', '-')}" in option.opts


CALLS: dict[str, tuple[str, Callable[[], Any]]] = {
    "votes": ("votes", kaiwa.votes),
    "all votes": ("votes . --despite-findings", lambda: kaiwa.votes(".", despite_findings=True)),
    "verify": ("verify", kaiwa.verify),
    "a head": ("verify . --heads 00 --heads 01,02", lambda: kaiwa.verify(heads=["00", "01", "02"])),
    "backup": ("backup . -o copy.db", lambda: kaiwa.backup(output="copy.db")),
    "people": ("invite . --list", lambda: kaiwa.invite(".", list=True)),
    "revoke": ("invite . --revoke ann,bob", lambda: kaiwa.invite(".", revoke=["ann", "bob"])),
}


def _away(name: str) -> None:
    """Remove a copy, over which no other is written."""
    Path(name).unlink(missing_ok=True)


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.usefixtures("task")
def test_json_of_the_command_is_that_of_the_result(name: str) -> None:
    """And every field is an attribute of the same name."""
    words, call = CALLS[name]
    result = call()
    _away("copy.db")
    done = run(*words.split(), "--json", code=int(name == "a head"))
    assert done.stdout == result.to_json() + "\n"
    assert all(hasattr(result, field) for field in json.loads(done.stdout))


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.usefixtures("task")
def test_what_is_printed_is_the_same_in_both(name: str) -> None:
    """The text, and each table as CSV."""
    words, call = CALLS[name]
    code = int(name == "a head")
    result = call()
    _away("copy.db")
    assert run(*words.split(), code=code).stdout == result.describe().worded(in_command).plain() + "\n"
    for table in result.tables:
        _away("copy.db")
        shown = run(*words.split(), "--table", table, "--format", "csv", code=code).stdout
        assert shown.rstrip("\n") == result.to_csv(table).rstrip("\n")


def test_votes_know_what_was_left_out_and_are_written_as_a_vote_file(task: Path) -> None:
    """Counts, surplus, the head; -o writes what ``write`` does, and the record of the file has the head."""
    made = kaiwa.votes()
    assert (made.votes, made.items, made.assessors, made.surplus) == (3, 2, ("A1", "A2"), 1)
    assert (made.left_out, made.findings, made.added, len(made.head)) == (0, (), None, 64)
    run("votes", "-o", "votes.csv")
    made.write("again.csv")
    assert (task / "votes.csv").read_bytes() == (task / "again.csv").read_bytes()
    assert kaiwa.read_votes("votes.csv").by_assessor().tolist() == made.by_assessor().tolist()
    assert json.loads((task / ".kaiwa-steps.json").read_text())["votes.csv"]["options"]["head"] == made.head
    assert run("votes", "-o", "-").stdout == made.own_form()


@pytest.mark.parametrize("form", ["a file", "votes", "a frame"])
def test_votes_from_elsewhere_are_added_once_in_any_form(task: Path, form: str) -> None:
    """And the result has them."""
    given: dict[str, Any] = {
        "a file": "more.csv",
        "votes": kaiwa.read_votes("more.csv"),
        "a frame": kaiwa.read_votes("more.csv").to_pandas(),
    }
    first, second = (kaiwa.votes(task, add=given[form]) for _ in range(2))
    assert first.added is not None
    assert second.added is not None
    assert (first.added.new, second.added.new, second.added.known) == (1, 0, 1)
    assert first.votes == second.votes == 4
    printed = json.loads(run("votes", "--add", "more.csv", "--json").stdout)
    assert printed["added"] == {"new": 0, "known": 1, "changed": 0, "outside": 0}


def test_what_is_left_out_is_told_where_rows_have_no_place_for_it(task: Path) -> None:
    """In the text, and on stderr when votes alone are printed; a file keeps the sound ones."""
    edited("UPDATE votes SET lease = 'lost' WHERE seq = 2")
    edited(f"UPDATE votes SET hash = '{_hash_of(2)}' WHERE seq = 2")  # noqa: S608  our own
    _chained_again()
    made = kaiwa.votes(task)
    assert (made.votes, made.left_out, made.rows_left_out) == (2, 1, (2,))
    assert "1 vote left out, rows of the log: 2; despite_findings=True keeps them" in str(made)
    assert "1 vote left out, rows of the log: 2; --despite-findings keeps them" in run("votes").stdout
    rows = run("votes", "-o", "-")
    assert "left out" not in rows.stdout
    assert "note: 1 vote left out, rows of the log: 2; --despite-findings keeps them" in rows.stderr
    assert kaiwa.votes(task, despite_findings=True).votes == 3
    assert run("verify", code=1).stdout.startswith("lease: row 2 is on an item that A1 was not given")


def _hash_of(number: int) -> str:
    from kaiwa.store.database import Database
    from kaiwa.store.records import chained
    from kaiwa.store.tables import read_log

    with Database(Path("votes.db")).reading() as connection:
        return next(chained(row.columns()) for row in read_log(connection) if row.seq == number)


def _chained_again() -> None:
    """Chain the rows again, and record the last one: what another program could do."""
    from kaiwa.store.database import Database
    from kaiwa.store.tables import read_log

    for number in range(2, 5):
        if number > 2:
            edited(f"UPDATE votes SET prev = (SELECT hash FROM votes WHERE seq = {number - 1}) WHERE seq = {number}")  # noqa: S608
        edited(f"UPDATE votes SET hash = '{_hash_of(number)}' WHERE seq = {number}")  # noqa: S608
    with Database(Path("votes.db")).reading() as connection:
        last = list(read_log(connection))[-1]
    edited(f"UPDATE facts SET value = '{last.seq} {last.hash}' WHERE name = 'tail'")  # noqa: S608


def test_a_broken_chain_refuses_the_votes_before_anything_is_added(task: Path) -> None:
    """Unless all votes are asked for."""
    edited("UPDATE votes SET level = 0 WHERE seq = 1")
    with pytest.raises(kaiwa.InputError, match=r"row 1 was changed .* kaiwa votes despite_findings=True"):
        kaiwa.votes(task, add="more.csv")
    assert kaiwa.verify(task).rows == 4
    assert kaiwa.votes(task, add="more.csv", despite_findings=True).votes == 4


@pytest.mark.usefixtures("task")
def test_a_link_is_known_to_the_call_that_makes_it() -> None:
    """By name; a list has none, and a repr never."""
    made = kaiwa.invite(".", "Ann", "Lee, Bo", role="lead")
    assert list(made.links) == ["Ann", "Lee, Bo"]
    assert all(re.fullmatch(r"http://127\.0\.0\.1:8000/in#[\w-]{43}", link) for link in made.links.values())
    assert [(one.role, one.state) for one in made.people] == [("lead", "active")] * 2
    assert "#" not in repr(made)
    assert not any(one.link for one in kaiwa.invite(".", list=True).people)
    assert kaiwa.invite(".", revoke="Lee, Bo").people[0].state == "revoked"
    printed = json.loads(run("invite", ".", "Cy", "--json").stdout)
    assert printed["links"] == {"Cy": printed["people"][0]["link"]}
    assert run("invite", ".", "Cy").stdout.startswith("Cy (assessor A")


def test_a_backup_stands_for_its_file(task: Path) -> None:
    """By default a new file in the folder; it opens as the log of a task."""
    made = kaiwa.backup()
    assert made.path.parent == Path("backups")
    with pytest.raises(kaiwa.InputError, match="never overwritten"):
        kaiwa.backup(output=made)
    os.replace(made, task / "votes.db")  # noqa: PTH105  takes what stands for a path
    assert kaiwa.verify().head == made.head


REFUSED: dict[str, tuple[str, Callable[[], object]]] = {
    "nobody": ("nobody is named", lambda: kaiwa.invite(".")),
    "two acts": ("acts of their own", lambda: kaiwa.invite(".", "Ann", list=True)),
    "a list and a name": ("acts of their own", lambda: kaiwa.invite(".", list=True, revoke="ann")),
    "a role of nobody": ('role="lead" is for people to invite', lambda: kaiwa.invite(".", list=True, role="lead")),
    "an unknown role": ("unknown role 'boss'", lambda: kaiwa.invite(".", "Ann", role="boss")),
    "an unknown person": ("unknown person 'anne'; did you mean 'ann'", lambda: kaiwa.invite(".", revoke="anne")),
    "a level": ("add= has the level 3", lambda: kaiwa.votes(add=kaiwa.Votes.from_rows([("q1", "c1", "x", 3)]))),
    "a program": ("SIMULATED", lambda: kaiwa.votes(add=kaiwa.Votes.from_rows([("q1", "c1", "SIMULATED-1", 1)]))),
    "a store": ("is not a URL", lambda: kaiwa.verify(store="votes.db")),
    "a folder": ("task=None is not a path", lambda: kaiwa.backup(None)),  # type: ignore[arg-type]
    **{
        f"{name} alone": (
            f"{name}= is for answering posts; add reply=INDEX",
            lambda name=name, value=value: kaiwa.serve(**{name: value}),
        )
        for name, value in {
            "processes": 2,
            "models": "models",
            "ranker": "ranker",
            "takedown": "gone.txt",
            "max_k": 5,
            "max_waiting": 5,
            "timeout": 1.0,
        }.items()
    },
    **{
        f"{name} with replies": (
            f"{name.upper() if name == 'task' else f'{name}='} is for judging",
            lambda name=name, value=value: kaiwa.serve(reply="index", **{name: value}),
        )
        for name, value in {"task": "judged", "store": "postgresql://a@b/c", "invite": "Ann"}.items()
    },
    "a port": ("port=70000 is not from 0 to 65,535", lambda: kaiwa.serve(port=70_000)),
    "processes": ("processes=0 is not from 1 to 64", lambda: kaiwa.serve(reply="index", processes=0)),
    "k": ("max_k=0 is not from 1 to 1,000", lambda: kaiwa.serve(reply="index", max_k=0)),
    "waiting": ("max_waiting=0 answers no post", lambda: kaiwa.serve(reply="index", max_waiting=0)),
    "time": ("timeout=0 is not above 0", lambda: kaiwa.serve(reply="index", timeout=0)),
    "TLS": ("needs a certificate and a key", lambda: kaiwa.serve(tls_cert="cert.pem")),
    "a host": ("to 0.0.0.0 unencrypted", lambda: kaiwa.serve(host="0.0.0.0")),  # noqa: S104  refused
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.usefixtures("task")
def test_what_cannot_act_is_refused_in_the_function(name: str) -> None:
    """In one line, with what works; nothing is changed."""
    message, call = REFUSED[name]
    before = kaiwa.verify().head, kaiwa.invite(".", list=True)
    with pytest.raises(kaiwa.InputError) as refused:
        call()
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)
    assert (kaiwa.verify().head, kaiwa.invite(".", list=True)) == before


def _stop() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def _status(url: str, path: str, body: str | None = None) -> tuple[int, str]:
    host = url.removeprefix("http://")
    connection = HTTPConnection(host, timeout=60)
    connection.request("POST" if body else "GET", path, body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    found = answer.status, answer.read().decode()
    connection.close()
    return found


@pytest.mark.usefixtures("no_loop")
def test_a_task_is_served_from_python_until_it_is_stopped(task: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """The caller gets the address and the links; nothing is printed, and the log is free afterwards."""
    told: list[kaiwa.Served] = []
    handlers = signal.getsignal(signal.SIGINT), logging.getLogger().handlers[:]

    def ready(served: kaiwa.Served) -> None:
        told.append(served)
        _stop()

    served = kaiwa.serve(task, port=0, invite=["Ann", "Bo"], ready=ready)
    assert told == [served]
    assert served.organiser is not None
    assert served.organiser.startswith(f"{served.url}/in#")
    assert [one.name for one in served.invites] == ["Ann", "Bo"]
    assert [(one.url, one.pid) for one in served.processes] == [(served.url, os.getpid())]
    assert served.reply is None
    assert str(served).startswith(f"{served.url} is ready; Ctrl-C stops it.\nThe organiser's private link: ")
    assert all(hasattr(served, field) for field in json.loads(served.to_json()))
    assert capfd.readouterr() == ("", "")
    assert (signal.getsignal(signal.SIGINT), logging.getLogger().handlers[:]) == handlers
    assert kaiwa.votes(task, add="more.csv").votes == 4  # refused while a server runs


@pytest.fixture
def no_loop() -> Iterator[None]:
    """The browser of other tests keeps a loop of this process marked as running."""
    loop = asyncio._get_running_loop()
    asyncio._set_running_loop(None)
    yield
    asyncio._set_running_loop(loop)


@pytest.mark.usefixtures("no_loop")
@pytest.mark.parametrize("processes", [1, 2])
def test_replies_are_served_from_python(
    task: Path, processes: int, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    """A list of the task and ids of the caller are obeyed; the caller's logging stays as it is."""
    caplog.set_level(logging.WARNING, logger="kaiwa.reply")  # whatever a command in this process has set
    handlers = logging.getLogger().handlers[:]
    answers: list[tuple[int, str]] = []
    (task / "takedown.txt").write_text("c1\n", encoding="utf-8")

    def ask(served: kaiwa.Served) -> None:
        answers.extend(_status(one.url, "/reply", '{"post": "It rains in Hawaii"}') for one in served.processes)
        _stop()

    def ready(served: kaiwa.Served) -> None:
        threading.Thread(target=ask, args=(served,)).start()

    served = kaiwa.serve(reply="index", port=0, processes=processes, takedown=[task], ready=ready)
    assert (served.reply, served.organiser, len(served.processes)) == (f"{served.url}/reply", None, processes)
    assert [status for status, _ in answers] == [200] * processes
    assert all([one["comment"] for one in json.loads(text)["replies"]] == ["c2"] for _, text in answers)
    assert logging.getLogger().handlers[:] == handlers
    assert capfd.readouterr() == ("", "")


def test_a_server_outside_the_main_thread_is_refused(task: Path) -> None:
    """Nothing could stop it."""
    errors: list[kaiwa.InputError] = []

    def serve() -> None:
        try:
            kaiwa.serve(task, port=0)
        except kaiwa.InputError as fault:
            errors.append(fault)

    thread = threading.Thread(target=serve)
    thread.start()
    thread.join()
    assert "runs in the main thread" in str(errors[0])
