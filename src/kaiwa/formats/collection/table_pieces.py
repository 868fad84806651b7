"""Pieces of a repository's tables, which tasks read at the same time: consecutive row groups of its files.

A table that Kaiwa did not write is one piece: it is read in a process of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING

from kaiwa.disk.parquet_tables import own_batches, own_group_rows
from kaiwa.errors import InputError
from kaiwa.formats.collection.repository_tables import TABLES, is_own, table_files

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kaiwa.formats.collection.repository import Repository

    Batches = Iterator[list[list[str]]]


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


def pieces_of(repository: Repository, name: str, *, most: int) -> list[Piece]:
    """The pieces of a table in the order of its rows, of ``most`` rows each if its row groups allow it."""
    total = getattr(repository.manifest, name)
    if not is_own(repository.manifest, name):
        return [Piece(name, None, 0, total)]
    files = table_files(repository.path, repository.manifest, name)
    spans = _spans([own_group_rows(file) for file in files], most)
    rows = [_shown_rows(repository, name, groups) for groups in spans]
    firsts = [0, *accumulate(rows)]
    return [Piece(name, groups, *place) for groups, *place in zip(spans, firsts, rows, strict=False)]


def read_piece(repository: Repository, piece: Piece) -> Batches:
    """The batches of a piece; it need not be read by the process that opened the repository."""
    if piece.groups is None:
        return repository.table(piece.table)
    return _read(repository, piece.table, piece.groups, TABLES[piece.table])


def _read(repository: Repository, name: str, groups: tuple[Groups, ...], columns: tuple[str, ...]) -> Batches:
    return repository.shown(name, columns, _own_rows(repository, name, groups, columns))


def _own_rows(repository: Repository, name: str, groups: tuple[Groups, ...], columns: tuple[str, ...]) -> Batches:
    files = table_files(repository.path, repository.manifest, name)
    for own in groups:
        path = files[own.file]
        if not path.exists():
            raise InputError.at(path, "is missing where the task runs", "put it on storage that all workers share")
        yield from own_batches(path, columns, f"{name} have {', '.join(columns)}", own.numbers)


def _shown_rows(repository: Repository, name: str, groups: tuple[Groups, ...]) -> int:
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
