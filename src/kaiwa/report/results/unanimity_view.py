"""What rewarding agreement between assessors changes, measure by measure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kaiwa.report.printed_limits import CORRELATION
from kaiwa.report.text_tables import PValue, table
from kaiwa.stats.p_values import smallest_p

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.report.text_tables import Cell
    from kaiwa.studies.unanimity_effect import UnanimityStudy


@dataclass(frozen=True)
class UnanimityView:
    """The study of each measure, agreement weighted by ``p``."""

    studies: Sequence[UnanimityStudy]
    p: float

    def text(self) -> str:
        """A row per measure, then the pairs whose significance changes."""
        header = ["measure", "tau", "95% low", "high", "pairs", "sig RawG", "sig UG", "gained", "lost"]
        limits = [limit for study in self.studies for limit in (study.tau.low, study.tau.high)]
        notes = CORRELATION.note(limits, uncut="--json has")
        parts = ["\n".join([table(header, [_study_row(study) for study in self.studies]), *notes])]
        changed: list[list[Cell]] = [
            [
                study.measure,
                f"{pair.a} - {pair.b}",
                *(PValue(p, smallest=_smallest(study)) for p in (pair.p_raw, pair.p_unanimity)),
            ]
            for study in self.studies
            for pair in (*study.gained, *study.lost)
        ]
        if changed:
            parts.append(table(["measure", "pair whose significance changes", "p RawG", "p UG"], changed))
        return "\n\n".join(parts)

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """The studies as JSON fields."""
        return {"p": self.p, "measures": {study.measure: _study_fields(study) for study in self.studies}}


def _smallest(study: UnanimityStudy) -> float:
    return smallest_p(study.raw.trials, study.raw.p_rule)


def _study_row(study: UnanimityStudy) -> list[Cell]:
    tau = study.tau
    significant = (study.raw.significant_pairs, study.unanimity.significant_pairs)
    changed = (len(study.gained), len(study.lost))
    limits = map(CORRELATION.cut, (tau.low, tau.high))
    return [study.measure, tau.tau, *limits, len(study.raw.pairs), *significant, *changed]


def _study_fields(study: UnanimityStudy) -> dict[str, Any]:  # Any: JSON values
    return {
        "tau": study.tau.tau,
        "low": study.tau.low,
        "high": study.tau.high,
        "pairs": len(study.raw.pairs),
        "significant_raw": study.raw.significant_pairs,
        "significant_unanimity": study.unanimity.significant_pairs,
        "gained": [vars(pair) for pair in study.gained],
        "lost": [vars(pair) for pair in study.lost],
    }
