"""Scores: means with standard errors or per-topic rows, and what was left out."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any

from kaiwa.errors import counted, option
from kaiwa.formats.text.delimited import csv_text
from kaiwa.report.text_tables import Rows, few, table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kaiwa.measure import Measure
    from kaiwa.measure.scoring import Scored
    from kaiwa.measure.vote_resampling import VoteIntervals
    from kaiwa.model.score_set import ScoreSet
    from kaiwa.model.scores import Scores
    from kaiwa.report.text_tables import Cell


FEW_ASSESSORS = 6


@dataclass(frozen=True)
class ScoreView:
    """Scores of runs; ``zero`` if a topic without a relevant item counts 0; intervals if votes were resampled."""

    scored: Scored
    gmax: str
    zero: bool = False
    intervals: VoteIntervals | None = None
    per_topic: bool = False
    form: str = "table"

    def text(self) -> str:
        """Means or per-topic rows, as an aligned table, CSV or LaTeX."""
        made = topic_rows(self.scored) if self.per_topic else mean_rows(self.scored, self.intervals)
        if self.form == "csv":
            return csv_text(made.header, made.rows).rstrip("\n")
        if self.form == "latex":
            from kaiwa.report.latex_tables import latex_table

            return latex_table(made.header, made.rows).rstrip("\n")
        return table(made.header, made.rows)

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """The means, the scores of every topic and what was left out as JSON fields."""
        scored, means = self.scored, _means(self.scored)
        errors = {name: dict(zip(one.runs, standard_errors(one), strict=True)) for name, one in scored.items()}
        values = {
            "means": means,
            "standard_errors": {run: {name: errors[name][run] for name in scored} for run in means},
            "topics": _by_topic(scored),
            "no_relevant": list(scored.undefined),
            "unanswered": scored.unanswered,
            "never_judged": scored.unknown,
            "orders": scored.orders,
            "gmax": self.gmax,
        }
        if self.intervals:
            values["intervals"] = _interval_fields(scored, self.intervals)
            values["resampled_assessors"] = self.intervals.assessors
        return values

    def remarks(self) -> list[str]:
        """Remarks on the scale, the ranking and what was left out."""
        scored = self.scored
        lines = [f"gmax {self.gmax}; runs ranked by {' and '.join(sorted(set(scored.orders.values())))}"]
        lines += [_resampled_text(self.intervals)] if self.intervals else []
        if scored.undefined:
            treatment = "counted 0" if self.zero else f"left out ({option('no_relevant', 'zero')} counts them 0)"
            topics = counted(len(scored.undefined), "topic")
            lines.append(f"{topics} without a relevant item {treatment}: {few(scored.undefined)}")
        lines += [
            f"{run}: no answer for {counted(len(topics), 'judged topic')}, scored 0: {few(topics)}"
            for run, topics in scored.unanswered.items()
        ]
        lines += [
            f"{run}: {counted(len(topics), 'topic')} never judged and not scored: {few(topics)}"
            for run, topics in scored.unknown.items()
        ]
        return lines


@dataclass(frozen=True)
class MeasuresView:
    """The table of the measures, and what can be added to each."""

    measures: Mapping[str, Measure]

    def text(self) -> str:
        """A row per measure."""
        rows = [[name, measure.description, ", ".join(measure.options)] for name, measure in self.measures.items()]
        prefixes = "@k after a name is the cutoff. The prefixes D-, D#-, DIN-, DIN#- and IA- need --intents."
        return f"{table(['measure', 'description', 'options'], rows)}\n{prefixes}"

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """An object per measure; ``options`` are the names and defaults of what its brackets take."""
        return {
            "measures": [
                {"measure": name, "description": one.description, "options": dict(one.options), "cutoff": one.cutoff}
                for name, one in self.measures.items()
            ]
        }


def _resampled_text(found: VoteIntervals) -> str:
    """What the intervals over votes assume."""
    if found.assessors is None:
        return (
            "the votes do not say who gave them, so the intervals take each as from another person; "
            "if the same people judged all items, they are too narrow"
        )
    few_people = ", so few that the intervals are wide" if found.assessors < FEW_ASSESSORS else ""
    return f"intervals from {counted(found.assessors, 'assessor')} resampled with all their votes{few_people}"


def standard_errors(scores: Scores) -> list[float | None]:
    """The standard error of each run's mean over topics; None with one topic."""
    topics = len(scores.topics)
    if topics < 2:  # noqa: PLR2004  one topic has no spread
        return [None] * len(scores.runs)
    errors: list[float | None] = (scores.values.std(axis=0, ddof=1) / sqrt(topics)).tolist()
    return errors


def mean_rows(scores: ScoreSet, intervals: VoteIntervals | None = None) -> Rows:
    """One row per run: each measure's mean, its standard error over topics, its interval over votes if any."""
    tables = list(scores.values())
    header = ["run"]
    columns: list[Sequence[Cell]] = [tables[0].runs]
    for place, one in enumerate(tables):
        header += [one.measure, "se"]
        columns += [list(one.means().values()), standard_errors(one)]
        if intervals is not None:
            header += ["low", "high"]
            columns += [intervals.low[place].tolist(), intervals.high[place].tolist()]
    return Rows(header, [list(row) for row in zip(*columns, strict=True)])


def topic_rows(scores: ScoreSet) -> Rows:
    """One row per topic and run, each measure in a column."""
    tables = list(scores.values())
    first = tables[0]
    rows: list[list[Cell]] = [
        [topic, run, *(float(one.values[row, column]) for one in tables)]
        for row, topic in enumerate(first.topics)
        for column, run in enumerate(first.runs)
    ]
    return Rows(["topic", "run", *scores], rows)


def _by_topic(scores: ScoreSet) -> dict[str, dict[str, dict[str, float]]]:
    """The scores as {topic: {run: {measure: score}}}."""
    tables = {name: one.values.tolist() for name, one in scores.items()}
    first = next(iter(scores.values()))
    return {
        topic: {
            run: {name: values[row][column] for name, values in tables.items()} for column, run in enumerate(first.runs)
        }
        for row, topic in enumerate(first.topics)
    }


def _means(scores: ScoreSet) -> dict[str, dict[str, float]]:
    """The means as {run: {measure: mean}}."""
    by_measure = {name: one.means() for name, one in scores.items()}
    runs = next(iter(scores.values())).runs
    return {run: {name: values[run] for name, values in by_measure.items()} for run in runs}


def _interval_fields(scores: ScoreSet, found: VoteIntervals) -> dict[str, dict[str, dict[str, float]]]:
    """The intervals as {run: {measure: {low, high}}}."""
    low, high = found.low.tolist(), found.high.tolist()
    runs = next(iter(scores.values())).runs
    return {
        run: {name: {"low": low[row][column], "high": high[row][column]} for row, name in enumerate(scores)}
        for column, run in enumerate(runs)
    }
