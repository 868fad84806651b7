"""An index built in parts, however small, is the index built in one; and its arrays are those of plain loops."""

from __future__ import annotations

import tempfile
from collections import Counter
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kaiwa.errors import InputError
from kaiwa.files import spill as id_ranges
from kaiwa.files.spill import IdRanges, Partitions, TemporaryArray, bounds_of
from kaiwa.formats.repository import Manifest, writing_repository
from kaiwa.retrieval import posting_lists
from kaiwa.retrieval.build import build_index
from kaiwa.retrieval.inverted_index import open_index_files

WORDS = [f"w{at}x" for at in range(9)]
TEXT = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
ID = st.text("ab1é中\x01", min_size=1, max_size=4)
TABLE = st.dictionaries(ID, TEXT, min_size=1, max_size=12)

Texts = dict[str, str]
Pairs = list[tuple[str, str]]


def written(folder: Path, posts: Texts, comments: Texts, pairs: Pairs) -> Path:
    """A repository of these, in this order."""
    with writing_repository(folder / "repo") as writer:
        writer.add("posts", list(posts), list(posts.values()))
        writer.add("comments", list(comments), list(comments.values()))
        writer.add("pairs", [post for post, _ in pairs], [comment for _, comment in pairs])
        writer.finish(Manifest())
    return folder / "repo"


def built(repository: Path, target: Path) -> dict[str, list[float]]:
    """All arrays of the repository's index, as lists, with what is in its facts."""
    facts = build_index(repository, target, language="en", tokens="en", progress=lambda _done, _total: None)
    assert not [entry for entry in next(target.glob("data-*")).iterdir() if entry.suffix != ".npy"]
    arrays = {name: array.tolist() for name, array in open_index_files(target).arrays.items()}
    return arrays | {f"fact {name}": [value] for name, value in facts.items()}


def in_small_parts(size: int, *, wide: bool) -> ExitStack:
    """Everything of which memory holds a part holds next to nothing; numbers as wide as for very large parts."""
    stack = ExitStack()
    stack.enter_context(patch.object(Partitions.__init__, "__kwdefaults__", {"limit": size}))
    for module, name, value in (
        (id_ranges, "IDS", size),
        (id_ranges, "_MOST_PENDING", size),
        (id_ranges, "_SAMPLE", 2),
        (posting_lists, "_PART_BYTES", 30 * size),
        (posting_lists, "_BLOCK", 20 * size),
        (posting_lists, "_JOINED", size),
    ):
        stack.enter_context(patch.object(module, name, value))
    if wide:
        stack.enter_context(patch.object(posting_lists, "SMALL", 1))
    return stack


@settings(max_examples=30, deadline=None)
@given(TABLE, TABLE, st.data(), st.sampled_from([1, 3, 10]), st.sampled_from(["narrow", "wide"]))
def test_an_index_built_in_parts_is_the_one_built_at_once(
    posts: Texts, comments: Texts, data: st.DataObject, size: int, numbers: str
) -> None:
    """Every array, every fact; no temporary file is left."""
    links = st.tuples(st.sampled_from(sorted(posts)), st.sampled_from(sorted(comments)))
    pairs = data.draw(st.lists(links, max_size=20)) + [(next(iter(posts)), comment) for comment in comments]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        repository = written(folder, posts, comments, pairs)
        whole = built(repository, folder / "whole")
        with in_small_parts(size, wide=numbers == "wide"):
            parted = built(repository, folder / "parted")
    assert parted == whole
    assert_plain(whole, posts, comments, pairs)


def assert_plain(arrays: dict[str, list[float]], posts: Texts, comments: Texts, pairs: Pairs) -> None:
    """Postings and links as plain loops find them, posts and comments numbered in the order of their ids' bytes."""
    terms = _strings(arrays["terms.text"], arrays["terms.starts"])
    numbers = {}
    for name, texts in (("posts", posts), ("comments", comments)):
        ordered = sorted(texts, key=str.encode)
        numbers[name] = {key: number for number, key in enumerate(ordered)}
        assert [list(texts)[int(row)] for row in arrays[f"{name}.row"]] == ordered
        assert _strings(arrays[f"{name}.ids"], arrays[f"{name}.id_starts"]) == list(texts)
        assert _strings(arrays[f"{name}.text"], arrays[f"{name}.text_starts"]) == list(texts.values())
        docs = [Counter(texts[key].split()) for key in ordered]
        for term, (low, high) in zip(terms, _slices(arrays[f"{name}.starts"]), strict=True):
            found = zip(arrays[f"{name}.docs"][low:high], arrays[f"{name}.shapes"][low:high], strict=True)
            shown = [(doc, arrays[f"{name}.often"][shape], arrays[f"{name}.length"][shape]) for doc, shape in found]
            assert shown == [(at, doc[term], doc.total()) for at, doc in enumerate(docs) if doc[term]]
    links = sorted({(numbers["posts"][post], numbers["comments"][comment]) for post, comment in pairs})
    starts = _slices(arrays["pairs.post_starts"])
    assert [(post, arrays["pairs.post_comments"][at]) for post, s in enumerate(starts) for at in range(*s)] == links
    back = _slices(arrays["pairs.comment_starts"])
    turned = [(arrays["pairs.comment_posts"][at], comment) for comment, s in enumerate(back) for at in range(*s)]
    assert sorted(turned) == links
    assert arrays["fact pairs"] == [len(links)]


def _strings(run: list[float], starts: list[float]) -> list[str]:
    return [bytes(map(int, run[low:high])).decode() for low, high in _slices(starts)]


def _slices(starts: list[float]) -> list[tuple[int, int]]:
    return [(int(low), int(high)) for low, high in pairwise(starts)]


@pytest.mark.parametrize("size", [1, 1000])
@pytest.mark.parametrize(
    ("comments", "pairs", "complaint"),
    [
        ({"c1": "w", "c2": "w"}, [("p1", "c1")], "a comment has no post"),
        ({"c1": "w"}, [("p1", "c1"), ("p1", "c9")], "comment_id 'c9' is missing in comments.parquet"),
        ({"c1": "w"}, [("p1", "c1"), ("p0", "c1")], "post_id 'p0' is missing in posts.parquet"),
    ],
)
def test_links_that_do_not_fit_are_one_line(
    tmp_path: Path, comments: Texts, pairs: Pairs, complaint: str, size: int
) -> None:
    """Whatever fits in memory, and nothing is left of the build."""
    repository = written(tmp_path, {"p1": "w", "p2": "w"}, comments, pairs)
    with in_small_parts(size, wide=False), pytest.raises(InputError, match=complaint):
        built(repository, tmp_path / "index")
    assert not (tmp_path / "index").exists()


@pytest.mark.parametrize("size", [1, 1000])
def test_a_duplicate_id_is_one_line(tmp_path: Path, size: int) -> None:
    """A table made elsewhere may have one."""
    with writing_repository(tmp_path / "repo") as writer:
        writer.add("posts", ["p1"], ["w"])
        writer.add("comments", ["c2", "c1", "c2"], ["w", "w", "w"])
        writer.add("pairs", ["p1", "p1"], ["c1", "c2"])
        writer.finish(Manifest())
    with in_small_parts(size, wide=False), pytest.raises(InputError, match="duplicate comment_id 'c2'"):
        built(tmp_path / "repo", tmp_path / "index")


@settings(max_examples=50, deadline=None)
@given(st.lists(st.lists(ID, max_size=9), max_size=6), st.sampled_from([1, 4, 100]))
def test_id_ranges_cover_all_ids(batches: list[list[str]], size: int) -> None:
    """Each id once, in its range, with its row; ranges follow each other in the order of the ids' bytes."""
    ids = [name for batch in batches for name in batch]
    with tempfile.TemporaryDirectory() as folder, in_small_parts(size, wide=False):
        ranges = IdRanges(Path(folder), bounds_of(batches, len(ids)))
        for batch in batches:
            ranges.add(batch)
        found = [(part.to_pylist(), rows.tolist()) for part, rows in ranges]
        assert not list(Path(folder).iterdir())
    assert all([ids[row] for row in rows] == names for names, rows in found)
    assert sorted(row for _, rows in found for row in rows) == list(range(len(ids)))
    ordered = [name for names, _ in found for name in sorted(names, key=str.encode)]
    assert ordered == sorted(ids, key=str.encode)


def test_values_of_a_temporary_array_are_read_by_their_places(tmp_path: Path) -> None:
    """All of them or some; the file has no name, so that nothing is left of it."""
    temporary = TemporaryArray(tmp_path, np.int32)
    temporary.add(np.arange(5))
    temporary.add(np.arange(5, 9))
    assert (len(temporary), temporary.read().tolist(), temporary.read(3, 6).tolist()) == (9, list(range(9)), [3, 4, 5])
    assert not list(tmp_path.iterdir())
    temporary.close()
