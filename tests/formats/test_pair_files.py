"""Raw pairs in each of their formats, and the refusals that name their line."""

from __future__ import annotations

import gzip
import json
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from kaiwa.disk import zstd
from kaiwa.errors import InputError
from kaiwa.formats.collection.pair_files import FIELDS
from kaiwa.formats.readers import read_pairs
from kaiwa.model.pair import Pair

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
