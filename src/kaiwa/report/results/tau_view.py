"""The agreement of two rankings."""

from __future__ import annotations

from dataclasses import dataclass
from math import isclose
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
        found, tau, over_topics = self.found, self.found.tau, self.found.over_topics or ()
        tied = not isclose(found.rbo, found.rbo_a) or not isclose(found.rbo, found.rbo_w)
        rows: list[list[Cell]] = [
            [
                f"tau ({tau.ties}, {self.interval} interval over {found.axes.run}s)",
                tau.tau,
                *map(CORRELATION.cut, (tau.low, tau.high)),
            ],
            [f"tau with as many other {found.axes.topic}s", "", *map(CORRELATION.cut, over_topics)]
            if over_topics
            else [],
            ["tau_ap, the first ranking as the truth (tau_ap,a)", found.tau_ap, "", ""],
            ["tau_ap, symmetric (tau_ap,b)", found.tau_ap_symmetric, "", ""],
            [f"rank-biased overlap, p = {found.persistence:g}{' (RBO^b)' if tied else ''}", found.rbo, "", ""],
            ["rank-biased overlap, mean over tied orders (RBO^a)", found.rbo_a, "", ""] if tied else [],
            ["rank-biased overlap, tied runs at one rank (RBO^w)", found.rbo_w, "", ""] if tied else [],
        ]
        rows += [[overlap_name(k), share, "", ""] for k, share in found.overlap.items()]
        first, second = found.labels
        heading = f"{first} against {second}, {counted(len(found.runs), found.axes.run)}\n"
        notes = CORRELATION.note([tau.low, tau.high, *over_topics], uncut="--json has")
        return "\n".join([heading + table(["agreement", "value", "low", "high"], [row for row in rows if row]), *notes])

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """The statistics as JSON fields."""
        found = self.found
        return {
            "a": found.a,
            "b": found.b,
            **vars(found.tau),
            "topics_low": found.over_topics[0] if found.over_topics else None,
            "topics_high": found.over_topics[1] if found.over_topics else None,
            "tau_ap": found.tau_ap,
            "tau_ap_symmetric": found.tau_ap_symmetric,
            "rbo": found.rbo,
            "rbo_a": found.rbo_a,
            "rbo_w": found.rbo_w,
            "persistence": found.persistence,
            "overlap": {str(k): share for k, share in found.overlap.items()},
            "left_out": list(found.left_out),
            "directions": list(found.directions),
        }
