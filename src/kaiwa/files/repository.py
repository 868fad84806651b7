"""The repository: a folder of three Parquet files any tool can read, and a manifest that says how it was made.

posts.parquet     post_id, post           each post once
comments.parquet  comment_id, comment     each comment once
pairs.parquet     post_id, comment_id     which comment stood under which post
merged.parquet    comment_id, kept_id     near-duplicate comments, and the one that speaks for them (may be absent)
manifest.json     what, version, counts, rules, language; optional when another tool made the folder
"""

from __future__ import annotations

import json
import shutil
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.errors import InputError
from kaiwa.files import takedown
from kaiwa.files.folder import settle, whole_folder
from kaiwa.files.pairs import parquet_batches

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from kaiwa.model import IntArray

WHAT = "kaiwa repository"
VERSION = 1
MANIFEST = "manifest.json"
TABLES = {
    "posts": ("post_id", "post"),
    "comments": ("comment_id", "comment"),
    "pairs": ("post_id", "comment_id"),
    "merged": ("comment_id", "kept_id"),
}
_REPAIR = "make a repository with kaiwa clean"


@dataclass(frozen=True)
class Manifest:
    """What a repository says of itself."""

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
        """Which comment now speaks for each comment that was merged away."""
        if not (self.path / "merged.parquet").exists():
            return {}
        return {gone: kept for batch in self.table("merged") for gone, kept in zip(*batch, strict=True)}

    def taken_down(self) -> frozenset[str]:
        """The ids of posts and comments that its takedown list names; they go into nothing made from it."""
        path = self.path / takedown.NAME
        return takedown.read_takedown(path) if path.is_file() else frozenset()

    def ids(self, name: str) -> Any:  # Any: a pyarrow array, untyped
        """The ids of the posts or the comments, in their order, each once."""
        import pyarrow as pa

        column = TABLES[name][0]
        parts = [pa.array(batch[0]) for batch in self.table(name)]
        ids = pa.concat_arrays(parts) if parts else pa.array([], pa.string())
        if len(ids.unique()) != len(ids):
            raise InputError.at(self.path / f"{name}.parquet", f"a {column} stands twice", "keep one row for each id")
        return ids

    def pair_rows(self, posts: Any, comments: Any) -> tuple[IntArray, IntArray]:  # Any: pyarrow arrays from ids()
        """For each pair the row of its post and the row of its comment."""
        import pyarrow as pa
        import pyarrow.compute as pc

        parts: list[list[Any]] = [[pa.array([], pa.string())], [pa.array([], pa.string())]]
        for batch in self.table("pairs"):
            for side in (0, 1):
                parts[side].append(pa.array(batch[side]))
        rows = []
        for name, part, known in zip(TABLES["pairs"], parts, (posts, comments), strict=True):
            ids = pa.concat_arrays(part)
            found = pc.index_in(ids, value_set=known)
            if found.null_count:
                what = f"{name} {ids[pc.index(found.is_null(), True).as_py()].as_py()!r} is in no other table"
                raise InputError.at(self.path / "pairs.parquet", what, _REPAIR)
            rows.append(found.to_numpy(zero_copy_only=False).astype(np.int64))
        return rows[0], rows[1]


def open_repository(path: Path) -> Repository:
    """The repository in a folder, its tables present and its counts known."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not path.is_dir():
        raise InputError.at(path, "is a file" if path.exists() else "no such repository", _REPAIR)
    counts = {}
    for name in ("posts", "comments", "pairs"):
        table = path / f"{name}.parquet"
        if not table.is_file():
            raise InputError.at(path, f"has no {name}.parquet: it is not a repository", _REPAIR)
        try:
            counts[name] = pq.read_metadata(table).num_rows
        except (pa.ArrowException, OSError):
            raise InputError.at(table, "is not a whole Parquet file", _REPAIR) from None
    return Repository(path, replace(_read_manifest(path / MANIFEST), **counts))


def _read_manifest(path: Path) -> Manifest:
    if not path.exists():
        return Manifest()
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(said, dict) or said.get("what") != WHAT:
            raise InputError.at(path, "is not the manifest of a repository", _REPAIR)
        if said.get("version") != VERSION:
            repair = f"this Kaiwa reads version {VERSION}; clean the pairs again"
            raise InputError.at(path, f"is of version {said.get('version')}", repair)
        known = Manifest.__dataclass_fields__
        return Manifest(**{name: value for name, value in said.items() if name in known})
    except (ValueError, OSError):
        raise InputError.at(path, "cannot be read as JSON", _REPAIR) from None


class RepositoryWriter:
    """Writes the tables of a repository, batch by batch, and counts their rows."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._open: dict[str, Any] = {}  # Any: pyarrow writers, untyped
        self.counts = dict.fromkeys(TABLES, 0)

    def add(self, name: str, first: Sequence[str], second: Sequence[str]) -> None:
        """Append rows to one of the tables."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        schema = pa.schema([(column, pa.string()) for column in TABLES[name]])
        if name not in self._open:
            where = self.folder / f"{name}.parquet"
            self._open[name] = pq.ParquetWriter(where, schema, compression="zstd", use_dictionary=name == "pairs")
        if len(first):
            columns = [pa.array(first, pa.string()), pa.array(second, pa.string())]
            self._open[name].write_table(pa.table(columns, schema=schema))
        self.counts[name] += len(first)

    def finish(self, manifest: Manifest) -> Manifest:
        """Close the tables and write the manifest, with the counts filled in."""
        for name in ("posts", "comments", "pairs"):
            self.add(name, [], [])
        self.close()
        counts = {name: self.counts[name] for name in ("posts", "comments", "pairs")}
        whole = replace(manifest, **counts)  # type: ignore[arg-type]  # the three counts are integers
        said = {"what": WHAT, "version": VERSION, **asdict(whole)}
        (self.folder / MANIFEST).write_text(json.dumps(said, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
        return whole

    def close(self) -> None:
        """Close the tables that are open."""
        for writer in self._open.values():
            writer.close()


@contextmanager
def writing_repository(path: Path) -> Iterator[RepositoryWriter]:
    """A writer whose folder becomes ``path`` when the block ends well."""
    with whole_folder(path, mark="pairs.parquet") as folder:
        writer = RepositoryWriter(folder)
        try:
            yield writer
        finally:
            writer.close()
        _carry_rest(path, folder)
        settle(folder)


def _carry_rest(old: Path, new: Path) -> None:
    """Take along what stood beside the tables that are replaced: a takedown list, a reader's notes."""
    ours = {MANIFEST, *(f"{name}.parquet" for name in TABLES)}
    for entry in old.iterdir() if old.is_dir() else ():
        if entry.name not in ours:
            copy = shutil.copytree if entry.is_dir() else shutil.copy2
            copy(entry, new / entry.name)
