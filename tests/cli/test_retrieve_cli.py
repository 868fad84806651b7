"""kaiwa index, reply and retrieve as a user types them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from kaiwa.ranking.system_table import SYSTEMS

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
    assert list(answer["replies"][0]) == [
        "comment",
        "text",
        "score",
        "post",
        "post_text",
        "words",
        "features",
        "translations",
    ]
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
    assert (answer["name"], answer["topics"], answer["unanswered"]) == ("KAIWA-C-R1", ["t1", "t2"], [])
    verdict = json.loads(kaiwa("check", run, "--json").stdout)
    assert [one for one in verdict["problems"] if one["severity"] == "error"] == []


def test_a_run_name_with_a_blank_is_refused_and_nothing_is_written(kaiwa: Kaiwa, index: Path, tmp_path: Path) -> None:
    """Its lines would have seven fields."""
    (tmp_path / "topics.tsv").write_text("t1\t考试\n", encoding="utf-8")
    done = kaiwa("retrieve", index, tmp_path / "topics.tsv", "-o", tmp_path / "r.txt", "--name", "my run")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "run 'my run': contains a blank" in done.stderr
    assert not (tmp_path / "r.txt").exists()


def test_all_systems_with_some_models_are_those_that_need_no_others(kaiwa: Kaiwa, index: Path, tmp_path: Path) -> None:
    """The demo, for one, trains two models."""
    topics = tmp_path / "topics.tsv"
    topics.write_text("t1\t考试\n", encoding="utf-8")
    assert kaiwa("models", index, "-o", tmp_path / "models", "translation").returncode == 0
    done = kaiwa("retrieve-all", index, topics, "-o", tmp_path, "--models", tmp_path / "models", "--json")
    names = {one["name"] for one in json.loads(done.stdout)["runs"]}
    assert names == {name for name, system in SYSTEMS.items() if set(system.models) <= {"translation"}}


def test_systems_are_listed_with_what_they_need_and_who_described_them(kaiwa: Kaiwa) -> None:
    """As in the table."""
    listed = json.loads(kaiwa("names", "systems", "--json").stdout)["names"]
    assert [one["name"] for one in listed] == list(SYSTEMS)
    assert all(one["origin"] and one["description"] for one in listed)
    assert {"name": "run3", "needs": ["translation"]}.items() <= next(
        one for one in listed if one["name"] == "run3"
    ).items()
    assert "Sakai et al. 2015" in kaiwa("names", "systems").stdout


@pytest.mark.parametrize("inside", [".", "runs"])
def test_runs_are_not_written_into_the_index(kaiwa: Kaiwa, index: Path, tmp_path: Path, inside: str) -> None:
    """Neither beside its files nor in a folder of it."""
    topics = tmp_path / "topics.tsv"
    topics.write_text("t1\t考试\n", encoding="utf-8")
    before = sorted(index.rglob("*"))
    done = kaiwa("retrieve-all", index, topics, "-o", index / inside)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.endswith("which this command reads; give another folder\n")
    assert sorted(index.rglob("*")) == before


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


@pytest.mark.parametrize(
    ("post", "complaint"),
    [("", "the post is empty; give some words"), (" \t", "is empty"), ("\udcff\udcfe hi", "the post is not UTF-8")],
)
def test_a_post_that_says_nothing_is_an_error(kaiwa: Kaiwa, index: Path, post: str, complaint: str) -> None:
    """And not an answer without comments."""
    done = kaiwa("reply", index, post, "--json")
    assert (done.returncode, done.stdout) == (2, "")
    assert complaint in done.stderr


@pytest.mark.parametrize("post", ["\x02考试", "考\x02试\x1f", "\x02"])
def test_control_characters_in_a_post_change_nothing(kaiwa: Kaiwa, index: Path, post: str) -> None:
    """U+0002 marks bigrams inside; a post may have it."""
    done = kaiwa("reply", index, post, "--json")
    assert done.returncode == 0
    assert [one["comment"] for one in json.loads(done.stdout)["replies"]] == (["c1", "c2"] if "考" in post else [])


def test_a_folder_of_topics_and_a_file_of_models_are_named(kaiwa: Kaiwa, index: Path, tmp_path: Path) -> None:
    """In words about what was given."""
    done = kaiwa("retrieve", index, index, "-o", tmp_path / "run.txt")
    assert (done.returncode, done.stderr) == (
        2,
        f"kaiwa: {index}: is a folder; give a file of topics, with lines of: id TAB text\n",
    )
    (tmp_path / "file").write_text("")
    done = kaiwa("models", index, "-o", tmp_path / "file")
    assert (done.returncode, done.stderr) == (
        2,
        f"kaiwa: {tmp_path / 'file'}: is a file; give a folder for the models\n",
    )


def test_an_unknown_system_is_one_line_with_a_hint(kaiwa: Kaiwa, index: Path) -> None:
    """Did you mean."""
    done = kaiwa("reply", index, "考试", "--system", "rnu2")
    assert (done.returncode, done.stdout) == (2, "")
    assert "did you mean 'run2'" in done.stderr


def test_all_systems_write_one_valid_run_each(kaiwa: Kaiwa, index: Path, tmp_path: Path) -> None:
    """Those whose models are given; the others are named."""
    topics = tmp_path / "topics.tsv"
    topics.write_text("t1\t考试\nt2\t看海\n", encoding="utf-8")
    done = kaiwa("retrieve-all", index, topics, "-o", tmp_path / "few", "--json")
    few = json.loads(done.stdout)
    assert {"run2", "random-walk"} <= {one["name"] for one in few["runs"]}
    assert {"run3", "hybrid"} <= set(few["left_out"])
    assert done.stderr == ""
    models = tmp_path / "models"
    assert kaiwa("models", index, "-o", models).returncode == 0
    done = kaiwa("retrieve-all", index, topics, "-o", tmp_path / "all", "--models", models, "--json")
    every, left_out = (json.loads(done.stdout)[field] for field in ("runs", "left_out"))
    assert left_out == ["encoder"]
    shown = kaiwa("retrieve-all", index, topics, "-o", tmp_path / "shown", "--system", "x")
    assert (shown.returncode, shown.stdout) == (2, "")
    assert {one["name"] for one in every} == {one["name"] for one in few["runs"]} | set(few["left_out"]) - {"encoder"}
    verdict = json.loads(kaiwa("check", *(one["run"] for one in every), "--json").stdout)
    assert [problem for problem in verdict["problems"] if problem["severity"] == "error"] == []


def test_what_is_left_out_of_all_systems_is_said_in_the_text(kaiwa: Kaiwa, index: Path, tmp_path: Path) -> None:
    """Below the number of runs, with where to look."""
    topics = tmp_path / "topics.tsv"
    topics.write_text("t1\t考试\n", encoding="utf-8")
    done = kaiwa("retrieve-all", index, topics, "-o", tmp_path / "runs")
    assert "for 1 topic\n" in done.stdout
    assert "Left out, without their models (kaiwa names systems): run3, " in done.stdout


def test_a_run_goes_to_stdout_as_its_file(kaiwa: Kaiwa, index: Path, tmp_path: Path) -> None:
    """With ``-o -``; without -o its size is shown, and with -o the same and where it is."""
    topics = tmp_path / "topics.tsv"
    topics.write_text("t1\t考试\n", encoding="utf-8")
    rows = kaiwa("retrieve", index, topics, "-o", "-").stdout.splitlines()
    assert rows[0] == "<SYSDESC>Q2P + Q2C over all pairs, tf-idf cosine</SYSDESC>"
    assert rows[1].split()[:4] == ["t1", "0", "c1", "1"]
    assert rows[1].split()[-1] == "run2"
    assert kaiwa("retrieve", index, topics).stdout == "run2: 2 comments of 1 topic\n"
    done = kaiwa("retrieve", index, topics, "-o", tmp_path / "T-C-R1.txt")
    assert (done.stdout, done.stderr) == ("T-C-R1: 2 comments of 1 topic\n", f"wrote {tmp_path / 'T-C-R1.txt'}\n")


def test_a_reply_says_why_in_text_and_in_json(kaiwa: Kaiwa, index: Path, tmp_path: Path) -> None:
    """Each feature with its value and weight, the post, the words as written, and the strongest word pairs."""
    assert kaiwa("models", index, "-o", tmp_path / "models", "translation").returncode == 0
    words = ("reply", index, "考试顺利 睡觉", "-k", "1", "--system", "run3", "--models", tmp_path / "models")
    shown = kaiwa(*words).stdout
    answer = json.loads(kaiwa(*words, "--json").stdout)
    reply = answer["replies"][0]
    assert answer["weights"] == {"q2p": 1.0, "q2c": 1.0, "translm": 1.0}
    assert all(f"{name} {value:.4f} (+1.000)" in shown for name, value in reply["features"].items())
    assert f"to {reply['post']}: {reply['post_text']}" in shown
    assert f"words: {' '.join(reply['words'])}" in shown
    assert reply["translations"]
    assert all(f"{own} <- {other}" in shown for own, other in reply["translations"])


def test_blocked_words_come_from_a_file(kaiwa: Kaiwa, index: Path, tmp_path: Path) -> None:
    """A comment with such a word is not an answer; a word that nothing can have is an error that names the file."""
    block = tmp_path / "block.txt"
    block.write_text("睡觉  # not now\n", encoding="utf-8")
    shown = [kaiwa("reply", index, "考试", "--json", *given).stdout for given in ([], ["--block", block])]
    assert [[one["comment"] for one in json.loads(text)["replies"]] for text in shown] == [["c1", "c2"], ["c1"]]
    block.write_text("睡觉\n\u200b\n", encoding="utf-8")
    done = kaiwa("reply", index, "考试", "--block", block)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"kaiwa: {block}: the blocked word '\\u200b' has no character that is compared; remove it\n"


@pytest.mark.parametrize("given", [["--min-chars", "-1"], ["-k", "0"]])
def test_a_number_out_of_range_is_one_line(kaiwa: Kaiwa, index: Path, given: list[str]) -> None:
    """With the range."""
    done = kaiwa("reply", index, "考试", *given)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
