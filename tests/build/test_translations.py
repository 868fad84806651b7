"""Machine translations of posts and comments, carried to the repository for participants."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import kaiwa
from kaiwa.corpus import inputs
from kaiwa.formats.repository import open_repository

if TYPE_CHECKING:
    from pathlib import Path

NAMES = ("post_id", "post", "comment_id", "comment", "comment_en", "post_en", "note")
ROWS = [
    ("p1", "天气真好", "c1", "一起去爬山吧", "let us climb a hill", "nice weather", "x"),
    ("p1", "天气真好", "c2", "带伞了吗", "", "nice weather", "x"),
    ("p2", "下雨", "c3", "带伞了吗？", "an umbrella?", "it rains", "x"),
]
POSTS = [("p1", "天气真好", "nice weather"), ("p2", "下雨", "it rains")]
COMMENTS = [("c1", "一起去爬山吧", "let us climb a hill"), ("c2", "带伞了吗", "")]


def written(folder: Path, kind: str) -> Path:
    """The rows as a file of the kind."""
    path = folder / f"pairs.{kind}"
    if kind == "jsonl":
        objects = [dict(zip(NAMES, row, strict=True)) for row in ROWS]
        objects[1]["comment_en"] = None  # type: ignore[assignment]  # as in a file whose translation failed
        path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in objects), encoding="utf-8")
    elif kind == "parquet":
        pq.write_table(pa.table(dict(zip(NAMES, map(list, zip(*ROWS, strict=True)), strict=True))), path)
    else:
        separator = "," if kind == "csv" else "\t"
        path.write_text("".join(separator.join(row) + "\n" for row in (NAMES, *ROWS)), encoding="utf-8")
    return path


def rows(folder: Path, name: str) -> list[tuple[str, ...]]:
    """The rows of a table with all its columns."""
    return [row for batch in open_repository(folder).whole_table(name) for row in zip(*batch, strict=True)]


@pytest.mark.parametrize("kind", ["tsv", "csv", "jsonl", "parquet"])
@pytest.mark.parametrize("engine", ["local", "local[2]"])
def test_translations_are_carried_from_every_format_with_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str, engine: str
) -> None:
    """``post_LANGUAGE`` to the posts, ``comment_LANGUAGE`` to the comments; other columns are ignored."""
    monkeypatch.setattr(inputs, "SPAN_BYTES", 60)
    made = kaiwa.clean(written(tmp_path, kind), tmp_path / "repository", engine=engine)
    assert made.translations == ["comment_en", "post_en"]
    assert rows(tmp_path / "repository", "posts") == POSTS
    assert rows(tmp_path / "repository", "comments") == COMMENTS
    assert "Translations: comment_en, post_en." in str(made)


def test_the_repository_has_them_for_other_tools(tmp_path: Path) -> None:
    """As columns of its Parquet files."""
    kaiwa.clean(written(tmp_path, "tsv"), tmp_path / "repository")
    assert pq.read_table(tmp_path / "repository" / "posts.parquet").column_names == ["post_id", "post", "post_en"]
    comments = pq.read_table(tmp_path / "repository" / "comments.parquet")
    assert comments.column_names == ["comment_id", "comment", "comment_en"]


def test_the_rest_keeps_them(tmp_path: Path) -> None:
    """``kaiwa topics --rest`` and ``--hold-out`` write them too."""
    kaiwa.clean(written(tmp_path, "jsonl"), tmp_path / "repository")
    kaiwa.topics(tmp_path / "repository", hold_out={"p2": "下雨"}, rest=tmp_path / "rest")
    assert rows(tmp_path / "rest", "posts") == POSTS[:1]
    assert rows(tmp_path / "rest", "comments") == COMMENTS


def test_files_of_several_translations_are_cleaned_together(tmp_path: Path) -> None:
    """A translation that a file does not have is empty."""
    (tmp_path / "more.csv").write_text(
        "post_id,post,comment_id,comment,post_ja\np3,出太阳,c9,去散步吧,晴れ\n", encoding="utf-8"
    )
    made = kaiwa.clean([written(tmp_path, "parquet"), tmp_path / "more.csv"], tmp_path / "repository")
    assert made.translations == ["comment_en", "post_en", "post_ja"]
    assert rows(tmp_path / "repository", "posts")[-1] == ("p3", "出太阳", "", "晴れ")
    assert rows(tmp_path / "repository", "comments")[-1] == ("c9", "去散步吧", "")


def test_a_post_that_is_a_candidate_brings_its_translation(tmp_path: Path) -> None:
    """To the column of its language among the comments."""
    rules = tmp_path / "both.toml"
    rules.write_text('name = "both"\nsource = "me"\nonce = true\nmerge = false\ncandidates = "both"\n')
    kaiwa.clean(written(tmp_path, "tsv"), tmp_path / "repository", rules=str(rules))
    assert rows(tmp_path / "repository", "comments") == [
        ("p1", "天气真好", "nice weather"),
        ("c1", "一起去爬山吧", "let us climb a hill"),
        ("p2", "下雨", "it rains"),
        ("c3", "带伞了吗？", "an umbrella?"),
    ]
