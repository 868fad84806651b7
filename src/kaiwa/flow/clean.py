"""Raw pairs to a repository, in two passes, with a few bytes of memory for each pair."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.corpus.clean import Account, passing
from kaiwa.corpus.dedupe import BoolArray, Joined, join_pairs
from kaiwa.errors import InputError
from kaiwa.files.pairs import read_pairs
from kaiwa.files.repository import Manifest, RepositoryWriter, writing_repository
from kaiwa.files.staging import Staging
from kaiwa.files.tweets import holds_tweets
from kaiwa.flow.tweets import paired_tweets
from kaiwa.model.text import fingerprint, skeleton

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from kaiwa.corpus.rules import RuleSet
    from kaiwa.model import Pair

    Progress = Callable[[int, int], None]

_PACKING = 3  # a packed file holds about this many times its bytes


@dataclass(frozen=True)
class Cleaned:
    """What cleaning made, and what each rule removed, with examples."""

    manifest: Manifest
    pairs_read: int
    merged: int
    removed: dict[str, int]
    examples: dict[str, list[str]]


def clean(source: Path, target: Path, *, rules: RuleSet, sample: int | None, seed: int, progress: Progress) -> Cleaned:
    """Clean a file of pairs, or of tweets, into a repository."""
    account = Account()
    with writing_repository(target) as writer:
        staged = _stage(source, Staging(writer.folder / "staging"), rules, account, progress)
        keys = [np.frombuffer(key, dtype=np.uint64) for key in staged.keys]
        joined = join_pairs(*keys, merge=rules.merge, first_comments=rules.first_comments)
        for why, count in joined.removed.items():
            account.remove(why, "", times=count)
        _draw_sample(joined, sample, seed, account)
        _write(staged.staging, joined, writer)
        staged.staging.remove()
        removed = dict(account.counts)
        whole = writer.finish(Manifest(rules=rules.name, removed=removed, seed=seed if sample else None))
    return Cleaned(whole, staged.pairs_read, writer.counts["merged"], removed, account.examples)


@dataclass(frozen=True)
class _Staged:
    staging: Staging
    keys: tuple[array[int], array[int], array[int]]  # of post id, comment id, comment text
    pairs_read: int


def _stage(source: Path, staging: Staging, rules: RuleSet, account: Account, progress: Progress) -> _Staged:
    keys = (array("Q"), array("Q"), array("Q"))
    pairs_read = 0
    for batch in _with_progress(source, account, rules, progress):
        pairs_read += len(batch)
        kept = passing(batch, rules, account)
        if not kept:
            continue
        staging.add(kept)
        keys[0].extend(_post_keys(kept))
        keys[1].extend(fingerprint(pair.comment_id) for pair in kept)
        keys[2].extend(fingerprint(skeleton(pair.comment)) for pair in kept)
    staging.close()
    if not keys[0]:
        raise InputError.at(source, f"no pair passes the rules ({pairs_read} read)", "try --rules plain or none")
    return _Staged(staging, keys, pairs_read)


def _post_keys(pairs: list[Pair]) -> Iterator[int]:
    """The fingerprint of each post id; comments of one post mostly stand together."""
    last, key = "", 0
    for pair in pairs:
        if pair.post_id != last:
            last, key = pair.post_id, fingerprint(pair.post_id)
        yield key


def _with_progress(source: Path, account: Account, rules: RuleSet, progress: Progress) -> Iterator[list[Pair]]:
    batches = paired_tweets(source, rules, account) if holds_tweets(source) else read_pairs(source)
    done = 0
    for batch in batches:
        yield batch
        total = source.stat().st_size * (_PACKING if source.suffix in {".gz", ".zst", ".parquet"} else 1)
        done += sum(len(pair.comment.encode()) + len(pair.post.encode()) for pair in batch)
        progress(min(done, total), total)


def _draw_sample(joined: Joined, sample: int | None, seed: int, account: Account) -> None:
    alive = np.flatnonzero(joined.keep)
    if sample is None or sample >= len(alive):
        return
    drawn = np.random.default_rng(seed).choice(len(alive), size=sample, replace=False)
    joined.keep[alive] = np.isin(np.arange(len(alive)), drawn)
    account.remove("not in the sample", "", times=len(alive) - sample)


def _write(staging: Staging, joined: Joined, writer: RepositoryWriter) -> None:
    """Write each post and comment where its first row stands, and the pairs by their ids."""
    fates = _fates(joined)
    post_ids: dict[int, str] = {}
    comment_ids: dict[int, str] = {}
    start = 0
    for columns in staging.batches():
        rows = np.arange(start, start + len(columns[0]))
        post_ids.update((row, columns[0][row - start]) for row in rows[fates.post[rows]].tolist())
        comment_ids.update((row, columns[2][row - start]) for row in rows[fates.named[rows]].tolist())
        for name, chosen, offset in (("posts", fates.post, 0), ("comments", fates.comment, 2)):
            places = np.flatnonzero(chosen[rows]).tolist()
            writer.add(name, [columns[offset][at] for at in places], [columns[offset + 1][at] for at in places])
        kept = rows[joined.keep[rows]]
        speakers = [comment_ids.get(row) or columns[2][row - start] for row in joined.comment[kept].tolist()]
        writer.add("pairs", [post_ids[row] for row in joined.post[kept].tolist()], speakers)
        gone = rows[fates.alias[rows]]
        merged = [columns[2][row - start] for row in gone.tolist()]
        writer.add("merged", merged, [comment_ids[row] for row in joined.comment[gone].tolist()])
        start += len(rows)


@dataclass(frozen=True)
class _Fates:
    """Per staged row: is its post written, its comment written, does a later row name it, is its id an alias."""

    post: BoolArray
    comment: BoolArray
    named: BoolArray
    alias: BoolArray


def _fates(joined: Joined) -> _Fates:
    rows = np.arange(len(joined.keep))
    post, comment = np.zeros(len(rows), dtype=bool), np.zeros(len(rows), dtype=bool)
    post[joined.post[joined.keep]] = True
    comment[joined.comment[joined.keep]] = True
    alias = (joined.own == rows) & (joined.comment != rows) & comment[joined.comment]
    named = np.zeros(len(rows), dtype=bool)
    named[joined.comment[joined.comment != rows]] = True
    return _Fates(post, comment, named, alias)
