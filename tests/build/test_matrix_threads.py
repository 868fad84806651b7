"""The same seed gives the same models and the same answers, on any number of threads of the matrix library."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

import kaiwa
from kaiwa.stats.compiled import one_matrix_thread

if TYPE_CHECKING:
    from pathlib import Path

POSTS = 3_000
PROGRAM = """
import hashlib, json, os, sys
from pathlib import Path
import kaiwa
from threadpoolctl import threadpool_info

folder, models = Path(sys.argv[1]), Path(sys.argv[2])
kaiwa.models(folder / "index", models, seed=1)
found = {}
for file in sorted(models.rglob("*.npy")):
    found[f"{file.relative_to(models).parts[0]} {file.name}"] = hashlib.md5(file.read_bytes()).hexdigest()
bot = kaiwa.open(folder / "index", models=models)
topics = kaiwa.read_topics(folder / "topics.tsv")
for name in bot.system_names():
    run = bot.retrieve(topics, name=name, system=name, k=100)
    found[name] = hashlib.md5(repr([run.ranking(topic) for topic in run.topics]).encode()).hexdigest()
blas = [one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"]
print(json.dumps({"threads": max(blas), "found": found}))
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of random words, some of which go together, large enough for products by several threads."""
    path, rng = tmp_path_factory.mktemp("threads"), np.random.default_rng(1)
    words = np.array([f"w{number}" for number in range(800)])

    def text(subject: int) -> str:
        return " ".join(words[(subject * 40 + np.minimum(rng.geometric(0.05, 12), 60)) % len(words)])

    subjects = rng.integers(0, 20, POSTS)
    lines = [f"p{n}\t{text(one)}\tc{n}\t{text(one)}\n" for n, one in enumerate(subjects)]
    (path / "pairs.tsv").write_text("".join(lines))
    (path / "topics.tsv").write_text("".join(f"q{n}\t{text(n)}\n" for n in range(10)))
    kaiwa.clean(path / "pairs.tsv", path / "repository", rules="plain")
    kaiwa.index(path / "repository", path / "index", language="en")
    return path


def _found(folder: Path, threads: int) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(folder), str(folder / f"models-{threads}")],
        env={**os.environ, "OPENBLAS_NUM_THREADS": str(threads)},
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def test_models_and_answers_do_not_depend_on_threads(folder: Path) -> None:
    """Every array of every model, and the scores of every system, to the last bit."""
    one, two = _found(folder, 1), _found(folder, 2)
    assert (one["threads"], two["threads"]) == (1, 2)
    assert len(one["found"]) > 100
    assert [name for name, digest in one["found"].items() if two["found"][name] != digest] == []


def test_the_number_of_threads_is_as_before_after_the_block() -> None:
    """What the caller set is kept."""

    def threads() -> set[int]:
        return {one["num_threads"] for one in threadpool_info() if one["user_api"] == "blas"}

    with threadpool_limits(2, user_api="blas"):
        with one_matrix_thread():
            assert threads() == {1}
        assert threads() == {2}
