"""A published number next to the one computed here, and whether they agree."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Row:
    """One number: where it was printed, what was printed, what comes out here, and whether they agree."""

    what: str
    printed: str
    ours: str
    agrees: bool
    remark: str = ""


@dataclass(frozen=True)
class Reproduction:
    """One table or set of numbers of one paper, computed again."""

    name: str
    source: str
    rows: tuple[Row, ...]
    note: str = ""

    @property
    def agreeing(self) -> int:
        """How many rows agree with print."""
        return sum(row.agrees for row in self.rows)
