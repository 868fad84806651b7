"""What each noun and result shows: one table from its class to its sheet."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kaiwa.api import noun_sheets, result_sheets
from kaiwa.errors import in_python

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kaiwa.api.sheet import Sheet
    from kaiwa.model.shown import Shown


def sheet_of(thing: Shown) -> Sheet:
    """The sheet of a noun or result, by its class or the nearest class above it."""
    return next(SHEETS[kind.__name__] for kind in type(thing).__mro__ if kind.__name__ in SHEETS)(thing)


def text_of(thing: Shown) -> str:
    """What ``print`` shows of a noun or result."""
    return in_python(sheet_of(thing).plain())


SHEETS: Mapping[str, Callable[[Any], Sheet]] = {  # Any: each function takes the class it is named under
    "Agreement": result_sheets.agreement_sheet,
    "BaselineComparison": result_sheets.baseline_sheet,
    "Bot": noun_sheets.bot_sheet,
    "Check": result_sheets.check_sheet,
    "Cleaned": result_sheets.cleaned_sheet,
    "Comparison": result_sheets.comparison_sheet,
    "CrossedComparison": result_sheets.crossed_comparison_sheet,
    "CrossedVariance": result_sheets.crossed_variance_sheet,
    "Design": result_sheets.design_sheet,
    "Gains": noun_sheets.gains_sheet,
    "MeasureTable": noun_sheets.measures_sheet,
    "Observations": noun_sheets.observations_sheet,
    "PanelQuality": result_sheets.panel_sheet,
    "PoolReport": result_sheets.pool_sheet,
    "RankAgreement": result_sheets.rank_agreement_sheet,
    "Replies": noun_sheets.replies_sheet,
    "Run": noun_sheets.run_sheet,
    "Scored": noun_sheets.scored_sheet,
    "ScoreSet": noun_sheets.score_set_sheet,
    "Scores": noun_sheets.scores_sheet,
    "Topics": result_sheets.topics_sheet,
    "Variance": result_sheets.variance_sheet,
    "Votes": noun_sheets.votes_sheet,
}
