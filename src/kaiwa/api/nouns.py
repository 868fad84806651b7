"""The nouns with their verbs: what ``kaiwa.read_...`` and ``kaiwa.score`` give back."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

from kaiwa import model
from kaiwa.compare.comparison import Comparison as ComparedRuns
from kaiwa.compare.comparison import compare_runs
from kaiwa.compare.components import Variance, pooled_variance
from kaiwa.compare.standardise import standardisation_factors, standardised
from kaiwa.label.agreement import Agreement, agreement
from kaiwa.label.gains import gains_of, weighing
from kaiwa.report.html import table as html_table
from kaiwa.report.leaderboard import HEADING, leaderboard_latex, leaderboard_rows, leaderboard_text, methods_paragraph
from kaiwa.report.text import table

if TYPE_CHECKING:
    from kaiwa.compare.allpairs import Trials


@dataclass(frozen=True)
class Comparison(ComparedRuns):
    """All pairs of runs under one measure, compared; prints itself as a leaderboard."""

    def __str__(self) -> str:
        return leaderboard_text(self)

    def to_latex(self) -> str:
        """The leaderboard as a LaTeX tabular with booktabs rules."""
        return leaderboard_latex(self)

    def methods(self) -> str:
        """What was done, in words that can stand in a paper."""
        return methods_paragraph(self)

    def _repr_html_(self) -> str:
        return html_table(HEADING, leaderboard_rows(self), caption=f"Leaderboard by mean {self.measure}")


@dataclass(frozen=True, eq=False)
class Scores(model.Scores):
    """One measure's topics x runs matrix, which can be compared, standardised and designed from."""

    def compare(self, *, test: str = "hsd", trials: Trials = 5_000, alpha: float = 0.05, seed: int = 1) -> Comparison:
        """Every pair of runs compared: randomised Tukey HSD unless another test is named."""
        found = compare_runs(self, test=test, trials=trials, alpha=alpha, rng=np.random.default_rng(seed))
        return Comparison(**{one.name: getattr(found, one.name) for one in fields(found)})

    def standardise(self, *, method: str = "std-ab") -> Scores:
        """The scores on one scale for every topic, by the means and standard deviations of these runs."""
        return with_verbs(standardised(self, standardisation_factors(self), method=method))

    def variance(self, *, seed: int = 1) -> Variance:
        """V_E, V_E2 and the variance components, with bootstrap limits over topics."""
        return pooled_variance([self.values], rng=np.random.default_rng(seed))

    def __str__(self) -> str:
        return table(["run", f"mean {self.measure}"], self._rows())

    def _repr_html_(self) -> str:
        return html_table(["run", f"mean {self.measure}"], self._rows(), caption=f"{len(self.topics)} topics")

    def _rows(self) -> list[tuple[str, float]]:
        return sorted(self.means().items(), key=lambda mean: -mean[1])


class ScoreSet(model.ScoreSet):
    """Scores by measure name; each can be compared."""

    def __getitem__(self, measure: str) -> Scores:
        return with_verbs(super().__getitem__(measure))


@dataclass(frozen=True, eq=False)
class Votes(model.Votes):
    """Assessors' votes, which become gains and say how far the assessors agree."""

    def gains(self, *, scheme: str = "mean", p: float = 0.2) -> model.Gains:
        """One gain for each item: levels, mean, sum, unanimity (weight ``p``), weighted, majority or median."""
        return gains_of(self, weighing(self, scheme, p=p)).gains

    def agree(self, *, seed: int = 1) -> Agreement:
        """Fleiss' kappa, Krippendorff's alpha and raw agreement, with intervals over topics."""
        return agreement(self, rng=np.random.default_rng(seed))


def with_verbs(scores: model.Scores) -> Scores:
    """The same scores as a noun with verbs."""
    return Scores(scores.measure, scores.topics, scores.runs, scores.values)
