"""Raw pairs to a repository, on any engine: texts stay in spill files, and keys of a few bytes are regrouped."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from kaiwa.build.repository.clean_job import CleanJob, reporting
from kaiwa.build.repository.conflicting_ids import ConflictingIds, conflicting_ids, refuse_conflicts
from kaiwa.build.repository.dialogue_numbers import with_numbers
from kaiwa.build.repository.input_copies import with_copies
from kaiwa.build.repository.merging import COMMENT_IDS, DUPLICATES, POST_IDS, decided
from kaiwa.build.repository.pair_keys import READ, REMOVED, read_pair_keys
from kaiwa.build.repository.part_writing import WRITTEN, write_parts
from kaiwa.build.repository.raw_files import files_of, raw_files
from kaiwa.build.repository.read_tasks import planned_pieces, read_tasks, refuse_pipes
from kaiwa.build.repository.tweet_pairs import tweet_keys
from kaiwa.corpus.duplicates import IdConflicts
from kaiwa.corpus.rule_filter import Removals
from kaiwa.engine.opening import LOCAL, engine_named, opened
from kaiwa.errors import InputError, counted, option
from kaiwa.formats.collection.repository_tables import Manifest
from kaiwa.formats.collection.repository_writer import finish_parts, make_part_folders, repository_folder
from kaiwa.formats.collection.takedown import add_to_list, listed_in
from kaiwa.model.shown import Shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kaiwa.build.repository.input_pieces import InputPiece
    from kaiwa.build.repository.part_writing import CleanedPart
    from kaiwa.build.repository.read_tasks import ReadTask
    from kaiwa.corpus.rules import RuleSet
    from kaiwa.engine.dataset import Engine, Gathered
    from kaiwa.engine.opening import EngineName
    from kaiwa.model.progress_callback import Progress


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
