"""kaiwa train as a user types it: labels in, a ranker out, and its answers with reasons."""

from __future__ import annotations

import json
import shutil
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Kaiwa = Callable[..., subprocess.CompletedProcess[str]]
    Made = Callable[[str, str | bytes], Path]

GOOD = {"考试好紧张": "c04", "天气真好啊": "c01", "A day in Hawaii": "c08", "去青岛": "c07", "明天考试": "c05"}
COMMENTS = ("c01", "c02", "c04", "c05", "c07", "c08", "c09")


@pytest.fixture
def task(made: Made, tmp_path: Path, index: Path) -> Path:
    """A task folder with topics and votes, beside a copy of the index."""
    shutil.copytree(index, tmp_path / "index")
    (tmp_path / "task").mkdir()
    made("task/kaiwa.toml", '[judging]\nscheme = "median"\n')
    made("task/topics.tsv", "".join(f"q{place}\t{text}\n" for place, text in enumerate(GOOD)))
    votes = [
        f"q{place},{comment},a{who},{2 if comment == good else (who == 0) + 0}\n"
        for place, good in enumerate(GOOD.values())
        for comment in COMMENTS
        for who in range(3)
    ]
    made("task/votes.csv", "topic,comment,assessor,level\n" + "".join(votes))
    return tmp_path / "task"


def test_a_task_folder_is_labels_and_topics(command: Kaiwa, task: Path) -> None:
    """The folder as the organisers made it, with the scheme of kaiwa.toml; JSON has the fields of the contract."""
    done = command("train", "index", "task", "-o", "ranker", "--folds", "3", "--json", folder=task.parent)
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert [one["fold"] for one in answer["folds"]] == [1, 2, 3]
    assert set(answer["means"]) == {"nERR@10", "P+", "nG@1"} == set(answer["random"]) == set(answer["v_e"])
    assert list(answer["weights"]) == answer["features"]
    assert answer["candidates"] == "run2"
    assert "q2p" in answer["features"]
    assert "translm" not in answer["features"]
    assert {one["name"] for one in answer["ablations"]} == {"similarity", "signals"}
    assert any("5 topics with different labels" in line for line in answer["warnings"])
    replied = command("reply", "index", "考试", "--ranker", "ranker", "--json", folder=task.parent)
    reply = json.loads(replied.stdout)
    assert reply["system"] == "ranker"
    assert reply["weights"] == answer["weights"]
    assert list(reply["replies"][0]["features"]) == answer["features"]
    shown = command("reply", "index", "考试", "--ranker", "ranker", folder=task.parent).stdout
    assert f"({answer['weights']['q2p']:+.3f})" in shown


def test_pooled_comments_without_a_label_are_counted(command: Kaiwa, task: Path, made: Made) -> None:
    """They are left out, and a remark says so; a topic without a known word has candidates too."""
    made("task/pool.tsv", "q0\tc01\nq0\tc11\nq1\tc10\n")
    lines = (task / "topics.tsv").read_text(encoding="utf-8")
    made("task/topics.tsv", lines.replace("去青岛", "zzzz"))
    done = command("train", "index", "task", "--folds", "2", "--no-ablations", "--json", folder=task.parent)
    assert "2 comments of the pool without a label left out" in json.loads(done.stdout)["notes"]
    assert json.loads(done.stdout)["topics"] == 5
    assert json.loads(done.stdout)["ablations"] == []


def test_retrieve_writes_a_run_by_the_ranker(command: Kaiwa, task: Path) -> None:
    """A run that names its learner, and that check accepts."""
    folder = task.parent
    assert command("train", "index", "task", "-o", "ranker", "--folds", "2", folder=folder).returncode == 0
    words = ("retrieve", "index", "task/topics.tsv", "-o", "KAIWA-C-R1.txt", "--ranker", "ranker")
    assert command(*words, folder=folder).returncode == 0
    assert "RankSVM over" in (folder / "KAIWA-C-R1.txt").read_text(encoding="utf-8")
    both = command(*words, "--system", "run0", folder=folder)
    assert (both.returncode, both.stderr.count("\n")) == (2, 1)
    assert "--ranker and --system run0 both order the answers" in both.stderr


def test_a_topic_without_a_positive_label_is_named(command: Kaiwa, task: Path, made: Made) -> None:
    """It is left out, in one line and in JSON."""
    lines = [f"q{place} 0 {one} {int(one == good)}\n" for place, good in enumerate(GOOD.values()) for one in COMMENTS]
    made("task/qrels.txt", "".join(lines).replace("q4 0 c05 1", "q4 0 c05 0"))
    done = command("train", "index", "task", "--folds", "2", "--json", folder=task.parent)
    assert "1 topic without a positive label left out, first 'q4'" in json.loads(done.stdout)["notes"]
    assert json.loads(done.stdout)["left_out"] == ["q4"]


def test_labels_for_unknown_comments_are_one_line(command: Kaiwa, task: Path, made: Made) -> None:
    """With the file and the line, and how many there are; nothing is written."""
    made("task/qrels.txt", "q0 0 c01 1\nq0 0 x1 0\nq1 0 x2 1\n")
    done = command("train", "index", "task", "-o", "ranker", folder=task.parent)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "qrels.txt:2: comment 'x1' is not in the index (nor are those of 1 other labels)" in done.stderr
    assert not (task.parent / "ranker").exists()


def test_qrels_come_before_votes_and_a_scheme_takes_the_votes(command: Kaiwa, task: Path, made: Made) -> None:
    """One source of labels at a time."""
    made("task/qrels.txt", "".join(f"q{place} 0 {comment} 1\n" for place in range(5) for comment in COMMENTS))
    refused = command("train", "index", "task", folder=task.parent)
    assert refused.returncode == 2
    assert "qrels.txt: every topic has one class of labels only" in refused.stderr
    assert command("train", "index", "task", "--scheme", "sum", "--folds", "2", folder=task.parent).returncode == 0


def test_the_text_shows_the_floor_the_families_and_the_weights(command: Kaiwa, made: Made, tmp_path: Path) -> None:
    """A LETOR file, without an index: scores only."""
    lines = [f"{label} qid:{topic} 1:{label} 2:{topic % 3}\n" for topic in range(60) for label in (0, 1, 2)]
    made("train.dat", "".join(lines))
    done = command("train", "--letor", "train.dat", folder=tmp_path)
    assert done.returncode == 0
    for part in ("RankSVM on 180 labels, 60 topics, 5 folds", "random order", "2 alone", "without 1", "V_E", "weight"):
        assert part in done.stdout
    refused = command("train", "--letor", "train.dat", "-o", "ranker", folder=tmp_path)
    assert "--letor has its own features and no texts; leave out -o" in refused.stderr
    assert not (tmp_path / "ranker").exists()


@pytest.mark.parametrize(
    ("words", "what"),
    [
        (("train", "index"), "give INDEX and LABELS"),
        (("train", "index", "task/votes.csv"), "give the texts of the topics with --topics"),
        (("train", "index", "task", "--learner", "linar"), "unknown learner 'linar'; did you mean 'linear'?"),
        (("train", "index", "task", "--folds", "9"), "only 5 topics with different labels"),
        (("train", "index", "index"), "holds no kaiwa.toml"),
        (("train", "index", "task", "--models", "absent", "--features", "translm"), "no such folder of models"),
        (("reply", "index", "考试", "--ranker", "task"), "task: not a ranker; build it with kaiwa train"),
    ],
)
def test_bad_input_is_one_line(command: Kaiwa, task: Path, words: tuple[str, ...], what: str) -> None:
    """And nothing is written."""
    options = ("-o", "ranker") if words[0] == "train" else ()
    done = command(*words, *options, folder=task.parent)
    assert (done.returncode, done.stdout) == (2, "")
    assert what in done.stderr
    assert not (task.parent / "ranker").exists()
