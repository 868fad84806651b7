"""What scores show: their tables, notes and JSON fields."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from math import sqrt
from typing import TYPE_CHECKING, Any

from kaiwa.errors import counted, in_python, option
from kaiwa.show.result import Description, Table
from kaiwa.show.text import few

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kaiwa.nouns.matrix import Matrix
    from kaiwa.nouns.scores import Scores
    from kaiwa.show.text import Cell

FEW_ASSESSORS = 6


class Later(Sequence[Sequence["Cell"]]):
    """Rows that are made when they are first read: a round has a hundred thousand scores, and few are printed."""

    def __init__(self, make: Callable[[], Sequence[Sequence[Cell]]]) -> None:
        self._make = make

    @cached_property
    def _made(self) -> Sequence[Sequence[Cell]]:
        return self._make()

    def __len__(self) -> int:
        return len(self._made)

    def __getitem__(self, place: Any) -> Any:  # Any: a place or a slice, and what a sequence has there
        return self._made[place]


class LaterFields(Mapping[str, Any]):  # Any: JSON values
    """JSON fields that are made when they are first read."""

    def __init__(self, make: Callable[[], Mapping[str, Any]]) -> None:
        self._make = make

    @cached_property
    def _made(self) -> Mapping[str, Any]:
        return self._make()

    def __len__(self) -> int:
        return len(self._made)

    def __iter__(self) -> Iterator[str]:
        return iter(self._made)

    def __getitem__(self, name: str) -> Any:  # Any: a JSON value
        return self._made[name]


def description_of(scores: Scores) -> Description:
    """The scores, their means and the matrix; of scores with gaps, how many topics each run has a score on."""
    notes = notes_of(scores)
    table = _coverage_table(scores) if scores.missing else _means_table(scores)
    rows = Table("scores", list(scores.columns()), Later(lambda: _rows_of(scores.columns())))
    return Description(
        tables=(rows, table) if scores.missing else (rows, table, _matrix_table(scores)),
        shown=(table.name,),
        notes=notes,
        fields=LaterFields(lambda: _fields(scores, notes)),
    )


def _rows_of(columns: Mapping[str, Sequence[object]]) -> list[list[Any]]:  # Any: cells
    return [list(row) for row in zip(*columns.values(), strict=True)]


# The tables.


def _means_table(scores: Scores) -> Table:
    """A row per run: each measure's mean, its standard error over topics, its interval over votes if any.

    Under one measure the best run comes first.
    """
    tables = scores.matrices()
    means, errors = scores.means(), standard_errors(scores)
    columns, header = ["run"], [scores.axes.run]
    for one in tables:
        columns += [one.measure, f"{one.measure} se"]
        header += [one.label, "se"]
        if scores.intervals:
            columns += [f"{one.measure} low", f"{one.measure} high"]
            header += ["low", "high"]
    rows = list[list["Cell"]]()
    for run in _best_first(tables[0]) if len(tables) == 1 else means:
        row: list[Cell] = [run]
        for one in tables:
            row += [means[run].get(one.measure), errors[run].get(one.measure)]
            if scores.intervals:
                limits = scores.intervals[run][one.measure]
                row += [limits["low"], limits["high"]]
        rows.append(row)
    sizes = {len(one.topics) for one in tables}
    topic = scores.axes.topic
    caption = f"Means over {counted(sizes.pop(), topic)}" if len(sizes) == 1 else f"Means over {topic}s"
    return Table("means", columns, rows, header, caption=caption)


def _best_first(scores: Matrix) -> list[str]:
    """The runs, the best mean first; ties as listed."""
    means = scores.oriented.mean(axis=0).tolist()
    return [scores.runs[place] for place in sorted(range(len(means)), key=lambda place: -means[place])]


def _coverage_table(scores: Scores) -> Table:
    """How many topics each run has a score on."""
    each = [scores.observations(measure) for measure in scores]
    counts = [dict(zip(one.runs, one.topics_per_run(), strict=True)) for one in each]
    rows: list[list[Cell]] = [[run, *(own.get(run, 0) for own in counts)] for run in scores.runs]
    topic, run = scores.axes
    caption = f"{topic.capitalize()}s with a score, of {len(scores.topics):,}"
    header = [run, *(one.label for _, one in scores.items())]
    return Table("coverage", ["run", *scores], rows, header, caption=caption)


def _matrix_table(scores: Scores) -> Table:
    """Topics x runs; with several measures, a block of rows for each."""
    several = len(scores) > 1
    first = ["measure", "topic"] if several else ["topic"]
    return Table("matrix", [*first, *scores.runs], Later(lambda: _matrix_rows(scores.matrices(), scores.runs)))


def _matrix_rows(tables: Sequence[Matrix], runs: Sequence[str]) -> list[list[Cell]]:
    rows = list[list["Cell"]]()
    for one in tables:
        places = [one.runs.index(run) if run in one.runs else None for run in runs]
        start: list[Cell] = [one.measure] if len(tables) > 1 else []
        for topic, by_run in zip(one.topics, one.values.tolist(), strict=True):
            rows.append([*start, topic, *(None if place is None else by_run[place] for place in places)])
    return rows


# JSON fields.


def _fields(scores: Scores, notes: Sequence[str]) -> dict[str, Any]:  # Any: JSON values
    """The means, the scores of every topic, and what was left out; more of what a verb made."""
    fields: dict[str, Any] = {  # Any: JSON values
        "means": None if scores.missing else scores.means(),
        "standard_errors": None if scores.missing else standard_errors(scores),
        "topics": _by_topic(scores),
        "directions": scores.directions,
        "topics_left_out": scores.topics_left_out,
        "runs_left_out": scores.runs_left_out,
        "filled": scores.filled,
        "notes": [in_python(note) for note in notes],
    }
    if scores.orders:
        fields |= {name: getattr(scores, name) for name in ("undefined", "unanswered", "unknown", "orders", "gmax")}
    if scores.intervals:
        fields |= {"intervals": scores.intervals, "resampled_assessors": scores.resampled_assessors}
    if scores.method:
        fields |= {name: getattr(scores, name) for name in ("method", "a", "b", "variance_bound", "tied_topics")}
    return fields


def _by_topic(scores: Scores) -> dict[str, dict[str, dict[str, float]]]:
    """The scores as {topic: {run: {measure: score}}}; of several scores of a run on a topic the mean."""
    found: dict[str, dict[str, dict[str, float]]] = {topic: {} for topic in scores.topics}
    if scores.missing:
        columns = scores.means_by_topic()
        for measure, topic, run, score in columns:
            found[topic].setdefault(run, {})[measure] = score
        return found
    for one in scores.matrices():
        for topic, by_run in zip(one.topics, one.values.tolist(), strict=True):
            for run, score in zip(one.runs, by_run, strict=True):
                found[topic].setdefault(run, {})[one.measure] = score
    return found


def standard_errors(scores: Scores) -> dict[str, dict[str, float | None]]:
    """The standard error of each run's mean over topics, {run: {measure: error}}; None with one topic.

    >>> from kaiwa.nouns.scores import Scores
    >>> standard_errors(Scores.from_dict({"A": {"q1": 0.0, "q2": 1.0}}, "AP"))
    {'A': {'AP': 0.5}}
    """
    found: dict[str, dict[str, float | None]] = {run: {} for run in scores.runs}
    for one in scores.matrices():
        topics = len(one.topics)
        errors = (
            [None] * len(one.runs)
            if topics < 2  # noqa: PLR2004  one topic has no spread
            else (one.values.std(axis=0, ddof=1) / sqrt(topics)).tolist()
        )
        for run, error in zip(one.runs, errors, strict=True):
            found[run][one.measure] = error
    return found


# The notes below the table.


def notes_of(scores: Scores) -> list[str]:
    """On the scale, the ranking and the intervals; on what was left out, and what ties."""
    ranked = f"runs ranked by {' and '.join(sorted(set(scores.orders.values())))}"
    notes = [f"gmax {scores.gmax}; {ranked}"] if scores.gmax else []
    notes += [_resampled_text(scores.resampled_assessors)] if scores.intervals else []
    notes += [*_left_out(scores), *scores.remarks]
    if scores.missing:
        missing = counted(scores.missing, "missing score")
        notes.append(f'{missing}: complete(missing="drop-topics") leaves out their {scores.axes.topic}s')
    return [*notes, *_unscored(scores), *_standardised(scores)]


def _left_out(scores: Scores) -> list[str]:
    """A line for each measure whose gaps left something out or were filled."""
    axes = scores.axes
    notes = [
        f"{measure}: {counted(len(names), noun)} left out for missing scores: {few(names)}"
        for noun, left_out in ((axes.topic, scores.topics_left_out), (axes.run, scores.runs_left_out))
        for measure, names in left_out.items()
        if names
    ]
    return notes + [
        f"{measure}: {counted(count, 'missing score')} counted as 0"
        for measure, count in scores.filled.items()
        if count
    ]


def _unscored(scores: Scores) -> list[str]:
    """The topics without a relevant item, and those that a run does not answer or nobody judged."""
    zero = f"left out ({option('no_relevant', 'zero')} counts them 0)"
    treatment = "counted 0" if {*scores.undefined} & {*scores.topics} else zero
    notes = [
        f"{counted(len(topics), 'topic')} without a relevant item {treatment}: {few(topics)}"
        for topics in [scores.undefined]
        if topics
    ]
    notes += [
        f"{run}: no answer for {counted(len(topics), 'judged topic')}, scored 0: {few(topics)}"
        for run, topics in scores.unanswered.items()
    ]
    return notes + [
        f"{run}: {counted(len(topics), 'topic')} never judged and not scored: {few(topics)}"
        for run, topics in scores.unknown.items()
    ]


def _standardised(scores: Scores) -> list[str]:
    """A line for each measure whose lower scores are better, and for each with topics on which all runs tie."""
    if not scores.method:
        return []
    lower = [
        f"{measure}: lower is better, also after standardisation"
        for measure, direction in scores.directions.items()
        if direction == "lower"
    ]
    topic, run = scores.axes
    return lower + [
        f"{measure}: all {run}s tie on {counted(len(topics), topic)}; they get the middle value there"
        for measure, topics in scores.tied_topics.items()
        if topics and measure in scores
    ]


def _resampled_text(assessors: int | None) -> str:
    """What the intervals over votes assume."""
    if assessors is None:
        return (
            "the votes do not say who gave them, so the intervals take each as from another person; "
            "if the same people judged all items, they are too narrow"
        )
    few_people = ", so few that the intervals are wide" if assessors < FEW_ASSESSORS else ""
    return f"intervals from {counted(assessors, 'assessor')} resampled with all their votes{few_people}"
