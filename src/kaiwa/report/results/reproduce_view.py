"""Published numbers beside the recomputed ones."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from kaiwa.report.text_tables import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.studies.reproductions import Reproduction


AGAINST = {"printed": "paper", "worked": "numbers worked out independently"}
"""What the expected numbers of a reproduction are."""


@dataclass(frozen=True)
class ReproduceView:
    """Recomputed tables of papers."""

    found: Sequence[Reproduction]

    def text(self) -> str:
        """A table per paper; each row agrees or differs."""
        return "\n\n".join(map(_reproduction_text, self.found))

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """Every row as JSON fields, and how many agree."""
        return {
            "reproductions": [{**asdict(one), "agreeing": one.agreeing} for one in self.found],
            "rows": sum(len(one.rows) for one in self.found),
            "agreeing": sum(one.agreeing for one in self.found),
        }


def _reproduction_text(one: Reproduction) -> str:
    rows = [[row.what, row.expected, row.ours, "agrees" if row.agrees else "DIFFERS", row.remark] for row in one.rows]
    head = f"{one.name}: {one.source}"
    tail = f"{one.agreeing} of {len(one.rows)} rows agree with the {AGAINST[one.origin]}. {one.note}".strip()
    return f"{head}\n{table(['what', one.origin, 'ours', 'verdict', ''], rows)}\n{tail}"
