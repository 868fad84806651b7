"""What is sent and kept: blinding, hostile texts, headers, caps, exports, takedown, settings that are wrong."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING

import pytest
from benchmarks.serve.page_client import Client, Served, ballot, started
from benchmarks.serve.server_process import ServerProcess, invited, run_kaiwa
from benchmarks.serve.small_task import make_task

from kaiwa.formats.readers import read_votes
from kaiwa.formats.repository import Manifest, writing_repository
from kaiwa.web.pages import static_version

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.xdist_group("web_content")

HOSTILE = (
    "<script>alert(1)</script>",
    "<svg onload=alert(2)>",
    "javascript:alert(3)",
    "{{ 7 * 7 }} {% raw %}",
    "a \u202e bidi",
    "=HYPERLINK(1)",
    "x" * 1_000_000,
)


def test_a_whole_round_tells_an_assessor_nothing_about_runs_or_others(tmp_path: Path) -> None:
    """Every byte of it: no run, team, score, rank, name or vote of another; gold looks like any other item."""
    task = make_task(tmp_path / "task", topics=2, comments=6, votes_per_item=2, settings='gold = "gold.csv"\n')
    (task / "runs").mkdir()
    (task / "runs" / "ZQTEAM-C-R1.txt").write_text(
        "<SYSDESC>zqsystem</SYSDESC>\n"
        + "".join(f"q0 0 q0-c{one} {one + 1} 0.8{one}77 ZQTEAM-C-R1\n" for one in range(6)),
        encoding="utf-8",
    )
    (task / "gold.csv").write_text("topic,comment,level\nq0,q1-c0,0\n", encoding="utf-8")
    with ServerProcess(task) as server:
        people = dict(zip(("Ann", "Zqbob"), invited(task, ["Ann", "Zqbob"]), strict=True))
        bob = Client(server.port, people["Zqbob"])
        while items := bob.work():
            assert bob.vote(items[0], 0, note="zqnote").status == 200
        ann = Client(server.port, people["Ann"])
        shapes = set()
        for path in ("/", "/state", "/votes/mine"):
            ann.request("GET", path)
        while items := ann.work():
            shapes |= {
                tuple(
                    (name, type(value), len(str(value)) * (name in {"item", "lease", "shown"}))
                    for name, value in one.items()
                )
                for one in items
            }
            assert ann.vote(items[0]).status == 200
        assert ann.request("GET", "/votes/mine").json()["votes"]
    said = bytes(ann.seen).lower()
    names = (b"zqteam", b"zqsystem", b"zqbob", b"zqnote")  # whole: two letters also occur in random tokens
    for secret in (*names, *(b"0.8%d77" % one for one in range(6)), b"rank", b"score", b"gold", b"pool", b"runs"):
        assert secret not in said.replace(b"prank", b""), secret
    assert len(shapes) == 1


def test_hostile_texts_arrive_as_they_are_and_are_inert(tmp_path: Path) -> None:
    """As JSON, never as markup; what UTF-8 or a database cannot hold is visible."""
    task = make_task(tmp_path / "task", topics=1, comments=1, votes_per_item=2)
    (task / "kaiwa.toml").write_text(
        '[task]\ntitle = "<script>alert(0)</script>"\nlanguages = ["en"]\n', encoding="utf-8"
    )
    (task / "pool.tsv").write_text("".join(f"q0\th{at}\n" for at in range(len(HOSTILE))), encoding="utf-8")
    with writing_repository(task / "texts") as writer:
        names = [f"h{at}" for at in range(len(HOSTILE))]
        writer.add("posts", ["p"], ["one"])
        writer.add("comments", names, list(HOSTILE))
        writer.add("pairs", ["p"] * len(names), names)
        writer.finish(Manifest())
    config = (task / "kaiwa.toml").read_text(encoding="utf-8") + 'repository = "texts"\n'
    (task / "kaiwa.toml").write_text(config, encoding="utf-8")
    with ServerProcess(task) as server:
        ann = Client(server.port, invited(task, ["Ann"])[0])
        lead = Client(server.port, invited(task, ["Lea"], role="lead")[0])
        items = ann.work()
        assert {one["text"] for one in items} == set(HOSTILE)
        for one in items:
            assert ann.vote(one, note="<img onerror=x>\x00\ud800").status == 200
        for client, path in ((ann, "/"), (lead, "/lead")):
            page = client.request("GET", path).body.decode()
            assert "<script>alert" not in page
            assert "<svg onload" not in page
        odd = ann.request("GET", "/<script>alert(1)</script>".replace("<", "%3C"))
        assert (odd.status, odd.headers["content-type"]) == (404, "application/json")
        notes = {one["note"] for one in ann.request("GET", "/votes/mine").json()["votes"]}
        assert notes == {"<img onerror=x>\ufffd\ufffd"}


def test_every_answer_has_the_strict_headers(served: Served) -> None:
    """Also refusals and unknown addresses; nothing tells the server or a traceback."""
    ann = served.client("Ann")
    answers = [
        ann.request("GET", "/"),
        ann.request("GET", "/state"),
        ann.request("GET", f"/static/{static_version()}/page.css"),
        ann.request("GET", "/nothing"),
        ann.request("POST", "/votes", b"{"),
        ann.request("GET", "/state", Host="evil.example"),
        ann.request("POST", "/votes", {}, Origin="null"),
    ]
    for answer in answers:
        assert answer.headers["content-security-policy"].startswith(
            "default-src 'none'; script-src 'self'; style-src 'self'"
        )
        assert "unsafe" not in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cross-origin-opener-policy"] == "same-origin"
        assert answer.headers["cross-origin-resource-policy"] == "same-origin"
        assert answer.headers["server"] is None
        assert b"Traceback" not in answer.body
    assert [one.status for one in answers] == [200, 200, 200, 404, 400, 400, 403]


@pytest.mark.parametrize(
    "path", ["/", "/in", "/state", "/work", "/lead", "/healthz", f"/static/{static_version()}/page.css"]
)
def test_a_foreign_host_is_refused_everywhere(served: Served, path: str) -> None:
    """A name that points here is not enough."""
    for host in ("evil.example", "127.0.0.1", "127.0.0.1:1", ""):
        assert served.client().request("GET", path, Host=host).status == 400


@pytest.mark.parametrize(
    "name", ["..%2fkaiwa.toml", "../../kaiwa.toml", "%2e%2e%2fvotes.db", "..\\votes.db", "page.css%00"]
)
def test_no_name_leads_out_of_the_files_that_are_served(served: Served, name: str) -> None:
    """Neither static files nor exports."""
    lead = served.client("Lea")
    for start in (f"/static/{static_version()}/", "/lead/export/"):
        assert lead.request("GET", start + name).status in {400, 404}


def test_bodies_headers_and_depth_are_capped(served: Served) -> None:
    """And the server answers on."""
    ann = served.client("Ann")
    assert ann.request("POST", "/votes", b'{"votes": "' + b"x" * 300_000 + b'"}').status == 413
    assert ann.request("POST", "/votes", b'{"votes": ' + b"[" * 50_000).status == 400
    assert ann.request("POST", "/votes", b'{"votes": ' + b"9" * 10_000 + b"}").status == 400
    assert ann.request("GET", "/state", X_Long="x" * 40_000).status in {400, 431}
    assert ann.request("POST", "/votes", {"votes": [ballot(ann.work()[0])] * 51}).status == 400
    assert ann.vote(ann.work()[0]).status == 200


def test_cells_that_a_spreadsheet_would_compute_are_neutralised_and_read_back(tmp_path: Path) -> None:
    """In the file of the command and in that of the lead's page."""
    names = ["=1+1", "@SUM(1)", "-2+3", "+x", "plain"]
    task = make_task(tmp_path / "task", topics=1, comments=1, votes_per_item=1)
    (task / "pool.tsv").write_text("".join(f"q0\t{name}\n" for name in names), encoding="utf-8")
    with writing_repository(task / "texts") as writer:
        writer.add("posts", ["p"], ["one"])
        writer.add("comments", names, [f"text {at}" for at in range(len(names))])
        writer.add("pairs", ["p"] * len(names), names)
        writer.finish(Manifest())
    (task / "kaiwa.toml").write_text('[task]\nrepository = "texts"\n', encoding="utf-8")
    with ServerProcess(task) as server:
        ann = Client(server.port, invited(task, ["Ann Realname"])[0])
        for one in ann.work():
            assert ann.vote(one).status == 200
        lead = Client(server.port, invited(task, ["Lea"], role="lead")[0])
        exported = lead.request("GET", "/lead/export/votes.csv").body
    out = tmp_path / "votes.csv"
    run_kaiwa("votes", str(task), "-o", str(out))
    assert out.read_bytes() == exported
    cells = [line.split(",")[1] for line in out.read_text(encoding="utf-8").splitlines()[1:]]
    assert not any(cell.startswith(("=", "@S", "-2+")) for cell in cells)
    assert sorted(str(one) for one in read_votes(out).columns()["comment"]) == sorted(names)
    assert b"Realname" not in exported


def test_the_log_has_no_notes_addresses_or_tokens(tmp_path: Path) -> None:
    """After votes, refusals and a stop."""
    made = started(tmp_path / "task")
    ann = made.client("Ann")
    item = ann.work()[0]
    ann.vote(item, note="a private remark")
    ann.request("POST", "/votes", {"votes": [ballot(item) | {"shown": "0"}]})
    ann.request("GET", "/in?token=" + made.tokens["Ann"])
    assert made.process.end() == 0
    log = made.process.log.read_text(encoding="utf-8")
    for secret in ("remark", "127.0.0.1", *made.tokens.values()):
        assert secret not in log


def test_a_takedown_removes_texts_from_pages_exports_and_later_copies(tmp_path: Path) -> None:
    """While the server runs; neither id nor text is in the store's file or a copy made afterwards."""
    task = make_task(tmp_path / "task", topics=1, comments=4, votes_per_item=2)
    gone, text = "q0-c2", "海水真的很蓝 2"
    with ServerProcess(task) as server:
        ann = Client(server.port, invited(task, ["Ann"])[0])
        for one in ann.work():
            assert ann.vote(one).status == 200
        (task / "takedown.txt").write_text(f"{gone}\n", encoding="utf-8")
        bob = Client(server.port, invited(task, ["Bob"])[0])
        for _ in range(6_000):
            if text not in {one["text"] for one in bob.work()}:
                break
            time.sleep(0.1)
        assert len(bob.work()) == 3
        copied = json.loads(run_kaiwa("backup", str(task), "--json").stdout)["path"]
    exported = run_kaiwa("votes", str(task), "-o", "-").stdout
    assert gone not in exported
    assert "q0-c1" in exported
    with open(copied, "rb") as file:  # noqa: PTH123
        content = file.read()
    assert gone.encode() not in content
    assert text.encode() not in content
    assert not any(text.encode() in path.read_bytes() for path in task.glob("votes.db*"))
    assert run_kaiwa("verify", str(task)).returncode == 0


ANSWERS = '[[judging.answers]]\nkey = "1"\nname = "bad"\nlevel = 0\nfailed = "x"\n'
WRONG = {
    "two equal keys": (ANSWERS + ANSWERS.replace('"x"', '"y"'), "kaiwa.toml:11: two answers have the key '1'"),
    "a key of the page": (ANSWERS.replace('"1"', '"z"'), "kaiwa.toml:6: the key 'z' means undo"),
    "a level outside": (ANSWERS.replace("level = 0", "level = 7"), "kaiwa.toml:6: level = 7"),
    "a field": (ANSWERS + 'colour = "red"\n', "kaiwa.toml:6: unknown field of an answer 'colour'"),
    "a mode": ('criteria = "some"\n', "unknown criteria 'some'"),
    "guidelines": ('guidelines = { en = "latin.md" }\n', "latin.md"),
    "no guidelines": ('guidelines = { en = "absent.md" }\n', "absent.md: no such file"),
}


@pytest.mark.parametrize("what", WRONG)
def test_a_wrong_scheme_is_one_line_with_its_place(tmp_path: Path, what: str) -> None:
    """Exit code 2, and no store is made."""
    settings, said = WRONG[what]
    task = make_task(tmp_path / "task", topics=1, comments=2, votes_per_item=1, settings=settings)
    (task / "latin.md").write_bytes("Beurteilen Sie höflich".encode("latin-1"))
    refused = run_kaiwa("serve", str(task), "--port", "0", check=False)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1), refused.stderr
    assert said in refused.stderr
    assert not (task / "votes.db").exists()


def test_missing_texts_and_a_port_in_use_are_one_line(served: Served, tmp_path: Path) -> None:
    """With what is missing, and what to do."""
    task = make_task(tmp_path / "task", topics=1, comments=2, votes_per_item=1)
    used = run_kaiwa("serve", str(task), "--port", str(served.process.port), check=False)
    assert (used.returncode, used.stderr.count("\n")) == (2, 1)
    assert "is in use" in used.stderr
    with (task / "pool.tsv").open("a", encoding="utf-8") as pool:
        pool.write("q0\tabsent\n")
    refused = run_kaiwa("serve", str(task), "--port", "0", check=False)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "1 comment has no text in repository, 'absent' first" in refused.stderr


def test_simulated_votes_are_neither_imported_nor_overwritten(tmp_path: Path) -> None:
    """A person's votes stay apart."""
    task = make_task(tmp_path / "task", topics=1, comments=2, votes_per_item=1)
    simulated, own = tmp_path / "simulated.csv", tmp_path / "own.csv"
    simulated.write_text("topic,comment,assessor,level\nq0,q0-c0,SIMULATED-1,2\n", encoding="utf-8")
    own.write_text("topic,comment,assessor,level\nq0,q0-c0,ann,2\n", encoding="utf-8")
    assert run_kaiwa("votes", str(task), "--add", str(simulated), check=False).returncode == 2
    assert json.loads(run_kaiwa("votes", str(task), "--add", str(own), "--json").stdout)["added"]["new"] == 1
    assert json.loads(run_kaiwa("votes", str(task), "--add", str(own), "--json").stdout)["added"]["known"] == 1
    refused = run_kaiwa("votes", str(task), "-o", str(simulated), check=False)
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "SIMULATED" in refused.stderr
