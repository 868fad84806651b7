"""Laws of cleaning, on pairs that chance makes."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kaiwa.corpus.dedupe import first_rows, join_pairs, within_first
from kaiwa.errors import InputError
from kaiwa.files.pairs import read_pairs
from kaiwa.files.repository import Manifest, open_repository, writing_repository
from kaiwa.files.rules import known_rules
from kaiwa.flow.clean import clean
from kaiwa.model.text import normalise, skeleton

KEYS = st.lists(st.integers(0, 6), max_size=60)
TEXT = st.text(st.characters(exclude_categories=["Cs", "Cc", "Zl", "Zp"]), min_size=1, max_size=12)


def silent(_done: int, _total: int) -> None:
    """A progress that shows nothing."""


@given(KEYS)
def test_first_rows_point_at_the_first_equal_key(keys: list[int]) -> None:
    """The vectorised answer is the one a list gives."""
    assert first_rows(np.array(keys, dtype=np.uint64)).tolist() == [keys.index(key) for key in keys]


@given(KEYS, st.integers(1, 5))
def test_within_first_counts_each_group_from_its_start(groups: list[int], limit: int) -> None:
    """The vectorised answer is the one a counter gives."""
    expected = [groups[:at].count(group) < limit for at, group in enumerate(groups)]
    assert within_first(np.array(groups, dtype=np.int64), limit).tolist() == expected


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 8)), min_size=1, max_size=50), st.integers(0, 4))
def test_joined_pairs_are_distinct_and_within_the_limit(rows: list[tuple[int, int]], limit: int) -> None:
    """No pair stands twice, and no post keeps more comments than asked."""
    posts = np.array([post for post, _ in rows], dtype=np.uint64)
    comments = np.array([comment for _, comment in rows], dtype=np.uint64)
    joined = join_pairs(posts, comments, comments // np.uint64(2), merge=True, first_comments=limit)
    kept = list(zip(joined.post[joined.keep].tolist(), joined.comment[joined.keep].tolist(), strict=True))
    assert len(set(kept)) == len(kept)
    assert not limit or all(sum(post == other for other, _ in kept) <= limit for post, _ in kept)
    assert len(kept) + sum(joined.removed.values()) == len(rows)


@given(TEXT)
def test_normalising_twice_is_normalising_once(text: str) -> None:
    """A normal form is its own normal form, once its letters have settled."""
    once = normalise(normalise(text))
    assert normalise(once) == once
    assert skeleton(text) == skeleton(f" {text}!") or not any(char.isalnum() for char in text)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 4), TEXT), min_size=1, max_size=20))
def test_a_repository_comes_back_as_it_was_written(rows: list[tuple[int, str]]) -> None:
    """Write, read, the same tables."""
    posts = {f"p{post}": text for post, text in rows}
    comments = {f"c{at}": text for at, (_, text) in enumerate(rows)}
    pairs = [(f"p{post}", f"c{at}") for at, (post, _) in enumerate(rows)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "repo"
        with writing_repository(path) as writer:
            writer.add("posts", list(posts), list(posts.values()))
            writer.add("comments", list(comments), list(comments.values()))
            writer.add("pairs", *map(list, zip(*pairs, strict=True)))
            writer.finish(Manifest(rules="none", language="zh"))
        again = open_repository(path)
        assert [list(zip(*batch, strict=True)) for batch in again.posts()] == [list(posts.items())]
        post_rows, comment_rows = again.pair_rows(again.ids("posts"), again.ids("comments"))
        found = zip(post_rows.tolist(), comment_rows.tolist(), strict=True)
        assert [(list(posts)[post], list(comments)[comment]) for post, comment in found] == pairs
        assert (again.manifest.posts, again.manifest.language) == (len(posts), "zh")


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200), st.sampled_from(["p.tsv", "p.jsonl", "p.parquet", "p.tsv.gz", "p.jsonl.zst"]))
def test_any_bytes_are_read_or_refused_in_one_line(data: bytes, name: str) -> None:
    """A reader answers noise with pairs or with a refusal, never with another exception."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(data)
        try:
            for _ in read_pairs(path):
                pass
        except InputError as refusal:
            assert "\n" not in str(refusal)  # noqa: PT017  noise may also be read


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 30), TEXT), min_size=1, max_size=40))
def test_every_pair_read_is_kept_or_counted(rows: list[tuple[int, int, str]]) -> None:
    """The account closes: pairs read are pairs kept and pairs removed, rule by rule."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "pairs.jsonl"
        line = '{{"post_id": {0}, "post": "post {0}", "comment_id": {1}, "comment": {2}}}\n'
        source.write_text(
            "".join(line.format(post, comment, json.dumps(text)) for post, comment, text in rows),
            encoding="utf-8",
        )
        for rules in known_rules().values():
            try:
                cleaned = clean(source, Path(folder) / rules.name, rules=rules, sample=None, seed=1, progress=silent)
            except InputError as refusal:
                assert "no pair passes" in str(refusal)  # noqa: PT017  a set too strict for the noise says so
                continue
            assert cleaned.manifest.pairs + sum(cleaned.removed.values()) == cleaned.pairs_read == len(rows)
