"""What the service answers: the same as the bot and the command, from the index and the lists that are on the disk."""

from __future__ import annotations

import json
import os
import shutil
import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING
from urllib.parse import urlencode

import pytest
from benchmarks.serve.reply_process import ReplyProcess, asked
from benchmarks.serve.server_process import run_kaiwa
from prometheus_client.parser import text_string_to_metric_families

import kaiwa
from kaiwa.corpus.cleaning import write_cleaned
from kaiwa.corpus.rules import read_rules
from kaiwa.errors import InputError
from kaiwa.ranking.warm_bot import BotSource, LiveBot
from kaiwa.retrieval.build import build_index
from kaiwa.web.reply.app import Question
from kaiwa.web.reply.serving import answer_to

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.serve.reply_process import Answered

pytestmark = pytest.mark.xdist_group("reply")
POSTS = (
    "今天天气真好",
    "我明天要考试",
    "The beaches of Hawaii",
    "散歩に行きたいです",
    "nothing like it \ud800 \x00 here",
)


def reply(port: int, **question: object) -> Answered:
    """The answer to a question."""
    return asked(port, "POST", "/reply", question)


def until(holds: Callable[[], bool]) -> None:
    """Wait until it holds; ten minutes are too long."""
    for _ in range(6_000):
        if holds():
            return
        time.sleep(0.1)
    raise AssertionError("it never holds")


@contextmanager
def asking(ask: Callable[[], object]) -> Iterator[None]:
    """While the block runs, somebody asks again and again; what goes wrong there is raised in the end."""
    ended = Event()

    def go_on() -> None:
        while not ended.wait(0.01):
            ask()

    with ThreadPoolExecutor(1) as pool:
        asked_all = pool.submit(go_on)
        try:
            yield
        finally:
            ended.set()
        asked_all.result()


def test_every_system_answers_as_the_bot_does(service: ReplyProcess, served_index: Path) -> None:
    """To the last bit, by both processes; without reasons the other fields are the same."""
    bot = kaiwa.open(served_index)
    for place, system in enumerate(bot.system_names()):
        for post in POSTS:
            expected = json.loads(json.dumps([asdict(one) for one in bot.reply(post, k=5, system=system)]))
            port = service.ports[place % 2]
            full = reply(port, post=post, k=5, system=system, explain=True).json()
            bare = reply(port, post=post, k=5, system=system).json()
            assert full["replies"] == expected
            kept = ("comment", "text", "score", "post", "post_text")
            assert bare["replies"] == [{name: one[name] for name in kept} for one in expected]
            assert bare["system"] == system


def test_an_answer_with_reasons_is_the_line_of_the_command(service: ReplyProcess, served_index: Path) -> None:
    """Byte for byte, also by GET."""
    printed = run_kaiwa("reply", str(served_index), POSTS[0], "-k", "3", "--json").stdout.encode().strip()
    query = urlencode({"post": POSTS[0], "k": 3, "explain": "true"})
    assert asked(service.port, "GET", f"/reply?{query}").body == printed
    answer = reply(service.port, post=POSTS[0], k=3, explain=True)
    assert answer.body == printed
    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == "no-store"


def test_a_listed_comment_is_not_in_the_next_answer(service: ReplyProcess, served_index: Path) -> None:
    """A list is read again when it changes; one that cannot be read stops the answers, and health stays."""
    path = served_index / "takedown.txt"

    def comments() -> list[list[str]]:
        rows = [reply(port, post=POSTS[0], k=10).json()["replies"] for port in service.ports]
        return [[one["comment"] for one in row] for row in rows]

    before = comments()[0]
    path.write_text(f"{before[0]}\n", encoding="utf-8")
    assert comments() == [before[1:], before[1:]]
    path.unlink()
    path.symlink_to("missing.txt")
    refused = reply(service.port, post=POSTS[0])
    assert (refused.status, refused.headers["retry-after"]) == (503, "1")
    assert asked(service.port, "GET", "/healthz").status == 200
    path.unlink()
    assert comments() == [before, before]


def test_an_index_that_is_replaced_answers_old_or_new(
    service: ReplyProcess, served_index: Path, repository: Path, tmp_path: Path
) -> None:
    """Never anything else; in the end new, and an index that is damaged is not opened."""
    (tmp_path / "pairs.tsv").write_text("p9\tThe first day in Hawaii\tc99\tAloha from Hawaii\n", encoding="utf-8")
    silent = lambda _done, _total: None  # noqa: E731
    write_cleaned(
        tmp_path / "pairs.tsv", tmp_path / "repo", rules=read_rules("plain"), sample=None, seed=1, progress=silent
    )
    old = [one.comment for one in kaiwa.open(served_index).reply(POSTS[2])]

    def found(port: int) -> list[str]:
        answer = reply(port, post=POSTS[2])
        assert answer.status == 200, answer.body
        comments = [one["comment"] for one in answer.json()["replies"]]
        assert comments in (old, ["c99"])
        return comments

    with asking(lambda: [found(port) for port in service.ports]):
        build_index(tmp_path / "repo", served_index, language="zh", tokens=None, progress=silent)
        until(lambda: all(found(port) == ["c99"] for port in service.ports))
    manifest = served_index / "manifest.json"
    whole = manifest.read_bytes()
    manifest.write_bytes(whole[: len(whole) // 2])
    until(lambda: "is not replaced" in service.log.read_text(encoding="utf-8"))
    assert found(service.port) == ["c99"]
    manifest.write_bytes(whole)
    with asking(lambda: [found(port) for port in service.ports]):
        build_index(repository, served_index, language="zh", tokens=None, progress=silent)
        until(lambda: all(found(port) == old for port in service.ports))


def test_the_metrics_can_be_parsed_and_count_each_request(service: ReplyProcess) -> None:
    """By route and status, with a histogram, the index and the build; each process has its own."""
    port = service.ports[1]

    def counts() -> dict[tuple[str, ...], float]:
        page = asked(port, "GET", "/metrics")
        families = text_string_to_metric_families(page.body.decode())
        return {
            (one.name, *(value for _, value in sorted(one.labels.items()))): one.value
            for family in families
            for one in family.samples
        }

    before = counts()
    answers = [reply(port, post="天气"), reply(port, post=""), asked(port, "GET", "/天气".encode().hex())]
    assert [one.status for one in answers] == [200, 422, 404]
    after = counts()
    for key in (("/reply", "200"), ("/reply", "422"), ("other", "404")):
        name = ("kaiwa_reply_requests_total", *key)
        assert after[name] - before.get(name, 0) == 1, name
    total = ("kaiwa_reply_request_seconds_count", "/reply")
    assert after[total] - before[total] == 2
    assert after["kaiwa_reply_request_seconds_bucket", "+Inf", "/reply"] == after[total]
    assert (after["kaiwa_reply_in_flight",], after["kaiwa_reply_ready",]) == (1, 1)
    assert after["kaiwa_reply_index_posts",] > 0 < after["kaiwa_reply_index_bytes",]
    assert any(key[0] == "kaiwa_build_info" for key in after)


def test_the_log_has_a_line_of_json_for_each_request_and_no_post(service: ReplyProcess) -> None:
    """Time, status, duration, bytes; nothing that a client wrote."""
    post = "秘密の投稿です"
    reply(service.port, post=post)
    asked(service.port, "GET", f"/reply?{urlencode({'post': post})}")
    asked(service.port, "GET", f"/{post.encode().hex()}")
    until(lambda: '"other"' in service.log.read_text(encoding="utf-8"))
    text = service.log.read_text(encoding="utf-8")
    lines = [json.loads(line) for line in text.splitlines()]
    requests = [line for line in lines if "status" in line]
    assert {"time", "level", "process", "method", "route", "status", "ms", "bytes"} == set(requests[-1])
    hidden = (post, urlencode({"post": post})[5:], post.encode().hex(), json.dumps(post)[1:-1])
    assert not any(form in text for form in hidden)


def test_the_models_in_a_folder_decide_which_systems_answer(index: Path, tmp_path: Path) -> None:
    """A system whose models are missing is refused, with the way to give them; the others answer."""
    copy = Path(shutil.copytree(index, tmp_path / "index"))
    kaiwa.models(copy, tmp_path / "models", names=["translation"])
    live = LiveBot(BotSource(copy, tmp_path / "models"))
    assert (live.look(), live.look()) == (True, False)
    assert live.opened is not None
    assert [live.opened.system(name) for name in ("run3", None)] == ["run3", "run2"]
    with pytest.raises(InputError, match="'run4' needs models"):
        live.opened.system("run4")
    with pytest.raises(InputError, match="did you mean"):
        live.opened.system("run33")


def test_a_ranker_answers_as_it_does_in_python(index: Path, tmp_path: Path) -> None:
    """It is the default system, by the name of the command; with another index it is refused, and the old one stays."""
    copy = Path(shutil.copytree(index, tmp_path / "index"))
    (tmp_path / "topics.tsv").write_text(f"q1\t{POSTS[0]}\nq2\t{POSTS[1]}\n", encoding="utf-8")
    (tmp_path / "qrels.txt").write_text("q1 0 c01 1\nq1 0 c02 0\nq2 0 c04 1\nq2 0 c05 0\n", encoding="utf-8")
    ranker = tmp_path / "ranker"
    kaiwa.train(copy, tmp_path / "qrels.txt", topics=tmp_path / "topics.tsv", folds=2, output=ranker)
    expected = kaiwa.open(copy, ranker=ranker).reply(POSTS[0], k=3)
    live = LiveBot(BotSource(copy, ranker=ranker))
    live.look()
    assert live.opened is not None
    answer = json.loads(answer_to(Question(POSTS[0], 3, None, explain=True), live.opened.system(None), live.opened))
    assert answer["system"] == "ranker"
    assert answer["replies"] == json.loads(json.dumps([asdict(one) for one in expected]))
    assert answer["weights"] == expected.weights
    before = live.opened
    (tmp_path / "pairs.tsv").write_text("p9\tThe first day in Hawaii\tc99\tAloha from Hawaii\n", encoding="utf-8")
    kaiwa.clean(tmp_path / "pairs.tsv", tmp_path / "other")
    kaiwa.index(tmp_path / "other", copy, language="zh")
    with pytest.raises(InputError, match="index"):
        live.look()
    assert (live.look(), live.opened) == (False, before)


def test_processes_end_with_the_one_that_started_them(index: Path, tmp_path: Path) -> None:
    """Also if it is killed: nobody would stop them."""
    made = ReplyProcess(index, tmp_path, ["--processes", "2"])
    with made:
        pids = made.pids
        os.kill(made.parent, signal.SIGKILL)
        until(lambda: not any(_runs(pid) for pid in pids))


def _runs(pid: int) -> bool:
    try:
        return "(zombie)" not in (Path("/proc") / str(pid) / "status").read_text(encoding="utf-8")
    except OSError:
        return False
