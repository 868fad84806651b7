"""Two processes behind nginx, with the configuration that is deployed: one is killed, and no answer is lost."""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from typing import TYPE_CHECKING

import pytest
from benchmarks.serve.reply_process import ReplyProcess, asked, nginx_before

import kaiwa

if TYPE_CHECKING:
    from pathlib import Path

    from benchmarks.serve.reply_process import Answered

pytestmark = pytest.mark.xdist_group("reply")
POSTS = ("今天天气真好", "我明天要考试", "The beaches of Hawaii", "散歩に行きたいです")
REQUESTS = 200
CLIENTS = 8


class Load:
    """Clients that ask one after another; the second half of the requests waits until a process is stopped."""

    def __init__(self, port: int) -> None:
        self._port, self._lock = port, threading.Lock()
        self.stopped, self._done = threading.Event(), 0

    def ask(self, number: int) -> Answered:
        """The answer to one of the posts."""
        if number >= REQUESTS // 2:
            self.stopped.wait()
        answer = asked(self._port, "POST", "/reply", {"post": POSTS[number % 4], "k": 5, "explain": True})
        with self._lock:
            self._done += 1
        return answer

    def wait_for(self, done: int) -> None:
        """Until so many requests are answered."""
        while self._done < done:
            time.sleep(0.001)


def test_a_process_killed_under_load_loses_no_answer(index: Path, tmp_path: Path) -> None:
    """It is stopped first, so that requests are in it when it is killed: 200 of 200 answers are right.

    It is started again on its port, and answers. nginx does not pass on the pages of those who run the service.
    """
    expected = [json.loads(json.dumps([asdict(one) for one in kaiwa.open(index).reply(post, k=5)])) for post in POSTS]
    with (
        ReplyProcess(index, tmp_path, ["--processes", "2"]) as service,
        nginx_before(service.ports, tmp_path / "nginx") as port,
        ThreadPoolExecutor(CLIENTS) as pool,
    ):
        load = Load(port)
        answers = [pool.submit(load.ask, number) for number in range(REQUESTS)]
        load.wait_for(REQUESTS // 4)
        os.kill(service.pids[0], signal.SIGSTOP)
        load.stopped.set()
        load.wait_for(REQUESTS * 3 // 4)  # by the other; some clients wait for the stopped one
        os.kill(service.pids[0], signal.SIGKILL)
        found = [one.result() for one in answers]
        assert [one.status for one in found] == [200] * REQUESTS
        assert [one.json()["replies"] for one in found] == [expected[number % 4] for number in range(REQUESTS)]
        log = (tmp_path / "nginx" / "access.log").read_text(encoding="utf-8").splitlines()
        tried = [json.loads(line)["upstream"] for line in log]
        assert any("," in one for one in tried), tried  # sent again to the other
        assert {one for one in tried if "," not in one} == {f"127.0.0.1:{one}" for one in service.ports}
        assert [asked(port, "GET", path).status for path in ("/metrics", "/healthz", "/")] == [404, 404, 404]
        _wait_until_ready_again(service.ports[0])


def _wait_until_ready_again(port: int) -> None:
    for _ in range(12_000):
        try:
            if asked(port, "GET", "/readyz").status == 200:
                return
        except OSError:
            pass
        time.sleep(0.05)
    raise AssertionError("the killed process was not started again")
