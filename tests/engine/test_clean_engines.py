"""``kaiwa clean`` on every engine: the same tables, counts and examples, whatever the input and its splits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from itertools import product
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from clean_results import NAMES, Pairs, cleaned, content, csv, jsonl, part_count, tsv

import kaiwa
from kaiwa.corpus import inputs as read_tasks
from kaiwa.corpus.inputs import InputPiece
from kaiwa.errors import InputError
from kaiwa.formats.repository import Manifest, RepositoryWriter, open_repository, repository_folder
from kaiwa.formats.text_files import Span

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

TWEETS = 1_200
LARGE = 60_000
ON_SPARK = pytest.mark.xdist_group("spark")  # one cluster for all


@pytest.fixture
def sources(
    tmp_path: Path, raw_pairs: Callable[[int], Pairs], written: Callable[[str, list[str]], Path]
) -> dict[str, Any]:
    """The same pairs as files of every kind, and tweets."""
    pairs = raw_pairs(1_500)
    made = {name: written(f"pairs.{name}", tsv(pairs)) for name in ("tsv", "tsv.gz", "tsv.zst")}
    made["jsonl"] = written("pairs.jsonl", jsonl(pairs))
    made["parquet"] = tmp_path / "pairs.parquet"
    table = pa.table(dict(zip(NAMES, map(list, zip(*pairs, strict=True)), strict=True)))
    pq.write_table(table, made["parquet"], row_group_size=130)
    made["one group"] = tmp_path / "one-group.parquet"
    pq.write_table(table, made["one group"])
    made["csv"] = written("pairs.csv", csv(pairs))
    posts = [f"{ident}\t{text}" for ident, text in dict(pair[:2] for pair in pairs).items()]
    comments = [f"{pair[2]}-{row}\t{pair[0]}\t{pair[3]}" for row, pair in enumerate(pairs)]
    made["two files"] = [written("posts.tsv", posts), written("comments.tsv", comments)]
    made["tweets"] = written("tweets.jsonl", tweets(pairs))
    made["packed tweets"] = written("tweets.jsonl.zst", tweets(pairs))
    made["dated tweets"] = written("dated.jsonl", dated(tweets(pairs)))
    made["translated"] = written("translated.jsonl", translated(pairs))
    return made


def tweets(pairs: Pairs) -> list[str]:
    """Initial posts and replies to them, before and after them, with repeated ids and posts that do not pass."""
    texts = [pair[1] if row % 7 else "RT" for row, pair in enumerate(pairs)]
    lines = []
    for row in range(TWEETS):
        reply = {"reply_to": f"{(row * 31) % (TWEETS // 2)}"} if row % 3 else {}
        lines.append(
            json.dumps({"id": f"{row % (TWEETS - 40)}", "text": f"{texts[row]} 今日は散歩", "name": "taro", **reply})
        )
    return lines


def dated(lines: list[str]) -> list[str]:
    """The tweets of two years, long enough for the rules of tweets, and with replies to posts that there are."""
    made = []
    for row, one in enumerate(map(json.loads, lines)):
        more = {
            "text": f"{one['text']}に行こうと思っていましたがどうでしょう",
            "date": f"{2014 - (row % 9 == 0)}-05-05",
        }
        reply = {"reply_to": f"{int(one['reply_to']) // 3 * 3}"} if "reply_to" in one else {}
        made.append(json.dumps(one | more | reply))
    return made


def translated(pairs: Pairs) -> list[str]:
    """The pairs with translations of both texts."""
    both = [dict(zip(NAMES, pair, strict=True)) for pair in pairs]
    return [json.dumps(one | {"post_en": f"en {one['post']}", "comment_en": f"en {one['comment']}"}) for one in both]


@pytest.fixture
def large(raw_pairs: Callable[[int], Pairs], written: Callable[[str, list[str]], Path]) -> Path:
    """A file of many pairs."""
    return written("large.tsv", tsv(raw_pairs(LARGE)))


OPTIONS: list[dict[str, Any]] = [
    {"rules": "plain", "keep_first": True},
    {"rules": "weibo", "keep_first": True, "sample": 300, "seed": 4, "takedown": ["p3", "c7", "c11"]},
]
JAPANESE: dict[str, Any] = {"rules": "ntcir12-ja", "takedown": ["9"]}


KINDS = ["tsv", "tsv.gz", "jsonl", "parquet", "one group", "two files", "packed tweets", "dated tweets", "translated"]


@pytest.mark.parametrize("kind", KINDS)
def test_processes_make_the_repository_of_one_process(
    kind: str, sources: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From every kind of input, each of which is cleaned in several parts; lines are split in their middle."""
    options = JAPANESE if kind == "dated tweets" else OPTIONS[kind in {"tsv.gz", "jsonl", "two files"}]
    expected = cleaned(sources[kind], tmp_path / "one", "local", **options)
    monkeypatch.setattr(read_tasks, "SPAN_BYTES", 9_011)
    assert cleaned(sources[kind], tmp_path / "two", "local[2]", **options) == expected
    assert part_count(tmp_path / "two") > 1


@ON_SPARK
@pytest.mark.parametrize("kind", ["tsv", "tweets", "dated tweets", "translated"])  # others: test_clean_several_files.py
def test_spark_makes_the_repository_of_one_process(
    kind: str, sources: dict[str, Any], session: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows, digests, counts of rules, examples, conflicting ids with their lines, a sample, takedowns."""
    options = JAPANESE if kind == "dated tweets" else OPTIONS[kind in {"tsv", "tweets"}]
    expected = cleaned(sources[kind], tmp_path / "one", "local", **options)
    monkeypatch.setattr(read_tasks, "SPAN_BYTES", 30_011)
    assert cleaned(sources[kind], tmp_path / "spark", session, **options) == expected
    assert part_count(tmp_path / "spark") > 1
    assert not list(tmp_path.rglob(".*"))


@ON_SPARK
def test_every_engine_names_the_line_of_the_whole_file(
    session: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    raw_pairs: Callable[[int], Pairs],
    written: Callable[[str, list[str]], Path],
) -> None:
    """Of a line that is wrong, and of ids with two texts; nothing is written."""
    lines = ["\t".join(pair) for pair in raw_pairs(900)]
    wrong = written("wrong.tsv", [*lines[:700], "only\tthree\tcells", *lines[700:]])
    mixed = written(
        "mixed.tsv", [*lines[:880], *(f"p{row}\tother text\tc{row}\tanother text {row}" for row in range(20))]
    )
    monkeypatch.setattr(read_tasks, "SPAN_BYTES", 5_003)
    faults = {path: set[str]() for path in (wrong, mixed)}
    for engine, path in product(("local", "local[2]", session), faults):
        with pytest.raises(InputError) as fault:
            kaiwa.clean(path, tmp_path / "repository", engine=engine)
        faults[path].add(str(fault.value))
    assert faults[wrong] == {
        f"{wrong}:701: expected 4 columns, found 3; a pair is {', '.join(NAMES)}, separated by tabs"
    }
    (message,) = faults[mixed]
    assert message.startswith(f"{mixed}:88")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["mixed.tsv", "wrong.tsv"]


def test_a_task_on_the_copy_of_a_compressed_file_names_that_file(
    raw_pairs: Callable[[int], Pairs], written: Callable[[str, list[str]], Path]
) -> None:
    """And the line in it, though the task reads a span of the copy."""
    lines = ["\t".join(pair) for pair in raw_pairs(900)]
    lines[700] = "only\tthree\tcells"
    packed, copy = (written(name, lines) for name in ("wrong.tsv.gz", "lines.spill"))
    half, size = copy.stat().st_size // 2, copy.stat().st_size
    piece = InputPiece((packed,), "pairs-tsv", span=Span(half, size), copy=copy)
    with pytest.raises(InputError, match=f"^{packed}:701: expected 4 columns, found 3"):
        list(piece.read())


def test_part_files_and_one_file_are_read_alike(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    raw_pairs: Callable[[int], Pairs],
    written: Callable[[str, list[str]], Path],
) -> None:
    """By an index, by topics, and from a folder that another tool wrote; a damaged part is refused."""
    source = written("pairs.tsv", tsv(raw_pairs(1_500)))
    kaiwa.clean(source, tmp_path / "one", keep_first=True)
    monkeypatch.setattr(read_tasks, "SPAN_BYTES", 20_011)
    kaiwa.clean(source, tmp_path / "parts", keep_first=True, engine="local[2]")
    indexes = [kaiwa.index(tmp_path / name, tmp_path / f"{name}.index", language="zh") for name in ("one", "parts")]
    assert indexes[0].facts == indexes[1].facts
    topics = [kaiwa.topics(tmp_path / name, n=5, rest=tmp_path / f"{name}.rest").topics for name in ("one", "parts")]
    assert topics[0] == topics[1]
    (tmp_path / "parts" / "manifest.json").rename(tmp_path / "manifest.json")
    assert content(tmp_path / "parts")["rows"] == content(tmp_path / "one")["rows"]
    (tmp_path / "manifest.json").rename(tmp_path / "parts" / "manifest.json")
    part = sorted((tmp_path / "parts" / "comments.parquet").iterdir())[1]
    part.write_bytes(part.read_bytes()[:-9] + b"123456789")
    with pytest.raises(InputError, match=rf"{part.name}: is missing, damaged or changed"):
        open_repository(tmp_path / "parts")
    kaiwa.clean(source, tmp_path / "parts", keep_first=True)
    assert content(tmp_path / "parts") == content(tmp_path / "one")


@pytest.mark.parametrize(
    ("engine", "line"),
    [
        ("yarn", "unknown engine 'yarn'; give local, local[N], spark://HOST:PORT or sc://HOST:PORT"),
        (
            "spark://127.0.0.1:1",
            "spark://127.0.0.1:1: cannot be reached (Connection refused); start it, or check host and port",
        ),
    ],
)
def test_an_engine_that_cannot_be_used_is_one_line_of_the_command(
    engine: str, line: str, tmp_path: Path, written: Callable[[str, list[str]], Path]
) -> None:
    """With exit code 2, and nothing written."""
    source = written("pairs.tsv", ["p1\tThe first day in Hawaii\tc1\tEnjoy the beaches of Hawaii"])
    words = [sys.executable, "-m", "kaiwa", "clean", str(source), "-o", str(tmp_path / "r"), "--engine", engine]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"kaiwa: {line}\n")
    assert list(tmp_path.iterdir()) == [source]


def test_a_pipe_is_refused_by_engines_that_cannot_read_it(tmp_path: Path) -> None:
    """Other processes see other ends of it."""
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(InputError, match="is a pipe, which other processes cannot read; write it to a file, or leave"):
        kaiwa.clean(tmp_path / "pipe", tmp_path / "repository", engine="local[2]")


@ON_SPARK
def test_spark_connect_makes_the_same_repository(
    spark: Any, connect: str, sources: dict[str, Any], tmp_path: Path
) -> None:
    """By a server on the same master, in a process without a Java of its own."""
    expected = cleaned(sources["tsv"], tmp_path / "one", "local", **OPTIONS[0])
    words = [
        "clean",
        str(sources["tsv"]),
        "-o",
        str(tmp_path / "connect"),
        "--keep-first",
        "--engine",
        connect,
        "--json",
    ]
    without_java = {**spark.environment, "JAVA_HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "kaiwa", *words], capture_output=True, text=True, env=without_java, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert content(tmp_path / "connect") == {
        name: value for name, value in expected.items() if name not in {"told", "conflicting"}
    }
    assert json.loads(done.stdout)["examples"] == expected["told"]["examples"]


@ON_SPARK
def test_a_driver_that_is_killed_leaves_no_repository_and_blocks_nobody(
    spark: Any, connect: str, session: str, tmp_path: Path, large: Path
) -> None:
    """While it runs, another command on the same target is refused in one line; the next one after it succeeds."""
    target = tmp_path / "repository"
    words = [
        sys.executable,
        "-m",
        "kaiwa",
        "clean",
        str(large),
        "-o",
        str(target),
        "--keep-first",
        "--engine",
        connect,
    ]
    driver = subprocess.Popen(words, env=spark.environment, stderr=subprocess.PIPE, start_new_session=True)
    while not list(tmp_path.glob(".repository.*/pairs-*.spill")) and driver.poll() is None:
        time.sleep(0.02)
    with pytest.raises(InputError, match="is being made by another command; wait for it, or give another name"):
        kaiwa.clean(large, target, keep_first=True, engine="local[2]")
    assert driver.poll() is None
    driver.kill()
    driver.communicate()
    assert not target.exists()
    assert list(tmp_path.glob(".repository.*"))
    expected = cleaned(large, tmp_path / "one", "local", rules="plain", keep_first=True)
    assert cleaned(large, target, session, rules="plain", keep_first=True) == expected
    assert not list(tmp_path.glob(".repository.*"))


def test_of_two_commands_on_one_target_the_first_wins(tmp_path: Path) -> None:
    """The other is refused in one line, whichever looks first; what the first makes is whole."""
    target = tmp_path / "repository"
    with ExitStack() as stack:
        folder = stack.enter_context(repository_folder(target, alone=True))
        for _ in range(2):
            with (
                pytest.raises(InputError, match=f"^{target}: is being made by another command; wait for it, or"),
                repository_folder(target, alone=True),
            ):
                pass
        RepositoryWriter(folder).finish(Manifest())
    assert open_repository(target).manifest.pairs == 0
    assert list(tmp_path.iterdir()) == [target]


@ON_SPARK
def test_a_worker_that_is_killed_in_a_shuffle_changes_nothing(
    spark: Any, session: str, tmp_path: Path, large: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its tasks and the parts that it held are made again by the other one."""
    expected = cleaned(large, tmp_path / "one", "local", rules="plain", keep_first=True)
    monkeypatch.setattr(read_tasks, "SPAN_BYTES", large.stat().st_size // 6)
    killed = threading.Event()

    def kill() -> None:
        while not list(tmp_path.glob(".spark.*/pairs-000003.spill")):
            time.sleep(0.02)
        spark.workers[0].kill()
        killed.set()

    thread = threading.Thread(target=kill, daemon=True)
    thread.start()
    found = cleaned(large, tmp_path / "spark", session, rules="plain", keep_first=True)
    assert killed.is_set()
    assert found == expected
