"""Raw pairs to a repository, on any engine: texts stay in spill files, and keys of a few bytes are regrouped."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from textwrap import shorten
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.corpus.duplicates import (
    IdConflicts,
    by_both_ids,
    comments_that_stay,
    comments_without_posts,
    first_uses,
    mark_first_uses,
    posts_that_stay,
    same_ids,
    same_pairs,
    same_texts,
)
from kaiwa.corpus.inputs import files_of, planned_pieces, raw_files, read_tasks, refuse_pipes, with_copies, with_numbers
from kaiwa.corpus.job import CleanJob, ColumnReader, advance, key_columns, key_table, reporting, row_strings
from kaiwa.corpus.pair_keys import READ, REMOVED, pairs_at, read_pair_keys, spilled_batches
from kaiwa.corpus.rules import Removals
from kaiwa.corpus.samples import bin_of_last, draws_by_bin, in_bin, limit_of, no_draws, sampled
from kaiwa.corpus.tweets import tweet_keys
from kaiwa.engine.arrow_tables import column, places_of, tasks_of
from kaiwa.engine.dataset import Note
from kaiwa.engine.opening import LOCAL, engine_named, opened
from kaiwa.errors import InputError, counted, needs_extra, option
from kaiwa.formats.repository import (
    Manifest,
    RepositoryWriter,
    WrittenPart,
    finish_parts,
    make_part_folders,
    repository_folder,
)
from kaiwa.formats.takedown import add_to_list, listed_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kaiwa.ambient import Progress
    from kaiwa.corpus.duplicates import BoolArray, Columns
    from kaiwa.corpus.inputs import InputPiece, ReadTask
    from kaiwa.corpus.rules import RuleSet
    from kaiwa.corpus.samples import Limit
    from kaiwa.engine.dataset import Dataset, Engine, Gathered
    from kaiwa.engine.opening import EngineName
    from kaiwa.nouns.ids import IntArray
    from kaiwa.nouns.run import Pair

    Sides = Mapping[str, IdConflicts]  # of posts and comments
    Table = Any  # Any: a pyarrow table, untyped
    Strings = Any  # Any: an Arrow array of text


# Ids with more than one text in the pairs that were read: counted, with an example, and refused above a share.


MOST_CONFLICTS = 0.01
"""The largest share of ids with more than one text that is accepted (docs/decisions/cleaning.md)."""
_SHOWN = 40


@dataclass(frozen=True)
class ConflictingId:
    """An id with two texts: the side (post or comment), the id, the texts, their files and lines (0: not known)."""

    side: str
    id: str
    first_text: str
    first_file: str
    first_line: int
    text: str
    file: str
    line: int

    def __str__(self) -> str:
        shown = [repr(shorten(text, _SHOWN, placeholder=" ...")) for text in (self.first_text, self.text)]
        first, other = self._places()
        return f"{self.side} id {self.id!r} is {shown[0]}{first} and {shown[1]}{other}"

    def _places(self) -> list[str]:
        """Where the texts are: the lines in one file, or each in its own file."""
        both = [(self.first_file, self.first_line), (self.file, self.line)]
        if self.first_file == self.file:
            return [f" (line {line})" if line else "" for _, line in both]
        return [f" ({file}:{line})" if line else f" ({file})" for file, line in both]


@dataclass(frozen=True)
class ConflictingIds:
    """The number of post and comment ids with more than one text, and an example of each side that has any."""

    posts: int = 0
    comments: int = 0
    examples: tuple[ConflictingId, ...] = ()


def conflicting_ids(sides: Sides, job: CleanJob, tasks: Sequence[ReadTask]) -> ConflictingIds:
    """The ids with more than one text, from what was counted when rows were regrouped."""
    examples = [_example(side, one.example, job, tasks) for side, one in sides.items() if one.example is not None]
    return ConflictingIds(sides["post"].conflicting, sides["comment"].conflicting, tuple(examples))


def refuse_conflicts(sides: Sides, conflicts: ConflictingIds) -> None:
    """Refuse input in which more than a small share of the ids have more than one text."""
    wrong = [side for side, one in sides.items() if one.share > MOST_CONFLICTS]
    if not wrong:
        return
    example = next(one for one in conflicts.examples if one.side == wrong[0])
    what = f"{_counts(sides)} more than one text: {example}"
    fix = f"check which columns are the ids, or keep the first text of each with {option('keep_first')}"
    raise InputError.at(example.file, what, fix, line=example.line or None)


def _counts(sides: Sides) -> str:
    counts = [f"{one.conflicting:,} of {counted(one.ids, f'{side} id')}" for side, one in sides.items() if one.example]
    return f"{' and '.join(counts)} {'has' if counts[0].startswith('1 ') and len(counts) == 1 else 'have'}"


def _example(side: str, rows: tuple[int, int], job: CleanJob, tasks: Sequence[ReadTask]) -> ConflictingId:
    before, after = (_pair_at(row, job, tasks) for row in rows)
    ident = getattr(after.pair, f"{side}_id")
    return ConflictingId(
        side,
        ident,
        getattr(before.pair, side),
        before.file,
        before.line,
        getattr(after.pair, side),
        after.file,
        after.line,
    )


@dataclass(frozen=True)
class _PlacedPair:
    """A pair, its file and its line there."""

    pair: Pair
    file: str
    line: int


def _pair_at(row: int, job: CleanJob, tasks: Sequence[ReadTask]) -> _PlacedPair:
    number = np.array([row], dtype=np.uint64)
    task, place = int(tasks_of(number)[0]), int(places_of(number)[0])
    pair, piece_number = pairs_at(job.texts(task), {place})[place]
    piece = tasks[task].pieces[piece_number]
    return _PlacedPair(pair, str(piece.file), piece.line(pair.line))


# Which pairs are kept: duplicates and near-duplicates merged, a sample drawn; each step has all rows of its keys.


COMMENT_IDS, POST_IDS, DUPLICATES = "comment ids", "post ids", "duplicates"
"""The names of notes: ids with several texts, and how many pairs are removed for which reason."""
PER_POST = "comments per post"
"""The name of notes: the spread of the numbers of comments of each post."""
_DRAWS = "draws"
_WRITTEN = ("row", "comment", "takedown", "keep", "is_other", "comment_stays", "alias", "post_stays")


def decided(keys: Dataset, rules: RuleSet, *, sample: int | None) -> tuple[Dataset, int]:
    """What is written of each row, and how many pairs are not in the sample."""
    rows = keys.regrouped("own", same_ids_step, rules.merge)
    if rules.merge:
        rows = rows.regrouped("comment", same_texts_step)
    rows = rows.regrouped("post", same_pairs_step, rules.first_comments)
    if rules.once:
        rows = rows.map(both_ids_step).regrouped("id", first_uses_step).regrouped("row", used_once_step)
    if sample is None:
        return rows.regrouped("comment", comments_step).regrouped("post", posts_step), 0
    shown = rows.regrouped("comment", shown_step).kept()
    limit, left_out = _limit(shown, sample)
    stays = shown.map(sample_step, limit).regrouped("comment", stays_step)
    return stays.regrouped("post", posts_step), left_out


def _limit(rows: Dataset, sample: int) -> tuple[Limit | None, int]:
    """The limit of the draws of a sample, and how many kept pairs are not in it; None if all are."""
    counts = np.sum([no_draws(), *rows.map(draws_step).gathered().noted(_DRAWS)], axis=0)
    kept = int(counts.sum())
    if sample >= kept:
        return None, 0
    place, wanted = bin_of_last(counts, sample)
    last = rows.map(bin_step, place).gathered().table
    return limit_of(column(last, "draw"), column(last, "row"), wanted), kept - sample


def same_ids_step(table: Table, merge: bool) -> Iterator[Any]:  # noqa: FBT001  Any: tables and notes
    """Rows with the same comment id."""
    part, conflicts = same_ids(key_columns(table), merge=merge)
    yield key_table(part)
    yield Note(COMMENT_IDS, conflicts)


def same_texts_step(table: Table) -> Table:
    """Rows with the same comment text."""
    return key_table(same_texts(key_columns(table)))


def same_pairs_step(table: Table, first_comments: int) -> Iterator[Any]:  # Any: tables and notes
    """Rows with the same post."""
    part, conflicts, removed = same_pairs(key_columns(table), first_comments)
    yield key_table(part)
    yield Note(POST_IDS, conflicts)
    yield Note(DUPLICATES, removed)


def both_ids_step(table: Table) -> Table:
    """Each row twice, by its two ids."""
    return key_table(by_both_ids(key_columns(table)))


def first_uses_step(table: Table) -> Table:
    """Rows with the same id: which use it first."""
    return key_table(mark_first_uses(key_columns(table)))


def used_once_step(table: Table) -> Iterator[Any]:  # Any: tables and notes
    """Rows that were written twice: each once again, kept if it uses both ids first."""
    part, removed = first_uses(key_columns(table))
    yield key_table(part)
    yield Note(DUPLICATES, removed)


def shown_step(table: Table) -> Table:
    """Rows with the same comment: which may be shown."""
    return key_table(comments_without_posts(key_columns(table)))


def draws_step(table: Table) -> Iterator[Note]:
    """How many kept pairs are in each bin of draws."""
    yield Note(_DRAWS, draws_by_bin(key_columns(table)))


def bin_step(table: Table, place: int) -> Table:
    """The draws of one bin."""
    part = key_columns(table)
    chosen = in_bin(part, place)
    return key_table({name: part[name][chosen] for name in ("draw", "row")})


def sample_step(table: Table, limit: Limit | None) -> Table:
    """The rows with only the pairs of the sample kept."""
    part = key_columns(table)
    part = part if limit is None else sampled(part, limit)
    return key_table({name: values for name, values in part.items() if name != "draw"})


def stays_step(table: Table) -> Table:
    """Rows with the same comment: which are written."""
    return key_table(comments_that_stay(key_columns(table)))


def comments_step(table: Table) -> Table:
    """Rows with the same comment: which may be shown, and which are written."""
    return key_table(comments_that_stay(comments_without_posts(key_columns(table))))


def posts_step(table: Table) -> Iterator[Any]:  # Any: tables and notes
    """Rows with the same post: which are written; the columns that writing needs; how many comments a post has."""
    part = posts_that_stay(key_columns(table))
    yield key_table({name: part[name] for name in _WRITTEN})
    _, counts = np.unique(part["post"][part["keep"]], return_counts=True)
    yield Note(PER_POST, Spread.of(counts))


# The last step of a cleaning: the texts of a task, and what is written of each row, to the tables of a repository.


WRITTEN = "written"
"""The name of notes: a part that was written."""


@dataclass(frozen=True)
class Spread:
    """How many whole numbers there are, their sum, the least and the greatest; those of two parts add up.

    >>> whole = Spread.of(np.array([3, 1])) + Spread.of(np.array([5]))
    >>> whole, whole.mean
    (Spread(count=3, sum=9, min=1, max=5), 3.0)
    """

    count: int = 0
    sum: int = 0
    min: int = 0
    max: int = 0

    @classmethod
    def of(cls, numbers: IntArray) -> Spread:
        """The spread of the numbers; all zeros if there are none."""
        found = (int(numbers.sum()), int(numbers.min()), int(numbers.max())) if len(numbers) else ()
        return cls(len(numbers), *found)

    @property
    def mean(self) -> float:
        """The mean; 0 if there are no numbers."""
        return self.sum / self.count if self.count else 0.0

    def __add__(self, other: Spread) -> Spread:
        if not self.count or not other.count:
            return self if self.count else other
        return Spread(
            self.count + other.count, self.sum + other.sum, min(self.min, other.min), max(self.max, other.max)
        )


@dataclass(frozen=True)
class CleanedPart:
    """A part of a repository: its task, its files, its merged comments, and comments that follow from a takedown.

    ``lengths`` are the numbers of characters of its posts, and of its comments.
    """

    task: int
    files: WrittenPart
    merged: int
    followed: frozenset[str]
    lengths: tuple[Spread, Spread]


def write_parts(tables: Iterator[Any], job: CleanJob) -> Iterator[Note]:  # Any: pyarrow tables
    """Write the posts, comments and pairs of each task."""
    rows = ColumnReader(map(key_columns, tables))
    while (task := rows.task()) is not None:
        yield Note(WRITTEN, _written(task, rows, job))


def _written(task: int, rows: ColumnReader, job: CleanJob) -> CleanedPart:
    """Write each post and comment at its first row, and the pairs by their ids."""
    part, followed = task if job.in_parts else None, set[str]()
    writer = RepositoryWriter(job.folder, part, translations=job.translations)
    of_posts = [place for place, name in enumerate(job.translations) if name.startswith("post_")]
    lengths = Spread(), Spread()
    try:
        for post_ids, post, comment_ids, comment, _, _, *others in spilled_batches(job.texts(task)):
            kept = rows.take(len(post_ids))
            kept_ids = _kept_ids(comment_ids, kept, job)
            posts = [post_ids, post, *(others[place] for place in of_posts)]
            comments = [comment_ids, comment, *(one for place, one in enumerate(others) if place not in of_posts)]
            _add(writer, "posts", posts, kept["post_stays"])
            if job.rules.candidates == "both":
                writer.add("comments", *_candidates(posts, comments, kept, job.translations))
            else:
                _add(writer, "comments", comments, kept["comment_stays"])
            _add(writer, "pairs", [post_ids, kept_ids], kept["keep"])
            _add(writer, "merged", [comment_ids, kept_ids], kept["alias"])
            lengths = (
                lengths[0] + _lengths(post, kept["post_stays"]),
                lengths[1] + _lengths(comment, kept["comment_stays"]),
            )
            followed.update(_chosen(comment_ids, kept["takedown"]).to_pylist())
            advance("written", len(post_ids))
        return CleanedPart(task, writer.written(), writer.counts["merged"], frozenset(followed), lengths)
    finally:
        writer.close()


def _add(writer: RepositoryWriter, name: str, columns: Sequence[Strings], which: BoolArray) -> None:
    if which.any():
        writer.add(name, *(_chosen(column, which) for column in columns))


def _lengths(texts: Strings, which: BoolArray) -> Spread:
    """The numbers of characters of the chosen texts."""
    import pyarrow.compute as pc

    return Spread.of(pc.utf8_length(_chosen(texts, which)).to_numpy(zero_copy_only=False).astype(np.int64))


def _candidates(
    posts: list[Strings], comments: list[Strings], kept: Columns, translations: Sequence[str]
) -> list[Strings]:
    """The posts and the comments of a batch that stay, in the order of their rows, as columns of comments.

    A translation that only one side has is empty on the other.
    """
    import pyarrow as pa

    both = [np.flatnonzero(kept[name]) for name in ("post_stays", "comment_stays")]
    order = np.argsort(np.concatenate((both[0] * 2, both[1] * 2 + 1)))
    of_posts = [name.removeprefix("post_") for name in translations if name.startswith("post_")]
    languages = [name.removeprefix("comment_") for name in translations if name.startswith("comment_")]
    nothing = pa.array([""] * len(posts[0]), pa.string())
    named = dict(zip(of_posts, posts[2:], strict=True))
    own = [*posts[:2], *(named.get(language, nothing) for language in languages)]
    return [
        pa.concat_arrays([one.take(pa.array(both[0])), other.take(pa.array(both[1]))]).take(pa.array(order))
        for one, other in zip(own, comments, strict=True)
    ]


def _chosen(values: Strings, which: BoolArray) -> Strings:
    return values.filter(which)


def _kept_ids(comment_ids: Strings, kept: Columns, job: CleanJob) -> Strings:
    """The id of the comment that is kept for each row's comment, where the row needs it."""
    with needs_extra("parquet"):
        import pyarrow as pa
        import pyarrow.compute as pc

    wanted = (kept["keep"] | kept["alias"]) & kept["is_other"]
    if not wanted.any():
        return comment_ids
    found = row_strings(job.comment_ids, kept["comment"][wanted])
    return pc.replace_with_mask(comment_ids, pa.array(wanted), pa.array(found, pa.string()))


@dataclass(frozen=True)
class Cleaned:
    """What cleaning kept, and what each rule removed, with examples.

    ``lengths`` has the characters of a ``post`` and of a ``comment``, and the ``comments_per_post``. Rules
    ``without_effect`` look at what only tweets have, and the input has none.
    """

    manifest: Manifest
    pairs_read: int
    merged: int
    removed: dict[str, int]
    examples: dict[str, list[str]]
    conflicting: ConflictingIds = field(default_factory=ConflictingIds)
    lengths: dict[str, Spread] = field(default_factory=dict)
    without_effect: tuple[str, ...] = ()


def write_cleaned(
    source: Path | Sequence[Path],
    target: Path,
    *,
    rules: RuleSet,
    sample: int | None,
    seed: int,
    progress: Progress,
    keep_first: bool = False,
    takedown: frozenset[str] = frozenset(),
    engine: str = LOCAL,
) -> Cleaned:
    """Clean pairs, dialogues or tweets into a repository.

    Several files of one kind are read as one; others are posts, comments and perhaps the pairs of their ids.
    More than a few ids with several texts are an error; with ``keep_first`` the first text of each is kept. Ids of
    ``takedown``, of a list in ``target`` and of one in a folder that is read are left out, with what follows from them;
    they are added to the list of the repository, which no longer shows what follows. The tables are the same on every
    ``engine``; where input can be split, they are folders of part files.
    """
    name = engine_named(engine)
    paths = _readable([source] if isinstance(source, Path) else list(source), name)
    listed = takedown.union(*(listed_in(path) for path in [target, *paths] if path.is_dir()))
    several = name.name != LOCAL
    with repository_folder(target, alone=several) as folder:
        planned = planned_pieces(raw_files(paths), several=several)
        with opened(name, folder) as running:
            pieces = with_copies(running, with_numbers(running, planned), folder.resolve())
            tasks = read_tasks(pieces, several=several)
            drawn, names = seed if sample else None, tasks[0].pieces[0].translations
            job = CleanJob(folder.resolve(), rules, listed, drawn, in_parts=len(tasks) > 1, translations=names)
            with _spills(job), reporting(sum(piece.size for piece in planned), progress):
                found, left_out = _ran(running, tasks, job, sample)
                conflicts = _conflicts(found, job, tasks, keep_first=keep_first)
        removals = _removals(pieces, found, left_out)
        parts: list[CleanedPart] = sorted(found.noted(WRITTEN), key=lambda part: part.task)
        add_to_list(target, listed.union(*(part.followed for part in parts)), target=folder)
        removed = dict(removals.counts)
        made = Manifest(
            rules=rules.name, removed=removed, seed=drawn, candidates=rules.candidates, translations=list(names)
        )
        manifest = finish_parts(folder, made, [part.files for part in parts])
    read = sum(read for read, _ in found.noted(READ))
    return Cleaned(
        manifest,
        read,
        sum(part.merged for part in parts),
        removed,
        removals.examples,
        conflicts,
        {
            "post": sum((part.lengths[0] for part in parts), Spread()),
            "comment": sum((part.lengths[1] for part in parts), Spread()),
            "comments_per_post": sum(found.noted(PER_POST), Spread()),
        },
        () if pieces[0].is_tweets else rules.on_tweets,
    )


def _readable(paths: list[Path], name: EngineName) -> list[Path]:
    """The paths as tasks can open them: from any folder on the workers of a cluster."""
    if name.name == LOCAL:
        return paths
    refuse_pipes(files_of(paths))
    return [path.resolve() for path in paths] if name.is_spark else paths


@contextmanager
def _spills(job: CleanJob) -> Iterator[None]:
    """The folder for what passes between tasks; it is removed at the end."""
    if job.in_parts:
        make_part_folders(job.folder)
    try:
        yield
    finally:
        job.remove_spills()


def _ran(engine: Engine, tasks: Sequence[ReadTask], job: CleanJob, sample: int | None) -> tuple[Gathered, int]:
    """Run the steps; their notes, and how many pairs are not in the sample."""
    keys = tweet_keys(engine, tasks, job) if tasks[0].pieces[0].is_tweets else engine.tables(read_pair_keys, tasks, job)
    rows, left_out = decided(keys, job.rules, sample=sample)
    return rows.in_order(write_parts, job).gathered(), left_out


def _conflicts(found: Gathered, job: CleanJob, tasks: Sequence[ReadTask], *, keep_first: bool) -> ConflictingIds:
    sides = {
        "post": sum(found.noted(POST_IDS), IdConflicts()),
        "comment": sum(found.noted(COMMENT_IDS), IdConflicts()),
    }
    conflicts = conflicting_ids(sides, job, tasks)
    if not keep_first:
        refuse_conflicts(sides, conflicts)
    return conflicts


def _removals(pieces: Sequence[InputPiece], found: Gathered, left_out: int) -> Removals:
    """What was removed, by rules and then as duplicates; an error if no pair passes the rules."""
    if not sum(kept for _, kept in found.noted(READ)):
        what = f"no pair passes the rules ({sum(read for read, _ in found.noted(READ)):,} read)"
        raise InputError.at(_named(pieces), what, f"try {option('rules', 'plain')} or none")
    removals = Removals()
    for one in found.noted(REMOVED):
        removals.include(one)
    duplicates = dict[str, int]()
    for one in [*found.noted(DUPLICATES), {"not in the sample": left_out}]:
        for reason, count in one.items():
            duplicates[reason] = duplicates.get(reason, 0) + count
    for reason, count in duplicates.items():
        if count:
            removals.add(reason, "", times=count)
    return removals


def _named(pieces: Sequence[InputPiece]) -> str:
    """The input in an error that is about all of it."""
    first, *others = dict.fromkeys(piece.file for piece in pieces)
    return f"{first} and {counted(len(others), 'other file')}" if others else f"{first}"
