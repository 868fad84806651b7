"""The repository: a folder of three Parquet files that any tool can read, and a manifest of how it was made.

The table NAME.parquet is a file, or a folder of part files in the order of their names.

posts.parquet     post_id, post           each post once; also translations, post_LANGUAGE
comments.parquet  comment_id, comment     each comment once, and each post if posts are candidates; also translations
pairs.parquet     post_id, comment_id     which comment belongs to which post
merged.parquet    comment_id, kept_id     near-duplicate comments, and the one that is kept for them (may be missing)
manifest.json     what, version, counts, rules, language, files, a digest of the rows of each table, and a checksum of
                  each file, compared when the repository is opened; optional when another tool made the folder
"""

from __future__ import annotations

import json
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from itertools import accumulate, compress
from secrets import token_hex
from typing import TYPE_CHECKING, Any, TypeVar

from kaiwa.errors import InputError, needs_extra
from kaiwa.files.atomic import atomic_folder
from kaiwa.files.foreign_parquet import foreign_batches, foreign_size
from kaiwa.files.inputs import LinesDigest, file_checksum, seal_of
from kaiwa.files.marks import Mark
from kaiwa.files.parquet import TableSize, TableWriter, own_batches, own_group_rows, own_size
from kaiwa.formats.takedown import NAME as TAKEDOWN
from kaiwa.formats.takedown import full_takedown, listed_in

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from collections.abc import Set as AbstractSet
    from pathlib import Path

    Batches = Iterator[list[list[str]]]


# The tables of a repository on disk, each a Parquet file or a folder of part files, and their manifest.


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
_TRANSLATED = ("posts", "comments")
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
    held_out: dict[str, int] = field(default_factory=dict)  # by the hash of topics, how many are not in it
    seed: int | None = None
    crc32: dict[str, int] = field(default_factory=dict)  # of each table's file, by its path without .parquet
    digest: dict[str, int] = field(default_factory=dict)  # of each table's rows in their order, in one file or many
    candidates: str = "comments"  # or both: posts are candidates too, and are among the comments
    translations: list[str] = field(default_factory=list)  # columns of posts and comments, such as post_en

    def columns(self, name: str) -> tuple[str, ...]:
        """All columns of a table."""
        side = TABLES[name][1] if name in _TRANSLATED else None
        return (*TABLES[name], *(one for one in self.translations if side and one.startswith(f"{side}_")))


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
            fix = f"this Kaiwa reads version {VERSION}; clean the pairs again: kaiwa clean"
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
        if isinstance(given, list) and not all(isinstance(one, str) for one in given):
            return False
    return True


_IDS = {name: tuple(column for column in columns if column.endswith("_id")) for name, columns in TABLES.items()}
_MOST_BUILDS = 100  # that may replace a repository while it is opened
T = TypeVar("T")


@dataclass(frozen=True)
class OpenRepository:
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

    def whole_table(self, name: str) -> Iterator[list[list[str]]]:
        """Batches of all columns of a table, with its translations."""
        return self._rows(name, self.manifest.columns(name))

    def linked_column(self, column: str) -> Iterator[list[str]]:
        """Batches of one column of the pairs by which candidates are found; a post that is one is its own post."""
        yield from self.column("pairs", column)
        if self.manifest.candidates == "both":
            yield from self.column("posts", "post_id")

    @property
    def links(self) -> int:
        """The number of these pairs."""
        return self.manifest.pairs + (self.manifest.posts if self.manifest.candidates == "both" else 0)

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


def open_repository(path: Path, *, takedown: frozenset[str] = frozenset()) -> OpenRepository:
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


def _open_repository(path: Path, takedown: frozenset[str]) -> OpenRepository:
    with needs_extra("parquet"):
        import pyarrow as pa  # noqa: F401  told before anything is read

    if not path.is_dir():
        raise InputError.at(path, "is a file" if path.exists() else "no such repository", FIX)
    manifest = read_manifest(path / MANIFEST)
    for name in NEEDED:
        if not (path / f"{name}.parquet").exists():
            raise InputError.at(path, f"missing {name}.parquet: not a repository", FIX)
    refuse_damage(path, manifest)
    manifest = _counted(manifest, lambda name: rows_and_bytes(path, manifest, name).rows)
    hidden = full_takedown(takedown | listed_in(path), RepositoryRelations(path, manifest))
    opened = OpenRepository(path, manifest, hidden)
    if not hidden:
        return opened
    return replace(opened, manifest=_counted(manifest, lambda name: sum(map(len, opened.column(name, _IDS[name][0])))))


def _counted(manifest: Manifest, rows: Callable[[str], int]) -> Manifest:
    return replace(manifest, posts=rows("posts"), comments=rows("comments"), pairs=rows("pairs"))


# Writes the tables of a repository: each in one file, or in one part file of several.


@dataclass(frozen=True)
class WrittenPart:
    """What a writer wrote: the rows and the digest of each table, and the checksum of each file."""

    digests: dict[str, LinesDigest]
    crc32: dict[str, int]


class RepositoryWriter:
    """Writes the tables of a repository, or of one part of it, batch by batch, and counts their rows."""

    def __init__(self, folder: Path, part: int | None = None, *, translations: Sequence[str] = ()) -> None:
        self.folder = folder
        self._columns = Manifest(translations=list(translations)).columns
        self._part = part
        self._token = token_hex(4)  # a task that Spark runs twice writes its files twice
        self._tables: dict[str, TableWriter] = {}
        self._digests: dict[str, LinesDigest] = {}

    @property
    def counts(self) -> dict[str, int]:
        """The rows of each table so far."""
        return {name: self._digests[name].lines if name in self._digests else 0 for name in TABLES}

    def add(self, name: str, *columns: Sequence[str]) -> None:
        """Append rows to one of the tables; columns are lists of texts, or Arrow arrays."""
        if name not in self._tables:
            self._tables[name] = TableWriter(self._temporary(name), self._columns(name), repeats=name == "pairs")
            self._digests[name] = LinesDigest()
        self._digests[name] = self._digests[name].with_lines(*self._tables[name].add(*columns))

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
            self.add(name, *([] for _ in self._columns(name)))
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
def writing_repository(path: Path, *, translations: Sequence[str] = ()) -> Iterator[RepositoryWriter]:
    """A writer whose folder becomes ``path`` when the block ends without an error."""
    with repository_folder(path) as folder:
        writer = RepositoryWriter(folder, translations=translations)
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


# Pieces of a repository's tables, which tasks read at the same time: consecutive row groups of its files.


@dataclass(frozen=True)
class Groups:
    """Consecutive row groups of one of a table's files, and how many rows they have."""

    file: int
    numbers: range
    rows: int


@dataclass(frozen=True)
class Piece:
    """Row groups of a table (None: all): ``rows`` rows from row ``first`` on, without those of the takedown list."""

    table: str
    groups: tuple[Groups, ...] | None
    first: int
    rows: int


def pieces_of(repository: OpenRepository, name: str, *, most: int) -> list[Piece]:
    """The pieces of a table in the order of its rows, of ``most`` rows each if its row groups allow it."""
    total = getattr(repository.manifest, name)
    if not is_own(repository.manifest, name):
        return [Piece(name, None, 0, total)]
    files = table_files(repository.path, repository.manifest, name)
    spans = _spans([own_group_rows(file) for file in files], most)
    rows = [_shown_rows(repository, name, groups) for groups in spans]
    firsts = [0, *accumulate(rows)]
    return [Piece(name, groups, *place) for groups, *place in zip(spans, firsts, rows, strict=False)]


def read_piece(repository: OpenRepository, piece: Piece) -> Batches:
    """The batches of a piece; it need not be read by the process that opened the repository."""
    if piece.groups is None:
        return repository.table(piece.table)
    return _read(repository, piece.table, piece.groups, TABLES[piece.table])


def _read(repository: OpenRepository, name: str, groups: tuple[Groups, ...], columns: tuple[str, ...]) -> Batches:
    return repository.shown(name, columns, _own_rows(repository, name, groups, columns))


def _own_rows(repository: OpenRepository, name: str, groups: tuple[Groups, ...], columns: tuple[str, ...]) -> Batches:
    files = table_files(repository.path, repository.manifest, name)
    for own in groups:
        path = files[own.file]
        if not path.exists():
            raise InputError.at(path, "is missing where the task runs", "put it on storage that all workers share")
        yield from own_batches(path, columns, f"{name} have {', '.join(columns)}", own.numbers)


def _shown_rows(repository: OpenRepository, name: str, groups: tuple[Groups, ...]) -> int:
    if not repository.takedown:
        return sum(own.rows for own in groups)
    return sum(len(batch[0]) for batch in _read(repository, name, groups, TABLES[name][:1]))


def _spans(group_rows: list[list[int]], most: int) -> list[tuple[Groups, ...]]:
    """The row groups of all files, in order, in spans of ``most`` rows in total, or of one group.

    >>> [[(own.file, own.numbers, own.rows) for own in span] for span in _spans([[4, 4, 9], [1, 2]], 8)]
    [[(0, range(0, 2), 8)], [(0, range(2, 3), 9)], [(1, range(0, 2), 3)]]
    """
    spans, size = list[tuple[Groups, ...]](), most
    for file, each in enumerate(group_rows):
        for number, rows in enumerate(each):
            one = Groups(file, range(number, number + 1), rows)
            if spans and size + rows <= most:
                spans[-1] = _with(spans[-1], one)
            else:
                spans.append((one,))
                size = 0
            size += rows
    return spans or [()]


def _with(span: tuple[Groups, ...], one: Groups) -> tuple[Groups, ...]:
    """The span with one more row group, joined to the last ones if they are of the same file."""
    *before, last = span
    if last.file != one.file:
        return (*span, one)
    return (*before, Groups(one.file, range(last.numbers.start, one.numbers.stop), last.rows + one.rows))
