"""A pool: how many items, who contributed them, what is unjudged, and the effect of leaving out each team."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kaiwa.errors import counted
from kaiwa.report.text_tables import table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kaiwa.pool import Share
    from kaiwa.report.text_tables import Cell
    from kaiwa.studies.pool_report import PoolReport


@dataclass(frozen=True)
class PoolView:
    """A pool and the files it was written to."""

    report: PoolReport
    output: Path
    organisers: Path

    def text(self) -> str:
        """Shares of runs and teams, sizes, and with judgements the coverage and each team left out."""
        report, pool = self.report, self.report.pool
        size = f"{counted(len(pool.topics), 'topic')}, {counted(len(pool.runs), 'run')}, depth {report.depth}"
        parts = [
            f"{counted(len(pool), 'item')} to judge: {size}.",
            table(["run", "items", "only this run"], _share_rows(report.runs)),
            table(["team", "items", "only this team"], _share_rows(report.teams)),
            _sizes_text(report),
        ]
        if report.coverage:
            parts.append("Unjudged of returned, at each rank:\n" + _coverage_table(report))
        if report.left_out:
            lost: list[list[Cell]] = [[one.team, one.items_lost, one.tau, one.largest_fall] for one in report.left_out]
            head = [
                "team left out",
                "judgements lost",
                "tau with the full ranking",
                "largest fall of its runs, in ranks",
            ]
            parts.append("Without one team:\n" + table(head, lost))
        return "\n\n".join(parts)

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """The pool's numbers as JSON fields."""
        report = self.report
        return {
            "items": len(report.pool),
            "topics": len(report.pool.topics),
            "depth": report.depth,
            "runs": _share_fields(report.runs),
            "teams": _share_fields(report.teams),
            "sizes": report.sizes,
            "unjudged": {one.run: one.unjudged.tolist() for one in report.coverage},
            "left_out": {
                one.team: {"items_lost": one.items_lost, "tau": one.tau, "largest_fall": one.largest_fall}
                for one in report.left_out
            },
            "pool": str(self.output),
            "organisers": str(self.organisers),
        }


def _share_rows(shares: Sequence[Share]) -> list[list[Cell]]:
    return [[share.name, share.items, share.unique] for share in shares]


def _share_fields(shares: Sequence[Share]) -> dict[str, dict[str, int]]:
    return {share.name: {"items": share.items, "unique": share.unique} for share in shares}


def _sizes_text(report: PoolReport) -> str:
    now, deeper = report.sizes[report.depth - 1], report.sizes[-1]
    if deeper == now:
        return "A greater depth adds no items: no run is longer."
    more = counted(deeper - now, "item")
    return f"Depth {2 * report.depth} instead of {report.depth} would add {more} ({now:,} to {deeper:,})."


def _coverage_table(report: PoolReport) -> str:
    rows: list[list[Cell]] = [
        [one.run, *(f"{gap}/{all_}" for gap, all_ in zip(one.unjudged.tolist(), one.returned.tolist(), strict=True))]
        for one in report.coverage
    ]
    return table(["run", *map(str, range(1, report.depth + 1))], rows)
