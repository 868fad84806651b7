"""kaiwa clean as a user types it."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable
    from pathlib import Path

    Kaiwa = Callable[..., subprocess.CompletedProcess[str]]


def test_clean_prints_one_json_object(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """With --json, counts of what each rule removed, with examples."""
    (tmp_path / "p.tsv").write_text("p1\t甲\tc1\t一起去爬山吧\np1\t甲\tc2\t哇\n", encoding="utf-8")
    done = kaiwa("clean", tmp_path / "p.tsv", "-o", tmp_path / "repo", "--rules", "weibo", "--json")
    fields = json.loads(done.stdout)
    assert (done.returncode, fields["pairs"], fields["removed"], fields["examples"]) == (
        0,
        1,
        {"trivial": 1},
        {"trivial": ["哇"]},
    )


def test_rules_are_listed(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """With their source and each rule."""
    done = kaiwa("names", "rules")
    assert done.returncode == 0
    assert "Shang et al. 2016" in done.stdout
    assert "trivial" in done.stdout
    assert not list(tmp_path.iterdir())


def test_an_unknown_rule_set_is_one_line_with_a_hint(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """Exit 2 and "did you mean"."""
    done = kaiwa("clean", tmp_path / "none.tsv", "-o", tmp_path / "r", "--rules", "weibbo")
    assert done.returncode == 2
    assert done.stderr == "kaiwa: unknown rule set 'weibbo'; did you mean 'weibo'?\n"


def test_a_missing_file_is_one_line(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """Exit 2, the place and the repair, nothing written."""
    done = kaiwa("clean", tmp_path / "none.tsv", "-o", tmp_path / "r")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "no such file" in done.stderr
    assert not list(tmp_path.iterdir())


PAIRS = "p1\thello there\tc1\thi you\np1\thello there\tc2\tgood day\np2\tbye now\tc3\tsee you\n"
TABLES = {"posts.parquet", "comments.parquet", "pairs.parquet", "merged.parquet", "manifest.json"}


def cleaned(kaiwa: Kaiwa, folder: Path, name: str) -> Path:
    """A repository of three pairs."""
    (folder / "p.tsv").write_text(PAIRS, encoding="utf-8")
    assert kaiwa("clean", folder / "p.tsv", "-o", folder / name).returncode == 0
    return folder / name


def test_a_repository_holds_its_tables_and_nothing_else(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """The temporary files of cleaning are removed, beside the folder too."""
    repository = cleaned(kaiwa, tmp_path, "repo")
    assert {entry.name for entry in repository.iterdir()} <= TABLES
    assert {entry.name for entry in tmp_path.iterdir()} == {"p.tsv", "repo"}


def test_a_folder_with_a_takedown_list_alone_becomes_the_repository(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """As that of an index: the list may be there before. It applies, it stays, and nothing else is left."""
    (tmp_path / "pairs.tsv").write_text("p1\tpost one\tc1\tcomment one\np1\tpost one\tc2\tcomment two\n")
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / "takedown.txt").write_text("c1\n")
    done = kaiwa("clean", "pairs.tsv", "-o", "repo", "--rules", "plain", "--json")
    assert (done.returncode, json.loads(done.stdout)["comments"]) == (0, 1)
    assert (tmp_path / "repo" / "takedown.txt").read_text() == "c1\n"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["pairs.tsv", "repo"]
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "takedown.txt").write_text("c1\n")
    (tmp_path / "other" / "notes.txt").write_text("mine")
    assert kaiwa("clean", "pairs.tsv", "-o", "other").returncode == 2


def test_cleaning_again_keeps_the_takedown_list_and_notes(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """The list stays, and applies."""
    repository = cleaned(kaiwa, tmp_path, "repo")
    (repository / "takedown.txt").write_text("c1\n", encoding="utf-8")
    (repository / "notes").mkdir()
    (repository / "notes" / "why.txt").write_text("asked by mail\n", encoding="utf-8")
    cleaned(kaiwa, tmp_path, "repo")
    assert (repository / "takedown.txt").read_text(encoding="utf-8") == "c1\n"
    assert (repository / "notes" / "why.txt").exists()


def test_what_a_killed_clean_left_is_cleared_away(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """The folder it was filling goes; if it was killed between two renames, the old repository comes back."""
    repository = cleaned(kaiwa, tmp_path, "repo")
    left = tmp_path / f".repo.{'0a' * 8}"
    left.mkdir()
    (left / ".kaiwa-unfinished").touch()
    (left / "pairs.spill").write_text("much", encoding="utf-8")
    repository.rename(tmp_path / f".repo.{'0c' * 8}")
    done = kaiwa("clean", tmp_path / "none.tsv", "-o", repository)
    assert done.returncode == 2
    assert (repository / "pairs.parquet").exists()
    assert {entry.name for entry in tmp_path.iterdir()} == {"p.tsv", "repo"}


def test_what_waited_aside_is_cleared_away(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """A clean killed after the exchange leaves the old repository under a temporary name."""
    repository = cleaned(kaiwa, tmp_path, "repo")
    shutil.copytree(repository, tmp_path / f".repo.{'0a' * 8}")
    cleaned(kaiwa, tmp_path, "repo")
    assert {entry.name for entry in tmp_path.iterdir()} == {"p.tsv", "repo"}
    assert (repository / "pairs.parquet").exists()


def test_a_folder_that_is_being_filled_stays(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """Another clean is at work there."""
    filled = tmp_path / f".repo.{'0b' * 8}"
    filled.mkdir()
    handle = os.open(filled, os.O_RDONLY)
    fcntl.flock(handle, fcntl.LOCK_EX)
    cleaned(kaiwa, tmp_path, "repo")
    os.close(handle)
    assert filled.is_dir()


def test_a_link_is_written_through(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """The folder behind it is replaced, the link stays."""
    repository = cleaned(kaiwa, tmp_path, "repo")
    (tmp_path / "link").symlink_to(repository)
    cleaned(kaiwa, tmp_path, "link")
    assert (tmp_path / "link").is_symlink()
    assert {entry.name for entry in tmp_path.iterdir()} == {"p.tsv", "repo", "link"}


def test_an_index_is_not_built_over_a_repository(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """Nor over any other folder with a manifest; both stay as they were."""
    repository = cleaned(kaiwa, tmp_path, "repo")
    web = tmp_path / "web"
    web.mkdir()
    (web / "manifest.json").write_text('{"name": "mine"}', encoding="utf-8")
    for target in (repository, web):
        before = (target / "manifest.json").read_bytes()
        done = kaiwa("index", repository, "-o", target)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert "another kind" in done.stderr
        assert (target / "manifest.json").read_bytes() == before


def test_an_empty_post_is_removed_wherever_it_stands(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """The first pair too."""
    (tmp_path / "p.tsv").write_text(f"p0\t\tc0\thi all\n{PAIRS}", encoding="utf-8")
    done = kaiwa("clean", tmp_path / "p.tsv", "-o", tmp_path / "repo", "--json")
    assert json.loads(done.stdout)["posts"] == 2


def test_a_parquet_column_of_lists_is_called_so(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """The column and its kind, not a file cut short."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {name: ["a"] for name in ("post_id", "post", "comment_id")} | {"comment": [["a"]]}
    pq.write_table(pa.table(columns), tmp_path / "p.parquet")
    done = kaiwa("clean", tmp_path / "p.parquet", "-o", tmp_path / "repo")
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert "column 'comment' has type list" in done.stderr


def test_posts_and_comments_are_cleaned_without_joining_them_first(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """Two paths; a comment of a missing post is counted."""
    (tmp_path / "posts.tsv").write_text("p1\thello there\n", encoding="utf-8")
    (tmp_path / "comments.tsv").write_text("c1\tp1\thi you\nc2\tp9\tlost one\n", encoding="utf-8")
    done = kaiwa("clean", tmp_path / "posts.tsv", tmp_path / "comments.tsv", "-o", tmp_path / "repo", "--json")
    fields = json.loads(done.stdout)
    assert (fields["pairs"], fields["removed"], fields["examples"]) == (1, {"empty": 1}, {"empty": ["p9 (empty)"]})


def test_conflicting_ids_are_in_the_json(kaiwa: Kaiwa, tmp_path: Path) -> None:
    """Counts and an example with both texts and lines."""
    (tmp_path / "p.tsv").write_text(PAIRS + "p2\tbye now\tc1\tsomething else\n", encoding="utf-8")
    words = ("clean", tmp_path / "p.tsv", "-o", tmp_path / "repo")
    done = kaiwa(*words)
    assert (done.returncode, done.stdout) == (2, "")
    assert "p.tsv:4: 1 of 3 comment ids has more than one text: comment id 'c1' is 'hi you' (line 1)" in done.stderr
    fields = json.loads(kaiwa(*words, "--keep-first", "--json").stdout)
    assert (fields["pairs"], fields["removed"]) == (3, {"id with another text": 1})
    assert fields["conflicting_ids"] == {
        "posts": 0,
        "comments": 1,
        "examples": [
            {
                "side": "comment",
                "id": "c1",
                "first_text": "hi you",
                "first_file": str(tmp_path / "p.tsv"),
                "first_line": 1,
                "text": "something else",
                "file": str(tmp_path / "p.tsv"),
                "line": 4,
            }
        ],
    }
