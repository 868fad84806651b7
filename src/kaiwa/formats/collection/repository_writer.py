"""Writes the tables of a repository: each in one file, or in one part file of several."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from kaiwa.disk.atomic_folders import atomic_folder, sync_folder
from kaiwa.disk.checksums import file_checksum
from kaiwa.disk.lines_digest import LinesDigest
from kaiwa.disk.parquet_tables import TableWriter
from kaiwa.formats.collection.repository_tables import MARK, NEEDED, TABLES, VERSION

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from kaiwa.formats.collection.repository_tables import Manifest


@dataclass(frozen=True)
class WrittenPart:
    """What a writer wrote: the rows and the digest of each table, and the checksum of each file."""

    digests: dict[str, LinesDigest]
    crc32: dict[str, int]


class RepositoryWriter:
    """Writes the tables of a repository, or of one part of it, batch by batch, and counts their rows."""

    def __init__(self, folder: Path, part: int | None = None) -> None:
        self.folder = folder
        self._part = part
        self._token = token_hex(4)  # a task that Spark runs twice writes its files twice
        self._tables: dict[str, TableWriter] = {}
        self._digests: dict[str, LinesDigest] = {}

    @property
    def counts(self) -> dict[str, int]:
        """The rows of each table so far."""
        return {name: self._digests[name].lines if name in self._digests else 0 for name in TABLES}

    def add(self, name: str, first: Sequence[str], second: Sequence[str]) -> None:
        """Append rows to one of the tables; columns are lists of texts, or Arrow arrays."""
        if name not in self._tables:
            self._tables[name] = TableWriter(self._temporary(name), TABLES[name], repeats=name == "pairs")
            self._digests[name] = LinesDigest()
        self._digests[name] = self._digests[name].with_lines(*self._tables[name].add(first, second))

    def _key(self, name: str) -> str:
        return name if self._part is None else f"{name}.parquet/part-{self._part:06d}"

    def _temporary(self, name: str) -> Path:
        return self.folder / (f"{name}.parquet" if self._part is None else f"{self._key(name)}.{self._token}")

    def written(self) -> WrittenPart:
        """Close the tables, and give part files their names."""
        self.close()
        sums = dict[str, int]()
        for name in self._tables:
            file = self.folder / f"{self._key(name)}.parquet"
            sums[self._key(name)] = file_checksum(self._temporary(name))
            self._temporary(name).replace(file)
        return WrittenPart(dict(self._digests), sums)

    def finish(self, manifest: Manifest) -> Manifest:
        """Close the tables and write the manifest, with the counts filled in."""
        for name in NEEDED:
            self.add(name, [], [])
        return finish_parts(self.folder, manifest, [self.written()])

    def close(self) -> None:
        """Close the tables that are open, each one even if another cannot be written."""
        with ExitStack() as stack:
            for table in self._tables.values():
                stack.callback(table.close)


def make_part_folders(folder: Path) -> None:
    """Make the folders of part files, before several processes write into them."""
    for name in TABLES:
        (folder / f"{name}.parquet").mkdir()


def finish_parts(folder: Path, manifest: Manifest, parts: Sequence[WrittenPart]) -> Manifest:
    """Write the manifest of a repository whose parts are written, in their order, with the counts filled in."""
    sums = {key: crc for part in parts for key, crc in part.crc32.items()}
    sums |= _completed(folder, {key.partition(".")[0] for key in sums})
    digests = dict[str, LinesDigest]()
    for name in TABLES:
        own = [part.digests[name] for part in parts if name in part.digests]
        if own or name in NEEDED:
            digests[name] = sum(own, LinesDigest())
    counts = {name: digests[name].lines for name in NEEDED}
    complete = replace(manifest, **counts)  # type: ignore[arg-type]  # the three counts are integers
    values: dict[str, Any] = {name: digest.crc32 for name, digest in digests.items()}
    fields = {"version": VERSION, **asdict(complete), "crc32": sums, "digest": values}
    MARK.write(folder, fields, [f"{key}.parquet" for key in sums], sealed=True)
    return replace(complete, digest=values)


def _completed(folder: Path, tables: set[str]) -> dict[str, int]:
    """Remove folders without part files; a table that is needed gets a file without rows."""
    sums = dict[str, int]()
    for name in set(TABLES) - tables:
        path = folder / f"{name}.parquet"
        if path.is_dir():
            path.rmdir()
        if name in NEEDED:
            TableWriter(path, TABLES[name], repeats=False).close()
            sums[name] = file_checksum(path)
    return sums


@contextmanager
def writing_repository(path: Path) -> Iterator[RepositoryWriter]:
    """A writer whose folder becomes ``path`` when the block ends without an error."""
    with repository_folder(path) as folder:
        writer = RepositoryWriter(folder)
        try:
            yield writer
        finally:
            writer.close()


@contextmanager
def repository_folder(path: Path, *, alone: bool = False) -> Iterator[Path]:
    """A folder for the files of a repository, which becomes ``path`` when the block ends without an error.

    If ``alone``, another process that is already filling a folder for this path is an error.
    """
    with atomic_folder(path, MARK, alone=alone) as folder:
        yield folder
        sync_folder(folder)
