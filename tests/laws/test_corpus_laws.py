"""Laws of cleaning, on pairs that chance makes."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kaiwa.build.repository.cleaning import clean
from kaiwa.build.repository.merging import joined
from kaiwa.build.repository.tweet_pairs import paired_tweets
from kaiwa.corpus.duplicates import ROW, PairSample, first_rows, within_first
from kaiwa.corpus.rule_filter import Removals
from kaiwa.disk.partitions import Partitions, part_of
from kaiwa.errors import InputError
from kaiwa.formats.collection.repository import Manifest, open_repository, writing_repository
from kaiwa.formats.collection.rule_files import known_rules
from kaiwa.formats.readers import read_pairs
from kaiwa.model.normalise import normalise, skeleton

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


Row = tuple[int, int, int, int]


def plain_decisions(rows: list[Row], limit: int, *, merge: bool) -> list[tuple[int, int, int, bool]]:
    """Post, own and comment row, and whether the pair stays, by plain loops."""
    posts, ids, texts, post_texts = (list(column) for column in zip(*rows, strict=True))
    own = [ids.index(one) for one in ids]
    compared = [texts[first] for first in own]
    comment = [compared.index(text) for text in compared] if merge else own
    decisions, seen = [], []
    for at, one in enumerate(posts):
        pair = (posts.index(one), comment[at])
        sound = texts[at] == compared[at] and post_texts[at] == post_texts[pair[0]]
        keep = sound and pair not in seen and (not limit or sum(post == pair[0] for post, _ in seen) < limit)
        seen += [pair] if keep else []
        decisions.append((pair[0], own[at], pair[1], keep))
    return decisions


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.integers(0, 8), st.integers(0, 5), st.sampled_from([0, 0, 0, 1])),
        min_size=1,
        max_size=60,
    ),
    st.sampled_from(["merged", ""]),
    st.integers(0, 4),
    st.sampled_from([1, 7, 1000]),
    st.none() | st.integers(1, 30),
)
def test_pairs_joined_part_by_part_are_those_of_plain_loops(
    rows: list[Row], merging: str, limit: int, in_memory: int, sample: int | None
) -> None:
    """With any number of rows in memory, the same rows are kept for the same comments, the same ids conflict."""
    records = np.zeros(len(rows), dtype=ROW)
    records["row"] = np.arange(len(rows))
    for name, column in zip(("post", "own", "comment", "post_text"), zip(*rows, strict=True), strict=True):
        records[name] = column
    removals = Removals()
    rules = replace(known_rules()["none"], merge=bool(merging), first_comments=limit)
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.object(Partitions.__init__, "__kwdefaults__", {"limit": in_memory}),
    ):
        spill = Partitions(Path(folder))
        spill.add(records, part_of(records["own"]))
        made = joined(spill, len(rows), Path(folder), rules=rules, sample=sample, seed=5, removals=removals)
        decisions = made.decisions.take(len(rows))
        assert not list(Path(folder).iterdir())
    plain = plain_decisions(rows, limit, merge=bool(merging))
    found = list(zip(*(decisions[name].tolist() for name in ("post", "own", "comment", "keep")), strict=True))
    assert decisions["row"].tolist() == list(range(len(rows)))
    assert [row[:3] for row in found] == [row[:3] for row in plain]
    kept = sum(row[3] for row in plain)
    if sample is None or sample >= kept:
        assert found == plain
    else:
        assert sum(row[3] for row in found) == sample
        assert all(before[3] >= after[3] for before, after in zip(plain, found, strict=True))
    assert sum(removals.counts.values()) == len(rows) - sum(row[3] for row in found)
    for conflicts, ident, text in ((made.posts, 0, 3), (made.comments, 1, 2)):
        texts = {key: [row[text] for row in rows if row[ident] == key] for key in {row[ident] for row in rows}}
        assert (conflicts.ids, conflicts.conflicting) == (len(texts), sum(len(set(one)) > 1 for one in texts.values()))
        if conflicts.example is not None:
            first, later = conflicts.example
            assert rows[first][ident] == rows[later][ident]
            assert rows[first][text] != rows[later][text]
    posts, comments = ({row[place] for row in found if row[3]} for place in (0, 2))
    assert set(np.flatnonzero(decisions["post_stays"]).tolist()) == posts
    assert set(np.flatnonzero(decisions["comment_stays"]).tolist()) == comments
    aliases = [at for at, row in enumerate(found) if row[1] == at != row[2] and row[2] in comments]
    assert np.flatnonzero(decisions["alias"]).tolist() == aliases


def test_every_sample_is_as_likely_as_another() -> None:
    """Two of four pairs, drawn over parts of one and three: each of the six samples about as often."""
    drawn = Counter()
    for seed in range(3000):
        sample = PairSample(4, 2, seed)
        parts = [np.zeros(size, dtype=ROW) for size in (1, 3)]
        for part in parts:
            part["keep"] = True
        drawn[tuple(np.concatenate([sample.sampled(part)["keep"] for part in parts]).tolist())] += 1
    assert len(drawn) == 6
    assert all(410 < count < 590 for count in drawn.values())  # four standard deviations about 500


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
        assert [pair for batch in again.table("pairs") for pair in zip(*batch, strict=True)] == pairs
        assert [name for batch in again.column("comments", "comment_id") for name in batch] == list(comments)
        assert again.text_bytes("posts") >= sum(len(text.encode()) for text in posts.values())
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
    """Pairs read are pairs kept plus pairs removed, rule by rule."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "pairs.jsonl"
        line = '{{"post_id": {0}, "post": "post {0}", "comment_id": {1}, "comment": {2}}}\n'
        source.write_text(
            "".join(line.format(post, comment, json.dumps(text)) for post, comment, text in rows),
            encoding="utf-8",
        )
        for rules in known_rules().values():
            try:
                target = Path(folder) / rules.name
                cleaned = clean(source, target, rules=rules, sample=None, seed=1, progress=silent, keep_first=True)
            except InputError as refusal:
                assert "no pair passes" in str(refusal)  # noqa: PT017  a strict rule set may remove all
                continue
            assert cleaned.manifest.pairs + sum(cleaned.removed.values()) == cleaned.pairs_read == len(rows)


GOOD = "今日はとても天気がいいので散歩に行こうと思います"
TWEETS = st.lists(st.tuples(st.integers(0, 6), st.none() | st.integers(0, 6), st.booleans()), min_size=1, max_size=40)


@settings(deadline=None)
@given(TWEETS, st.sampled_from([1, 7, 1000]), st.sampled_from([2, 1000]))
def test_tweets_paired_part_by_part_are_those_of_plain_loops(
    tweets: list[tuple[int, int | None, bool]], in_memory: int, batch: int
) -> None:
    """A reply belongs to the first initial post with the id it names that passes; duplicate ids are ignored."""
    rules = known_rules()["twitter"]
    lines = [
        json.dumps({"id": f"{own}", "text": f"{GOOD if good else 'x'} {row}", "name": "taro", "reply_to": other})
        for row, (own, other, good) in enumerate(tweets)
    ]
    posts = {}
    for row, (own, other, good) in enumerate(tweets):
        if other is None and good:
            posts.setdefault(own, row)
    expected, removed, seen = [], 0, set()
    for row, (own, other, good) in enumerate(tweets):
        if own in seen or not good or (other is not None and other not in posts):
            removed += 1
        elif other is not None:
            expected.append((f"{other}", f"{GOOD} {posts[other]}", f"{own}", f"{GOOD} {row}"))
        seen.add(own)
    removals = Removals()
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.object(Partitions.__init__, "__kwdefaults__", {"limit": in_memory}),
        patch("kaiwa.build.repository.tweet_pairs._BATCH", batch),
    ):
        source, room = Path(folder) / "tweets.jsonl", Path(folder) / "room"
        source.write_text("\n".join(lines) + "\n", encoding="utf-8")
        room.mkdir()
        found = [pair for batch in paired_tweets(source, room, rules, removals, frozenset()) for pair in batch]
        assert not list(room.iterdir())
    assert [(pair.post_id, pair.post, pair.comment_id, pair.comment) for pair in found] == expected
    assert sum(removals.counts.values()) == removed
