"""A store with findings is usable: what is sound is exported, what is left out is named, and serving goes on."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

import pytest
from benchmarks.serve.page_client import Client
from benchmarks.serve.postgres_process import new_database
from benchmarks.serve.server_process import ServerProcess, invited, run_kaiwa
from benchmarks.serve.small_task import make_task
from sqlalchemy import text

from kaiwa.store.database import Database

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

pytestmark = pytest.mark.xdist_group("web_content")

LOST = (2, 3, 4, 9)
"""The rows whose leases the store does not know: it had given them out, and its database was killed."""


def judged_by_all(server: ServerProcess, names: Sequence[str], store: str | None) -> None:
    """Let people vote on everything they are given."""
    for token in invited(server.task, names, store=store):
        client = Client(server.port, token)
        while items := client.work():
            assert all(client.vote(one, number % 3).status == 200 for number, one in enumerate(items))


def edited(task: Path, store: str | None, *statements: str) -> None:
    """Change the store behind the server's back."""
    with Database(store or task / "votes.db").writing() as connection:
        for one in statements:
            connection.execute(text(one))


def left_by_the_old_fault(folder: Path, store: str | None) -> Path:
    """A task whose votes by Ann are all stored and chained, some of them on leases that were never stored."""
    settings = 'repeat_share = 0.0\n[scoring]\nmeasures = ["nG@1"]\n[comparing]\ntrials = 100\n'
    task = make_task(folder, topics=2, comments=6, votes_per_item=2, settings=settings)
    (task / "runs").mkdir()
    for name in ("One-C-R1", "Two-C-R1"):
        ranks = [(f"q{topic}", place) for topic in range(2) for place in range(1, 7)]
        lines = [
            f"{topic} 0 {topic}-c{place % 6 if name < 'T' else place - 1} {place} {9 - place} {name}\n"
            for topic, place in ranks
        ]
        (task / "runs" / f"{name}.txt").write_text("<SYSDESC>x</SYSDESC>\n" + "".join(lines), encoding="utf-8")
    with ServerProcess(task, store=store) as server:
        judged_by_all(server, ["Ann"], store)
    rows = ", ".join(map(str, LOST))
    edited(task, store, f"DELETE FROM leases WHERE lease IN (SELECT lease FROM votes WHERE seq IN ({rows}))")  # noqa: S608
    return task


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_votes_with_leases_that_were_never_stored_do_not_lock_the_others_in(
    tmp_path: Path, kind: str, request: pytest.FixtureRequest
) -> None:
    """They are named and left out, or written when asked for; people go on, and a copy can be made."""
    store = new_database(request.getfixturevalue("database_url"), "oldfault") if kind == "postgresql" else None
    words = ["--store", store] if store else []
    task = left_by_the_old_fault(tmp_path / "task", store)
    found = run_kaiwa("verify", str(task), *words, check=False)
    assert found.returncode == 1
    assert [line for line in found.stdout.splitlines() if "was not given" in line] == [
        f"lease: row {row} is on an item that Ann was not given".replace("Ann", "A1") for row in LOST
    ]
    assert "lease (4 findings): the store has no record that the item was given" in found.stdout
    assert "Only these votes are affected" in found.stdout
    told = json.loads(run_kaiwa("verify", str(task), "--json", *words, check=False).stdout)["findings"]
    assert [(one["row"], one["votes"]) for one in told] == [(row, "left out") for row in LOST]
    assert all("each is a vote that was given" in one["means"] for one in told)

    sound = run_kaiwa("votes", str(task), "-o", "-", *words)
    assert len(list(csv.DictReader(sound.stdout.splitlines()))) == 12 - len(LOST)
    notes = [line for line in sound.stderr.splitlines() if line.startswith("note: ")]
    assert notes[0] == "note: 4 votes left out, rows of the log: 2 to 4, 9; --despite-findings keeps them"
    assert notes[1].startswith("note: lease (4 findings): ")
    everything = run_kaiwa("votes", str(task), "-o", "-", "--despite-findings", *words)
    assert len(list(csv.DictReader(everything.stdout.splitlines()))) == 12
    assert "left out" not in everything.stderr.replace("leaves them out", "")

    with ServerProcess(task, store=store) as server:
        judged_by_all(server, ["Bob"], store)
        lead = Client(server.port, server.organiser.split("#")[1])
        answer = lead.request("GET", "/lead/export/votes.csv")
        assert (answer.status, answer.headers["x-kaiwa-left-out"]) == (200, "4")
        assert len(answer.body.decode().splitlines()) == 1 + 24 - len(LOST)
    assert run_kaiwa("verify", str(task), *words, check=False).stdout.count("was not given") == len(LOST)
    copied = run_kaiwa("backup", str(task), *words)
    assert "the copy has 4 findings of the store" in copied.stdout


def test_a_round_with_such_votes_is_finished(tmp_path: Path) -> None:
    """Status, the other verbs and the report work, with all votes or with the sound ones."""
    task = left_by_the_old_fault(tmp_path / "task", None)
    with ServerProcess(task) as server:
        judged_by_all(server, ["Bob"], None)
    told = run_kaiwa("status", str(task)).stdout
    assert "4 votes are missing to 2 per item; 4 findings: see kaiwa verify" in " ".join(told.split())
    for words, votes in (([], 20), (["--despite-findings"], 24)):
        run_kaiwa("votes", str(task), "-o", str(task / "votes.csv"), *words)
        assert len((task / "votes.csv").read_text(encoding="utf-8").splitlines()) == 1 + votes
        assert run_kaiwa("make", str(task), check=False).returncode == (0 if votes == 24 else 1)  # 1: votes are missing
        assert run_kaiwa("report", str(task), "-o", str(task / "report.html")).returncode == 0
    steps = json.loads(run_kaiwa("status", str(task), "--json").stdout)["steps"]
    assert next(one["state"] for one in steps if one["file"] == "votes.csv") == "done"


BROKEN = {
    "a changed level": "UPDATE votes SET level = 1 - level % 2 WHERE seq = 5",
    "a missing row": "DELETE FROM votes WHERE seq = 5",
    "a missing text": "DELETE FROM texts WHERE item = (SELECT item FROM votes WHERE seq = 5)",
    "a changed text": "UPDATE texts SET text = 'other' WHERE item = (SELECT item FROM votes WHERE seq = 5)",
    "a level that is none": "UPDATE votes SET level = 'x' WHERE seq = 5",
}


def test_a_broken_chain_or_a_vote_without_its_text_is_exported_only_when_asked_for(tmp_path: Path) -> None:
    """One line names the way; status and serving go on."""
    task = left_by_the_old_fault(tmp_path / "task", None)
    whole = (task / "votes.db").read_bytes()
    for what, statement in BROKEN.items():
        for path in task.glob("votes.db*"):
            path.unlink()
        (task / "votes.db").write_bytes(whole)
        edited(task, None, statement)
        refused = run_kaiwa("votes", str(task), "-o", str(task / "votes.csv"), check=False)
        assert (refused.returncode, refused.stderr.count("\n")) == (2, 1), what
        assert "--despite-findings" in refused.stderr
        assert not (task / "votes.csv").exists()
        given = run_kaiwa("votes", str(task), "-o", "-", "--despite-findings")
        missing = what in {"a missing row", "a level that is none"}
        assert len(list(csv.DictReader(given.stdout.splitlines()))) == 12 - missing, what
        assert "Votes are affected: kaiwa votes writes none without" in given.stderr
        assert run_kaiwa("status", str(task)).returncode == 0


def test_votes_on_items_of_a_changed_list_are_named(tmp_path: Path) -> None:
    """An item that was set aside behind the server's back does not take its votes away silently."""
    task = left_by_the_old_fault(tmp_path / "task", None)
    edited(task, None, "UPDATE items SET served = 0 WHERE item = (SELECT item FROM votes WHERE seq = 6)")
    sound = run_kaiwa("votes", str(task), "-o", "-")
    assert "note: 5 votes left out, rows of the log: 2 to 4, 6, 9;" in sound.stderr
    assert len(list(csv.DictReader(sound.stdout.splitlines()))) == 7
    edited(task, None, "DELETE FROM leases")
    refused = run_kaiwa("votes", str(task), check=False)
    assert (refused.returncode, "no vote is sound" in refused.stderr) == (2, True)
