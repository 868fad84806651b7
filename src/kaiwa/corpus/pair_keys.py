"""The first step of a cleaning: pairs are read and pass the rules; texts go to a spill file, keys to the next step."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack
from secrets import token_hex
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from kaiwa.corpus.job import advance, key_table
from kaiwa.corpus.rules import Removals, passing
from kaiwa.corpus.samples import draw
from kaiwa.engine.arrow_tables import row_numbers
from kaiwa.engine.dataset import Note
from kaiwa.errors import needs_extra
from kaiwa.files.spill import StringFile
from kaiwa.formats.pairs import FIELDS
from kaiwa.nouns.normalise import fingerprint, skeleton
from kaiwa.nouns.run import Pair

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence
    from pathlib import Path

    from kaiwa.corpus.duplicates import Columns
    from kaiwa.corpus.inputs import ReadTask
    from kaiwa.corpus.job import CleanJob
    from kaiwa.formats.pairs import Batch


# A spill file of the pairs of one task, read in the order in which it was written, batch by batch.


class PairSpill:
    """Writes pairs in a ``with`` block; the file has its name when it ends without an error."""

    _last = ("", "")

    def __init__(self, path: Path, translations: Sequence[str] = ()) -> None:
        with needs_extra("parquet"):
            import pyarrow as pa

        self._path, self._temporary = path, path.with_name(f"{path.name}.{token_hex(4)}")
        texts = ((name, pa.string()) for name in FIELDS)
        others = ((name, pa.string()) for name in translations)
        self._schema = pa.schema([*texts, ("line", pa.int64()), ("piece", pa.int64()), *others])
        options = pa.ipc.IpcWriteOptions(compression="lz4")
        self._sink = self._temporary.open("wb")  # pyarrow opens no name that is not UTF-8
        self._writer: Any = pa.ipc.new_stream(self._sink, self._schema, options=options)  # Any: pyarrow is untyped

    def add(self, batch: Batch, piece: int) -> None:
        """Append a batch of at least one pair of a piece."""
        import pyarrow as pa

        columns = [
            pa.array([pair.post_id for pair in batch], pa.string()),
            pa.array(self._new_posts(batch), pa.string()),
            pa.array([pair.comment_id for pair in batch], pa.string()),
            pa.array([pair.comment for pair in batch], pa.string()),
            pa.array(np.array([pair.line for pair in batch], dtype=np.int64)),
            pa.array(np.full(len(batch), piece, dtype=np.int64)),
            *_translations(batch, len(self._schema) - len(FIELDS) - 2),
        ]
        self._writer.write_batch(pa.record_batch(columns, schema=self._schema))

    def _new_posts(self, batch: Batch) -> list[str]:
        """The text of each row's post; "" if it is that of the row before."""
        last_id, last = self._last
        texts = list[str]()
        for pair in batch:
            is_last = pair.post_id == last_id and pair.post == last
            texts.append("" if is_last else pair.post)
            last_id, last = pair.post_id, pair.post
        self._last = (last_id, last)
        return texts

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            self._writer.close()
        finally:
            self._sink.close()
        if kind is None:
            self._temporary.replace(self._path)


def _translations(batch: Batch, count: int) -> list[Any]:  # Any: Arrow arrays
    import pyarrow as pa

    return [pa.array([pair.translations[place] for pair in batch], pa.string()) for place in range(count)]


def spilled_batches(path: Path) -> Iterator[list[Any]]:  # Any: Arrow arrays
    """The rows in batches of columns: those of a pair, its line, its piece, and its translations."""
    import pyarrow as pa

    with path.open("rb") as file, pa.ipc.open_stream(file) as batches:
        for batch in batches:
            yield batch.columns


def pairs_at(path: Path, rows: Collection[int]) -> dict[int, tuple[Pair, int]]:
    """The pairs of a few rows, each with the text of its post, and their pieces."""
    found, first, post = dict[int, tuple[Pair, int]](), 0, ""
    for columns in spilled_batches(path):
        cells = zip(*(column.to_pylist() for column in columns), strict=True)
        for row, (post_id, text, comment_id, comment, line, piece, *_) in enumerate(cells, first):
            post = text or post
            if row in rows:
                found[row] = Pair(post_id, post, comment_id, comment, line=line), piece
        first += len(columns[0])
        if len(found) == len(rows):
            break
    return found


READ, REMOVED = "read", "removed"
"""The names of notes: the number of pairs that were read, and what the rules removed."""
_EVERY = 16


def read_pair_keys(task: ReadTask, job: CleanJob) -> Iterator[Any]:  # Any: tables and notes
    """The keys of the pairs of a task that pass the rules."""
    batches = ((number, batch) for number, piece in enumerate(task.pieces) for batch in piece.read())
    return pair_keys(task.number, batches, job, Removals())


def pair_keys(
    task: int, batches: Iterable[tuple[int, list[Pair]]], job: CleanJob, removals: Removals
) -> Iterator[Any]:  # Any: tables and notes
    """The keys of pairs that pass the rules, in tables; the notes of the task come last.

    Each batch has the number of its piece in the task.
    """
    counts = Counter[str]()
    with PairSpill(job.texts(task), job.translations) as texts, StringFile(job.comment_ids(task)) as ids:
        for piece, batch in batches:
            counts["read"] += len(batch)
            if kept := passing(batch, job.rules, removals, job.listed):
                texts.add(kept, piece)
                ids.add([pair.comment_id for pair in kept])
                yield key_table(_keys(kept, job) | {"row": row_numbers(task, counts["kept"], len(kept))})
                counts["kept"] += len(kept)
            advance("bytes", _about_bytes(batch))
    advance("pairs", counts["kept"])
    yield Note(READ, (counts["read"], counts["kept"]))
    yield Note(REMOVED, removals)


def _about_bytes(pairs: list[Pair]) -> int:
    """About how many bytes the texts have, from some of the pairs."""
    return _EVERY * sum(len(pair.comment.encode()) + len(pair.post.encode()) for pair in pairs[::_EVERY])


def _keys(pairs: list[Pair], job: CleanJob) -> Columns:
    post, post_text = zip(*_post_keys(pairs), strict=True)
    keys = {
        "post": np.array(post, dtype=np.uint64),
        "own": np.array([fingerprint(pair.comment_id) for pair in pairs], dtype=np.uint64),
        "comment": np.array([fingerprint(skeleton(pair.comment)) for pair in pairs], dtype=np.uint64),
        "post_text": np.array(post_text, dtype=np.uint64),
        "takedown": np.array([pair.comment_id in job.listed for pair in pairs], dtype=np.bool_),
        "post_takedown": np.array([pair.post_id in job.listed for pair in pairs], dtype=np.bool_),
    }
    if job.rules.once:
        keys |= {"post_id": keys["post"], "comment_id": keys["own"]}
    if job.seed is not None:
        draws = [draw(job.seed, pair.post_id, pair.comment_id) for pair in pairs]
        keys["draw"] = np.array(draws, dtype=np.uint64)
    return keys


def _post_keys(pairs: list[Pair]) -> Iterator[tuple[int, int]]:
    """The fingerprints of each post's id and text; comments of one post are mostly consecutive."""
    last_id, last, keys = "", "", (0, 0)
    for pair in pairs:
        if pair.post_id != last_id or pair.post != last:
            last_id, last = pair.post_id, pair.post
            keys = fingerprint(last_id), fingerprint(skeleton(last))
        yield keys


# Copies of pairs as they were read, with their lines, in files that other tasks read.


_BATCH = 1024


def small_batches(batches: Iterable[Batch]) -> Iterator[Batch]:
    """The pairs in batches of which none is much larger than the others."""
    for batch in batches:
        for first in range(0, len(batch), _BATCH):
            yield batch[first : first + _BATCH]


def copy_pairs(batches: Iterator[Batch], path: Path, most_bytes: int, translations: Sequence[str] = ()) -> bool:
    """Write about this many bytes of pairs to the file; whether there were any."""
    with needs_extra("parquet"):
        import pyarrow as pa

    if (batch := next(batches, None)) is None:
        return False
    texts = [(name, pa.string()) for name in (*FIELDS, *translations)]
    schema = pa.schema([*texts[:4], ("line", pa.int64()), *texts[4:]])
    temporary = path.with_name(f"{path.name}.{token_hex(4)}")  # a task that Spark runs twice writes twice
    with ExitStack() as stack:
        sink = stack.enter_context(temporary.open("wb"))
        options = pa.ipc.IpcWriteOptions(compression="lz4")
        writer = stack.enter_context(pa.ipc.new_stream(sink, schema, options=options))
        size = 0
        while batch is not None:
            table = _record_batch(batch, schema)
            writer.write_batch(table)
            size += table.nbytes
            batch = next(batches, None) if size < most_bytes else None
    temporary.replace(path)
    return True


def _record_batch(batch: Batch, schema: Any) -> Any:  # Any: pyarrow is untyped
    import pyarrow as pa

    names = (*FIELDS, "line")
    columns = [pa.array([getattr(pair, name) for pair in batch], schema.field(name).type) for name in names]
    return pa.record_batch([*columns, *_translations(batch, len(schema) - len(names))], schema=schema)


def copied_pairs(path: Path) -> Iterator[Batch]:
    """The pairs of a copy, batch by batch."""
    with needs_extra("parquet"):
        import pyarrow as pa

    with path.open("rb") as file, pa.ipc.open_stream(file) as batches:
        for batch in batches:
            cells = zip(*(column.to_pylist() for column in batch.columns), strict=True)
            yield [Pair(*row[:4], line=row[4], translations=row[5:]) for row in cells]
