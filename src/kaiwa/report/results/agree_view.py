"""The agreement of assessors: the coefficients with intervals, each assessor, contested items, pairs of assessors."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import isnan
from typing import TYPE_CHECKING, Any

from kaiwa.errors import counted
from kaiwa.model.simulated import SIMULATED_NOTICE
from kaiwa.report.text_tables import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.label.agreement import Agreement, AssessorPair, Contested, Estimate
    from kaiwa.label.assessor_levels import AssessorLevels
    from kaiwa.report.text_tables import Cell

NO_PAIR = "no item has two votes, so agreement cannot be measured"
ASSESSOR_HEADING = ["assessor", "votes", "NA", "mean level", "share L0", "share top", "agreement", "kappa"]
ASSESSOR_NOTE = "agreement: the share of the others' votes on the same items at the same level; kappa: beyond chance"


@dataclass(frozen=True)
class AgreementView:
    """The agreement of votes; ``pairs`` is empty unless asked for."""

    agreement: Agreement
    contested: Sequence[Contested]
    pairs: Sequence[AssessorPair]
    simulated: bool = False

    def text(self) -> str:
        """The statistics and a line per assessor, then the contested items and the pairs of assessors, if any."""
        found = self.agreement
        parts = [
            *([SIMULATED_NOTICE] if self.simulated else []),
            agreement_counts(found),
            table(["statistic", "value", "95% low", "high"], _statistics(found)),
            f"{table(ASSESSOR_HEADING, assessor_rows(found.assessors))}\n{ASSESSOR_NOTE}",
        ]
        if self.contested:
            header = ["topic", "comment", "votes L0 L1 ...", "agreement"]
            parts.append("most contested\n" + table(header, [_contested_row(item) for item in self.contested]))
        if self.pairs:
            header = ["assessors", "items", "agreement", "kappa", "linear", "quadratic"]
            parts.append(table(header, [_pair_row(pair) for pair in self.pairs]))
        return "\n\n".join(parts)

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """The agreement as JSON fields; a coefficient that is undefined is null."""
        found = self.agreement
        return {
            "fleiss_kappa": defined(found.fleiss.value),
            "krippendorff_alpha": {metric: defined(value.value) for metric, value in found.alpha.items()},
            "raw_agreement": defined(found.raw.value),
            "items": found.items,
            "topics": found.topics,
            "votes": found.votes,
            "missing": found.missing,
            "votes_per_item": defined(found.votes_per_item),
            "intervals": {
                "fleiss_kappa": _estimate(found.fleiss),
                "krippendorff_alpha": {metric: _estimate(value) for metric, value in found.alpha.items()},
                "raw_agreement": _estimate(found.raw),
            },
            "assessors": [_assessor_fields(one) for one in found.assessors],
            "contested": [
                {"topic": item.topic, "comment": item.comment, "votes": list(item.votes), "agreement": item.agreement}
                for item in self.contested
            ],
            "pairs": [_pair_fields(pair) for pair in self.pairs],
            "simulated": self.simulated,
        }


def agreement_counts(found: Agreement) -> str:
    """How many items, topics and votes the statistics come from."""
    size = f"{counted(found.items, 'item')} of {counted(found.topics, 'topic')}, {counted(found.votes, 'vote')}"
    return f"{size}, {round(found.votes_per_item, 2):,g} per item" if found.items else f"{size}; {NO_PAIR}"


def assessor_rows(assessors: Sequence[AssessorLevels]) -> list[list[Cell]]:
    """A row per assessor; what is undefined is None."""
    return [
        [
            one.name,
            one.votes,
            one.missing,
            *map(defined, (one.mean_level, one.share_lowest, one.share_highest)),
            *map(defined, (one.agreement, one.kappa)),
        ]
        for one in assessors
    ]


def _assessor_fields(one: AssessorLevels) -> dict[str, Any]:  # Any: JSON values
    values = asdict(one)
    return {name: defined(value) if isinstance(value, float) else value for name, value in values.items()}


def defined(value: float) -> float | None:
    """The number, or None if it is undefined."""
    return None if isnan(value) else value


def _statistics(found: Agreement) -> list[list[Cell]]:
    named = {"Fleiss' kappa": found.fleiss}
    named |= {f"Krippendorff's alpha, {metric}": value for metric, value in found.alpha.items()}
    return [[name, *_estimate(value).values()] for name, value in (named | {"raw agreement": found.raw}).items()]


def _estimate(value: Estimate) -> dict[str, float | None]:
    return {"value": defined(value.value), "low": defined(value.low), "high": defined(value.high)}


def _contested_row(item: Contested) -> list[Cell]:
    return [item.topic, item.comment, " ".join(map(str, item.votes)), item.agreement]


def _pair_row(pair: AssessorPair) -> list[Cell]:
    kappas = map(defined, (pair.kappa, pair.linear, pair.quadratic))
    return [f"{pair.first} {pair.second}", pair.items, pair.agreement, *kappas]


def _pair_fields(pair: AssessorPair) -> dict[str, Any]:  # Any: JSON values
    return {
        "first": pair.first,
        "second": pair.second,
        "items": pair.items,
        "agreement": pair.agreement,
        "cohen_kappa": defined(pair.kappa),
        "linear": defined(pair.linear),
        "quadratic": defined(pair.quadratic),
    }
