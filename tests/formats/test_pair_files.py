"""Raw pairs in each of their formats, and the refusals that name their line."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING
from unittest.mock import patch

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kaiwa.errors import InputError
from kaiwa.files import zstd
from kaiwa.files.spill import Partitions
from kaiwa.formats.pairs import FIELDS
from kaiwa.formats.readers import read_pairs
from kaiwa.formats.table import FORMATS
from kaiwa.nouns.run import Pair

if TYPE_CHECKING:
    from pathlib import Path

PAIRS = [Pair("p1", "今日は雨", "c1", "傘を忘れた"), Pair("p2", "hello there", "c2", "hi, how are you")]
ROWS = [(pair.post_id, pair.post, pair.comment_id, pair.comment) for pair in PAIRS]
TSV = "".join("\t".join(row) + "\n" for row in ROWS)


def read(path: Path) -> list[Pair]:
    """All pairs of a file."""
    return [pair for batch in read_pairs(path) for pair in batch]


def test_a_tsv_without_header_is_read(tmp_path: Path) -> None:
    """The plainest format: four columns, no header."""
    (tmp_path / "p.tsv").write_text(TSV, encoding="utf-8")
    assert read(tmp_path / "p.tsv") == PAIRS


def test_a_header_may_stand_in_any_order(tmp_path: Path) -> None:
    """A header names the columns, so their order is free."""
    order = (3, 0, 1, 2)
    lines = [[FIELDS[place] for place in order], *([row[place] for place in order] for row in ROWS)]
    (tmp_path / "p.tsv").write_text("".join("\t".join(line) + "\n" for line in lines), encoding="utf-8")
    assert read(tmp_path / "p.tsv") == PAIRS


def test_bom_crlf_and_a_missing_last_newline_change_nothing(tmp_path: Path) -> None:
    """What text.py tolerates is tolerated here."""
    data = b"\xef\xbb\xbf" + TSV.replace("\n", "\r\n").encode().removesuffix(b"\r\n")
    (tmp_path / "p.tsv").write_bytes(data)
    assert read(tmp_path / "p.tsv") == PAIRS


@pytest.mark.parametrize("ending", ["gz", "zst"])
def test_packed_files_read_like_plain_ones(tmp_path: Path, ending: str) -> None:
    """The suffix gives the compression."""
    packed = gzip.compress(TSV.encode()) if ending == "gz" else zstd.compress(TSV.encode())
    (tmp_path / f"p.tsv.{ending}").write_bytes(packed)
    assert read(tmp_path / f"p.tsv.{ending}") == PAIRS


def test_jsonl_is_read_and_number_ids_become_text(tmp_path: Path) -> None:
    """JSONL carries the same four keys; an id may be a number there."""
    (tmp_path / "p.jsonl").write_text(
        json.dumps(dict(zip(FIELDS, (7, "a\tb", "c1", "x"), strict=True))) + "\n\n", encoding="utf-8"
    )
    assert read(tmp_path / "p.jsonl") == [Pair("7", "a b", "c1", "x")]


def test_parquet_is_read(tmp_path: Path) -> None:
    """Parquet carries the four columns, in any order, among others."""
    columns = dict(zip(FIELDS, map(list, zip(*ROWS, strict=True)), strict=True))
    pq.write_table(pa.table({"other": [1, 2], **columns}), tmp_path / "p.parquet")
    assert read(tmp_path / "p.parquet") == PAIRS


@pytest.mark.parametrize(
    ("name", "text", "complaint"),
    [
        ("p.tsv", "a\tb\tc\td\na\tb\n", "p.tsv:2: expected 4 columns, found 2"),
        ("p.tsv", "\tb\tc\td\n", "p.tsv:1: empty post_id"),
        ("p.jsonl", '{"post_id": "a"}\n', "p.jsonl:1: missing 'post'"),
        ("p.jsonl", '{"post_id": "a", "post": null, "comment_id": 1, "comment": ""}\n', "'post' is not text"),
        ("p.jsonl", "[1]\n", "p.jsonl:1: is JSON but not an object"),
        ("p.jsonl", "\n{,}\n", "p.jsonl:2: is not JSON"),
        ("p.parquet", "not parquet", "is not a complete Parquet file"),
        ("p.tsv", "", "the file is empty"),
    ],
)
def test_a_wrong_line_is_refused_by_its_number(tmp_path: Path, name: str, text: str, complaint: str) -> None:
    """One line has the place, the fault and the fix."""
    (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as refusal:
        read(tmp_path / name)
    assert complaint in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_parquet_without_the_columns_is_refused_by_name(tmp_path: Path) -> None:
    """The missing column is named."""
    pq.write_table(pa.table({"post_id": ["1"]}), tmp_path / "p.parquet")
    with pytest.raises(InputError, match="missing column 'post'"):
        read(tmp_path / "p.parquet")


def test_a_null_in_parquet_is_refused(tmp_path: Path) -> None:
    """A missing text is an error, never a silent skip."""
    pq.write_table(pa.table({name: pa.array([None], pa.string()) for name in FIELDS}), tmp_path / "p.parquet")
    with pytest.raises(InputError, match="empty cells"):
        read(tmp_path / "p.parquet")


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_table_with_a_header_is_read_whatever_separates_it(tmp_path: Path, separator: str) -> None:
    """Other columns are ignored; a post may start with a hash sign, and quoted cells may hold line ends."""
    rows = [
        ["likes", *FIELDS],
        ["3", "p1", "#rain# again", "c1", "here too"],
        ["0", "p2", "hello there", "c2", "hi you"],
    ]
    text = "".join(separator.join(row) + "\n" for row in rows)
    (tmp_path / "p.csv").write_text(text, encoding="utf-8")
    assert read(tmp_path / "p.csv") == [
        Pair("p1", "#rain# again", "c1", "here too"),
        Pair("p2", "hello there", "c2", "hi you"),
    ]
    (tmp_path / "q.csv").write_text('prompt,response\n"a, b\nc","he said ""no"""\n', encoding="utf-8")
    (pair,) = read(tmp_path / "q.csv")
    assert (pair.post, pair.comment, pair.line) == ("a, b c", 'he said "no"', 3)


def test_ids_are_made_from_texts_where_there_are_none(tmp_path: Path) -> None:
    """The same post for two comments is one post; the same file gives the same ids."""
    (tmp_path / "p.txt").write_text("hello there\thi you\nhello there\tgood day\n", encoding="utf-8")
    first, second = read(tmp_path / "p.txt")
    assert first.post_id == second.post_id
    assert len({first.post_id, first.comment_id, second.comment_id}) == 3
    assert read(tmp_path / "p.txt") == [first, second]


TURNS = ["hello there", "hi you", "good day"]
DIALOGUES = {
    "strings": TURNS,
    "objects": [{"speaker": "A", "text": turn} for turn in TURNS],
    "messages": {"messages": [{"role": "system", "content": "Be kind."}, *({"content": turn} for turn in TURNS)]},
    "pairs of speaker and text": {"turns": [["A", turn] for turn in TURNS]},
    "conversations": {"conversations": [{"from": "human", "value": turn} for turn in TURNS]},
}


@pytest.mark.parametrize("shape", DIALOGUES)
@pytest.mark.parametrize("written", ["lines", "array", "pretty"])
def test_each_turn_of_a_dialogue_is_a_post_and_the_next_its_comment(tmp_path: Path, shape: str, written: str) -> None:
    """One dialogue per line, or all in an array; the second one has an id of its own."""
    other = {"id": "d7", "turns": ["rain again", "here too"]}
    values = [DIALOGUES[shape], other]
    texts = {
        "lines": "".join(json.dumps(value) + "\n" for value in values),
        "array": "[" + ",\n".join(map(json.dumps, values)) + "]",
        "pretty": json.dumps(values, indent=1),
    }
    (tmp_path / "d.json").write_text(texts[written], encoding="utf-8")
    first, second, third = read(tmp_path / "d.json")
    assert [[one.post, one.comment] for one in (first, second)] == [TURNS[:2], TURNS[1:]]
    assert first.comment_id == second.post_id
    assert third == Pair("d7-1", "rain again", "d7-2", "here too")


POSTS = "p1\tnews\thello there\np2\tnews\train again\n"
SPLIT = {
    "with the id of the post": {"comments.tsv": "c1\tp1\thi you\nc2\tp2\there too\nc3\tp1\tgood day\n"},
    "with a header": {"comments.csv": "id,text,post_id\nc1,hi you,p1\nc2,here too,p2\nc3,good day,p1\n"},
    "with pairs": {"cmnt.txt": "c1\thi you\nc2\there too\nc3\tgood day\n", "pairs.txt": "p1\tc1\np2\tc2\np1\tc3\n"},
}
JOINED = [
    Pair("p1", "hello there", "c1", "hi you"),
    Pair("p2", "rain again", "c2", "here too"),
    Pair("p1", "hello there", "c3", "good day"),
]


def split_files(folder: Path, files: dict[str, str], posts: str = POSTS) -> list[Path]:
    """A folder of posts and comments, and its files."""
    folder.mkdir()
    for name, text in {"posts.tsv": posts, **files}.items():
        (folder / name).write_text(text, encoding="utf-8")
    return [folder / name for name in ("posts.tsv", *files)]


@pytest.mark.parametrize("shape", SPLIT)
@pytest.mark.parametrize("in_memory", [1, 1000])
def test_posts_and_comments_in_files_of_their_own_are_joined(tmp_path: Path, shape: str, in_memory: int) -> None:
    """From a folder or from paths, with everything in memory and with one record."""
    paths = split_files(tmp_path / "stc", SPLIT[shape])
    with patch.object(Partitions.__init__, "__kwdefaults__", {"limit": in_memory}):
        assert read(tmp_path / "stc") == JOINED
        read_together = FORMATS["pairs-split"].read_together
        assert read_together is not None
        assert [pair for batch in read_together(paths) for pair in batch] == JOINED


def test_files_of_ids_and_texts_alone_belong_together_line_by_line(tmp_path: Path) -> None:
    """As the repository of the NTCIR task is delivered, a post repeated for each comment."""
    files = {"repos-id-cmnt-cn": "c1\thi you\nc2\tgood day\n"}
    paths = split_files(tmp_path / "stc", files, posts="p1\thello there\np1\thello there\n")
    paths[0].rename(tmp_path / "stc" / "repos-id-post-cn")
    assert read(tmp_path / "stc") == [JOINED[0], Pair("p1", "hello there", "c2", "good day")]


@pytest.mark.parametrize(
    ("posts", "comments", "complaint"),
    [
        ("p1\ta b\np1\tc d\n", "c1\tp1\tx\n", "posts.tsv:2: this id has another text on line 1"),
        ("p1\ta b\n", "c1\tq9\tx\n", "comments.tsv: no id of "),
        ("p1\ta b\n", "c1\tx\nc2\ty\n", "posts.tsv: has 1 row, but "),
        ("p1\ta b\np2\tc\td\n", "c1\tp1\tx\n", "posts.tsv:2: expected 2 columns, found 3"),
        ("just one\n", "c1\tp1\tx\n", "posts.tsv: expected 2 columns between tabs, found 1"),
        ("id,name\np1,a\n", "c1\tp1\tx\n", "posts.tsv: no column post or text in the header 'id,name'"),
    ],
)
def test_files_that_do_not_fit_together_are_refused(tmp_path: Path, posts: str, comments: str, complaint: str) -> None:
    """With the file that is wrong."""
    split_files(tmp_path / "stc", {"comments.tsv": comments}, posts=posts)
    with pytest.raises(InputError) as refusal:
        read(tmp_path / "stc")
    assert complaint in str(refusal.value)


def test_a_comment_without_its_post_has_an_empty_one(tmp_path: Path) -> None:
    """It is read, so that cleaning removes and counts it."""
    split_files(tmp_path / "stc", {"comments.tsv": "c1\tp1\thi you\nc2\tp9\tlost\n"})
    assert read(tmp_path / "stc") == [JOINED[0], Pair("p9", "", "c2", "lost")]
