"""Input that cannot be split is copied by one task, so that several tasks can clean it.

A compressed file of lines is decompressed into one file, which is then split into spans: decompression is a few
hundredths of the work. What is understood from its beginning only (CSV, dialogues, files of posts and comments, a
Parquet file of one row group) is read as pairs, a fifth to a third of the work, and the pairs are written to files of
about the size of a span.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from secrets import token_hex
from typing import TYPE_CHECKING

from kaiwa.build.repository import read_tasks
from kaiwa.build.repository.pair_copies import copy_pairs, small_batches
from kaiwa.engine.dataset import Note
from kaiwa.formats.text.blocks import read_chunks

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from kaiwa.build.repository.read_tasks import ReadTask
    from kaiwa.engine.dataset import Engine

_COPY = "copy"


def with_copies(engine: Engine, tasks: Sequence[ReadTask], folder: Path) -> list[ReadTask]:
    """The tasks themselves, or those that read the copy that a task of the engine makes in the folder."""
    whole = replace(tasks[0], needs_copy=False)
    if not tasks[0].needs_copy:
        return list(tasks)
    step = copied_lines if whole.is_compressed_lines else copied_parts
    copies: list[Path] = engine.tables(step, [whole], folder, read_tasks.SPAN_BYTES).gathered().noted(_COPY)
    if whole.is_compressed_lines:
        return read_tasks.in_spans(replace(whole, copy=copies[0]), copies[0])
    return [replace(whole, number=number, copy=one) for number, one in enumerate(copies)] or [whole]


def copied_lines(task: ReadTask, folder: Path, _most_bytes: int) -> Iterator[Note]:
    """The lines of a compressed file in a plain one."""
    copy = folder / "lines.spill"
    temporary = copy.with_name(f"{copy.name}.{token_hex(4)}")  # a task that Spark runs twice writes twice
    with temporary.open("wb") as file:
        for chunk in read_chunks(task.paths[0]):
            file.write(chunk)
    temporary.replace(copy)
    yield Note(_COPY, copy)


def copied_parts(task: ReadTask, folder: Path, most_bytes: int) -> Iterator[Note]:
    """The pairs of a file in several files."""
    batches = small_batches(task.read())
    for number in count():
        copy = folder / f"part-{number:06d}.spill"
        if not copy_pairs(batches, copy, most_bytes):
            return
        yield Note(_COPY, copy)
