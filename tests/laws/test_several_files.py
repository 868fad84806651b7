"""A law of cleaning: rows in several files, of any formats and however split, give what one file of them gives."""

from __future__ import annotations

import gzip
import json
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
from hypothesis import given, settings
from hypothesis import strategies as st

import kaiwa
from kaiwa.files import zstd
from kaiwa.formats.fields import plain_csv_text
from kaiwa.formats.repository import open_repository

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    Row = tuple[str, str, str, str]

NAMES = ("post_id", "post", "comment_id", "comment")
POSTS = ("会話 を 始めます", "今天 天气 真好", "what a day", "ok")
COMMENTS = ("そう です ね", "一起 去 看海 吧", "nice one", "nice one!!", "哈哈", "see you")
ROW = st.tuples(st.integers(0, 3), st.integers(0, 9), st.integers(0, 5))
CUTS = st.tuples(st.integers(1, 7), st.lists(st.integers(1, 39), max_size=4)).map(lambda cuts: [cuts[0], *cuts[1]])
"""Where rows are cut; eight rows are cut at least once."""
WALK = "今日はとても良い天気なので散歩に行きました"


def tsv(rows: Sequence[Row], path: Path) -> None:
    """Pairs as TSV with a header."""
    path.write_bytes("".join("\t".join(row) + "\n" for row in (NAMES, *rows)).encode())


def packed_jsonl(rows: Sequence[Row], path: Path) -> None:
    """Pairs as compressed JSONL."""
    lines = "".join(json.dumps(dict(zip(NAMES, row, strict=True))) + "\n" for row in rows)
    path.write_bytes(gzip.compress(lines.encode()))


def packed_csv(rows: Sequence[Row], path: Path) -> None:
    """Pairs as compressed CSV, columns turned."""
    turned = [NAMES[::-1], *(row[::-1] for row in rows)]
    path.write_bytes(zstd.compress(plain_csv_text(turned).encode()))


def parquet(rows: Sequence[Row], path: Path) -> None:
    """Pairs as Parquet."""
    pq.write_table(pa.table(dict(zip(NAMES, map(list, zip(*rows, strict=True)), strict=True))), path)


WRITERS: dict[str, Callable[[Sequence[Row], Path], None]] = {
    "tsv": tsv,
    "jsonl.gz": packed_jsonl,
    "csv.zst": packed_csv,
    "parquet": parquet,
}


def split(rows: Sequence[Any], cuts: Sequence[int]) -> list[Sequence[Any]]:
    """The rows in parts, none of them empty."""
    bounds = sorted({0, len(rows), *(cut for cut in cuts if cut < len(rows))})
    return [rows[low:high] for low, high in pairwise(bounds)]


def result(paths: Sequence[Path], target: Path, **options: Any) -> dict[str, Any]:
    """All that cleaning makes and tells, but for the places of conflicting ids; or the error, without its place."""
    try:
        done = kaiwa.clean(paths, target, **options)
    except kaiwa.InputError as fault:
        return {"fault": str(fault).partition(": ")[2]}
    opened = open_repository(target)
    tables = {name: list(opened.table(name)) for name in ("posts", "comments", "pairs")}
    rows = {name: [row for batch in tables[name] for row in zip(*batch, strict=True)] for name in tables}
    told = [done.pairs_read, done.merged, list(done.removed.items()), done.examples, done.manifest.digest]
    conflicts = [done.conflicting_ids.posts, done.conflicting_ids.comments]
    texts = [(one.side, one.id, one.first_text, one.text) for one in done.conflicting_ids.examples]
    return {"rows": rows, "told": told, "conflicts": conflicts, "texts": texts, "merged": opened.merged()}


@settings(max_examples=60)
@given(st.lists(ROW, min_size=8, max_size=40), CUTS, st.data())
def test_pairs_in_several_files_are_cleaned_as_one_file(
    numbers: list[tuple[int, int, int]], cuts: list[int], data: st.DataObject
) -> None:
    """Ids repeat, with other texts too; each file is of any format; with and without a sample and a takedown."""
    rows = [(f"p{post}", POSTS[post], f"c{name}", COMMENTS[text]) for post, name, text in numbers]
    rules = data.draw(st.sampled_from(["none", "plain", "weibo"]))
    options: dict[str, Any] = {"rules": rules, "keep_first": True, "seed": 3}
    options |= data.draw(st.sampled_from([{}, {"sample": 4}, {"sample": 3, "takedown": ["p1", "c2"]}]))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        tsv(rows, folder / "whole.tsv")
        files = []
        for number, part in enumerate(split(rows, cuts)):
            suffix = data.draw(st.sampled_from(sorted(WRITERS)))
            files.append(folder / f"{number}.{suffix}")
            WRITERS[suffix](part, files[-1])
        expected = result([folder / "whole.tsv"], folder / "one", **options)
        assert result(files, folder / "several", **options) == expected


@settings(max_examples=40)
@given(st.lists(st.tuples(st.integers(0, 19), st.none() | st.integers(0, 19)), min_size=20, max_size=40), CUTS)
def test_tweets_in_several_files_are_paired_as_in_one_file(
    numbers: list[tuple[int, int | None]], cuts: list[int]
) -> None:
    """A reply and its post are in any of the files, in any order."""
    lines = [
        json.dumps({"id": f"{own}", "text": f"{WALK} {row}", "name": "taro", "reply_to": other}) + "\n"
        for row, (own, other) in enumerate(numbers)
    ]
    assert_as_one(lines, cuts, rules="twitter")


@settings(max_examples=40)
@given(st.lists(st.integers(0, 4), min_size=8, max_size=40), CUTS)
def test_dialogues_in_several_files_have_the_ids_of_one_file(lengths: list[int], cuts: list[int]) -> None:
    """Those without an id are numbered over all files; a dialogue may be empty."""
    lines = [
        json.dumps([f"turn {place} of dialogue {row}" for place in range(length)]) + "\n"
        for row, length in enumerate([2, *lengths])
    ]
    assert_as_one(lines, cuts, rules="plain")


def assert_as_one(lines: list[str], cuts: list[int], *, rules: str) -> None:
    """The lines in parts are cleaned as the lines in one file."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "whole.jsonl").write_text("".join(lines), encoding="utf-8")
        files = []
        for number, part in enumerate(split(lines, cuts)):
            files.append(folder / f"{number}.jsonl")
            files[-1].write_text("".join(part), encoding="utf-8")
        expected = result([folder / "whole.jsonl"], folder / "one", rules=rules)
        assert result(files, folder / "several", rules=rules) == expected
