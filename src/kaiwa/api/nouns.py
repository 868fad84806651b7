"""The nouns with their verbs: what ``kaiwa.read_...`` and ``kaiwa.score`` give back."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from kaiwa.api.results import Agreement, Comparison, Variance
from kaiwa.api.tabular import Sheet, Shown, Tabular
from kaiwa.compare.comparison import compare_runs
from kaiwa.compare.standardisation import standardisation_factors, standardised
from kaiwa.compare.variance_components import pooled_variance
from kaiwa.label.agreement import agreement
from kaiwa.label.gain_schemes import gains_of, weighing
from kaiwa.model.gains import Gains as PlainGains
from kaiwa.model.ids import unpack
from kaiwa.model.run import Run as PlainRun
from kaiwa.model.scores import Scores as PlainScores
from kaiwa.model.scores import ScoreSet as PlainScoreSet
from kaiwa.model.votes import NA
from kaiwa.model.votes import Votes as PlainVotes
from kaiwa.report.text_tables import table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.compare.allpairs import Trials
    from kaiwa.model.topic_lists import TopicLists
    from kaiwa.report.text_tables import Cell

T = TypeVar("T")


@dataclass(frozen=True, eq=False)
class Run(Shown, Tabular, PlainRun):
    """A system's answers: per topic a ranked list of comment ids, best first, with scores."""

    def _sheet(self) -> Sheet:
        rows: list[list[Cell]] = []
        for topic in self.topics[:_FIRST]:
            rows += [[topic, rank, *row] for rank, row in enumerate(self.ranking(topic)[:_FIRST], start=1)]
        rows = rows[:_FIRST]
        caption = f"{self.name}: {len(self):,} comments of {len(self.topics):,} topics"
        return Sheet(["topic", "rank", "comment", "score"], rows, caption, unseen=len(self) - len(rows))

    def columns(self) -> dict[str, Sequence[object]]:
        """The columns by name."""
        place = np.arange(len(self)) - np.repeat(self.starts[:-1], np.diff(self.starts)) + 1
        return {
            "topic": _topic_column(self),
            "comment": unpack(self.comments),
            "rank": place.tolist(),
            "score": self.scores.tolist(),
            "run": [self.name] * len(self),
        }


@dataclass(frozen=True, eq=False)
class Gains(Shown, Tabular, PlainGains):
    """What each judged (topic, comment) is worth: a gain of 0 is judged and worthless, absence is unjudged."""

    def _sheet(self) -> Sheet:
        gains, counts = np.unique(self.gains, return_counts=True)
        rows = list(zip(gains.tolist(), counts.tolist(), strict=True))[::-1]
        caption = f"{len(self):,} judged comments of {len(self.topics):,} topics; gmax {self.top:g}"
        return Sheet(["gain", "comments"], rows, caption)

    def columns(self) -> dict[str, Sequence[object]]:
        """The columns by name."""
        return {"topic": _topic_column(self), "comment": unpack(self.comments), "gain": self.gains.tolist()}


@dataclass(frozen=True, eq=False)
class Scores(Shown, Tabular, PlainScores):
    """One measure's topics x runs matrix, which can be compared, standardised and designed from."""

    def compare(self, *, test: str = "hsd", trials: Trials = 5_000, alpha: float = 0.05, seed: int = 1) -> Comparison:
        """Every pair of runs compared: randomised Tukey HSD unless another test is named."""
        return dressed(
            Comparison, compare_runs(self, test=test, trials=trials, alpha=alpha, rng=np.random.default_rng(seed))
        )

    def standardise(self, *, method: str = "std-ab") -> Scores:
        """The scores on one scale for every topic, by the means and standard deviations of these runs."""
        return dressed(Scores, standardised(self, standardisation_factors(self), method=method))

    def variance(self, *, seed: int = 1) -> Variance:
        """V_E, V_E2 and the variance components, with bootstrap limits over topics."""
        return dressed(Variance, pooled_variance([self.values], rng=np.random.default_rng(seed)))

    def __str__(self) -> str:
        sheet = self._sheet()
        return table(sheet.header, sheet.rows)

    def _sheet(self) -> Sheet:
        rows = sorted(self.means().items(), key=lambda mean: -mean[1])
        return Sheet(["run", f"mean {self.measure}"], rows, f"{len(self.topics):,} topics")

    def columns(self) -> dict[str, Sequence[object]]:
        """The columns by name."""
        return {
            "measure": [self.measure] * self.values.size,
            "topic": [topic for topic in self.topics for _ in self.runs],
            "run": list(self.runs) * len(self.topics),
            "score": self.values.ravel().tolist(),
        }


class ScoreSet(Shown, Tabular, PlainScoreSet):
    """Scores by measure name; each can be compared."""

    def __getitem__(self, measure: str) -> Scores:
        return with_verbs(super().__getitem__(measure))

    def _sheet(self) -> Sheet:
        means = {measure: scores.means() for measure, scores in self.items()}
        runs = dict.fromkeys(run for by_run in means.values() for run in by_run)
        rows: list[list[Cell]] = [[run, *(by_run.get(run) for by_run in means.values())] for run in runs]
        return Sheet(["run", *means], rows, "Means over topics")

    def columns(self) -> dict[str, Sequence[object]]:
        """The columns by name."""
        each = [self[measure].columns() for measure in self]
        return {name: [cell for columns in each for cell in columns[name]] for name in _TIDY}


@dataclass(frozen=True, eq=False)
class Votes(Shown, Tabular, PlainVotes):
    """Assessors' votes, which become gains and say how far the assessors agree."""

    def gains(self, *, scheme: str = "mean", p: float = 0.2) -> Gains:
        """One gain for each item: levels, mean, sum, unanimity (weight ``p``), weighted, majority or median."""
        return dressed(Gains, gains_of(self, weighing(self, scheme, p=p)).gains)

    def agree(self, *, seed: int = 1) -> Agreement:
        """Fleiss' kappa, Krippendorff's alpha and raw agreement, with intervals over topics."""
        return dressed(Agreement, agreement(self, rng=np.random.default_rng(seed)))

    def _sheet(self) -> Sheet:
        rows: list[list[Cell]] = [
            [f"L{level}", count] for level, count in enumerate(self.counts().sum(axis=0).tolist())
        ]
        caption = f"{len(self.level):,} votes of {len(self.assessors):,} assessors on {self.items:,} items"
        return Sheet(["level", "votes"], [*rows, ["NA", self.missing]], caption)

    def columns(self) -> dict[str, Sequence[object]]:
        """The columns by name."""
        topics, comments = unpack(self.topics), unpack(self.comments)
        items = self.item.tolist()
        levels = {"level": self.level, **self.criteria}
        return {
            "topic": [topics[item] for item in items],
            "comment": [comments[item] for item in items],
            "assessor": [self.assessors[assessor] for assessor in self.assessor.tolist()],
            **{name: [None if one == NA else one for one in column.tolist()] for name, column in levels.items()},
        }


_FIRST = 10
_TIDY = ("measure", "topic", "run", "score")


def with_verbs(scores: PlainScores) -> Scores:
    """The same scores as a noun with verbs."""
    return dressed(Scores, scores)


def dressed(noun: type[T], plain: object) -> T:
    """The plain value, checked when it was made, as the noun or result that the API gives."""
    made = object.__new__(noun)
    for one in fields(plain):  # type: ignore[arg-type]  # every noun and result is a dataclass
        object.__setattr__(made, one.name, getattr(plain, one.name))
    return made


def _topic_column(lists: TopicLists) -> list[str]:
    return [lists.topics[code] for code in lists.codes().tolist()]
