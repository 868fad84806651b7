"""The server calls nobody and takes no files: every call of a whole session is watched, every route refuses uploads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from benchmarks.serve.page_client import Client
from benchmarks.serve.server_process import ServerProcess, environment, invited
from benchmarks.serve.small_task import make_task

from kaiwa.web.app import RULES

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.xdist_group("web_content")

WATCH = """import os, sys
def note(event, arguments):
    if event.startswith(("socket.", "subprocess.", "os.exec", "os.posix_spawn", "urllib.", "http.client.")):
        os.write(handle, f"{event} {arguments!r}\\n".encode())
handle = os.open("NOTED", os.O_CREAT | os.O_APPEND | os.O_WRONLY)
sys.addaudithook(note)
"""
OUTWARD = (
    "connect",
    "getaddrinfo",
    "gethostby",
    "getnameinfo",
    "sendto",
    "sendmsg",
    "subprocess",
    "os.",
    "http",
    "urllib",
)
UPLOADS = {
    "multipart/form-data; boundary=x": b'--x\r\nContent-Disposition: form-data; name="f"; filename="v"\r\n\r\na',
    "text/csv": b"topic,comment,assessor,level\nq0,q0-c0,ann,2\n",
    "application/octet-stream": b"\x00" * 1000,
    "application/zip": b"PK\x03\x04",
}


def test_a_whole_session_opens_no_outbound_socket_and_takes_no_upload(tmp_path: Path) -> None:
    """Python reports each call by an audit event: the server binds and listens, and neither connects nor resolves."""
    task = make_task(tmp_path / "task", topics=2, comments=4, votes_per_item=2)
    (tmp_path / "watch").mkdir()
    noted = tmp_path / "noted.txt"
    (tmp_path / "watch" / "sitecustomize.py").write_text(WATCH.replace("NOTED", str(noted)), encoding="utf-8")
    path = f"{tmp_path / 'watch'}:{environment()['PYTHONPATH']}"
    with ServerProcess(task, before=["env", f"PYTHONPATH={path}"]) as server:
        files = {one.name for one in task.iterdir()}
        whole_session(server)
        for one in (ann := Client(server.port, invited(task, ["Bob"])[0]), lead_of(server)):
            for rule in RULES:
                if rule.method == "POST":
                    address = rule.path.replace("{name:path}", "Ann")
                    statuses = {
                        one.request("POST", address, UPLOADS[kind], Content_Type=kind).status for kind in UPLOADS
                    }
                    assert statuses == {403}, rule.path
        assert ann.work()
        assert {one.name for one in task.iterdir()} == files, "nothing is stored beside the log"
    events = noted.read_text(encoding="utf-8").splitlines()
    assert any(line.startswith("socket.bind") for line in events), "the watch works"
    assert [line for line in events if any(word in line.split(" ")[0] for word in OUTWARD)] == []


def lead_of(server: ServerProcess) -> Client:
    """The organiser."""
    return Client(server.port, server.organiser.split("#")[1])


def whole_session(server: ServerProcess) -> None:
    """Pages, votes with an address in the note, the lead's numbers, an invitation, a decision, exports."""
    ann, lead = Client(server.port, invited(server.task, ["Ann"])[0]), lead_of(server)
    for address in ("/in", "/", "/state", "/votes/mine"):
        ann.request("GET", address)
    items = ann.work()
    assert {ann.vote(one, note="see http://192.0.2.1/x").status for one in items} == {200}
    assert lead.request("POST", "/lead/people", {"name": "http://192.0.2.1/", "role": "assessor"}).status == 200
    assert lead.request("POST", "/lead/adjudicate", {"item": items[0]["item"], "level": 1}).status == 200
    for address in ("/lead", "/lead/data", "/lead/export/votes.csv", "/lead/export/labels.txt"):
        assert lead.request("GET", address).status == 200
