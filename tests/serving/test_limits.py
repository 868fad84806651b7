"""What the service refuses, and how: bad questions, foreign pages, too many at once; how it starts and stops."""

from __future__ import annotations

import http.client
import json
import shutil
import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import pytest
from benchmarks.serve.reply_process import ReplyProcess, asked, free_port
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from kaiwa.cli.group import kaiwa as command
from kaiwa.web.reply.app import LONGEST_POST, MOST_BODY

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable


pytestmark = pytest.mark.xdist_group("reply")
BAD_QUESTIONS = [
    ({}, 422, "post is missing or empty"),
    ({"post": " \n"}, 422, "post is missing or empty"),
    ({"post": 7}, 422, "post is missing or empty"),
    ({"post": "x" * (LONGEST_POST + 1)}, 422, "post has 2,001 characters; give at most 2,000"),
    ({"post": "x", "k": 51}, 422, "k is not a whole number from 1 to 50"),
    ({"post": "x", "k": 0}, 422, "k is not a whole number"),
    ({"post": "x", "k": True}, 422, "k is not a whole number"),
    ({"post": "x", "k": 2.0}, 422, "k is not a whole number"),
    ({"post": "x", "system": "rum2"}, 422, "unknown system 'rum2'; did you mean 'run2'"),
    ({"post": "x", "system": "run5"}, 422, "the system 'run5' needs models"),
    ({"post": "x", "system": "model"}, 422, "unknown system 'model'"),
    ({"post": "x", "system": ["run2"]}, 422, "system is not the name of a system"),
    ({"post": "x", "system": "x" * 5000}, 422, "system is not the name of a system"),
    ({"post": "x", "explain": 1}, 422, "explain is not true or false"),
    ({"post": "x", "sytem": "run2"}, 422, "unknown field 'sytem'; did you mean 'system'?"),
    ([], 400, "the body is not a JSON object"),
    (b"{", 400, "the body is not JSON"),
    (b"\xff\xfe", 400, "the body is not JSON"),
    (b"[" * 60000, 400, "the body is not JSON"),
    (b'{"k": ' + b"1" * 5000 + b"}", 400, "the body is not JSON"),
]


@pytest.mark.parametrize(("question", "status", "words"), BAD_QUESTIONS)
def test_a_bad_question_is_one_clear_line_of_json(
    service: ReplyProcess, question: object, status: int, words: str
) -> None:
    """With a status of the client's fault."""
    answer = asked(service.port, "POST", "/reply", question)
    assert answer.status == status
    (line,) = answer.json().values()
    assert words in line
    assert "\n" not in line


REQUESTS: list[tuple[str, str, dict[str, str | None], object, int]] = [
    ("POST", "/reply", {}, b" " * (MOST_BODY + 1), 413),
    ("POST", "/reply", {"Content_Type": "text/plain"}, {"post": "x"}, 415),
    ("POST", "/reply", {"Content_Type": None}, {"post": "x"}, 415),
    ("POST", "/reply", {"Host": "evil.example"}, {"post": "x"}, 400),
    ("POST", "/reply", {"Host": ""}, {"post": "x"}, 400),
    ("POST", "/reply", {"Host": "[::1"}, {"post": "x"}, 400),
    ("POST", "/reply", {"Origin": "https://evil.example"}, {"post": "x"}, 403),
    ("POST", "/reply", {"Sec_Fetch_Site": "cross-site"}, {"post": "x"}, 403),
    ("GET", "/reply?post=x", {"Sec_Fetch_Site": "same-site"}, None, 403),
    ("GET", "/reply?post=x", {"Host": "10.2.3.4:8000"}, None, 200),
    ("GET", "/reply?post=x", {"Host": "localhost"}, None, 200),
    ("GET", "/reply?post=x&k=5&explain=1", {}, None, 200),
    ("GET", "/reply?post=x&k=five", {}, None, 422),
    ("GET", "/reply?post=x&k=%C2%B2", {}, None, 422),
    ("GET", "/reply?post=x&explain=maybe", {}, None, 422),
    ("GET", "/reply", {}, None, 422),
    ("DELETE", "/reply", {}, None, 405),
    ("OPTIONS", "/reply", {}, None, 405),
    ("POST", "/metrics", {}, {}, 405),
    ("GET", "/reply/", {}, None, 404),
    ("GET", "/../etc/passwd", {}, None, 404),
    ("HEAD", "/readyz", {}, None, 200),
]
"""Method, path, headers, body; and the status of the answer."""


@pytest.mark.parametrize("request_", REQUESTS)
def test_a_request_that_is_not_ours_is_refused(
    service: ReplyProcess, request_: tuple[str, str, dict[str, str | None], object, int]
) -> None:
    """Before a route sees it, or by the route."""
    method, path, headers, body, status = request_
    assert asked(service.port, method, path, body, **headers).status == status


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
_QUESTIONS = st.fixed_dictionaries(
    {},
    optional={
        "post": st.text(min_size=1, max_size=60) | _JSON,
        "k": st.integers(-2, 60) | _JSON,
        "system": st.sampled_from(["run0", "run1", "bm25", "fusion", "random-walk", "RUN2", ""]) | _JSON,
        "explain": st.booleans() | _JSON,
    },
)


def test_no_question_makes_the_service_fail(service: ReplyProcess) -> None:
    """Any JSON, any bytes, any query: 200 or a fault of the client."""
    connection = http.client.HTTPConnection("127.0.0.1", service.port, timeout=600)

    def status(method: str, path: str, body: bytes | None) -> int:
        connection.request(method, path, body, {"Content-Type": "application/json"})
        found = connection.getresponse()
        found.read()
        return found.status

    @settings(max_examples=150)
    @given(question=_QUESTIONS, raw=st.binary(max_size=40), query=st.text(max_size=40))
    def law(question: object, raw: bytes, query: str) -> None:
        assert status("POST", "/reply", json.dumps(question).encode()) in {200, 422}
        assert status("POST", "/reply", raw) in {400, 422}
        assert status("GET", f"/reply?post={quote(query, errors='replace')}", None) in {200, 422}
        assert status("GET", f"/{quote(query, safe='', errors='replace')}", None) in {200, 404, 422}

    law()
    connection.close()


@pytest.mark.parametrize(
    "raw", [b"\0\1\2", b"GET / HTTP/9.9\r\n\r\n", b"POST /reply HTTP/1.1\r\nContent-Length: x\r\n\r\n"]
)
def test_what_is_not_http_is_answered_with_400(service: ReplyProcess, raw: bytes) -> None:
    """And the connection is closed."""
    with socket.create_connection(("127.0.0.1", service.port), timeout=600) as plain:
        plain.sendall(raw + b"\r\n\r\n")
        assert b" 400 " in plain.makefile("rb").readline()


def test_a_service_that_waits_says_so_and_finishes_what_it_began(
    index: Path,
    tmp_path: Path,
    blockade: Callable[[Path], Any],  # Any: the class of conftest.py
) -> None:
    """Not ready before it is warm; full; too slow; stopped while a request is in flight. Health answers throughout."""
    copy = Path(shutil.copytree(index, tmp_path / "index"))
    port, warming = free_port(), blockade(copy)
    made = ReplyProcess(copy, tmp_path, ["--max-waiting", "2", "--timeout", "3"], port=port)
    process = made.launch()
    with ThreadPoolExecutor(4) as pool:
        _wait_until_it_listens(port, process)
        assert [asked(port, "GET", path).status for path in ("/healthz", "/readyz")] == [200, 503]
        assert asked(port, "POST", "/reply", {"post": "x"}).status == 503
        warming.lift()
        made.wait_until_ready()
        assert asked(port, "GET", "/readyz").status == 200

        slow = blockade(copy)
        waiting = [pool.submit(asked, port, "POST", "/reply", {"post": "天气"}) for _ in range(2)]
        _wait_until(lambda: b"kaiwa_reply_waiting 2.0" in asked(port, "GET", "/metrics").body)
        full = asked(port, "POST", "/reply", {"post": "x"})
        assert (full.status, full.headers["retry-after"]) == (503, "1")
        late = [one.result() for one in waiting]
        assert [(one.status, one.json()["error"]) for one in late] == [
            (503, "the answer takes too long; try again")
        ] * 2
        assert asked(port, "GET", "/healthz").status == 200
        slow.lift()
        _wait_until(lambda: b"kaiwa_reply_waiting 0.0" in asked(port, "GET", "/metrics").body)

        last = blockade(copy)
        begun = pool.submit(asked, port, "POST", "/reply", {"post": "天气"})
        _wait_until(lambda: b"kaiwa_reply_waiting 1.0" in asked(port, "GET", "/metrics").body)
        process.send_signal(signal.SIGTERM)
        _wait_until(lambda: _is_refused(port))
        last.lift()
        assert begun.result().status == 200
    assert made.end() == 0


def _wait_until_it_listens(port: int, process: subprocess.Popen[str]) -> None:
    _wait_until(lambda: process.poll() is not None or not _is_refused(port))
    assert process.poll() is None


def _is_refused(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), timeout=600).close()
    except OSError:
        return True
    return False


def _wait_until(holds: Callable[[], bool]) -> None:
    for _ in range(6000):
        if holds():
            return
        time.sleep(0.01)
    raise AssertionError("it never holds")


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--processes", "2"], "--processes is for answering posts; add --reply INDEX, or leave it out"),
        (["--max-k", "5"], "--max-k is for answering posts; add --reply INDEX, or leave it out"),
        (["task", "--reply", "INDEX"], "TASK is for judging; leave it out, or leave out --reply"),
        (["--store", "postgresql://a/b", "--reply", "INDEX"], "--store is for judging; leave it out"),
        (
            ["--reply", "INDEX", "--host", "192.0.2.1"],
            "--host: other machines would send posts to 192.0.2.1 unencrypted",
        ),
        (["--reply", "INDEX", "--url", "here"], "--url: 'here' is not an address"),
        (["--reply", "INDEX", "--tls-cert", "a.pem"], "TLS: needs a certificate and a key"),
        (["--reply", "INDEX", "--processes", "9", "--port", "65530"], "9 processes need the ports 65530 to 65538"),
    ],
)
def test_options_that_do_not_fit_are_refused(index: Path, words: list[str], line: str) -> None:
    """Before anything is opened or bound."""
    from kaiwa.errors import KaiwaError, in_command

    done = CliRunner().invoke(command, ["serve", *(str(index) if one == "INDEX" else one for one in words)])
    assert isinstance(done.exception, KaiwaError)
    assert line in in_command(done.exception.marked)


@pytest.mark.parametrize("processes", ["1", "2"])
def test_what_cannot_be_served_is_one_line_and_exit_code_2(tmp_path: Path, processes: str) -> None:
    """No such index; from one process or from several."""
    made = ReplyProcess(tmp_path / "absent", tmp_path, ["--processes", processes])
    out, _ = made.launch().communicate(timeout=600)
    assert (made.end(), out) == (2, "")
    said = made.log.read_text(encoding="utf-8")
    assert said == f"kaiwa: {tmp_path / 'absent'}: no such index; build it with kaiwa index\n"


def test_a_port_in_use_is_one_line_and_exit_code_2(service: ReplyProcess, served_index: Path, tmp_path: Path) -> None:
    """And the service that uses it goes on."""
    made = ReplyProcess(served_index, tmp_path, port=service.port)
    out, _ = made.launch().communicate(timeout=600)
    assert (made.end(), out) == (2, "")
    assert "is in use; give another --port, or 0 for any\n" in made.log.read_text(encoding="utf-8")
    assert asked(service.port, "GET", "/readyz").status == 200
