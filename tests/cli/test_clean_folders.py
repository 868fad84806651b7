"""kaiwa clean of several files and of folders, as a user types it."""

from __future__ import annotations

import gzip
import json
import os
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Kaiwa = Callable[..., subprocess.CompletedProcess[str]]

FIRST = "p1\thello there\tc1\thi you\np1\thello there\tc2\tgood day\n"
SECOND = "p2\tbye now\tc3\tsee you\n"
CSV = "post_id,post,comment_id,comment\np3,what now,c4,nothing new\n"
FILES = {
    "a.tsv": FIRST,
    "b.tsv": SECOND,
    "c.csv": CSV,
    "turned.tsv": "comment_id\tcomment\tpost_id\tpost\nc7\tgood night\tp7\tlate now\n",
    "named.tsv": f"post_id\tpost\tcomment_id\tcomment\n{SECOND}",
    "no-ids.csv": "post,comment\nwhat now,nothing new\n",
    "two.tsv": "what is new today\tnothing is new\n",
    "t.jsonl": '{"id": "1", "text": "hello there", "name": "taro"}\n',
    "d.jsonl": '["hello there", "hi you"]\n',
    "README.md": "# Notes\n\nThis is a crawl of last year.\n",
    "posts.tsv": "p1\thello there\n",
    "short.csv": "post_id,comment_id\np1,c1\n",
    "damaged.tsv": f"{SECOND}p2\tbye now\tc5\n",
    "empty.tsv": "",
    "run.txt": "q1 0 c1 1 2.5 R\nq1 0 c2 2 1.5 R\n",
    "keys.jsonl": '{"post": "hello there"}\n',
}
SHAPE = "a pair is post_id, post, comment_id, comment"
NAMES = "name the columns post and comment; post_id and comment_id are optional"
RUN = "topic 0 comment rank score run"
COLUMNS = "give files with the same columns, or clean them separately"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """The files above."""
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ("a.tsv b.tsv a.tsv", "a.tsv: is given twice; give each file once"),
        ("a.tsv link.tsv", "link.tsv: is the same file as a.tsv; give each file once"),
        ("a.tsv b.tsv t.jsonl", "t.jsonl: is a file of tweets, but a.tsv is a file of pairs; clean them separately"),
        ("t.jsonl b.tsv", "b.tsv: is a file of pairs, but t.jsonl is a file of tweets; clean them separately"),
        ("a.tsv d.jsonl", "d.jsonl: is a file of dialogues, but a.tsv is a file of pairs; clean them separately"),
        ("d.jsonl t.jsonl", "t.jsonl: is a file of tweets, but d.jsonl is a file of dialogues; clean them separately"),
        ("a.tsv no-ids.csv", f"no-ids.csv: has no post_id and comment_id, but a.tsv has; {COLUMNS}"),
        ("no-ids.csv two.tsv c.csv", f"c.csv: has post_id and comment_id, but no-ids.csv has not; {COLUMNS}"),
        ("a.tsv two.tsv", f"two.tsv: has no post_id and comment_id, but a.tsv has; {COLUMNS}"),
        (
            "turned.tsv named.tsv a.tsv",
            "a.tsv: has no header, and that of turned.tsv has another order of columns; give it a header",
        ),
        ("a.tsv posts.tsv", f"posts.tsv:1: expected 4 columns, found 2; {SHAPE}, separated by tabs"),
        (
            "c.csv short.csv",
            "short.csv: no column post or question or query or prompt in the header 'post_id,comment_id'; " + NAMES,
        ),
        ("a.tsv damaged.tsv b.tsv", f"damaged.tsv:2: expected 4 columns, found 3; {SHAPE}, separated by tabs"),
        ("a.tsv empty.tsv", "empty.tsv: the file is empty; give a file with at least one line"),
        ("a.tsv none.tsv", "none.tsv: no such file; check the name and the folder"),
        (
            "a.tsv run.txt",
            f"run.txt: this is a run file ({RUN}), not pairs or tweets; score it: kaiwa score run.txt --qrels QRELS",
        ),
        ("a.tsv keys.jsonl", f"keys.jsonl:1: missing 'post_id'; {SHAPE}"),
        (
            "a.tsv README.md",
            "README.md: is not a file of pairs, dialogues or tweets; leave it out, or move it out of the folder",
        ),
    ],
)
def test_files_that_do_not_belong_together_are_one_line(words: str, line: str, here: Path, kaiwa: Kaiwa) -> None:
    """The file, what is wrong, what to do; exit code 2, and nothing written."""
    os.link(here / "a.tsv", here / "link.tsv")
    before = sorted(here.rglob("*"))
    done = kaiwa("clean", *words.split(), "-o", "repository")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"kaiwa: {line}\n")
    assert sorted(here.rglob("*")) == before


@pytest.mark.parametrize("words", ["turned.tsv named.tsv c.csv", "a.tsv named.tsv c.csv"])
def test_each_file_has_its_own_order_of_columns(words: str, here: Path, kaiwa: Kaiwa) -> None:
    """A file without a header has the default order, as one beside it that names it."""
    done = kaiwa("clean", *words.split(), "-o", "repository", "--json")
    assert json.loads(done.stdout)["removed"] == {}
    import pyarrow.parquet as pq

    posts = pq.read_table(here / "repository" / "posts.parquet").to_pylist()
    assert {"post_id": "p2", "post": "bye now"} in posts
    assert {"post_id": "p3", "post": "what now"} in posts
    assert len(posts) == 3


def crawl(here: Path, *names: str) -> Path:
    """A folder with some of the files."""
    folder = here / "crawl"
    folder.mkdir()
    for name in names:
        (here / name).rename(folder / name)
    return folder


def test_a_folder_stands_for_its_files_by_name(here: Path, kaiwa: Kaiwa) -> None:
    """Hidden files, notes of other tools and the takedown list are no input; the list applies."""
    words = ["a.tsv", "b.tsv", "c.csv"]
    (here / "list.txt").write_text("c2\n")
    given = kaiwa("clean", *words, "-o", "files", "--takedown", "list.txt", "--json")
    folder = crawl(here, *words)
    (folder / "b.tsv.gz").write_bytes(gzip.compress((folder / "b.tsv").read_bytes()))
    (folder / "b.tsv").unlink()
    (folder / "_SUCCESS").touch()
    (folder / ".a.tsv.crc").write_bytes(b"crc")
    (folder / "takedown.txt").write_text("c2\n")
    found = kaiwa("clean", "crawl", "-o", "folder", "--json")
    fields, expected = json.loads(found.stdout), json.loads(given.stdout)
    assert (fields["pairs_read"], fields["pairs"], fields["removed"]) == (4, 3, {"takedown": 1})
    assert fields | {"repository": "files"} == expected
    digests = [json.loads((here / name / "manifest.json").read_bytes())["digest"] for name in ("files", "folder")]
    assert digests[0] == digests[1]


def test_folders_and_files_are_read_in_the_given_order(here: Path, kaiwa: Kaiwa) -> None:
    """A file that is also in a folder is given twice."""
    crawl(here, "b.tsv", "c.csv")
    done = kaiwa("clean", "crawl", "a.tsv", "-o", "repository", "--json")
    assert json.loads(done.stdout)["pairs_read"] == 4
    posts = kaiwa("clean", "crawl", "crawl/b.tsv", "-o", "repository")
    assert (posts.returncode, posts.stderr) == (2, "kaiwa: crawl/b.tsv: is given twice; give each file once\n")


@pytest.mark.parametrize(
    ("names", "line"),
    [
        ([], "crawl: the folder has no files; give files of pairs, dialogues or tweets, or a folder with them"),
        (
            ["a.tsv", "README.md"],
            "crawl/README.md: is not a file of pairs, dialogues or tweets; leave it out, or move it out of the folder",
        ),
        (
            ["a.tsv", "t.jsonl"],
            "crawl/t.jsonl: is a file of tweets, but crawl/a.tsv is a file of pairs; clean them separately",
        ),
    ],
)
def test_a_folder_with_other_things_is_one_line(names: list[str], line: str, here: Path, kaiwa: Kaiwa) -> None:
    """It names the first thing that does not belong there; nothing is written."""
    crawl(here, *names)
    done = kaiwa("clean", "crawl", "-o", "repository")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", f"kaiwa: {line}\n")
    assert not (here / "repository").exists()


def test_a_folder_in_a_folder_is_refused(here: Path, kaiwa: Kaiwa) -> None:
    """Its files would have no place in the order."""
    (crawl(here, "a.tsv") / "old").mkdir()
    done = kaiwa("clean", "crawl", "-o", "repository")
    fix = "give each folder with files of pairs, dialogues or tweets by itself"
    assert (done.returncode, done.stderr) == (2, f"kaiwa: crawl/old: is a folder in a folder; {fix}\n")


def test_a_folder_of_runs_is_called_so(here: Path, kaiwa: Kaiwa) -> None:
    """Not one of its files."""
    (here / "crawl" / "q1").mkdir(parents=True)
    (here / "crawl" / "q1" / "q1.R.res").write_text("c1\nc2\n")
    (here / "crawl" / "runlist").write_text("R\n")
    done = kaiwa("clean", "crawl", "-o", "repository")
    assert done.returncode == 2
    assert done.stderr.startswith("kaiwa: crawl: this is a run file (one doc per line), not pairs or tweets; score it:")


def test_two_unnamed_files_in_a_folder_are_not_guessed_to_be_posts_and_comments(here: Path, kaiwa: Kaiwa) -> None:
    """As paths their order tells; the order of names does not."""
    folder = crawl(here)
    (folder / "a.tsv").write_text("c1\tp1\thi you\n")
    (folder / "b.tsv").write_text("p1\thello there\n")
    done = kaiwa("clean", "crawl/b.tsv", "crawl/a.tsv", "-o", "repository")
    assert done.returncode == 0
    done = kaiwa("clean", "crawl", "-o", "other")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith("kaiwa: crawl/a.tsv: ")


def test_a_folder_of_posts_and_comments_is_one_of_several_inputs(here: Path, kaiwa: Kaiwa) -> None:
    """Its files are read together, then the others."""
    folder = crawl(here, "posts.tsv")
    (folder / "comments.tsv").write_text("c8\tp1\thi you\nc9\tp1\twelcome back\n")
    done = kaiwa("clean", "crawl", "b.tsv", "-o", "repository", "--json")
    assert json.loads(done.stdout)["pairs_read"] == 3


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("a.tsv", "p9\tyes\tc9\tno\n"),
        ("two.tsv", "hello\twhat is new\n"),
        ("d.jsonl", "[]\n"),
        ("t.jsonl", '{"id": "2", "user": {"screen_name": "jiro"}}\n'),
    ],
)
def test_a_file_of_few_lines_has_the_format_of_the_others(first: str, second: str, here: Path, kaiwa: Kaiwa) -> None:
    """By itself it would be another kind of file, or of no format; in one file with the others it is read."""
    name = f"second.{first.split('.')[1]}"
    (here / name).write_text(second)
    (here / f"whole.{name}").write_text(FILES[first] + second)
    words = ["--rules", "none", "--keep-first", "--json"]
    done, whole = (kaiwa("clean", *files, "-o", "r", *words) for files in ([first, name], [f"whole.{name}"]))
    if first != "t.jsonl":
        assert json.loads(done.stdout) == json.loads(whole.stdout)
    else:
        assert done.stderr.replace("t.jsonl and 1 other file", f"whole.{name}") == whole.stderr
