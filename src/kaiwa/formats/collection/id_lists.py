"""Lists of ids, one per line, and sets of millions of ids."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.formats.text.blocks import numbered_lines, read_blocks
from kaiwa.model.ids import IdArray, IdTable, pack

if TYPE_CHECKING:
    from collections.abc import Container
    from pathlib import Path


def read_ids(path: Path) -> list[str]:
    """The ids of a file, the first field of each line; blank and ``#`` lines are ignored."""
    fields = (line.split() for block in read_blocks(path) for _, line in numbered_lines(block))
    return [found[0] for found in fields if found and not found[0].startswith("#")]


def read_lines(path: Path) -> list[str]:
    """The lines of a file; blank lines and what follows a ``#`` are ignored."""
    lines = (line.partition("#")[0].strip() for block in read_blocks(path) for _, line in numbered_lines(block))
    return [line for line in lines if line]


class IdSet:
    """A set of millions of ids as packed bytes, tested with ``in``.

    >>> known = IdSet(pack(["c1", "c2"]))
    >>> "c2" in known, "c3" in known
    (True, False)
    """

    def __init__(self, ids: IdArray) -> None:
        self._table = IdTable(np.zeros(len(ids), dtype=np.int64), ids)

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        encoded = np.array([name.encode(errors="surrogateescape")])
        return bool(self._table.find(np.zeros(1, dtype=np.int64), encoded)[0] >= 0)

    def __len__(self) -> int:
        return len(self._table)


def id_set(names: list[str]) -> Container[str]:
    """The names as a set; from a million on, as packed ids."""
    many = 1_000_000
    return frozenset(names) if len(names) < many else IdSet(pack(names))
