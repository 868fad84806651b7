"""The pairs as links of posts and comments, numbered in the order of their ids; memory holds one range of ids."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kaiwa.errors import InputError, needs_extra
from kaiwa.files.spill import IdRanges, Partitions, RecordReader, bounds_of, range_of
from kaiwa.formats.pairs import is_id
from kaiwa.formats.repository import TABLES
from kaiwa.retrieval.inverted_index import SIDES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kaiwa.ambient import Progress
    from kaiwa.files.array_folder import ArrayWriter
    from kaiwa.formats.repository import OpenRepository
    from kaiwa.nouns.ids import IntArray


_NUMBERED = np.dtype([("row", np.uint32), ("number", np.uint32)])
_LINK = np.dtype(
    [("row", np.uint64)]
)  # the number that comes first and, in the lower half, the one that it is paired with
_HALF = np.uint64(32)


class _Numbered(NamedTuple):
    """The numbers of one side: by the rows of its own table, and by the rows of the pairs."""

    own: Partitions
    in_pairs: Partitions
    bounds: list[int]  # the first number of each range of ids; ranges have about the same number of pairs


class _Counter:
    """Counts the ids that were read and reports progress."""

    def __init__(self, progress: Progress, total: int) -> None:
        self._progress, self._total, self._done = progress, total, 0

    def add(self, count: int) -> None:
        """Count more ids."""
        self._done += count
        self._progress(self._done, self._total)


def write_pairs(repository: OpenRepository, writer: ArrayWriter, progress: Progress) -> tuple[int, list[RecordReader]]:
    """Write the links of the pairs; the number of pairs, and per side the number of each row, in their order."""
    counter = _Counter(progress, repository.manifest.posts + repository.manifest.comments + 2 * repository.links)
    sides = [_number(repository, name, writer, counter) for name in SIDES]
    both = [Partitions(writer.folder) for _ in SIDES]
    for parts in zip(*(side.in_pairs.parts() for side in sides), strict=True):
        numbers = [part["number"].astype(np.uint64) for part in parts]
        for spill, side, first, second in zip(both, sides, numbers, numbers[::-1], strict=True):
            bounds = np.array(side.bounds, dtype=np.uint64)
            spill.add((first << _HALF | second).view(_LINK), np.searchsorted(bounds, first, side="right") - 1)
    posts, comments = (spill.parts() for spill in both)
    pairs = _write_links(posts, writer, ("post_starts", "post_comments"), repository.manifest.posts)
    linked = _all_linked(comments, repository)
    _write_links(linked, writer, ("comment_starts", "comment_posts"), repository.manifest.comments)
    return pairs, [RecordReader(side.own.parts()) for side in sides]


def _number(repository: OpenRepository, name: str, writer: ArrayWriter, counter: _Counter) -> _Numbered:
    """Write the row of each number; the number of each row, and of each pair's post or comment."""
    size, pairs = getattr(repository.manifest, name), repository.links
    ranges = _id_ranges(repository, name, writer, counter)
    numbered = _Numbered(Partitions(writer.folder), Partitions(writer.folder), [])
    known = 0
    with writer.growing(f"{name}.row", np.uint32) as rows:
        for (ids, own_rows), (wanted, pair_rows) in zip(*ranges, strict=True):
            numbered.bounds.append(known)
            order, found = _found(repository, name, ids, wanted)
            rows.add(own_rows[order])
            numbered.own.add(_records(own_rows[order], known + np.arange(len(ids))), range_of(own_rows[order], size))
            numbered.in_pairs.add(_records(pair_rows, known + found), range_of(pair_rows, pairs))
            known += len(ids)
    return numbered


def _id_ranges(
    repository: OpenRepository, name: str, writer: ArrayWriter, counter: _Counter
) -> tuple[IdRanges, IdRanges]:
    """The ids of the posts or the comments, and those that pairs name, in ranges with the same bounds."""
    column = TABLES[name][0]
    tables = (name, "pairs")
    ids = (batch for table in tables for batch in _ids_of(repository, table, column))
    bounds = bounds_of(ids, getattr(repository.manifest, name) + repository.links)
    ranges = [IdRanges(writer.folder, bounds) for _ in tables]
    for own, table in zip(ranges, tables, strict=True):
        for batch in _ids_of(repository, table, column):
            if not all(map(is_id, batch)):
                what = f"a {column} is empty or contains white space"
                raise InputError.at(repository.path / f"{table}.parquet", what, "write ids without white space")
            own.add(batch)
            counter.add(len(batch))
    return ranges[0], ranges[1]


def _ids_of(repository: OpenRepository, table: str, column: str) -> Iterator[list[str]]:
    return repository.linked_column(column) if table == "pairs" else repository.column(table, column)


def _found(
    repository: OpenRepository, name: str, ids: Any, wanted: Any
) -> tuple[IntArray, IntArray]:  # Any: pyarrow arrays
    """The order of the ids of a range, without duplicates; and the place, in this order, of each wanted id."""
    with needs_extra("search"):
        import pyarrow.compute as pc

    column = TABLES[name][0]
    order = pc.sort_indices(ids)
    ordered = ids.take(order)
    duplicate = pc.index(pc.equal(ordered[1:], ordered[:-1]), True).as_py() if len(ids) > 1 else -1
    if duplicate >= 0:
        what = f"duplicate {column} {ordered[duplicate].as_py()!r}"
        raise InputError.at(repository.path / f"{name}.parquet", what, "keep one row for each id")
    found = pc.index_in(wanted, value_set=ordered)
    if found.null_count:
        missing = wanted[pc.index(found.is_null(), True).as_py()].as_py()
        what = f"{column} {missing!r} is missing in {name}.parquet"
        raise InputError.at(repository.path / "pairs.parquet", what, "make a repository with kaiwa clean")
    return order.to_numpy().astype(np.int64), found.to_numpy(zero_copy_only=False).astype(np.int64)


def _records(rows: IntArray, numbers: IntArray) -> Any:  # Any: records
    records = np.empty(len(rows), dtype=_NUMBERED)
    records["row"], records["number"] = rows, numbers
    return records


def _all_linked(parts: Iterable[Any], repository: OpenRepository) -> Iterator[Any]:  # Any: records
    """The links of all comments; a comment without one is an error."""
    following = 0
    for part in parts:
        firsts = np.unique(part["row"] >> _HALF)
        if len(firsts) and (firsts[0] != following or len(firsts) != firsts[-1] - firsts[0] + 1):
            break
        following = int(firsts[-1]) + 1 if len(firsts) else following
        yield part
    if following != repository.manifest.comments:
        raise InputError.at(repository.path, "a comment has no post", "give every comment a pair")


def _write_links(parts: Iterable[Any], writer: ArrayWriter, names: tuple[str, str], size: int) -> int:  # Any: records
    """Write, for each document of the first side, the numbers that it is paired with; the number of links."""
    links = done = 0
    with (
        writer.growing(f"pairs.{names[0]}", np.uint32) as starts,
        writer.growing(f"pairs.{names[1]}", np.uint32) as others,
    ):
        starts.add(np.zeros(1))
        for part in parts:
            joined = part["row"]
            joined = joined[np.concatenate((joined[:1] == joined[:1], joined[1:] != joined[:-1]))]
            firsts = (joined >> _HALF).astype(np.int64)
            counts = np.bincount(firsts - done) if len(firsts) else np.zeros(0, dtype=np.int64)
            starts.add(links + np.cumsum(counts))
            others.add(joined & np.uint64(0xFFFFFFFF))
            links, done = links + len(joined), done + len(counts)
        starts.add(np.full(size - done, links))
    return links
