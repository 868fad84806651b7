"""The repository: a folder of three Parquet files that any tool can read, and a manifest of how it was made.

The table NAME.parquet is a file, or a folder of part files in the order of their names.

posts.parquet     post_id, post           each post once
comments.parquet  comment_id, comment     each comment once
pairs.parquet     post_id, comment_id     which comment belongs to which post
merged.parquet    comment_id, kept_id     near-duplicate comments, and the one that is kept for them (may be missing)
manifest.json     what, version, counts, rules, language, files, a digest of the rows of each table, and a checksum of
                  each file, compared when the repository is opened; optional when another tool made the folder
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import compress
from typing import TYPE_CHECKING, TypeVar

from kaiwa.disk.staging_folders import settle_before_reading
from kaiwa.errors import InputError, needs_extra
from kaiwa.formats.collection.repository_tables import (
    FIX,
    MANIFEST,
    NEEDED,
    TABLES,
    Manifest,
    read_manifest,
    refuse_damage,
    rows_and_bytes,
    table_batches,
    table_files,
)
from kaiwa.formats.collection.takedown import full_takedown, listed_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from collections.abc import Set as AbstractSet
    from pathlib import Path

_IDS = {name: tuple(column for column in columns if column.endswith("_id")) for name, columns in TABLES.items()}
_MOST_BUILDS = 100  # that may replace a repository while it is opened
T = TypeVar("T")


@dataclass(frozen=True)
class Repository:
    """A repository on disk, read table by table and batch by batch, without the rows of ``takedown``."""

    path: Path
    manifest: Manifest
    takedown: frozenset[str] = frozenset()
    folder: tuple[int, ...] | None = None  # its device and number, by which a replaced folder is found

    def posts(self) -> Iterator[list[list[str]]]:
        """Batches of [ids, texts] of the posts."""
        return self.table("posts")

    def comments(self) -> Iterator[list[list[str]]]:
        """Batches of [ids, texts] of the comments."""
        return self.table("comments")

    def table(self, name: str) -> Iterator[list[list[str]]]:
        """Batches of one table's columns."""
        return self._rows(name, TABLES[name])

    def column(self, name: str, column: str) -> Iterator[list[str]]:
        """Batches of one column of a table."""
        wanted = dict.fromkeys((column, *(_IDS[name] if self.takedown else ())))
        return (columns[0] for columns in self._rows(name, tuple(wanted)))

    def with_takedown(self, name: str) -> Iterator[list[list[str]]]:
        """Batches of a whole table, to compare with; nothing of them may be shown or written."""
        return self._unreplaced(name, table_batches(self.path, self.manifest, name, TABLES[name]))

    def _unreplaced(self, name: str, batches: Iterator[T]) -> Iterator[T]:
        """The batches of a table, if its files were opened before the repository was replaced."""
        in_parts, opening = len(table_files(self.path, self.manifest, name)) > 1, True
        while True:
            try:
                batch = next(batches, None)
            except (InputError, FileNotFoundError):
                self._refuse_replaced()
                raise
            if opening:
                self._refuse_replaced()
            if batch is None:
                return
            yield batch
            opening = in_parts

    def _refuse_replaced(self) -> None:
        if self.folder not in {None, _identity(self.path)}:
            raise InputError.at(self.path, "was replaced while it was read", "run the same command again")

    def _rows(self, name: str, columns: tuple[str, ...]) -> Iterator[list[list[str]]]:
        return self.shown(name, columns, self._unreplaced(name, table_batches(self.path, self.manifest, name, columns)))

    def shown(
        self, name: str, columns: tuple[str, ...], batches: Iterator[list[list[str]]]
    ) -> Iterator[list[list[str]]]:
        """Batches of some columns of a table, an id among them, without the rows of the takedown list."""
        if not self.takedown:
            return batches
        ids = [place for place, column in enumerate(columns) if column in _IDS[name]]
        return (_without(batch, ids, self.takedown) for batch in batches)

    def merged(self) -> dict[str, str]:
        """The comment that is kept for each comment that was merged."""
        if not (self.path / "merged.parquet").exists():
            self._refuse_replaced()
            return {}
        return {merged: kept for batch in self.table("merged") for merged, kept in zip(*batch, strict=True)}

    def text_bytes(self, name: str) -> int:
        """The approximate number of bytes of the texts of the posts or the comments."""
        return rows_and_bytes(self.path, self.manifest, name).column_bytes[TABLES[name][1]]


@dataclass(frozen=True)
class RepositoryRelations:
    """What a repository knows about its ids: which comments were merged, and which belong to some posts alone."""

    path: Path
    manifest: Manifest

    def near_duplicates(self, ids: AbstractSet[str]) -> frozenset[str]:
        """The comments that were merged with one of these."""
        if not (self.path / "merged.parquet").exists():
            return frozenset()
        kept = ids | {kept for merged, kept in self._pairs_of("merged") if merged in ids}
        groups = [pair for pair in self._pairs_of("merged") if pair[1] in kept]
        return frozenset(name for pair in groups for name in pair)

    def comments_only_of(self, posts: AbstractSet[str]) -> frozenset[str]:
        """The comments all of whose posts are among these."""
        under = {comment for post, comment in self._pairs_of("pairs") if post in posts}
        other = {comment for post, comment in self._pairs_of("pairs") if comment in under and post not in posts}
        return frozenset(under - other)

    def _pairs_of(self, name: str) -> Iterator[tuple[str, str]]:
        return (
            (first, second)
            for batch in table_batches(self.path, self.manifest, name, TABLES[name])
            for first, second in zip(*batch, strict=True)
        )


def _without(batch: list[list[str]], ids: list[int], hidden: AbstractSet[str]) -> list[list[str]]:
    """The columns of a batch without the rows that have a hidden id in one of the columns ``ids``."""
    if all(hidden.isdisjoint(batch[place]) for place in ids):
        return batch
    shown = [hidden.isdisjoint(row) for row in zip(*(batch[place] for place in ids), strict=True)]
    return [list(compress(column, shown)) for column in batch]


def open_repository(path: Path, *, takedown: frozenset[str] = frozenset()) -> Repository:
    """The repository in a folder, its tables present and its counts known.

    It is read without the ids of its takedown list and of ``takedown``, and what follows from them. If a build replaces
    it meanwhile, the new one is opened; one that is replaced later is refused when its next table is read.
    """
    for _ in range(_MOST_BUILDS):
        folder = _identity(path)
        try:
            opened = _open_repository(path, takedown)
        except (InputError, FileNotFoundError):
            if _identity(path) == folder:
                raise
        else:
            if _identity(path) == folder:
                return replace(opened, folder=folder)
    raise InputError.at(path, "is being replaced again and again", "wait for the other commands")


def _identity(path: Path) -> tuple[int, ...] | None:
    """The device and number of a folder, and the number and time of its manifest; None if the folder is missing.

    A file system gives the number of a removed folder to a new one: the number alone does not distinguish two builds.
    """
    try:
        state = path.stat()
    except OSError:
        return None
    try:
        manifest = (path / MANIFEST).stat()
    except OSError:
        return state.st_dev, state.st_ino
    return state.st_dev, state.st_ino, manifest.st_ino, manifest.st_mtime_ns


def _open_repository(path: Path, takedown: frozenset[str]) -> Repository:
    with needs_extra("parquet"):
        import pyarrow as pa  # noqa: F401  told before anything is read

    if not path.is_dir():
        raise InputError.at(path, "is a file" if path.exists() else "no such repository", FIX)
    settle_before_reading(path.parent)
    manifest = read_manifest(path / MANIFEST)
    for name in NEEDED:
        if not (path / f"{name}.parquet").exists():
            raise InputError.at(path, f"missing {name}.parquet: not a repository", FIX)
    refuse_damage(path, manifest)
    manifest = _counted(manifest, lambda name: rows_and_bytes(path, manifest, name).rows)
    hidden = full_takedown(takedown | listed_in(path), RepositoryRelations(path, manifest))
    opened = Repository(path, manifest, hidden)
    if not hidden:
        return opened
    return replace(opened, manifest=_counted(manifest, lambda name: sum(map(len, opened.column(name, _IDS[name][0])))))


def _counted(manifest: Manifest, rows: Callable[[str], int]) -> Manifest:
    return replace(manifest, posts=rows("posts"), comments=rows("comments"), pairs=rows("pairs"))
