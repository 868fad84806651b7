"""The verbs of the nouns: one table from a verb to the function that does it, imported when the verb is first used.

The nouns are in a layer below the methods and must not import one. Their verbs are ordinary typed methods that look up
their function here (docs/decisions/046-nouns-with-verbs.md).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

VERBS = {
    "BaselineComparison.methods": "kaiwa.report.results.leaderboard:baseline_methods",
    "Comparison.methods": "kaiwa.report.results.leaderboard:methods_paragraph",
    "CrossedComparison.methods": "kaiwa.report.results.crossed_view:crossed_methods",
    "CrossedVariance.methods": "kaiwa.report.results.crossed_view:crossed_methods",
    "Gains.write": "kaiwa.api.noun_writers:write_qrels",
    "Observations.compare": "kaiwa.compare.crossed_comparison:compare_crossed",
    "Observations.variance": "kaiwa.compare.crossed_variance:crossed_variance",
    "Run.write": "kaiwa.api.noun_writers:write_run",
    "Scores.compare": "kaiwa.api.score_comparisons:compare_scores",
    "Scores.compare_with_baseline": "kaiwa.api.score_comparisons:compare_scores_with_baseline",
    "Scores.factors": "kaiwa.compare.standardisation:standardisation_factors",
    "Scores.standardise": "kaiwa.compare.standardisation:standardised",
    "Scores.variance": "kaiwa.api.score_comparisons:variance_of_scores",
    "ScoreSet.compare": "kaiwa.api.score_comparisons:compare_score_set",
    "Scores.write": "kaiwa.api.noun_writers:write_scores",
    "Shown.csv": "kaiwa.api.noun_writers:write_csv",
    "Shown.sheet": "kaiwa.api.sheets:sheet_of",
    "Shown.text": "kaiwa.api.sheets:text_of",
    "Votes.agree": "kaiwa.label.agreement:agreement_of_levels",
    "Votes.assessor_pairs": "kaiwa.label.agreement:assessor_pairs",
    "Votes.assessor_quality": "kaiwa.label.assessor_quality:panel_quality",
    "Votes.contested": "kaiwa.label.agreement:contested",
    "Votes.gains": "kaiwa.label.gain_schemes:voted_gains",
    "Votes.variance": "kaiwa.compare.vote_variance:vote_variance",
    "Votes.write": "kaiwa.api.noun_writers:write_votes",
}


def verb(name: str) -> Callable[..., Any]:  # Any: each verb's own result
    """The function behind a verb.

    >>> verb("Scores.compare").__name__
    'compare_scores'
    """
    module, _, function = VERBS[name].partition(":")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found
