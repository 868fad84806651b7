"""``kaiwa status`` knows the votes that people have given on the server and that no file has yet."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from benchmarks.serve.server_process import run_kaiwa
from benchmarks.serve.small_task import make_task

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.xdist_group("web_content")


def voted(task: Path, *rows: str) -> None:
    """Take votes into the store."""
    file = task.parent / "more.csv"
    file.write_text("topic,comment,assessor,level\n" + "".join(f"{row}\n" for row in rows), encoding="utf-8")
    run_kaiwa("votes", str(task), "--add", str(file))


def votes_state(task: Path) -> dict[str, Any]:  # Any: JSON values
    """The state of the vote file."""
    steps = json.loads(run_kaiwa("status", str(task), "--json").stdout)["steps"]
    return next(step for step in steps if step["file"] == "votes.csv")


def test_status_tells_votes_of_the_server_that_are_not_exported(tmp_path: Path) -> None:
    """Items without votes, votes missing to k, and the command that exports them."""
    task = make_task(tmp_path / "task", topics=1, comments=2, votes_per_item=2)
    assert votes_state(task)["why"] == "2 items to judge, 2 votes each"
    voted(task, "q0,q0-c0,ann,2")
    found = votes_state(task)
    missing = "1 of 2 pooled items has no vote; 3 votes are missing to 2 per item"
    assert (found["state"], found["why"]) == ("missing", f"votes.db has 1 vote: {missing}")
    assert "kaiwa serve" in found["command"]
    run_kaiwa("votes", str(task), "-o", str(task / "votes.csv"))
    assert (votes_state(task)["state"], votes_state(task)["why"]) == ("incomplete", missing)
    voted(task, "q0,q0-c0,bob,2", "q0,q0-c1,ann,0", "q0,q0-c1,bob,NA")
    found = votes_state(task)
    assert found["why"].endswith(
        "votes.db has 4 votes: every item has its votes; export them with: kaiwa votes -o votes.csv"
    )
    assert found["command"] == "export the votes with: kaiwa votes -o votes.csv"
    run_kaiwa("votes", str(task), "-o", str(task / "votes.csv"))
    assert votes_state(task)["state"] == "done"
