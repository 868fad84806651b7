"""The agreement of two rankings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kaiwa.errors import counted
from kaiwa.report.printed_limits import CORRELATION
from kaiwa.report.text_tables import table

if TYPE_CHECKING:
    from kaiwa.compare.rank_agreement import RankAgreement
    from kaiwa.report.text_tables import Cell
    from kaiwa.stats.kendall import Interval


def overlap_name(first: int) -> str:
    """What the overlap of the first runs of two rankings is called.

    >>> overlap_name(1), overlap_name(3)
    ('overlap of the first run', 'overlap of the first 3 runs')
    """
    return "overlap of the first run" if first == 1 else f"overlap of the first {counted(first, 'run')}"


@dataclass(frozen=True)
class TauView:
    """Tau with its interval, tau_ap, rank-biased overlap and the overlap at the top."""

    found: RankAgreement
    interval: Interval

    def text(self) -> str:
        """A row per statistic."""
        found, tau = self.found, self.found.tau
        rows: list[list[Cell]] = [
            [f"tau ({tau.ties}, {self.interval} interval)", tau.tau, *map(CORRELATION.cut, (tau.low, tau.high))],
            ["tau_ap", found.tau_ap, "", ""],
            ["tau_ap, symmetric", found.tau_ap_symmetric, "", ""],
            [f"rank-biased overlap, p = {found.persistence:g}", found.rbo, "", ""],
        ]
        rows += [[overlap_name(k), share, "", ""] for k, share in found.overlap.items()]
        first, second = found.labels
        heading = f"{first} against {second}, {counted(len(found.runs), found.axes.run)}\n"
        notes = CORRELATION.note([tau.low, tau.high], uncut="--json has")
        return "\n".join([heading + table(["agreement", "value", "low", "high"], rows), *notes])

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """The statistics as JSON fields."""
        found = self.found
        return {
            "a": found.a,
            "b": found.b,
            **vars(found.tau),
            "tau_ap": found.tau_ap,
            "tau_ap_symmetric": found.tau_ap_symmetric,
            "rbo": found.rbo,
            "persistence": found.persistence,
            "overlap": {str(k): share for k, share in found.overlap.items()},
            "left_out": list(found.left_out),
            "directions": list(found.directions),
        }
