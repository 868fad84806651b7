"""The repository: a folder of three Parquet files that any tool can read, and a manifest of how it was made.

posts.parquet     post_id, post           each post once
comments.parquet  comment_id, comment     each comment once
pairs.parquet     post_id, comment_id     which comment belongs to which post
merged.parquet    comment_id, kept_id     near-duplicate comments, and the one that is kept for them (may be missing)
manifest.json     what, version, counts, rules, language, files; optional when another tool made the folder
"""

from __future__ import annotations

import json
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING

from kaiwa.disk.atomic_folders import atomic_folder, sync_folder
from kaiwa.disk.folder_marks import Mark
from kaiwa.disk.parquet_tables import TableWriter, parquet_batches
from kaiwa.errors import InputError, needs_extra
from kaiwa.formats.collection import takedown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
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
MARK = Mark(MANIFEST, WHAT)
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


@dataclass(frozen=True)
class Repository:
    """A repository on disk, read table by table and batch by batch."""

    path: Path
    manifest: Manifest

    def posts(self) -> Iterator[list[list[str]]]:
        """Batches of [ids, texts] of the posts."""
        return self.table("posts")

    def comments(self) -> Iterator[list[list[str]]]:
        """Batches of [ids, texts] of the comments."""
        return self.table("comments")

    def table(self, name: str) -> Iterator[list[list[str]]]:
        """Batches of one table's columns."""
        return parquet_batches(self.path / f"{name}.parquet", TABLES[name], f"{name} have {', '.join(TABLES[name])}")

    def merged(self) -> dict[str, str]:
        """The comment that is kept for each comment that was merged."""
        if not (self.path / "merged.parquet").exists():
            return {}
        return {merged: kept for batch in self.table("merged") for merged, kept in zip(*batch, strict=True)}

    def takedown_ids(self) -> frozenset[str]:
        """The ids of posts and comments on its takedown list; nothing made from the repository contains them."""
        path = self.path / takedown.NAME
        return takedown.read_takedown(path) if path.is_file() else frozenset()

    def column(self, name: str, column: str) -> Iterator[list[str]]:
        """Batches of one column of a table."""
        path, columns = self.path / f"{name}.parquet", ", ".join(TABLES[name])
        return (values for (values,) in parquet_batches(path, (column,), f"{name} have {columns}"))

    def text_bytes(self, name: str) -> int:
        """The approximate number of bytes of the texts of the posts or the comments."""
        import pyarrow.parquet as pq

        metadata = pq.read_metadata(self.path / f"{name}.parquet")
        groups = (metadata.row_group(number) for number in range(metadata.num_row_groups))
        columns = (group.column(place) for group in groups for place in range(group.num_columns))
        return sum(column.total_uncompressed_size for column in columns if column.path_in_schema == TABLES[name][1])


def open_repository(path: Path) -> Repository:
    """The repository in a folder, its tables present and its counts known."""
    with needs_extra("parquet"):
        import pyarrow as pa
        import pyarrow.parquet as pq

    if not path.is_dir():
        raise InputError.at(path, "is a file" if path.exists() else "no such repository", _FIX)
    counts = {}
    for name in ("posts", "comments", "pairs"):
        table = path / f"{name}.parquet"
        if not table.is_file():
            raise InputError.at(path, f"missing {name}.parquet: not a repository", _FIX)
        try:
            counts[name] = pq.read_metadata(table).num_rows
        except (pa.ArrowException, OSError):
            raise InputError.at(table, "is not a complete Parquet file", _FIX) from None
    return Repository(path, replace(_read_manifest(path / MANIFEST), **counts))


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
        known = Manifest.__dataclass_fields__
        return Manifest(**{name: value for name, value in fields.items() if name in known})
    except (ValueError, OSError):
        raise InputError.at(path, "cannot be read as JSON", _FIX) from None


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
        MARK.write(self.folder, {"version": VERSION, **asdict(complete)}, [f"{name}.parquet" for name in self._tables])
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
