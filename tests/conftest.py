"""A file made from text or bytes, a small index in three languages, and a small round with hostile text."""

from __future__ import annotations

import os
import runpy
import shutil
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

import kaiwa
from kaiwa.corpus.cleaning import write_cleaned
from kaiwa.corpus.rules import read_rules
from kaiwa.retrieval.build import build_index

if TYPE_CHECKING:
    from collections.abc import Callable

os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # hundreds of processes would each compile the same modules
sys.dont_write_bytecode = False
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # started in the background: commands would inherit it
    signal.signal(signal.SIGINT, signal.default_int_handler)

settings.register_profile(
    "kaiwa", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
settings.load_profile("kaiwa")

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
POSTS = ("The first day in Hawaii", "今天终于拿到驾照了", "今日は晴れたので散歩します", HOSTILE)


MADE_ONCE = {"finished_demo": "demo", "models_folder": "models"}
"""Slow fixtures of several modules: the tests that use one run in one process, which makes it once."""
LONGEST_NAME = 500


@pytest.hookimpl(tryfirst=True)  # pytest-xdist reads the marks in its own hook
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the tests that share such a fixture, or one of their module, into a group of pytest-xdist."""
    for item in items:
        if item.get_closest_marker("xdist_group") is None and (group := _group(item)):
            item.add_marker(pytest.mark.xdist_group(group))


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name bytes and long texts by their size: packed bytes tell the time, and processes must agree on names."""
    if isinstance(val, bytes) or (isinstance(val, str) and len(val) > LONGEST_NAME):
        return f"{argname} of {len(val)}"
    return None


def _group(item: pytest.Item) -> str | None:
    """The group of a test that shares a fixture with others."""
    names = getattr(item, "fixturenames", ())
    made = [group for name, group in MADE_ONCE.items() if name in names]
    known = item._fixtureinfo.name2fixturedefs if names else {}  # pytest has no public way to scopes
    of_module = [name for name in names if name in known and known[name][-1].scope == "module"]
    return made[0] if made else item.path.stem if of_module else None


@pytest.fixture
def made(tmp_path: Path) -> Callable[[str, str | bytes], Path]:
    """A function that writes a file of the test's own folder and gives its path."""

    def make(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return make


@pytest.fixture
def small_round(round_template: Path, tmp_path: Path) -> Path:
    """A copy of the small round that a test may change."""
    return Path(shutil.copytree(round_template, tmp_path / "round"))


@pytest.fixture(scope="session")
def round_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A task folder of four runs on eight topics, judged by three assessors, with texts in ``repository/``."""
    from kaiwa.formats.repository import Manifest, writing_repository
    from kaiwa.formats.scores import write_scores
    from kaiwa.nouns.matrix import Matrix
    from kaiwa.nouns.scores import Scores

    folder = tmp_path_factory.mktemp("template")
    (folder / "runs").mkdir()
    rng = np.random.default_rng(3)
    topics = [f"q{place}" for place in range(8)]
    comments = [f"c{place:02}" for place in range(12)]
    runs = ("Aoi-C-R1", "Aoi-C-R2", "Bai-C-R1", "<b>Bai</b>-C-R2")
    (folder / "kaiwa.toml").write_text(
        '[task]\ntitle = "小さな会話 round"\norigin = "made up"\n[judging]\ndepth = 3\n'
        '[scoring]\nmeasures = ["nG@1", "nERR@10"]\n[comparing]\ntrials = 200\n'
    )
    (folder / "topics.tsv").write_text("".join(f"{one}\t{POSTS[at % 4]}\n" for at, one in enumerate(topics)))
    for number, run in enumerate(runs):
        lines = [
            f"{topic} 0 {comments[(at * 3 + number * rank + rank) % 12]} {rank} {9 - rank} {run}\n"
            for at, topic in enumerate(topics)
            for rank in (1, 2, 3)
        ]
        (folder / "runs" / f"{number}.txt").write_text(f"<SYSDESC>方法 {HOSTILE}</SYSDESC>\n" + "".join(lines))
    voted = [
        f"{topic},{comment},a{who},{level}\n"
        for topic in topics
        for comment in comments[:10]
        for who, level in enumerate(rng.integers(0, 3, size=3))
    ]
    (folder / "votes.csv").write_text("topic,comment,assessor,level\n" + "".join(voted))
    judged = [f"{topic} 0 {comment} {rng.integers(0, 3)}\n" for topic in topics for comment in comments[:10]]
    (folder / "qrels.txt").write_text("".join(judged))
    worth = rng.random((2, 8, 4)) * [1, 0.8, 0.5, 0.2]
    tables = zip(("nG@1", "nERR@10"), worth, strict=True)
    write_scores(folder / "scores.csv", Scores(Matrix(name, tuple(topics), runs, one) for name, one in tables))
    with writing_repository(folder / "repository") as writer:
        writer.add("posts", ["p1", "p2"], ["one", "two"])
        writer.add("comments", comments, [f"{('恭喜你', 'いいですね', HOSTILE)[at % 3]} {at}" for at in range(12)])
        writer.add("pairs", ["p1"] * 11 + ["p2"], comments)
        writer.finish(Manifest())
    return folder


PAIRS = """\
p1\t今天天气真好，适合出去走走\tc01\t一起去爬山吧
p1\t今天天气真好，适合出去走走\tc02\t我这里下雨了，好羡慕你
p1\t今天天气真好，适合出去走走\tc03\t天气真好
p2\t明天要考试了，好紧张\tc04\t祝你考试顺利
p2\t明天要考试了，好紧张\tc05\t别紧张，早点睡觉
p2\t明天要考试了，好紧张\tc06\t祝你考试顺利！！
p3\t周末去青岛看海\tc07\t青岛的海鲜很好吃
p3\t周末去青岛看海\tc01\t一起去爬山吧
p4\tThe first day in Hawaii\tc08\tEnjoy the beaches, I was in Hawaii last year
p4\tThe first day in Hawaii\tc09\tSend us some photos
p5\t今日はいい天気ですね\tc10\t散歩に行きましょう
p5\t今日はいい天気ですね\tc11\tこちらは雨が降っています
"""


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pairs above as a repository, near-duplicates merged."""
    folder = tmp_path_factory.mktemp("round")
    (folder / "pairs.tsv").write_text(PAIRS, encoding="utf-8")
    silent = lambda _done, _total: None  # noqa: E731
    write_cleaned(
        folder / "pairs.tsv", folder / "repo", rules=read_rules("plain"), sample=None, seed=1, progress=silent
    )
    return folder / "repo"


@pytest.fixture(scope="session")
def index(repository: Path) -> Path:
    """The repository's index."""
    target = repository.parent / "index"
    build_index(repository, target, language="zh", tokens=None, progress=lambda _done, _total: None)
    return target


@pytest.fixture(scope="session")
def models_folder(index: Path, encoder_files: tuple[Path, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All models of the small index."""
    target = tmp_path_factory.mktemp("trained") / "models"
    kaiwa.models(index, target)
    network, tokenizer = encoder_files
    kaiwa.models(index, target, encoder=network, tokenizer=tokenizer)
    return target


@pytest.fixture(scope="session")
def onnx_file() -> dict[str, Any]:
    """The functions of tests/onnx_file.py, which make a tiny encoder."""
    return runpy.run_path(str(Path(__file__).parent / "onnx_file.py"))


@pytest.fixture(scope="session")
def encoder_files(onnx_file: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A tiny encoder of the characters of the small index, and its tokenizer."""
    network, tokenizer = onnx_file["write_encoder"](tmp_path_factory.mktemp("encoder"), PAIRS)
    return network, tokenizer


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The documentation's offline site, as ``make docs`` builds it."""
    build = runpy.run_path(str(Path(__file__).parents[1] / "docs" / "build_site.py"))["build_site"]
    return Path(build(tmp_path_factory.mktemp("docs")))
