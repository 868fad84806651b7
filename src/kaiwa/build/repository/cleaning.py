"""Raw pairs to a repository, in two passes with spill files between them, so that memory hardly grows."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass, field
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.build.repository.conflicting_ids import ConflictingIds, conflicting_ids, refuse_conflicts
from kaiwa.build.repository.merging import joined
from kaiwa.build.repository.pair_spill import PairSpill
from kaiwa.build.repository.tweet_pairs import paired_tweets
from kaiwa.corpus.duplicates import ROW, BoolArray, Rows
from kaiwa.corpus.rule_filter import Removals, passing
from kaiwa.disk.partitions import Partitions, RecordReader, part_of
from kaiwa.disk.strings import TemporaryStrings
from kaiwa.errors import InputError, counted, option
from kaiwa.formats.collection.repository import Manifest, RepositoryWriter, writing_repository
from kaiwa.formats.collection.takedown import add_to_list, listed_in
from kaiwa.formats.format import PAIRS, TWEETS
from kaiwa.formats.readers import format_of, read_together
from kaiwa.model.normalise import fingerprint, skeleton
from kaiwa.model.progress_callback import share
from kaiwa.model.shown import Shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kaiwa.corpus.rules import RuleSet
    from kaiwa.model.pair import Pair

    Progress = Callable[[int, int], None]

_COMPRESSION = 3  # a compressed file decompresses to about this many times its size
_READING = 0.75  # of the work; the rest is writing


@dataclass(frozen=True)
class Cleaned(Shown):
    """The repository that cleaning made, and what each rule removed, with examples.

    >>> Cleaned(Manifest(), pairs_read=3, merged=0, removed={"short": 3}, examples={}).removed
    {'short': 3}
    """

    manifest: Manifest
    pairs_read: int
    merged: int
    removed: dict[str, int]
    examples: dict[str, list[str]]
    conflicting: ConflictingIds = field(default_factory=ConflictingIds)

    def __repr__(self) -> str:
        made = self.manifest
        kept = f"{counted(made.posts, 'post')}, {counted(made.comments, 'comment')}, {counted(made.pairs, 'pair')}"
        return f"Cleaned({kept} of {self.pairs_read:,} read)"


def clean(
    source: Path | Sequence[Path],
    target: Path,
    *,
    rules: RuleSet,
    sample: int | None,
    seed: int,
    progress: Progress,
    keep_first: bool = False,
    takedown: frozenset[str] = frozenset(),
) -> Cleaned:
    """Clean pairs or tweets into a repository; several files are posts, comments and perhaps pairs.

    More than a few ids with several texts are an error; with ``keep_first`` the first text of each is kept. Ids of
    ``takedown``, of a list in ``target`` and of one in a folder that is read are left out, with what follows from them;
    they are added to the list of the repository, which no longer shows what follows.
    """
    paths = [source] if isinstance(source, Path) else list(source)
    removals = Removals()
    listed = takedown.union(*(listed_in(path) for path in [target, *paths] if path.is_dir()))
    with writing_repository(target) as writer, closing(_Spilled(writer.folder, listed)) as spilled:
        _spill(paths, spilled, rules, removals, share(progress, 0, _READING))
        found = joined(
            spilled.rows, spilled.count, writer.folder, rules=rules, sample=sample, seed=seed, removals=removals
        )
        conflicts = conflicting_ids(found, spilled.texts)
        if not keep_first:
            refuse_conflicts(paths[-1], found, conflicts)
        followed = _write(spilled, found.decisions, writer, share(progress, _READING, 1))
        add_to_list(target, listed | followed, target=writer.folder)
        removed = dict(removals.counts)
        manifest = writer.finish(Manifest(rules=rules.name, removed=removed, seed=seed if sample else None))
    return Cleaned(manifest, spilled.pairs_read, writer.counts["merged"], removed, removals.examples, conflicts)


class _Spilled:
    """Pairs that pass the rules, in spill files: their texts, their comments' ids by row, and a record of keys."""

    def __init__(self, folder: Path, listed: frozenset[str]) -> None:
        self.folder = folder
        self.listed = listed
        self.texts = PairSpill(folder / "pairs.spill")
        self.comment_ids = TemporaryStrings(folder)
        self.rows = Partitions(folder)
        self.count = 0
        self.pairs_read = 0

    def add(self, pairs: list[Pair]) -> None:
        """Append pairs, at least one."""
        self.texts.add(pairs)
        self.comment_ids.add([pair.comment_id for pair in pairs])
        rows = np.zeros(len(pairs), dtype=ROW)
        rows["row"] = np.arange(self.count, self.count + len(pairs))
        rows["post"], rows["post_text"] = zip(*_post_keys(pairs), strict=True)
        rows["own"] = [fingerprint(pair.comment_id) for pair in pairs]
        rows["comment"] = [fingerprint(skeleton(pair.comment)) for pair in pairs]
        if self.listed:
            rows["takedown"] = [pair.comment_id in self.listed for pair in pairs]
            rows["post_takedown"] = [pair.post_id in self.listed for pair in pairs]
        self.rows.add(rows, part_of(rows["own"]))
        self.count += len(pairs)

    def close(self) -> None:
        """Delete the spill files."""
        self.texts.remove()
        self.comment_ids.close()


def _batches(paths: list[Path], spilled: _Spilled, rules: RuleSet, removals: Removals) -> Iterator[list[Pair]]:
    """The pairs of a file or folder, or of files that are understood together."""
    if len(paths) > 1:
        return read_together(PAIRS, paths)
    found = format_of(paths[0], PAIRS, TWEETS)
    if found.noun is TWEETS:
        return paired_tweets(paths[0], spilled.folder, rules, removals, spilled.listed)
    batches: Iterator[list[Pair]] = found.read(paths[0])
    return batches


def _spill(paths: list[Path], spilled: _Spilled, rules: RuleSet, removals: Removals, progress: Progress) -> None:
    batches = _batches(paths, spilled, rules, removals)
    for batch in _with_progress(batches, _size_of(paths), progress):
        spilled.pairs_read += len(batch)
        if kept := passing(batch, rules, removals, spilled.listed):
            spilled.add(kept)
    spilled.texts.close()
    if not spilled.count:
        raise InputError.at(
            paths[-1],
            f"no pair passes the rules ({spilled.pairs_read:,} read)",
            f"try {option('rules', 'plain')} or none",
        )


def _post_keys(pairs: list[Pair]) -> Iterator[tuple[int, int]]:
    """The fingerprints of each post's id and text; comments of one post are mostly consecutive."""
    last_id, last, keys = "", "", (0, 0)
    for pair in pairs:
        if pair.post_id != last_id or pair.post != last:
            last_id, last = pair.post_id, pair.post
            keys = fingerprint(last_id), fingerprint(skeleton(last))
        yield keys


def _size_of(paths: list[Path]) -> int:
    """About how many bytes the files have, decompressed."""
    files = [file for path in paths for file in (path.iterdir() if path.is_dir() else [path]) if file.is_file()]
    return sum(
        file.stat().st_size * (_COMPRESSION if file.suffix in {".gz", ".zst", ".parquet"} else 1) for file in files
    )


def _with_progress(batches: Iterator[list[Pair]], total: int, progress: Progress) -> Iterator[list[Pair]]:
    done = 0
    for batch in batches:
        yield batch
        done += sum(len(pair.comment.encode()) + len(pair.post.encode()) for pair in batch)
        progress(min(done, total), total)


def _write(spilled: _Spilled, decisions: RecordReader, writer: RepositoryWriter, progress: Progress) -> set[str]:
    """Write each post and comment at its first row, and the pairs by their ids; the ids that follow from a takedown."""
    done, followed = 0, set[str]()
    for post_ids, posts, comment_ids, comments in spilled.texts.batches():
        kept = decisions.take(len(post_ids))
        writer.add("posts", _chosen(post_ids, kept["post_stays"]), _chosen(posts, kept["post_stays"]))
        writer.add("comments", _chosen(comment_ids, kept["comment_stays"]), _chosen(comments, kept["comment_stays"]))
        kept_ids = _kept_ids(comment_ids, kept, spilled.comment_ids)
        writer.add("pairs", _chosen(post_ids, kept["keep"]), _chosen(kept_ids, kept["keep"]))
        writer.add("merged", _chosen(comment_ids, kept["alias"]), _chosen(kept_ids, kept["alias"]))
        followed.update(_chosen(comment_ids, kept["takedown"]))
        done += len(kept)
        progress(done, spilled.count)
    return followed


def _chosen(values: list[str], which: BoolArray) -> list[str]:
    return list(compress(values, which.tolist()))


def _kept_ids(comment_ids: list[str], kept: Rows, ids: TemporaryStrings) -> list[str]:
    """The id of the comment that is kept for each row's comment, where the row needs it."""
    kept_ids = list(comment_ids)
    others = np.flatnonzero((kept["keep"] | kept["alias"]) & (kept["comment"] != kept["own"]))
    for place, name in zip(others.tolist(), ids.at(kept["comment"][others].tolist()), strict=True):
        kept_ids[place] = name
    return kept_ids
