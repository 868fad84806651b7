"""The repository: a folder of three Parquet files that any tool can read, and a manifest of how it was made.

posts.parquet     post_id, post           each post once
comments.parquet  comment_id, comment     each comment once
pairs.parquet     post_id, comment_id     which comment belongs to which post
merged.parquet    comment_id, kept_id     near-duplicate comments, and the one that is kept for them (may be missing)
manifest.json     what, version, counts, rules, language, files, and a checksum of each table, compared when the
                  repository is opened; optional when another tool made the folder
"""

from __future__ import annotations

import json
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from itertools import compress
from typing import TYPE_CHECKING, Any

from kaiwa.disk.atomic_folders import atomic_folder, sync_folder
from kaiwa.disk.checksums import file_checksum, seal_of
from kaiwa.disk.folder_marks import Mark
from kaiwa.disk.parquet_tables import TableWriter, parquet_batches
from kaiwa.errors import InputError, needs_extra
from kaiwa.formats.collection.takedown import NAME as TAKEDOWN
from kaiwa.formats.collection.takedown import full_takedown, listed_in

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

WHAT = "kaiwa repository"
VERSION = 1
MANIFEST = "manifest.json"
TABLES = {
    "posts": ("post_id", "post"),
    "comments": ("comment_id", "comment"),
    "pairs": ("post_id", "comment_id"),
    "merged": ("comment_id", "kept_id"),
}
_IDS = {name: tuple(column for column in columns if column.endswith("_id")) for name, columns in TABLES.items()}
MARK = Mark(MANIFEST, WHAT, carried=(TAKEDOWN,))
_FIX = "make a repository with kaiwa clean"


@dataclass(frozen=True)
class Manifest:
    """How a repository was made, and its counts."""

    rules: str = ""
    language: str = ""
    posts: int = 0
    comments: int = 0
    pairs: int = 0
    removed: dict[str, int] = field(default_factory=dict)
    seed: int | None = None
    crc32: dict[str, int] = field(default_factory=dict)  # of each table's file


@dataclass(frozen=True)
class Repository:
    """A repository on disk, read table by table and batch by batch, without the rows of ``takedown``."""

    path: Path
    manifest: Manifest
    takedown: frozenset[str] = frozenset()

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
        return _batches(self.path, name, TABLES[name])

    def _rows(self, name: str, columns: tuple[str, ...]) -> Iterator[list[list[str]]]:
        batches = _batches(self.path, name, columns)
        if not self.takedown:
            return batches
        ids = [place for place, column in enumerate(columns) if column in _IDS[name]]
        return (_without(batch, ids, self.takedown) for batch in batches)

    def merged(self) -> dict[str, str]:
        """The comment that is kept for each comment that was merged."""
        if not (self.path / "merged.parquet").exists():
            return {}
        return {merged: kept for batch in self.table("merged") for merged, kept in zip(*batch, strict=True)}

    def text_bytes(self, name: str) -> int:
        """The approximate number of bytes of the texts of the posts or the comments."""
        import pyarrow.parquet as pq

        metadata = pq.read_metadata(self.path / f"{name}.parquet")
        groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
        columns = (group.column(place) for group in groups for place in range(group.num_columns))
        return sum(column.total_uncompressed_size for column in columns if column.path_in_schema == TABLES[name][1])


@dataclass(frozen=True)
class RepositoryRelations:
    """What a repository knows about its ids: which comments were merged, and which belong to some posts alone."""

    path: Path

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
            for batch in _batches(self.path, name, TABLES[name])
            for first, second in zip(*batch, strict=True)
        )


def _batches(path: Path, name: str, columns: Sequence[str]) -> Iterator[list[list[str]]]:
    return parquet_batches(path / f"{name}.parquet", columns, f"{name} have {', '.join(TABLES[name])}")


def _without(batch: list[list[str]], ids: list[int], hidden: AbstractSet[str]) -> list[list[str]]:
    """The columns of a batch without the rows that have a hidden id in one of the columns ``ids``."""
    if all(hidden.isdisjoint(batch[place]) for place in ids):
        return batch
    shown = [hidden.isdisjoint(row) for row in zip(*(batch[place] for place in ids), strict=True)]
    return [list(compress(column, shown)) for column in batch]


def open_repository(path: Path, *, takedown: frozenset[str] = frozenset()) -> Repository:
    """The repository in a folder, its tables present and its counts known.

    It is read without the ids of its takedown list and of ``takedown``, and what follows from them.
    """
    with needs_extra("parquet"):
        import pyarrow as pa
        import pyarrow.parquet as pq

    if not path.is_dir():
        raise InputError.at(path, "is a file" if path.exists() else "no such repository", _FIX)
    manifest, counts = _read_manifest(path / MANIFEST), {}
    for name in ("posts", "comments", "pairs"):
        if not (path / f"{name}.parquet").is_file():
            raise InputError.at(path, f"missing {name}.parquet: not a repository", _FIX)
    _refuse_damage(path, manifest)
    for name in ("posts", "comments", "pairs"):
        try:
            counts[name] = pq.read_metadata(path / f"{name}.parquet").num_rows
        except (pa.ArrowException, OSError, UnicodeDecodeError):
            raise InputError.at(path / f"{name}.parquet", "is not a complete Parquet file", _FIX) from None
    manifest = replace(manifest, **counts)
    hidden = full_takedown(takedown | listed_in(path), RepositoryRelations(path))
    opened = Repository(path, manifest, hidden)
    if not hidden:
        return opened
    counts = {name: sum(map(len, opened.column(name, _IDS[name][0]))) for name in counts}
    return replace(opened, manifest=replace(manifest, **counts))


def _refuse_damage(path: Path, manifest: Manifest) -> None:
    for name, checksum in manifest.crc32.items():
        table = path / f"{name}.parquet"
        if not table.is_file() or file_checksum(table) != checksum:
            what = "is missing, damaged or changed: its checksum is not that of the manifest"
            raise InputError.at(table, what, f"clean the pairs again; if you changed it, delete {path / MANIFEST}")


def _read_manifest(path: Path) -> Manifest:
    if not path.exists():
        return Manifest()
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(fields, dict) or fields.get("what") != WHAT:
            raise InputError.at(path, "is not the manifest of a repository", _FIX)
        if fields.get("version") != VERSION:
            fix = f"this Kaiwa reads version {VERSION}; clean the pairs again"
            raise InputError.at(path, f"has version {fields.get('version')}", fix)
        if fields.get("seal", seal := seal_of(fields)) != seal or not _has_types(fields):
            raise InputError.at(path, "is damaged", _FIX)
        known = Manifest.__dataclass_fields__
        return Manifest(**{name: value for name, value in fields.items() if name in known})
    except (ValueError, OSError, RecursionError):
        raise InputError.at(path, "cannot be read as JSON", _FIX) from None


def _has_types(fields: dict[str, Any]) -> bool:  # Any: JSON values
    """Whether each field of a manifest has the type that it is written with."""
    for name, value in asdict(Manifest(seed=0)).items():
        given = fields.get(name, value)
        if not isinstance(given, type(value)) and (name, given) != ("seed", None):
            return False
        if isinstance(given, dict) and not all(isinstance(count, int) for count in given.values()):
            return False
    return True


class RepositoryWriter:
    """Writes the tables of a repository, batch by batch, and counts their rows."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._tables: dict[str, TableWriter] = {}
        self.counts = dict.fromkeys(TABLES, 0)

    def add(self, name: str, first: Sequence[str], second: Sequence[str]) -> None:
        """Append rows to one of the tables."""
        if name not in self._tables:
            path = self.folder / f"{name}.parquet"
            self._tables[name] = TableWriter(path, TABLES[name], repeats=name == "pairs")
        self._tables[name].add(first, second)
        self.counts[name] += len(first)

    def finish(self, manifest: Manifest) -> Manifest:
        """Close the tables and write the manifest, with the counts filled in."""
        for name in ("posts", "comments", "pairs"):
            self.add(name, [], [])
        self.close()
        counts = {name: self.counts[name] for name in ("posts", "comments", "pairs")}
        complete = replace(manifest, **counts)  # type: ignore[arg-type]  # the three counts are integers
        sums = {name: file_checksum(self.folder / f"{name}.parquet") for name in self._tables}
        fields = {"version": VERSION, **asdict(complete), "crc32": sums}
        MARK.write(self.folder, fields, [f"{name}.parquet" for name in self._tables], sealed=True)
        return complete

    def close(self) -> None:
        """Close the tables that are open, each one even if another cannot be written."""
        with ExitStack() as stack:
            for table in self._tables.values():
                stack.callback(table.close)


@contextmanager
def writing_repository(path: Path) -> Iterator[RepositoryWriter]:
    """A writer whose folder becomes ``path`` when the block ends without an error."""
    with atomic_folder(path, MARK) as folder:
        writer = RepositoryWriter(folder)
        try:
            yield writer
        finally:
            writer.close()
        sync_folder(folder)
