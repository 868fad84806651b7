"""Indexes, runs, models and tests of significance: the same files and numbers on every engine."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np
import pytest

import kaiwa
from kaiwa.comparison.baseline import compare_with_baseline
from kaiwa.comparison.leaderboard import compare_runs
from kaiwa.comparison.tau import rank_agreement
from kaiwa.comparison.variance import pooled_variance
from kaiwa.engine.opening import EngineWorkers, opened
from kaiwa.formats.repository import open_repository, pieces_of, read_piece
from kaiwa.formats.runs import run_text
from kaiwa.nouns.matrix import Matrix
from kaiwa.ranking.answering import Bot, RunSettings
from kaiwa.ranking.replies import FILTERS
from kaiwa.retrieval.build import build_index
from kaiwa.retrieval.inverted_index import open_index
from kaiwa.retrieval.matching import Matcher, query_of, search
from kaiwa.stats.resampling import Threads
from kaiwa.topicset.decisions import topics_for_decision
from kaiwa.topicset.pilots import simulated_tests
from kaiwa.topicset.rounds import planned_rounds
from kaiwa.topicset.simulation import simulated_power

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kaiwa.retrieval.matching import Candidates
    from kaiwa.stats.resampling import Workers

SHARDS = 3
MATCHERS = [
    Matcher(similarity, q2p, q2c)
    for similarity in ("tfidf", "bm25")
    for q2p, q2c in ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0))
]
CONNECT = "connect"
ENGINES = ["local[2]", "session", CONNECT]
pytestmark = pytest.mark.xdist_group("spark")  # one cluster, and one repository for all engines


@pytest.fixture
def address(request: pytest.FixtureRequest, engine: str) -> str:
    """The name of the engine; Spark is started only for its own tests."""
    return engine if engine.startswith("local") else str(request.getfixturevalue(engine))


@pytest.fixture(scope="module")
def folder(
    raw_pairs: Callable[[int], list[tuple[str, str, str, str]]], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A repository in small row groups, its index whole and in shards, and topics."""
    made = tmp_path_factory.mktemp("verbs")
    pairs = made / "pairs.tsv"
    pairs.write_text("".join("\t".join(row) + "\n" for row in raw_pairs(3_000)), encoding="utf-8")
    with patch("kaiwa.files.parquet._GROUP_ROWS", 200):
        kaiwa.clean(pairs, made / "repository")
    posts = [text for _, texts in open_repository(made / "repository").posts() for text in texts]
    (made / "topics.tsv").write_text("".join(f"q{at}\t{text}\n" for at, text in enumerate(posts[:40])), "utf-8")
    for shards in (None, SHARDS):
        indexed(made, shards, "local", made / f"index-{shards}")
    return made


def indexed(folder: Path, shards: int | None, engine: str, target: Path) -> dict[str, Any]:
    """Checksums and facts of the index at the target, which is made in chunks of few rows."""
    with patch("kaiwa.retrieval.chunks._FEWEST_ROWS", 300):
        build_index(
            folder / "repository",
            target,
            language="zh",
            tokens=None,
            progress=lambda _done, _total: None,
            shards=shards,
            engine=engine,
        )
    manifest = json.loads((target / "manifest.json").read_text(encoding="utf-8"))
    assert [entry.name for entry in (target / manifest["data"]).iterdir() if entry.suffix != ".npy"] == []
    return {name: manifest[name] for name in ("files", "facts")}


def made_before(folder: Path, shards: int | None) -> dict[str, Any]:
    """Checksums and facts of the index that this process made."""
    manifest = json.loads((folder / f"index-{shards}" / "manifest.json").read_text(encoding="utf-8"))
    return {name: manifest[name] for name in ("files", "facts")}


def rows(found: Candidates) -> list[list[float]]:
    """Comments, posts and scores, which are compared with ==."""
    return [found.comments.tolist(), found.posts.tolist(), found.scores.tolist()]


@pytest.mark.parametrize("shards", [None, SHARDS])
@pytest.mark.parametrize("engine", ["local[2]", CONNECT])
def test_every_engine_makes_the_same_arrays(folder: Path, address: str, shards: int | None, tmp_path: Path) -> None:
    """Every array has the checksum that it has in an index of one process, though its texts were read in chunks."""
    assert indexed(folder, shards, address, tmp_path / "index") == made_before(folder, shards)


def test_shards_of_spark_tasks_answer_as_one_index(folder: Path, session: str, tmp_path: Path) -> None:
    """Q2P, Q2C and joint, tf-idf and BM25, k = 10 and 1000, with and without a takedown, to the last bit."""
    assert indexed(folder, SHARDS, session, tmp_path / "index") == made_before(folder, SHARDS)
    one, several = open_index(folder / "index-None"), open_index(tmp_path / "index")
    assert len(several.shards) == SHARDS
    for line in (folder / "topics.tsv").read_text(encoding="utf-8").splitlines():
        first, second = (query_of(index, line.partition("\t")[2]) for index in (one, several))
        for matcher in MATCHERS:
            for k, hidden in ((10, None), (1000, None), (10, np.arange(0, 200, 3))):
                expected = search(first, matcher, k=k, takedown_posts=hidden)
                assert rows(search(second, matcher, k=k, takedown_posts=hidden)) == rows(expected)


def test_pieces_are_the_table_without_its_takedown(folder: Path) -> None:
    """Whatever their size: the rows of all pieces, and the place of the first row of each."""
    hidden = frozenset(f"c{at}" for at in range(0, 900, 4))
    for takedown in (frozenset[str](), hidden):
        repository = open_repository(folder / "repository", takedown=takedown)
        for name in ("posts", "comments"):
            whole = [row for batch in repository.table(name) for row in zip(*batch, strict=True)]
            for most in (1, 500, 100_000):
                pieces = pieces_of(repository, name, most=most)
                read = [
                    [row for batch in read_piece(repository, one) for row in zip(*batch, strict=True)] for one in pieces
                ]
                assert [row for own in read for row in own] == whole
                assert [one.rows for one in pieces] == [len(own) for own in read]
                assert [one.first for one in pieces] == np.cumsum([0, *map(len, read)])[:-1].tolist()


@pytest.mark.parametrize("engine", ENGINES)
def test_a_run_is_the_same_file(folder: Path, address: str, tmp_path: Path) -> None:
    """Every byte of it, from a whole index and from shards, with a topic and comments on a takedown list."""
    topics = dict(line.split("\t") for line in (folder / "topics.tsv").read_text(encoding="utf-8").splitlines())
    bots = [Bot(folder / f"index-{shards}", takedown=frozenset({"q3", "c1", "c2"})) for shards in (None, SHARDS)]
    with opened(address, tmp_path) as running:
        for bot in bots:
            local, remote = (
                bot.run(topics, RunSettings("KAIWA-C-R1", 10, "bm25", FILTERS, "rrf"), engine=engine)
                for engine in (None, running)
            )
            assert run_text(remote) == run_text(local)
            assert "q3" not in remote.topics
            assert len(remote.topics) == len(topics) - 1


CHANCE = np.random.default_rng(3)
VALUES = CHANCE.beta(1, 2, (30, 1)) * 0.5 + CHANCE.random((30, 4)) * 0.5 + np.array([0, 0.1, 0.2, 0.3])
SCORES = Matrix("AP", tuple(map(str, range(30))), tuple("ABCD"), VALUES)
OTHER = Matrix("P+", SCORES.topics, SCORES.runs, VALUES + CHANCE.normal(0, 0.2, VALUES.shape))


def outcomes(workers: Workers) -> dict[str, str]:
    """p-values, intervals, limits and numbers of topics, in all digits; with several blocks each."""

    def rng() -> np.random.Generator:
        return np.random.default_rng(1)

    rejects = simulated_tests(rng())["hsd"]
    found = {
        "hsd": compare_runs(SCORES, test="hsd", trials=600, rng=rng(), workers=workers),
        "robust": compare_runs(SCORES, test="robust", trials=600, rng=rng(), workers=workers),
        "many-to-one": compare_with_baseline(SCORES, "A", trials=600, rng=rng(), workers=workers),
        "baseline": compare_with_baseline(SCORES, "A", test="bootstrap", trials=600, rng=rng(), workers=workers),
        "variance": pooled_variance([VALUES, VALUES[:9]], trials=600, rng=rng(), workers=workers),
        "tau": rank_agreement(SCORES, OTHER, interval="bootstrap", trials=600, rng=rng(), workers=workers),
        "decision": topics_for_decision(VALUES, goal="top", target=0.8, draws=200, rng=rng(), workers=workers),
        "power": simulated_power(
            VALUES, rejects, n=10, systems=3, min_diff=0.2, trials=600, tolerance=0.03, rng=rng(), workers=workers
        ),
        "rounds": planned_rounds(
            [10, 20],
            systems=3,
            min_diff=0.3,
            variance=0.1,
            shared_topics=True,
            trials=3_000,
            rng=rng(),
            workers=workers,
        ),
    }
    return {name: repr(vars(one)) for name, one in found.items()}


@pytest.mark.parametrize("engine", ["local[2]", CONNECT])
def test_tests_bootstraps_and_designs_are_equal_on_one_and_on_many_workers(address: str) -> None:
    """To the last digit."""
    with (
        patch("kaiwa.stats.resampling.SHUFFLE_CELLS", 900),
        patch("kaiwa.stats.resampling.BLOCK_CELLS", 9_000),
        patch("kaiwa.stats.resampling.DRAW_CELLS", 9_000),
        opened(address) as running,
    ):
        assert outcomes(EngineWorkers(running)) == outcomes(Threads(2))


@pytest.mark.parametrize("engine", ["local[2]", CONNECT])
def test_models_and_features_are_equal_to_those_of_one_process(folder: Path, address: str, tmp_path: Path) -> None:
    """Each model is a task, also one that needs another; features of labelled comments come from several tasks."""
    names = ["vectors", "convolution"]
    index = folder / "index-None"
    for engine, made in (("local", "one"), (address, "other")):
        kaiwa.models(index, tmp_path / made, names=names, engine=engine)
    for name in ("tokens", *names):
        one, other = (json.loads((tmp_path / made / name / "manifest.json").read_text()) for made in ("one", "other"))
        assert one["files"] == other["files"]
        assert one["facts"] == other["facts"]
    bot, lines = Bot(index), []
    topics = dict(line.split("\t") for line in (folder / "topics.tsv").read_text(encoding="utf-8").splitlines())
    for topic, text in list(topics.items())[:12]:
        lines += [f"{topic} 0 {one.comment} {place % 3}" for place, one in enumerate(bot.reply(text, k=6))]
    (tmp_path / "qrels.txt").write_text("\n".join([*lines, ""]), encoding="utf-8")
    studies = [
        kaiwa.train(
            index,
            tmp_path / "qrels.txt",
            topics=folder / "topics.tsv",
            models=tmp_path / "one",
            folds=2,
            engine=engine,
        )
        for engine in ("local", address)
    ]
    assert studies[0].means == studies[1].means
    assert studies[0].weights == studies[1].weights
