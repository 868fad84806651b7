"""Tables in one spill file, cut into pieces that are found again by their numbers."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kaiwa.engine.arrow_tables import concatenated, encoded, pieces

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kaiwa.engine.arrow_tables import Split

    Table = Any  # Any: a pyarrow table, untyped

BUFFER_BYTES = 1 << 23  # of rows in memory, before they go to disk


@dataclass(frozen=True)
class Segment:
    """A table in a spill file."""

    path: str
    start: int
    size: int


@dataclass(frozen=True)
class Spilled:
    """A spill file, and the tables of each piece in it."""

    path: str
    pieces: dict[int, list[Segment]]

    def remove(self) -> None:
        """Delete the file."""
        Path(self.path).unlink(missing_ok=True)


def spilled(path: Path, tables: Iterable[Table], split: Split, *, alone: bool) -> Spilled:
    """The tables in a spill file, by pieces; if no other file belongs to it (``alone``), a few rows are one piece."""
    found = dict[int, list[Segment]]()
    with path.open("wb") as file:
        for batch, is_all in _buffered(tables):
            for number, piece in [(0, batch)] if alone and is_all else pieces(batch, split):
                start = file.tell()
                file.write(encoded(piece))
                found.setdefault(number, []).append(Segment(str(path), start, file.tell() - start))
    return Spilled(str(path), found)


def _buffered(tables: Iterable[Table]) -> Iterator[tuple[Table, bool]]:
    """The tables joined into larger ones, and whether such a table is all that there is."""
    waiting, size, is_first = list[Any](), 0, True
    for table in tables:
        waiting.append(table)
        size += table.nbytes
        if size >= BUFFER_BYTES:
            yield concatenated(waiting), False
            waiting, size, is_first = [], 0, False
    if waiting:
        yield concatenated(waiting), is_first


def read_segments(segments: Iterable[Segment]) -> Iterator[bytes]:
    """The bytes of each table."""
    for segment in segments:
        with Path(segment.path).open("rb") as file:
            file.seek(segment.start)
            yield file.read(segment.size)
