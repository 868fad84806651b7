"""A Spark master and two workers on loopback, one for all tests, and one session on them; pairs that chance made."""

from __future__ import annotations

import os
import random
import sys
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import pytest
from benchmarks.scale.cluster import cluster

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from benchmarks.scale.cluster import Cluster

sys.path.insert(0, str(Path(__file__).parent))  # other processes import the steps of the tests by their names
WORDS = [
    "今天",
    "天气",
    "真好",
    "一起",
    "去",
    "看海",
    "吧",
    "明天",
    "考试",
    "加油",
    "的",
    "面条",
    "哈哈哈",
    "nice",
    "weather",
]


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    """The cluster; drivers of this process and of others find its settings in the environment."""
    with cluster(tmp_path_factory.mktemp("spark")) as started:
        before = dict(os.environ)
        os.environ.update(started.environment)
        try:
            yield started
        finally:
            os.environ.clear()
            os.environ.update(before)


@pytest.fixture(scope="session")
def session(spark: Cluster) -> Iterator[str]:
    """The address of the master; while the tests run, engines of this process share one session on it."""
    from kaiwa.engine.spark import session as sessions

    with patch.object(sessions, "WORKER_SECONDS", 600), sessions.spark_session(spark.address):
        yield spark.address


@pytest.fixture(scope="session")
def connect(spark: Cluster) -> str:
    """The address of a Spark Connect server on the master, which ends with the cluster."""
    return spark.add_connect_server()


@pytest.fixture(scope="session")
def raw_pairs() -> Callable[[int], list[tuple[str, str, str, str]]]:
    """A function that makes pairs: repeated and short posts, near-duplicates, ids with two texts."""

    def make(count: int) -> list[tuple[str, str, str, str]]:
        rng = random.Random(7)
        posts = [" ".join(rng.choices(WORDS, k=rng.randint(1, 9))) for _ in range(max(count // 12, 1))]
        pairs = []
        for row in range(count):
            post = rng.randrange(len(posts))
            comment = " ".join(rng.choices(WORDS, k=rng.randint(1, 4))) + rng.choice(["", "!!", "。", " "])
            name = rng.randrange(count) if rng.random() < 0.004 else row
            pairs.append((f"p{post}", posts[post], f"c{name}", comment.strip()))
        return pairs

    return make


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str, list[str]], Path]:
    """A function that writes lines to a file of the test's own folder, compressed by its suffix."""
    import gzip

    from kaiwa.files.zstd import ZstdFile

    def write(name: str, lines: list[str]) -> Path:
        path, data = tmp_path / name, "".join(f"{line}\n" for line in lines).encode()
        if name.endswith(".zst"):
            with path.open("wb") as raw, ZstdFile(raw, mode="w") as packed:
                packed.write(data)
        else:
            path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
        return path

    return write
