"""The tables of a repository on disk, each a Parquet file or a folder of part files, and their manifest."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from kaiwa.disk.checksums import file_checksum, seal_of
from kaiwa.disk.folder_marks import Mark
from kaiwa.disk.foreign_parquet import foreign_batches, foreign_size
from kaiwa.disk.parquet_reading import TableSize
from kaiwa.disk.parquet_tables import own_batches, own_size
from kaiwa.errors import InputError
from kaiwa.formats.collection.takedown import NAME as TAKEDOWN

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
NEEDED = ("posts", "comments", "pairs")
MARK = Mark(MANIFEST, WHAT, carried=(TAKEDOWN,))
FIX = "make a repository with kaiwa clean"


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
    crc32: dict[str, int] = field(default_factory=dict)  # of each table's file, by its path without .parquet
    digest: dict[str, int] = field(default_factory=dict)  # of each table's rows in their order, in one file or many


def table_files(path: Path, manifest: Manifest, name: str) -> list[Path]:
    """The files of a table in the order of its rows: ``NAME.parquet``, or the part files in a folder of that name."""
    own = sorted(key for key in manifest.crc32 if key == name or key.startswith(f"{name}.parquet/"))
    if own:
        return [path / f"{key}.parquet" for key in own]
    table = path / f"{name}.parquet"
    if not table.is_dir():
        return [table]
    return sorted(
        part for part in table.iterdir() if part.suffix == ".parquet" and not part.name.startswith((".", "_"))
    )


def table_batches(path: Path, manifest: Manifest, name: str, columns: Sequence[str]) -> Iterator[list[list[str]]]:
    """Batches of some columns of a table; a table without a checksum can be damaged, and is read as a foreign one."""
    read = own_batches if is_own(manifest, name) else foreign_batches
    for file in table_files(path, manifest, name):
        yield from read(file, columns, f"{name} have {', '.join(TABLES[name])}")


def rows_and_bytes(path: Path, manifest: Manifest, name: str) -> TableSize:
    """The size of a table."""
    read = own_size if is_own(manifest, name) else foreign_size
    sizes = [read(file) for file in table_files(path, manifest, name)]
    columns = {column for size in sizes for column in size.column_bytes}
    return TableSize(
        sum(size.rows for size in sizes),
        {column: sum(size.column_bytes.get(column, 0) for size in sizes) for column in columns},
    )


def is_own(manifest: Manifest, name: str) -> bool:
    """Whether the table has checksums: Kaiwa wrote it."""
    return any(key == name or key.startswith(f"{name}.parquet/") for key in manifest.crc32)


def refuse_damage(path: Path, manifest: Manifest) -> None:
    """Refuse tables whose checksums are not those of the manifest."""
    for name, checksum in manifest.crc32.items():
        table = path / f"{name}.parquet"
        if not table.is_file() or file_checksum(table) != checksum:
            what = "is missing, damaged or changed: its checksum is not that of the manifest"
            raise InputError.at(table, what, f"clean the pairs again; if you changed it, delete {path / MANIFEST}")


def read_manifest(path: Path) -> Manifest:
    """The manifest in a file; an empty one if the file is missing."""
    if not path.exists():
        return Manifest()
    try:
        fields = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(fields, dict) or fields.get("what") != WHAT:
            raise InputError.at(path, "is not the manifest of a repository", FIX)
        if fields.get("version") != VERSION:
            fix = f"this Kaiwa reads version {VERSION}; clean the pairs again"
            raise InputError.at(path, f"has version {fields.get('version')}", fix)
        if fields.get("seal", seal := seal_of(fields)) != seal or not _has_types(fields):
            raise InputError.at(path, "is damaged", FIX)
        known = Manifest.__dataclass_fields__
        return Manifest(**{name: value for name, value in fields.items() if name in known})
    except (ValueError, OSError, RecursionError):
        raise InputError.at(path, "cannot be read as JSON", FIX) from None


def _has_types(fields: dict[str, Any]) -> bool:  # Any: JSON values
    """Whether each field of a manifest has the type that it is written with."""
    for name, value in asdict(Manifest(seed=0)).items():
        given = fields.get(name, value)
        if not isinstance(given, type(value)) and (name, given) != ("seed", None):
            return False
        if isinstance(given, dict) and not all(isinstance(count, int) for count in given.values()):
            return False
    return True
