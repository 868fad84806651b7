"""What a hurried organiser types: one line that says what is wrong, exit code 2, and nothing is made."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from benchmarks.serve.server_process import ServerProcess, run_kaiwa
from benchmarks.serve.small_task import make_task

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.xdist_group("web_content")

WRONG = {
    ("invite", "TASK", "Ann", "Ann"): "name 'Ann': duplicate",
    ("invite", "TASK", "organiser"): "'organiser' is the name of whoever serves the task",
    ("invite", "TASK", "Ann", "--revoke", "Bob"): "give one of them",
    ("serve", "TASK", "--url", "example.org"): "--url: 'example.org' is not an address",
    ("serve", "TASK", "--url", "https://example.org/kaiwa"): "is not an address",
    ("serve", "TASK", "--tls-cert", "TASK/pool.tsv", "--tls-key", "TASK/pool.tsv"): "is not a certificate (PEM)",
    ("serve", "TASK", "--port", "0", "--invite", "a\nb"): "not printable",
}


def test_wrong_words_are_one_line_and_make_nothing(tmp_path: Path) -> None:
    """Names, addresses and certificates are checked before a store is made."""
    task = make_task(tmp_path / "task", topics=1, comments=2, votes_per_item=1)
    for words, said in WRONG.items():
        refused = run_kaiwa(*(word.replace("TASK", str(task)) for word in words), check=False)
        assert (refused.returncode, refused.stdout, refused.stderr.count("\n")) == (2, "", 1), refused.stderr
        assert said in refused.stderr
    listed = json.loads(run_kaiwa("invite", str(task), "--list", "--json").stdout)
    assert listed["people"] == []


def test_serve_invites_assessors_and_prints_their_links(tmp_path: Path) -> None:
    """The links work as those of ``kaiwa invite`` do."""
    from benchmarks.serve.page_client import Client

    task = make_task(tmp_path / "task", topics=1, comments=2, votes_per_item=1)
    with ServerProcess(task, words=["--invite", "Ann", "--invite", "Bob"]) as server:
        assert [one["name"] for one in server.invites] == ["Ann", "Bob"]
        client = Client(server.port, server.invites[1]["link"].split("#")[1])
        assert client.request("GET", "/state").json()["name"] == "Bob"
