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
    comments_that_stay,
    comments_without_posts,
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
_DRAWS = "draws"
_WRITTEN = ("row", "comment", "takedown", "keep", "is_other", "comment_stays", "alias", "post_stays")


def decided(keys: Dataset, rules: RuleSet, *, sample: int | None) -> tuple[Dataset, int]:
    """What is written of each row, and how many pairs are not in the sample."""
    rows = keys.regrouped("own", same_ids_step, rules.merge)
    if rules.merge:
        rows = rows.regrouped("comment", same_texts_step)
    rows = rows.regrouped("post", same_pairs_step, rules.first_comments)
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
    before = key_columns(table)
    part, conflicts, removed = same_pairs(before, first_comments)
    yield key_table(part | ({"draw": before["draw"]} if "draw" in before else {}))
    yield Note(POST_IDS, conflicts)
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


def posts_step(table: Table) -> Table:
    """Rows with the same post: which are written; the columns that writing needs."""
    part = posts_that_stay(key_columns(table))
    return key_table({name: part[name] for name in _WRITTEN})


# The last step of a cleaning: the texts of a task, and what is written of each row, to the tables of a repository.


WRITTEN = "written"
"""The name of notes: a part that was written."""


@dataclass(frozen=True)
class CleanedPart:
    """A part of a repository: its task, its files, its merged comments, and comments that follow from a takedown."""

    task: int
    files: WrittenPart
    merged: int
    followed: frozenset[str]


def write_parts(tables: Iterator[Any], job: CleanJob) -> Iterator[Note]:  # Any: pyarrow tables
    """Write the posts, comments and pairs of each task."""
    rows = ColumnReader(map(key_columns, tables))
    while (task := rows.task()) is not None:
        yield Note(WRITTEN, _written(task, rows, job))


def _written(task: int, rows: ColumnReader, job: CleanJob) -> CleanedPart:
    """Write each post and comment at its first row, and the pairs by their ids."""
    writer, followed = RepositoryWriter(job.folder, task if job.in_parts else None), set[str]()
    try:
        for post_ids, posts, comment_ids, comments, *_ in spilled_batches(job.texts(task)):
            kept = rows.take(len(post_ids))
            kept_ids = _kept_ids(comment_ids, kept, job)
            _add(writer, "posts", post_ids, posts, kept["post_stays"])
            _add(writer, "comments", comment_ids, comments, kept["comment_stays"])
            _add(writer, "pairs", post_ids, kept_ids, kept["keep"])
            _add(writer, "merged", comment_ids, kept_ids, kept["alias"])
            followed.update(_chosen(comment_ids, kept["takedown"]).to_pylist())
            advance("written", len(post_ids))
        return CleanedPart(task, writer.written(), writer.counts["merged"], frozenset(followed))
    finally:
        writer.close()


def _add(writer: RepositoryWriter, name: str, first: Strings, second: Strings, which: BoolArray) -> None:
    if which.any():
        writer.add(name, _chosen(first, which), _chosen(second, which))


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
    """What cleaning kept, and what each rule removed, with examples."""

    manifest: Manifest
    pairs_read: int
    merged: int
    removed: dict[str, int]
    examples: dict[str, list[str]]
    conflicting: ConflictingIds = field(default_factory=ConflictingIds)


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
            job = CleanJob(folder.resolve(), rules, listed, seed if sample else None, in_parts=len(tasks) > 1)
            with _spills(job), reporting(sum(piece.size for piece in planned), progress):
                found, left_out = _ran(running, tasks, job, sample)
                conflicts = _conflicts(found, job, tasks, keep_first=keep_first)
        removals = _removals(pieces, found, left_out)
        parts: list[CleanedPart] = sorted(found.noted(WRITTEN), key=lambda part: part.task)
        add_to_list(target, listed.union(*(part.followed for part in parts)), target=folder)
        removed = dict(removals.counts)
        made = Manifest(rules=rules.name, removed=removed, seed=seed if sample else None)
        manifest = finish_parts(folder, made, [part.files for part in parts])
    read = sum(read for read, _ in found.noted(READ))
    return Cleaned(manifest, read, sum(part.merged for part in parts), removed, removals.examples, conflicts)


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
