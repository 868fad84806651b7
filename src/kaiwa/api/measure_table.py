"""The measures by name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.measure import MEASURES
from kaiwa.model.shown import Shown

if TYPE_CHECKING:
    from collections.abc import Iterator


class MeasureTable(Shown):
    """The measures with one line of description each; a cutoff can follow the name, as in ``nERR@10``.

    >>> import kaiwa
    >>> kaiwa.measures["nG"]
    "gain at rank 1 over the ideal's"
    >>> "nDCG" in kaiwa.measures
    True
    """

    def __getitem__(self, name: str) -> str:
        return MEASURES[name].description

    def __contains__(self, name: object) -> bool:
        return name in MEASURES

    def __iter__(self) -> Iterator[str]:
        return iter(MEASURES)

    def __len__(self) -> int:
        return len(MEASURES)

    def __repr__(self) -> str:
        return f"MeasureTable({len(self)} measures: {', '.join(self)})"

    def items(self) -> list[tuple[str, str]]:
        """Each measure's name and description.

        >>> import kaiwa
        >>> kaiwa.measures.items()[0]
        ('nG', "gain at rank 1 over the ideal's")
        """
        return [(name, self[name]) for name in self]


measures = MeasureTable()
"""The table, as ``kaiwa.measures``."""
