"""The last step of a cleaning: the texts of a task, and what is written of each row, to the tables of a repository."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kaiwa.build.repository.clean_job import advance
from kaiwa.build.repository.key_tables import ColumnReader, key_columns
from kaiwa.build.repository.pair_spill import spilled_batches
from kaiwa.build.repository.row_strings import row_strings
from kaiwa.engine.dataset import Note
from kaiwa.errors import needs_extra
from kaiwa.formats.collection.repository_writer import RepositoryWriter, WrittenPart

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kaiwa.build.repository.clean_job import CleanJob
    from kaiwa.corpus.duplicates import BoolArray, Columns

    Strings = Any  # Any: an Arrow array of text

WRITTEN = "written"
"""The name of notes: a part that was written."""


@dataclass(frozen=True)
class CleanedPart:
    """A part of a repository: its task, its files, its merged comments, and comments that follow from a takedown."""

    task: int
    files: WrittenPart
    merged: int
    followed: frozenset[str]


def write_parts(tables: Iterator[Any], job: CleanJob) -> Iterator[Note]:  # Any: pyarrow tables
    """Write the posts, comments and pairs of each task."""
    rows = ColumnReader(map(key_columns, tables))
    while (task := rows.task()) is not None:
        yield Note(WRITTEN, _written(task, rows, job))


def _written(task: int, rows: ColumnReader, job: CleanJob) -> CleanedPart:
    """Write each post and comment at its first row, and the pairs by their ids."""
    writer, followed = RepositoryWriter(job.folder, task if job.in_parts else None), set[str]()
    try:
        for post_ids, posts, comment_ids, comments, *_ in spilled_batches(job.texts(task)):
            kept = rows.take(len(post_ids))
            kept_ids = _kept_ids(comment_ids, kept, job)
            _add(writer, "posts", post_ids, posts, kept["post_stays"])
            _add(writer, "comments", comment_ids, comments, kept["comment_stays"])
            _add(writer, "pairs", post_ids, kept_ids, kept["keep"])
            _add(writer, "merged", comment_ids, kept_ids, kept["alias"])
            followed.update(_chosen(comment_ids, kept["takedown"]).to_pylist())
            advance("written", len(post_ids))
        return CleanedPart(task, writer.written(), writer.counts["merged"], frozenset(followed))
    finally:
        writer.close()


def _add(writer: RepositoryWriter, name: str, first: Strings, second: Strings, which: BoolArray) -> None:
    if which.any():
        writer.add(name, _chosen(first, which), _chosen(second, which))


def _chosen(values: Strings, which: BoolArray) -> Strings:
    return values.filter(which)


def _kept_ids(comment_ids: Strings, kept: Columns, job: CleanJob) -> Strings:
    """The id of the comment that is kept for each row's comment, where the row needs it."""
    with needs_extra("parquet"):
        import pyarrow as pa
        import pyarrow.compute as pc

    wanted = (kept["keep"] | kept["alias"]) & kept["is_other"]
    if not wanted.any():
        return comment_ids
    found = row_strings(job.comment_ids, kept["comment"][wanted])
    return pc.replace_with_mask(comment_ids, pa.array(wanted), pa.array(found, pa.string()))
