"""``kaiwa clean`` of several files: what cleaning one file with all their rows gives, on every engine."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from clean_results import NAMES, Pairs, cleaned, csv, jsonl, part_count, tsv

import kaiwa
from kaiwa.corpus import inputs as read_tasks
from kaiwa.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Written = Callable[[str, list[str]], Path]

ON_SPARK = pytest.mark.xdist_group("spark")  # one cluster for all
PAIRS = 2_500
ENGINES = ["local", "local[2]"]
SAMPLED: dict[str, Any] = {
    "rules": "weibo",
    "keep_first": True,
    "sample": 300,
    "seed": 4,
    "takedown": ["p3", "c7", "c11", "c801"],
}
OPTIONS = [{"rules": "plain", "keep_first": True}, SAMPLED]
WALK = "今日はとても良い天気なので散歩に行きました"


def told_of_files(result: dict[str, Any]) -> dict[str, Any]:
    """The result without the files and lines of conflicting ids, which depend on how rows are in files."""
    found = result["conflicting"]
    examples = [replace(one, first_file="", first_line=0, file="", line=0) for one in found.examples]
    return result | {"conflicting": replace(found, examples=tuple(examples))}


@pytest.fixture
def parts(tmp_path: Path, raw_pairs: Callable[[int], Pairs], written: Written) -> list[Path]:
    """Pairs in files of every format, and a last file with a single pair; the CSV file is copied in two parts."""
    pairs = raw_pairs(PAIRS)
    return [
        written("part-1.tsv", tsv(pairs[:300])),
        written("part-2.csv", csv(pairs[300:1500])),
        written("part-3.jsonl.gz", jsonl(pairs[1500:1700])),
        parquet(tmp_path / "part-4.parquet", pairs[1700:2000], group=70),
        parquet(tmp_path / "part-5.parquet", pairs[2000:2200], group=200),
        written("part-6.tsv.zst", ["\t".join(pair) for pair in (NAMES, *pairs[2200:-1])]),
        written("part-7.tsv", tsv(pairs[-1:])),
    ]


def parquet(path: Path, pairs: Pairs, *, group: int) -> Path:
    """A Parquet file with row groups of this many pairs."""
    columns = dict(zip(NAMES, map(list, zip(*pairs, strict=True)), strict=True))
    pq.write_table(pa.table(columns), path, row_group_size=group)
    return path


@pytest.fixture
def whole(raw_pairs: Callable[[int], Pairs], written: Written) -> Path:
    """The same pairs in one file."""
    return written("whole.tsv", tsv(raw_pairs(PAIRS)))


@pytest.mark.parametrize("options", OPTIONS, ids=["plain", "sample and takedown"])
def test_files_of_every_format_are_cleaned_as_one_file(
    options: dict[str, Any], parts: list[Path], whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows in their order, digests, counts, examples, conflicting ids; large files are split on several processes."""
    expected = cleaned(whole, tmp_path / "one", "local", **options)
    monkeypatch.setattr(read_tasks, "SPAN_BYTES", 9_011)
    for engine in ENGINES:
        found = cleaned(parts, tmp_path / engine, engine, **options)
        assert told_of_files(found) == told_of_files(expected)
        assert (part_count(tmp_path / engine) > len(parts)) == (engine != "local")
    assert not list(tmp_path.rglob("*.spill*"))


@ON_SPARK
def test_spark_cleans_files_of_every_format_as_one_file(
    parts: list[Path], whole: Path, session: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same code runs on the workers."""
    expected = cleaned(whole, tmp_path / "one", "local", **SAMPLED)
    monkeypatch.setattr(read_tasks, "SPAN_BYTES", 20_011)
    found = cleaned(parts, tmp_path / "spark", session, **SAMPLED)
    assert told_of_files(found) == told_of_files(expected)
    assert part_count(tmp_path / "spark") > 1


@ON_SPARK
def test_spark_numbers_the_dialogues_of_several_files_as_those_of_one(
    session: str, written: Written, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are counted before they are read."""
    lines = dialogues(120)
    expected = cleaned(written("whole.jsonl", lines), tmp_path / "one", "local")
    files = [written(f"d{low:03}.jsonl", lines[low : low + 30]) for low in range(0, 120, 30)]
    monkeypatch.setattr(read_tasks, "SPAN_BYTES", 3_011)
    assert cleaned(files, tmp_path / "spark", session) == expected


def test_the_order_of_the_files_is_the_order_of_the_rows(parts: list[Path], whole: Path, tmp_path: Path) -> None:
    """Other orders give other tables: the comparisons of these tests can fail."""
    expected = cleaned(whole, tmp_path / "one", "local", **OPTIONS[0])
    turned = cleaned(parts[::-1], tmp_path / "turned", "local", **OPTIONS[0])
    assert turned["rows"]["pairs"] != expected["rows"]["pairs"]
    assert turned["manifest"]["digest"] != expected["manifest"]["digest"]


def test_small_files_share_a_task(
    raw_pairs: Callable[[int], Pairs], written: Written, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A crawl of many small files does not make as many part files."""
    pairs = raw_pairs(400)
    files = [written(f"{low:03}.tsv", tsv(pairs[low : low + 10])) for low in range(0, 400, 10)]
    expected = cleaned(files, tmp_path / "one", "local[2]", **OPTIONS[0])
    assert part_count(tmp_path / "one") == 0
    monkeypatch.setattr(read_tasks, "SPAN_BYTES", 9 * max(file.stat().st_size for file in files))
    assert cleaned(files, tmp_path / "parts", "local[2]", **OPTIONS[0]) == expected
    assert 3 <= part_count(tmp_path / "parts") <= 6


def tweets() -> list[str]:
    """Replies to posts that come long after them and long before; ids that repeat."""
    lines = []
    for row in range(300):
        reply = {"reply_to": f"{299 - row}"} if row % 3 else {}
        lines.append(json.dumps({"id": f"{row % 290}", "text": f"{WALK} {row}", "name": "taro", **reply}))
    return lines


@pytest.mark.parametrize("engine", ENGINES)
def test_a_reply_and_its_post_may_be_in_different_files(
    engine: str, written: Written, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Tweets are paired over all files; also with a takedown, a sample and a compressed file that is split."""
    lines = tweets()
    options: dict[str, Any] = {"rules": "twitter", "sample": 40, "seed": 2, "takedown": ["3", "200"]}
    expected = cleaned(written("whole.jsonl", lines), tmp_path / "one", "local", **options)
    files = [
        written("tweets-1.jsonl", lines[:110]),
        written("tweets-2.jsonl.gz", lines[110:111]),
        written("tweets-3.ndjson.zst", lines[111:]),
    ]
    monkeypatch.setattr(read_tasks, "SPAN_BYTES", 2_503)
    assert cleaned(files, tmp_path / "several", engine, **options) == expected
    pairs = [(int(post), int(comment)) for post, comment in expected["rows"]["pairs"]]
    assert len(pairs) == 40
    assert any(post < 110 < comment for post, comment in pairs)
    assert any(comment < 110 < post for post, comment in pairs)


def dialogues(count: int) -> list[str]:
    """Dialogues without ids, a few with one, and empty ones."""
    lines = []
    for row in range(count):
        turns = [f"turn {place} of dialogue {row}, and some words" for place in range((row + 1) % 4)]
        lines.append(json.dumps({"id": f"d{row}", "turns": turns} if row % 5 == 1 else turns))
    return lines


@pytest.mark.parametrize("engine", ENGINES)
def test_dialogues_of_several_files_are_numbered_as_those_of_one(
    engine: str, written: Written, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A dialogue without an id is named after its number in all files; a file may begin with an empty dialogue."""
    lines = dialogues(200)
    expected = cleaned(written("whole.jsonl", lines), tmp_path / "one", "local")
    array = ",\n".join(lines[:3])
    files = [
        written("d1.json", ["[", array, "]"]),
        written("d2.jsonl.gz", lines[3:90]),
        written("d3.jsonl", lines[90:]),
    ]
    monkeypatch.setattr(read_tasks, "SPAN_BYTES", 3_011)
    assert cleaned(files, tmp_path / "several", engine) == expected
    assert lines[3] == "[]"
    assert expected["rows"]["posts"][-1][0] == "199-2"


@pytest.mark.parametrize("engine", ENGINES)
def test_an_error_names_the_file_and_its_own_line(
    engine: str,
    raw_pairs: Callable[[int], Pairs],
    written: Written,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Plain, compressed and CSV; on several processes from spans of the file, or of a copy. Nothing is written."""
    pairs = raw_pairs(600)
    lines = ["\t".join(pair) for pair in pairs]
    good = written("good.tsv", lines[:200])
    bad = [*lines[200:380], "only\tthree\tcells", *lines[380:]]
    shapes = {"bad.tsv": bad, "bad.tsv.gz": bad, "bad.csv": [*csv(pairs[:40]), '"only","three","cells"']}
    monkeypatch.setattr(read_tasks, "SPAN_BYTES", 2_011)
    for name, line in {"bad.tsv": 181, "bad.tsv.gz": 181, "bad.csv": 1 + 40 * 5 + 1}.items():
        wrong = written(name, shapes[name])
        with pytest.raises(InputError) as fault:
            kaiwa.clean([good, wrong], tmp_path / "repository", engine=engine)
        assert str(fault.value).startswith(f"{wrong}:{line}: expected 4 columns, found 3; ")
        wrong.unlink()
    assert list(tmp_path.iterdir()) == [good]


@pytest.mark.parametrize("engine", ENGINES)
def test_an_id_with_two_texts_names_both_files(
    engine: str, written: Written, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In the error, and in what is told of ids that are accepted; the place is the second file."""
    first = written("first.tsv", [f"p{row}\tpost {row}\tc{row}\tcomment {row}" for row in range(40)])
    second = written("second.tsv.gz", [f"q{row}\tpost {row}\tc{row}\tanother {row}" for row in range(30, 60)])
    monkeypatch.setattr(read_tasks, "SPAN_BYTES", 301)
    with pytest.raises(InputError) as fault:
        kaiwa.clean([first, second], tmp_path / "repository", engine=engine)
    shown = f"comment id 'c30' is 'comment 30' ({first}:31) and 'another 30' ({second}:1)"
    assert str(fault.value).startswith(f"{second}:1: 10 of 60 comment ids have more than one text: {shown}; check")
    done = kaiwa.clean([first, second], tmp_path / "repository", engine=engine, keep_first=True)
    (example,) = done.conflicting_ids.examples
    assert (example.first_file, example.first_line, example.file, example.line) == (str(first), 31, str(second), 1)


def test_files_without_pairs_in_the_rules_are_named_together(written: Written, tmp_path: Path) -> None:
    """The first, and how many others."""
    files = [written(f"{name}.tsv", [f"p{name}\tpost one\tc{name}\tcomment one"]) for name in "abc"]
    with pytest.raises(InputError, match=rf"^{files[0]} and 2 other files: no pair passes the rules \(3 read\); try"):
        kaiwa.clean(files, tmp_path / "repository", rules="twitter")
