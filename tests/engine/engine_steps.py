"""Steps that the tests of the engines run: functions of a module, as every engine needs them."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from kaiwa.engine.arrow_tables import row_numbers
from kaiwa.engine.dataset import Note
from kaiwa.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator


def numbered(task: int, rows: int) -> Iterator[Any]:
    """Rows with a key and a text, in tables of a hundred, and a note of their number."""
    for low in range(0, rows, 100):
        numbers = row_numbers(task, low, min(100, rows - low))
        keys = numbers * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(58)
        yield pa.table({"row": numbers, "key": keys, "text": [f"行{number}" for number in numbers]})
    yield Note("rows", (task, rows))


def doubled(table: Any) -> Any:
    """The table with each text twice."""
    texts = [2 * text for text in table.column("text").to_pylist()]
    return table.set_column(table.column_names.index("text"), "text", pa.array(texts))


def firsts(table: Any) -> Iterator[Any]:
    """The first row of each key, with the number of its rows."""
    keys, places, counts = np.unique(table.column("key").to_numpy(), return_index=True, return_counts=True)
    yield table.take(np.sort(places)).append_column("size", pa.array(counts[np.argsort(places)]))
    yield Note("keys", len(keys))


def counted_in_order(tables: Iterator[Any]) -> Iterator[Any]:
    """The number of rows of each task; rows that are not in order are an error."""
    last, found = -1, dict[int, int]()
    for table in tables:
        for row in table.column("row").to_pylist():
            if row <= last:
                raise ValueError("rows are not in order")
            last, task = row, row >> 40
            found[task] = found.get(task, 0) + 1
    yield pa.table({"task": list(found), "rows": list(found.values())})


def both_sides(left: Any, right: Any) -> Any:
    """The number of rows of each key on both sides."""
    sides = [[] if side is None else side.column("key").to_pylist() for side in (left, right)]
    keys = sorted({*sides[0], *sides[1]})
    return pa.table(
        {"key": keys, "left": [sides[0].count(key) for key in keys], "right": [sides[1].count(key) for key in keys]}
    )


def faulty(task: int) -> Any:
    """An error of the second task."""
    if task:
        raise InputError.at(f"pairs-{task}.tsv", "is not UTF-8", "save it again", line=task)
    return next(numbered(task, 1))


def unwritable(_task: int) -> Any:
    """An error of the system."""
    raise OSError(28, "No space left on device", "part-000001")


def killed(_task: int) -> Any:
    """The end of the process."""
    os.kill(os.getpid(), signal.SIGKILL)


def waiting(_task: int, folder: str) -> Any:
    """A process that leaves its number in a folder, and goes on for twenty minutes."""
    (Path(folder) / f"{os.getpid()}").touch()
    time.sleep(1200)
