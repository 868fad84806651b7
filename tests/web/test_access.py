"""Who may do what: every route for every role and method, sessions, origins, limits, and what is kept of secrets."""

from __future__ import annotations

import json
import re
import subprocess
import time
from pathlib import Path

import pytest
from benchmarks.serve.page_client import Client, Served, ballot
from benchmarks.serve.server_process import ServerProcess, invited, run_kaiwa

from kaiwa.store import people as access
from kaiwa.web.app import RULES
from kaiwa.web.pages import static_version

pytestmark = pytest.mark.xdist_group("web_access")

ROLES = ("stranger", "revoked", "Ann", "Bob", "Lea", "organiser")
TABLE = {
    ("GET", "/healthz"): (200, 200, 200, 200, 200, 200),
    ("GET", "/static/{version}/{name}"): (200, 200, 200, 200, 200, 200),
    ("GET", "/in"): (200, 200, 200, 200, 200, 200),
    ("POST", "/session"): (403, 403, 403, 403, 403, 403),
    ("DELETE", "/session"): (204, 204, 204, 204, 204, 204),
    ("GET", "/"): (303, 303, 200, 200, 303, 303),
    ("GET", "/state"): (401, 401, 200, 200, 403, 403),
    ("GET", "/work"): (401, 401, 200, 200, 403, 403),
    ("POST", "/votes"): (401, 401, 400, 400, 403, 403),
    ("GET", "/votes/mine"): (401, 401, 200, 200, 403, 403),
    ("GET", "/guidelines"): (401, 401, 404, 404, 404, 404),
    ("GET", "/lead"): (303, 303, 403, 403, 200, 200),
    ("GET", "/lead/data"): (401, 401, 403, 403, 200, 200),
    ("POST", "/lead/adjudicate"): (401, 401, 403, 403, 400, 400),
    ("POST", "/lead/people"): (401, 401, 403, 403, 400, 400),
    ("POST", "/lead/people/{name:path}"): (401, 401, 403, 403, 400, 400),
    ("GET", "/lead/export/{name}"): (401, 401, 403, 403, 200, 200),
}
"""The status of each route for each role; a body is an empty object, a name one that exists."""
METHODS = ("GET", "HEAD", "POST", "DELETE", "PUT", "PATCH", "OPTIONS", "TRACE")


def address(path: str) -> str:
    """A route with something that exists in the places of its names."""
    name = {"/static/{version}/{name}": "page.css", "/lead/export/{name}": "votes.csv"}.get(path, "Bob")
    return path.replace("{version}", static_version()).replace("{name:path}", name).replace("{name}", name)


def client_of(served: Served, role: str) -> Client:
    """A client of a role; a revoked one has a session that has ended."""
    if role == "stranger":
        return served.client()
    if role == "revoked":
        client = Client(served.process.port)
        client.cookie = "kaiwa=" + "x" * 43
        return client
    return served.client(role)


def test_the_table_has_every_route() -> None:
    """A new route must be added to it."""
    assert {(rule.method, rule.path) for rule in RULES} == set(TABLE)


@pytest.mark.parametrize("role", ROLES)
def test_every_route_answers_every_method_of_a_role_as_the_table_says(served: Served, role: str) -> None:
    """What is not in the table is 405 for everybody."""
    client = client_of(served, role)
    for path in dict.fromkeys(path for _, path in TABLE):
        for method in METHODS:
            if (method, path) == ("DELETE", "/session"):
                continue
            body = {} if method in {"POST", "PUT", "PATCH"} else None
            answer = client.request(method, address(path), body)
            row = TABLE.get(("GET" if method == "HEAD" else method, path))
            expected = row[ROLES.index(role)] if row else 405
            assert answer.status == expected, (method, path, answer.body)
    assert client.request("DELETE", "/session").status == 204


def test_a_revoked_person_is_a_stranger_at_once(served: Served) -> None:
    """The session of somebody who voted a moment ago ends; the command works beside the server."""
    client = served.client("Rev")
    item = client.work()[0]
    assert client.vote(item).status == 200
    assert run_kaiwa("invite", str(served.task), "--revoke", "Rev").returncode == 0
    for _ in range(6_000):
        if client.request("GET", "/state").status == 401:
            break
        time.sleep(0.1)
    for (method, path), row in TABLE.items():
        assert client.request(method, address(path), {} if method == "POST" else None).status == row[1]
    assert served.client().request("POST", "/session", {"token": served.tokens["Rev"]}).status == 403


def test_items_and_leases_of_others_are_unknown(served: Served) -> None:
    """The answer differs from that about an invented id in nothing."""
    ann, bob = served.client("Ann"), served.client("Bob")
    own, other = ann.work()[0], bob.work()[0]
    rows = ann.request("GET", "/state").json()["count"]
    answers = {
        re.sub(rb'"key":"\w+"', b"", answer.body)
        for changed in (other, own | {"lease": other["lease"]}, own | {"lease": "0" * 32}, own | {"item": "0" * 24})
        if (answer := ann.vote(changed)).status == 404
    }
    assert len(answers) == 1
    assert ann.request("GET", "/state").json()["count"] == rows


FORGED = {
    "cross-site": {"Sec_Fetch_Site": "cross-site"},
    "same-site": {"Sec_Fetch_Site": "same-site"},
    "none": {"Sec_Fetch_Site": "none"},
    "foreign origin": {"Origin": "http://evil.example"},
    "null origin": {"Origin": "null"},
    "other port": {"Origin": "http://127.0.0.1:1"},
    "other scheme": {"Origin": "https://127.0.0.1"},
    "no origin": {"Origin": None},
    "form": {"Content_Type": "application/x-www-form-urlencoded"},
    "text": {"Content_Type": "text/plain"},
    "multipart": {"Content_Type": "multipart/form-data; boundary=x"},
    "no type": {"Content_Type": None},
}


@pytest.mark.parametrize("forged", FORGED)
def test_a_request_from_elsewhere_is_refused_without_a_row(served: Served, forged: str) -> None:
    """Votes, sign-in, and the lead's changes."""
    ann, lead = served.client("Ann"), served.client("Lea")
    rows = ann.request("GET", "/state").json()["count"]
    sent = {"votes": [ballot(ann.work()[0])]}
    assert ann.request("POST", "/votes", sent, **FORGED[forged]).status == 403
    assert lead.request("POST", "/lead/people", {"name": "Eve", "role": "assessor"}, **FORGED[forged]).status == 403
    assert served.client().request("POST", "/session", {"token": served.tokens["Ann"]}, **FORGED[forged]).status == 403
    assert ann.request("GET", "/state").json()["count"] == rows
    assert "Eve" not in lead.request("GET", "/lead/data").body.decode()


def test_a_session_is_new_at_sign_in_and_ends_with_it(served: Served) -> None:
    """A cookie that somebody planted is not taken over, and scripts and other sites do not see ours."""
    client = served.client()
    client.cookie = "kaiwa=planted-by-somebody-else"
    answer = client.request("POST", "/session", {"token": served.tokens["Ann"]})
    cookie = answer.headers["set-cookie"]
    assert "planted" not in cookie
    flags = {part.strip().lower() for part in cookie.split(";")[1:]}
    assert flags == {"httponly", "path=/", "samesite=strict"}
    client.cookie = cookie.split(";")[0]
    first = client.cookie
    assert client.request("GET", "/state").status == 200
    client.sign_in(served.tokens["Ann"])
    again = Client(served.process.port)
    again.cookie = first
    assert again.request("GET", "/state").status == 401, "the session before this one has ended"
    assert client.request("DELETE", "/session").status == 204
    assert client.request("GET", "/state").status == 401


def test_bad_tokens_get_one_answer(served: Served) -> None:
    """Unknown, revoked and malformed ones alike, without a cookie."""
    run_kaiwa("invite", str(served.task), "--revoke", "Rev")
    answers = set()
    for token in ("x" * 43, served.tokens["Rev"], "", 7, None, "x" * 5000, "\x00", [], {}):
        answer = served.client().request("POST", "/session", {"token": token})
        assert answer.headers["set-cookie"] is None
        answers.add((answer.status, answer.body))
    assert len(answers) == 1
    assert next(iter(answers))[0] == 403


def test_digests_are_compared_in_constant_time(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many comparisons for a known token as for an unknown one, all by ``hmac.compare_digest``."""
    people = access.Access.__new__(access.Access)
    names = ("a", "b", "c")
    people._people = {name: access_person(name) for name in names}
    compared = list[tuple[str, str]]()
    monkeypatch.setattr(access.hmac, "compare_digest", lambda a, b: compared.append((a, b)) or a == b)
    assert people.person_of("token a") is not None
    known = len(compared)
    assert people.person_of("nothing") is None
    assert len(compared) == 2 * known == 2 * len(names)
    assert served.client().request("GET", "/state").status == 401


def access_person(name: str) -> object:
    """Somebody with the token ``token NAME``."""
    from kaiwa.store.people import digest_of
    from kaiwa.store.records import Person

    return Person(name, name, "assessor", "active", digest_of(f"token {name}"), "")


def test_no_secret_is_written_anywhere(served: Served) -> None:
    """Not in the store, its log of pages, a copy, the server's log or an export; our files are private."""
    client, lead = served.client("Ann"), served.client("Lea")
    assert client.vote(client.work()[0]).status == 200
    run_kaiwa("backup", str(served.task))
    run_kaiwa("votes", str(served.task), "-o", str(served.task / "out.csv"))
    session = client.cookie.split("=")[1]
    exported = lead.request("GET", "/lead/export/votes.csv").body
    for secret in (*served.tokens.values(), session):
        files = [path for path in served.task.rglob("*") if path.is_file()]
        assert any(path.name == "votes.db-wal" for path in files)
        assert [path.name for path in files if secret.encode() in path.read_bytes()] == []
        assert secret.encode() not in exported
    private = [*served.task.glob("votes.db*"), *served.task.glob("backups/*")]
    assert {path.stat().st_mode & 0o777 for path in private} == {0o600}
    assert (served.task / "backups").stat().st_mode & 0o777 == 0o700


def test_only_this_machine_is_served_unless_it_is_said(served: Served) -> None:
    """The socket is bound to 127.0.0.1; another host needs TLS or --insecure."""
    listening = [line.split()[1:4:2] for line in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()]
    port = f"{served.process.port:04X}"
    assert {place for place, state in listening if place.endswith(port) and state == "0A"} == {f"0100007F:{port}"}
    refused = run_kaiwa("serve", str(served.task), "--host", "0.0.0.0", "--port", "0", check=False)  # noqa: S104
    assert (refused.returncode, refused.stderr.count("\n")) == (2, 1)
    assert "--insecure" in refused.stderr
    half = run_kaiwa("serve", str(served.task), "--tls-cert", str(served.task / "kaiwa.toml"), check=False)
    assert (half.returncode, half.stderr.count("\n")) == (2, 1)


def test_over_tls_the_cookie_is_secure(tmp_path: Path) -> None:
    """With a certificate of our own."""
    import ssl
    from http.client import HTTPSConnection

    from benchmarks.serve.small_task import make_task

    task = make_task(tmp_path / "task", topics=1, comments=2, votes_per_item=1)
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    words = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"]
    subprocess.run(["openssl", *words, "-keyout", str(key), "-out", str(cert)], check=True, capture_output=True)  # noqa: S607
    server = ServerProcess(task, words=["--tls-cert", str(cert), "--tls-key", str(key)])
    with server:
        assert server.organiser.startswith("https://127.0.0.1:")
        connection = HTTPSConnection("127.0.0.1", server.port, context=ssl._create_unverified_context())  # noqa: S323
        own = {"Origin": f"https://127.0.0.1:{server.port}", "Content-Type": "application/json"}
        body = json.dumps({"token": invited(task, ["Ann"])[0]})
        connection.request("POST", "/session", body, own)
        answer = connection.getresponse()
        assert answer.status == 204
        assert "secure" in (answer.headers["set-cookie"] or "").lower()
        connection.close()
