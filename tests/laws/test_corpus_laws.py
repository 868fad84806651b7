"""Laws of cleaning, on pairs that chance makes."""

from __future__ import annotations

import json
import tempfile
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from kaiwa.corpus.cleaning import COMMENT_IDS, DUPLICATES, POST_IDS, decided, write_cleaned
from kaiwa.corpus.duplicates import Columns, IdConflicts, within_first
from kaiwa.corpus.inputs import InputPiece, ReadTask
from kaiwa.corpus.job import CleanJob, key_columns, key_table
from kaiwa.corpus.pair_keys import REMOVED, pairs_at
from kaiwa.corpus.rules import known_rules
from kaiwa.corpus.samples import bin_of_last, draw, draws_by_bin, in_bin, limit_of, sampled
from kaiwa.corpus.tweets import tweet_keys
from kaiwa.engine.opening import opened
from kaiwa.errors import InputError
from kaiwa.formats.readers import read_pairs
from kaiwa.formats.repository import Manifest, open_repository, writing_repository
from kaiwa.nouns.ids import first_rows
from kaiwa.nouns.normalise import normalise, skeleton

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    rules = replace(known_rules()["none"], merge=bool(merging), first_comments=limit)
    draws = [draw(5, f"{at}", "") for at in range(len(rows))]
    with (
        tempfile.TemporaryDirectory() as folder,
        patch("kaiwa.engine.local.BUFFER_BYTES", 50 * in_memory),
        opened("local", Path(folder)) as engine,
    ):
        keys = engine.tables(keys_step, [0], rows, draws if sample else [])
        kept, left_out = decided(keys, rules, sample=sample)
        gathered = kept.gathered(by=["row"])
        decisions = key_columns(gathered.table)
    assert left_out == max(sum(row[3] for row in plain_decisions(rows, limit, merge=bool(merging))) - (sample or 99), 0)
    plain = plain_decisions(rows, limit, merge=bool(merging))
    found = list(zip(decisions["comment"].tolist(), decisions["keep"].tolist(), strict=True))
    assert decisions["row"].tolist() == list(range(len(rows)))
    assert [comment for comment, _ in found] == [row[2] for row in plain]
    kept_rows = [at for at, row in enumerate(plain) if row[3]]
    drawn = sorted(kept_rows, key=lambda at: (draws[at], at))[:sample]
    assert [at for at, (_, keep) in enumerate(found) if keep] == sorted(drawn)
    removed = sum(sum(one.values()) for one in gathered.noted(DUPLICATES))
    assert removed + left_out == len(rows) - len(drawn)
    for name, ident, text in ((POST_IDS, 0, 3), (COMMENT_IDS, 1, 2)):
        conflicts = sum(gathered.noted(name), IdConflicts())
        texts = {key: [row[text] for row in rows if row[ident] == key] for key in {row[ident] for row in rows}}
        assert (conflicts.ids, conflicts.conflicting) == (len(texts), sum(len(set(one)) > 1 for one in texts.values()))
        if conflicts.example is not None:
            first, later = conflicts.example
            assert rows[first][ident] == rows[later][ident]
            assert rows[first][text] != rows[later][text]
    posts, comments = ({plain[at][place] for at in drawn} for place in (0, 2))
    assert set(np.flatnonzero(decisions["post_stays"]).tolist()) == posts
    assert set(np.flatnonzero(decisions["comment_stays"]).tolist()) == comments
    aliases = [at for at, row in enumerate(plain) if row[1] == at != row[2] and row[2] in comments]
    assert np.flatnonzero(decisions["alias"]).tolist() == aliases
    assert [at for at, other in enumerate(decisions["is_other"]) if other] == [
        at for at, row in enumerate(plain) if row[1] != row[2]
    ]


def keys_step(_task: int, rows: list[Row], draws: list[int]) -> Iterator[object]:
    """The keys of rows, in tables of three."""
    for low in range(0, len(rows), 3):
        some = rows[low : low + 3]
        columns: Columns = {"row": np.arange(low, low + len(some), dtype=np.uint64)}
        for name, column in zip(("post", "own", "comment", "post_text"), zip(*some, strict=True), strict=True):
            columns[name] = np.array(column, dtype=np.uint64)
        columns |= {name: np.zeros(len(some), dtype=np.bool_) for name in ("takedown", "post_takedown")}
        columns |= {"draw": np.array(draws[low : low + 3], dtype=np.uint64)} if draws else {}
        yield key_table(columns)


def test_every_sample_is_as_likely_as_another() -> None:
    """Two of four pairs by their draws: each of the six samples about as often, over seeds."""
    drawn = Counter()
    for seed in range(3000):
        draws = np.array([draw(seed, "p", f"c{one}") for one in range(4)], dtype=np.uint64)
        part = {"row": np.arange(4, dtype=np.uint64), "draw": draws, "keep": np.ones(4, dtype=np.bool_)}
        drawn[tuple(sampled(part, limit_of(draws, part["row"], 2))["keep"].tolist())] += 1
    assert len(drawn) == 6
    assert all(410 < count < 590 for count in drawn.values())  # four standard deviations about 500


@given(st.lists(st.sampled_from([0, 1, 2**52, 2**63, 2**64 - 1]), min_size=1, max_size=20), st.data())
def test_a_sample_has_the_wanted_number_of_pairs_if_draws_are_equal(draws: list[int], data: st.DataObject) -> None:
    """Of pairs with equal draws, the first rows belong to it."""
    wanted = data.draw(st.integers(1, len(draws)))
    size = len(draws)
    part = {
        "row": np.arange(size, dtype=np.uint64),
        "draw": np.array(draws, dtype=np.uint64),
        "keep": np.ones(size, bool),
    }
    place, inside = bin_of_last(draws_by_bin(part), wanted)
    chosen = in_bin(part, place)
    limit = limit_of(part["draw"][chosen], part["row"][chosen], inside)
    expected = sorted(sorted(range(size), key=lambda at: (draws[at], at))[:wanted])
    assert np.flatnonzero(sampled(part, limit)["keep"]).tolist() == expected


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
                cleaned = write_cleaned(
                    source, target, rules=rules, sample=None, seed=1, progress=silent, keep_first=True
                )
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
    with (
        tempfile.TemporaryDirectory() as folder,
        patch("kaiwa.engine.local.BUFFER_BYTES", 30 * in_memory),
        patch("kaiwa.corpus.tweets._BATCH", batch),
    ):
        source, room = Path(folder) / "tweets.jsonl", Path(folder) / "room"
        source.write_text("\n".join(lines) + "\n", encoding="utf-8")
        room.mkdir()
        job = CleanJob(room, rules, frozenset(), None, in_parts=False)
        with opened("local", room) as engine:
            tasks = [ReadTask(0, (InputPiece((source,), "tweets"),))]
            gathered = tweet_keys(engine, tasks, job).gathered()
        pairs = pairs_at(job.texts(0), range(len(expected))) if expected else {}
        job.remove_spills()
        assert not list(room.iterdir())
    found = [pairs[at][0] for at in range(len(expected))]
    assert gathered.table.num_rows == len(expected)
    assert [(pair.post_id, pair.post, pair.comment_id, pair.comment) for pair in found] == expected
    assert sum(sum(one.counts.values()) for one in gathered.noted(REMOVED)) == removed
