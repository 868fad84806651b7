"""A folder with pairs, their repository and index, and a task with scores, in which examples of the verbs run."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

IN_THE_FOLDER = (
    "corpus/repository.py",
    "corpus/topics.py",
    "retrieval/index.py",
    "ranking/answering.py",
    "ranking/bot.py",
    "ranking/trained_models.py",
    "ranking/training.py",
    "store/backup.py",
    "store/invitations.py",
    "store/logged_votes.py",
    "store/verification.py",
    "web/served.py",
    "reporting/report.py",
)
PAIRS = "p1\tThe first day in Hawaii\tc1\tEnjoy the beaches of Hawaii\np2\tIt rains\tc2\tStay at home if it rains\n"


@pytest.fixture(scope="session")
def small_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder, made once: pairs.tsv, repository, index; and a task with a vote and scores."""
    import kaiwa

    folder = tmp_path_factory.mktemp("examples")
    (folder / "pairs.tsv").write_text(PAIRS, encoding="utf-8")
    kaiwa.clean(folder / "pairs.tsv", folder / "repository")
    kaiwa.index(folder / "repository", folder / "index", language="en")
    task = folder / "task"
    shutil.copytree(folder / "repository", task / "repository")
    (task / "kaiwa.toml").write_text(
        '[task]\ntitle = "A small round"\n[scoring]\nmeasures = ["nG@1"]\n', encoding="utf-8"
    )
    (task / "topics.tsv").write_text("q1\tA day in Hawaii\n", encoding="utf-8")
    (task / "pool.tsv").write_text("q1\tc1\nq1\tc2\n", encoding="utf-8")
    kaiwa.votes(task, add=kaiwa.Votes.from_rows([("q1", "c1", "ann", 2)]))
    scores = {"A": dict.fromkeys("12345678", 1.0), "B": {topic: 0.5 / int(topic) for topic in "12345678"}}
    kaiwa.Scores.from_dict(scores, "nG@1").write(task / "scores.csv")
    return folder


@pytest.fixture(autouse=True)
def _in_a_copy(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """The examples of these modules run in a copy of the folder."""
    if request.path.as_posix().endswith(IN_THE_FOLDER):
        copy: Path = request.getfixturevalue("tmp_path") / "examples"
        shutil.copytree(request.getfixturevalue("small_folder"), copy)
        monkeypatch.chdir(copy)
