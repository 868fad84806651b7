"""A folder with a little of everything that verbs read, and the command in this process."""

from __future__ import annotations

import contextlib
import io
import shutil
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

import kaiwa
from kaiwa.cli.group import main

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Typed = Callable[..., "Done"]

PAIRS = (
    "p1\tThe first day in Hawaii\tc1\tEnjoy the beaches of Hawaii\n"
    "p2\tIt rains again today\tc2\tStay at home if it rains\n"
    "p2\tIt rains again today\tc4\tIt rains here too, take an umbrella to the bus\n"
    "p3\tMy cat sleeps all day\tc3\tLet the cat sleep\n"
    "p4\tSome rain in Hawaii on the first day\tc5\tThe beaches are nice if it rains\n"
    "p5\tWhat a day\tc6\tok\n"
    "p2\tIt rains again today\tc7\trains\n"
    "p5\tWhat a day\tc8\tWhat a day\n"
)
TOPICS = {f"q{place}": text for place, text in enumerate(("A day in Hawaii", "It rains", "The cat", "What a day"))}
QUESTIONS = [f"t{place}" for place in range(10)]
NEWS = ("the sea", "bread", "some tea", "trains", "a long walk in the woods", "music by Bach")
COMMENTS = {"a": 2, "b": 1, "c": 0, "d": 2, "e": 1}
RUNS = {"T1-C-R1": "abcde", "T1-C-R2": "bacdx", "T2-C-R1": "edcba", "T3-C-R1": "xbdac"}


@dataclass(frozen=True)
class Done:
    """What a command ended with and printed."""

    code: int
    out: str
    err: str


@pytest.fixture(scope="session")
def everything(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pairs, repository, index, models, ranker, topics, runs, judgements, votes, scores, and a task folder."""
    folder = tmp_path_factory.mktemp("everything")
    with contextlib.chdir(folder):
        _write_collection()
        _write_runs(Path())
        _write_judgements(Path())
        _write_scores()
        _write_task(Path("task"))
    return folder


@pytest.fixture
def here(everything: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the folder, as the current one."""
    copy = Path(shutil.copytree(everything, tmp_path / "here"))
    monkeypatch.chdir(copy)
    return copy


@pytest.fixture(scope="session")
def typed() -> Typed:
    """A function that runs ``kaiwa`` with the given words in the current folder, in this process."""
    return _typed


def _typed(*words: str, stdin: bytes = b"") -> Done:
    out, err = io.BytesIO(), io.BytesIO()
    with pytest.MonkeyPatch.context() as patch, _signals_kept():
        patch.setattr(sys, "argv", ["kaiwa", *words])
        for name, stream in {"stdin": io.BytesIO(stdin), "stdout": out, "stderr": err}.items():
            patch.setattr(sys, name, io.TextIOWrapper(stream, encoding="utf-8", write_through=True))
        patch.setenv("COLUMNS", "80")
        with pytest.raises(SystemExit) as ending:
            sys.exit(main())
        return Done(int(ending.value.code or 0), out.getvalue().decode(), err.getvalue().decode())


@contextlib.contextmanager
def _signals_kept() -> Iterator[None]:
    kept = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in kept.items():
            signal.signal(number, handler)


def _write_collection() -> None:
    """The pairs and what is made of them; ``twice.tsv`` has an id with two texts."""
    Path("pairs.tsv").write_text(PAIRS)
    Path("twice.tsv").write_text(PAIRS + "p1\tAnother text\tc9\tof the post p1\n")
    Path("posts.tsv").write_text("".join(f"n{at}\tA post about {what} and more\n" for at, what in enumerate(NEWS, 1)))
    Path("topics.tsv").write_text("".join(f"{name}\t{text}\n" for name, text in TOPICS.items()))
    Path("other-topics.tsv").write_text("".join(f"{name}\tThe bus, {text}\n" for name, text in TOPICS.items()))
    Path("listed.txt").write_text("c1\nc2\np3\nn1\na\n")
    Path("blocked.txt").write_text("rains\n")
    made = kaiwa.index(kaiwa.clean("pairs.tsv", "repository"), "index", language="en")
    kaiwa.models(made, "models", ["topicword", "translation"])
    judged = [(topic, comment) for topic in TOPICS for comment in ("c1", "c2", "c3", "c4", "c5")]
    grades = np.random.default_rng(1).integers(0, 3, len(judged)).tolist()
    rows = [f"{topic} 0 {comment} {grade}\n" for (topic, comment), grade in zip(judged, grades, strict=True)]
    Path("labels.txt").write_text("".join(rows))
    votes = [
        f"{topic},{comment},{who},{max(0, grade - lift)}\n"
        for (topic, comment), grade in zip(judged, grades, strict=True)
        for lift, who in enumerate(("ann", "bob"))
    ]
    Path("label-votes.csv").write_text("topic,comment,assessor,level\n" + "".join(votes))
    letor = [f"{grade} qid:{topic[1:]} 1:{grade + place % 3} 2:{place % 4} # {comment}\n"
             for place, ((topic, comment), grade) in enumerate(zip(judged, grades, strict=True))]  # fmt: skip
    Path("letor.txt").write_text("".join(letor))
    kaiwa.train(made, "labels.txt", topics="topics.tsv", folds=2, output="ranker")
    for system in ("run0", "bm25"):
        kaiwa.retrieve(made, "topics.tsv", name=system, system=system).write(f"{system}.run")


def _write_runs(folder: Path) -> None:
    """Four runs of three teams; by score and by rank their lines have another order."""
    for place, (name, order) in enumerate(RUNS.items()):
        lines = []
        for row, topic in enumerate(QUESTIONS):
            own = order if (row + place) % 3 else order[::-1]
            ranks = (2, 1, 3, 5, 4)
            lines += [
                f"{topic} 0 {item} {rank} {9 - at if at != 1 else 9.5} {name}\n"
                for at, (item, rank) in enumerate(zip(own, ranks, strict=True))
            ]
        (folder / f"{name}.txt").write_text("<SYSDESC>plain words</SYSDESC>\n" + "".join(lines))


def _write_judgements(folder: Path) -> None:
    """Grades, grades by intent, and votes of three assessors; one topic has no relevant item."""
    graded = [
        (topic, item, 0 if topic == "t9" else max(0, grade - row % 2))
        for row, topic in enumerate(QUESTIONS)
        for item, grade in COMMENTS.items()
    ]
    (folder / "qrels.txt").write_text("".join(f"{topic} 0 {item} {grade}\n" for topic, item, grade in graded))
    rng = np.random.default_rng(2)
    intents = [f"{topic} {intent} {item} {rng.integers(0, 3)}\n" for topic, item, _ in graded for intent in (1, 2)]
    (folder / "intents.txt").write_text("".join(intents))
    (folder / "chances.txt").write_text("".join(f"{topic} 1 0.75\n{topic} 2 0.25\n" for topic in QUESTIONS))
    votes = [
        f"{topic},{item},{who},{_voted(topic, grade, rng)}\n"
        for topic, item, grade in graded
        for who in ("ann", "bob", "cleo")
    ]
    (folder / "votes.csv").write_text("topic,comment,assessor,level\n" + "".join(votes))


def _voted(topic: str, grade: int, rng: np.random.Generator) -> int:
    """A level near the grade; on one topic nothing is relevant."""
    return 0 if topic == "t9" else min(2, max(0, grade + int(rng.integers(-1, 2))))


def _write_scores() -> None:
    """Scores of two measures, of one, with gaps, by assessor; and those of an earlier round."""
    rng = np.random.default_rng(3)
    names, lifts = ("A-C-R1", "A-C-R2", "B-C-R1", "C-C-R1"), np.array([0.5, 0.35, 0.2, 0.0])
    tables = [
        kaiwa.Scores.from_matrix(name, QUESTIONS, names, np.round(rng.random((10, 4)) * spread + lifts, 4))
        for name, spread in (("nG@1", 0.4), ("ppl", 0.9))
    ]
    tables[0].write("one.csv")
    kaiwa.Scores(tables).write("scores.csv")
    earlier = [kaiwa.Scores.from_matrix(one.measure, QUESTIONS, names, one.values[::-1] + 0.1) for one in tables]
    kaiwa.Scores(earlier).write("earlier.csv")
    kaiwa.standardise("earlier.csv", save_factors="factors.csv")
    lines = Path("scores.csv").read_text().splitlines()
    Path("gaps.csv").write_text("\n".join(line for line in lines if "t3,A-C-R2" not in line) + "\n")
    panel = [
        f"t{topic},{run},{who},{rng.random() + topic / 9:.4f}"
        for topic in range(9)
        for run in ("A", "B", "C")
        for who in ("ann", "bob")
    ]
    Path("panel.csv").write_text("\n".join(["topic,run,assessor,score", *panel[:-1]]) + "\n")


def _write_task(folder: Path) -> None:
    """A task with runs, votes and a pool."""
    (folder / "runs").mkdir(parents=True)
    (folder / "kaiwa.toml").write_text(
        '[task]\ntitle = "t"\n[scoring]\nmeasures = ["nG@1"]\n[comparing]\ntrials = 99\n'
    )
    _write_runs(folder / "runs")
    _write_judgements(folder)
    (folder / "qrels.txt").rename(folder / "other-qrels.txt")
    (folder / "topics.tsv").write_text("".join(f"{topic}\tWhat a day, {topic}\n" for topic in QUESTIONS))
    (folder / "pool.tsv").write_text("".join(f"{topic}\tc1\n{topic}\tc2\n" for topic in QUESTIONS))
    shutil.copytree("repository", folder / "repository")
