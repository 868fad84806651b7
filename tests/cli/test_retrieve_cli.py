"""kaiwa index, reply and retrieve as a user types them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Kaiwa = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def index(command: Kaiwa, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small index, made by the commands themselves."""
    folder = tmp_path_factory.mktemp("cli")
    lines = ["p1\t明天要考试了\tc1\t祝你考试顺利", "p1\t明天要考试了\tc2\t早点睡觉", "p2\t去看海\tc3\t海鲜好吃"]
    (folder / "pairs.tsv").write_text("\n".join(lines), encoding="utf-8")
    assert command("clean", "pairs.tsv", "-o", "repo", folder=folder).returncode == 0
    made = command("index", "repo", "-o", "index", "--json", folder=folder)
    answer = json.loads(made.stdout)
    assert (answer["posts"], answer["comments"], answer["pairs"], answer["language"]) == (2, 3, 3, "zh")
    return folder / "index"


def test_reply_prints_one_json_object(kaiwa: Kaiwa, index: Path) -> None:
    """Replies with comment, text, score and the reasons."""
    done = kaiwa("reply", index, "考试", "-k", "1", "--json")
    answer = json.loads(done.stdout)
    assert [(one["comment"], one["text"], one["post"]) for one in answer["replies"]] == [("c1", "祝你考试顺利", "p1")]
    assert answer["replies"][0]["score"] > 0
    assert list(answer["replies"][0]) == ["comment", "text", "score", "post", "post_text", "words", "features"]
    assert answer["replies"][0]["score"] == pytest.approx(sum(answer["replies"][0]["features"].values()))
    assert list(answer["replies"][0]["features"]) == ["q2p", "q2c"]


def test_reply_without_a_post_reads_posts_line_by_line(kaiwa: Kaiwa, index: Path) -> None:
    """The prompt is silent if stdin is not a terminal."""
    done = kaiwa("reply", index, stdin="考试\n看海\n")
    assert done.returncode == 0
    assert "祝你考试顺利" in done.stdout
    assert "海鲜好吃" in done.stdout


def test_retrieve_writes_a_run_that_check_accepts(kaiwa: Kaiwa, index: Path, tmp_path: Path) -> None:
    """A valid STC run, by the checker's own verdict."""
    (tmp_path / "topics.tsv").write_text("t1\t考试\nt2\t看海\n", encoding="utf-8")
    run = tmp_path / "KAIWA-C-R1.txt"
    done = kaiwa("retrieve", index, tmp_path / "topics.tsv", "-o", run, "--system", "run2", "--json")
    answer = json.loads(done.stdout)
    assert (answer["name"], answer["topics"], answer["unanswered"]) == ("KAIWA-C-R1", 2, [])
    verdict = json.loads(kaiwa("check", run, "--json").stdout)
    assert [one for one in verdict["problems"] if one["severity"] == "error"] == []


def test_a_run_name_with_a_blank_is_refused_and_nothing_is_written(kaiwa: Kaiwa, index: Path, tmp_path: Path) -> None:
    """Its lines would have seven fields."""
    (tmp_path / "topics.tsv").write_text("t1\t考试\n", encoding="utf-8")
    done = kaiwa("retrieve", index, tmp_path / "topics.tsv", "-o", tmp_path / "r.txt", "--name", "my run")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "run 'my run': contains a blank" in done.stderr
    assert not (tmp_path / "r.txt").exists()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("reply", "nowhere", "x"), "nowhere: no such index; build it with kaiwa index"),
        (("retrieve", "nowhere", "t.tsv", "-o", "r.txt"), "no such file"),
        (("index", "nowhere", "-o", "i"), "nowhere: no such repository"),
    ],
)
def test_what_is_missing_is_one_line(kaiwa: Kaiwa, words: tuple[str, ...], complaint: str) -> None:
    """Exit 2, one line, no traceback."""
    done = kaiwa(*words)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert complaint in done.stderr


def test_an_unknown_system_is_one_line_with_a_hint(kaiwa: Kaiwa, index: Path) -> None:
    """Did you mean."""
    done = kaiwa("reply", index, "考试", "--system", "rnu2")
    assert (done.returncode, done.stdout) == (2, "")
    assert "did you mean 'run2'" in done.stderr
