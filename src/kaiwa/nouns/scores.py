"""Scores of runs per topic, by one or several measures; they may have gaps, and several scores of a run on a topic."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import isfinite, isnan
from numbers import Real
from typing import TYPE_CHECKING, Literal

import numpy as np

from kaiwa.errors import InputError, UnknownName, counted, in_python
from kaiwa.nouns.cells import Cell, Cells, Part, complete_scores, joined, log_remarks, mean_cell, require_missing_rule
from kaiwa.nouns.factors import NO_FACTORS, Factors
from kaiwa.nouns.ids import id_text
from kaiwa.nouns.matrix import (
    BY_NAME,
    TOPICS_AND_RUNS,
    Axes,
    Direction,
    Matrix,
    Observations,
    labelled,
    require_direction,
)
from kaiwa.nouns.measure_name import known_name
from kaiwa.nouns.noun import Noun

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from os import PathLike

    from numpy.typing import ArrayLike

    from kaiwa.comparison.comparison import Comparison
    from kaiwa.comparison.standardise import FactorsInput
    from kaiwa.comparison.tau import Correlation
    from kaiwa.comparison.variance import Variance
    from kaiwa.formats.data_frames import Frame
    from kaiwa.formats.reading import ScoresInput
    from kaiwa.nouns.ids import FloatArray
    from kaiwa.nouns.measure_name import MeasuresInput, OtherMeasure
    from kaiwa.show.result import Description
    from kaiwa.stats.kendall import Interval, Ties
    from kaiwa.stats.p_values import PRule

    Table = Matrix | Cells  # one measure: without gaps, or with gaps or several scores of a run on a topic
    Names = Mapping[str, tuple[str, ...]]


_MOST_NAMED = 5
_FEW, _ALL = 3, 5
"""The cells of a row: topic, run, score; or topic, run, assessor, repeat, score."""


@dataclass(frozen=True)
class Origin:
    """What the verb that made the scores knows of them.

    ``gmax`` is the highest possible gain and its source. ``intervals`` are 95% intervals of the means over panels of
    assessors, {run: {measure: {low, high, error}}}; ``resampled_assessors`` is how many people were resampled, None if
    the votes do not name them. ``method`` is that of standardisation, ``factors`` are its factors by measure, and
    ``tied_topics`` the topics of each measure on which all runs tie; ``a`` and ``b`` are those of std-AB, and
    ``variance_bound`` is the highest V_E of each measure by the factors of its own runs.
    """

    gmax: str = ""
    intervals: Mapping[str, Mapping[str, Mapping[str, float]]] = field(default_factory=dict)
    resampled_assessors: int | None = None
    method: str = ""
    factors: Factors = field(default_factory=lambda: NO_FACTORS)
    tied_topics: Names = field(default_factory=dict)
    a: float | None = None
    b: float | None = None
    variance_bound: Mapping[str, float] = field(default_factory=dict)


class Scores(Noun):
    """Scores of runs per topic: measures x topics x runs, with an assessor and a repeat if a run has several.

    ``scores["nERR@10"]`` are the scores of one measure, which have ``measure``, ``topics``, ``runs``, ``values``
    (topics x runs), ``direction`` and ``label``. A run may have no score on a topic; ``complete`` is the rule for that.

    What was left out or counted 0: ``topics_left_out`` and ``runs_left_out`` name, by measure, what was left out for
    missing scores, and ``filled`` counts the missing scores taken as 0; ``undefined`` are the topics without a relevant
    item; ``unanswered`` are, per run, the topics without a result (they score 0), ``unknown`` its topics that were not
    judged; ``orders`` is what ranked it: file, score or rank; ``remarks`` are lines on the files. Of ``kaiwa.score``:
    ``gmax``, the highest possible gain and its source, and ``intervals`` if votes were resampled. Of
    ``kaiwa.standardise``: ``method``, ``a``, ``b``, ``factors`` by measure, ``variance_bound`` and ``tied_topics``.

    Tables: ``scores`` (measure, topic, run, score), ``means``, ``matrix`` (topics x runs). ``write`` makes tidy CSV.

    It is not a ``collections.abc.Mapping``, because data frame libraries read a Mapping as a table of columns.

    >>> import kaiwa
    >>> scores = kaiwa.Scores.from_dict({"A": {"q1": 1.0, "q2": 0.5}, "B": {"q1": 0.0, "q2": 0.25}}, measure="nG@1")
    >>> scores
    Scores('nG@1', 2 topics, 2 runs)
    >>> print(scores)
    run    nG@1      se
    ---  ------  ------
    A    0.7500  0.2500
    B    0.1250  0.1250
    Means over 2 topics
    """

    def __init__(
        self,
        tables: Iterable[Scores | Matrix | Cells],
        *,
        topics_left_out: Names | None = None,
        runs_left_out: Names | None = None,
        filled: Mapping[str, int] | None = None,
        remarks: tuple[str, ...] = (),
        undefined: tuple[str, ...] = (),
        unanswered: Names | None = None,
        unknown: Names | None = None,
        orders: Mapping[str, str] | None = None,
        origin: Origin | None = None,
    ) -> None:
        self._tables: dict[str, Table] = {}
        self._means: dict[str, Matrix] = {}
        self.topics_left_out = dict(topics_left_out or {})
        self.runs_left_out = dict(runs_left_out or {})
        self.filled = dict(filled or {})
        self.remarks = remarks
        self.undefined = undefined
        self.unanswered = dict(unanswered or {})
        self.unknown = dict(unknown or {})
        self.orders = dict(orders or {})
        self.origin = origin or Origin()
        for table in tables:
            self._add(table)

    def _add(self, table: Scores | Matrix | Cells) -> None:
        if isinstance(table, Matrix):
            added: dict[str, Table] = {table.measure: table}
        elif isinstance(table, Cells):
            added = {measure: _dense(table.only([measure]), measure) for measure in table.tables}
            self.remarks += log_remarks(table)
        elif isinstance(table, Scores):
            added = table._tables  # noqa: SLF001  of the same class
            self.topics_left_out |= table.topics_left_out
            self.runs_left_out |= table.runs_left_out
            self.filled |= table.filled
            self.remarks = tuple(dict.fromkeys((*self.remarks, *table.remarks)))
            self.undefined = tuple(dict.fromkeys((*self.undefined, *table.undefined)))
            self.unanswered |= table.unanswered
            self.unknown |= table.unknown
            self.orders |= table.orders
            self.origin = self.origin if self.origin != Origin() else table.origin
        else:
            raise InputError(f"{type(table).__name__} is not scores; give them to from_dict, from_rows or from_pandas")
        if duplicate := next((measure for measure in added if measure in self._tables), None):
            raise InputError(f"duplicate measure {duplicate!r}; give each measure once")
        self._tables |= added

    # Scores from values of Python and from data frames.

    @classmethod
    def from_matrix(
        cls,
        measure: str,
        topics: Iterable[object],
        runs: Iterable[object],
        values: ArrayLike,
        *,
        direction: Direction = BY_NAME,
        axes: Axes = TOPICS_AND_RUNS,
    ) -> Scores:
        """One measure's scores from a matrix, a row per topic and a column per run.

        ``direction`` says which scores are better, ``higher`` or ``lower``; by default the measure's name decides.
        ``axes`` are the words for topics and runs in texts and messages.

        >>> import kaiwa
        >>> kaiwa.Scores.from_matrix("ppl", ["q1"], ["A", "B"], [[15.5, 10.5]])
        Scores('ppl', 1 topic, 2 runs, lower is better)
        """
        try:
            by_topic = np.asarray(values, dtype=float)
        except (TypeError, ValueError):
            raise InputError(
                f"{measure}: the values are not a matrix of numbers; give one row per topic, one column per run"
            ) from None
        by_topic_name, by_run_name = (
            tuple(id_text(kind, name) for name in listed) for kind, listed in zip(axes, (topics, runs), strict=True)
        )
        return cls([Matrix(measure, by_topic_name, by_run_name, by_topic, direction, axes)])

    @classmethod
    def from_dict(
        cls,
        scores: Mapping[str, Mapping[str, float | None]],
        measure: str = "score",
        *,
        direction: Direction = BY_NAME,
    ) -> Scores:
        """One measure's scores from ``{run: {topic: score}}``; a topic that a run does not have is a missing score.

        >>> import kaiwa
        >>> kaiwa.Scores.from_dict({"A": {"q1": 0.5, "q2": 1.0}, "B": {"q1": 0.25}})
        Scores('score', 2 topics, 2 runs, 1 missing score)
        """
        if not hasattr(scores, "items") or not all(hasattr(own, "items") for own in scores.values()):
            raise InputError(f"{measure}: the scores are not a dict of dicts; give {{run: {{topic: score}}}}")
        return cls.from_rows(
            ((topic, run, score) for run, own in scores.items() for topic, score in own.items()),
            measure,
            direction=direction,
        )

    @classmethod
    def from_rows(
        cls, rows: Iterable[Sequence[object]], measure: str = "score", *, direction: Direction = BY_NAME
    ) -> Scores:
        """One measure's scores from rows of topic, run, score, or of topic, run, assessor, repeat, score.

        None and NaN are missing scores; an assessor or repeat may be ``""``.

        >>> import kaiwa
        >>> kaiwa.Scores.from_rows([("q1", "A", 0.5), ("q1", "B", 0.25)]).means()
        {'A': {'score': 0.5}, 'B': {'score': 0.25}}
        >>> kaiwa.Scores.from_rows([("q1", "A", "ann", "", 1.0), ("q1", "A", "bob", "", 0.5)], "quality")
        Scores('quality', 1 topic, 1 run, 2 assessors)
        """
        parts: dict[tuple[str, str], dict[tuple[str, str], float]] = {}
        single = True
        for place, row in enumerate(rows, start=1):
            topic, run, assessor, repeat, score = _row(place, row)
            single = single and len(row) == _FEW
            own = parts.setdefault((topic, run), {})
            if (assessor, repeat) in own:
                by = f" by assessor {assessor!r}" if assessor else ""
                what = f"duplicate score: {measure} of run {run!r} on topic {topic!r}{by}"
                raise InputError.at(f"row {place}", what, "keep one, or give each its own repeat")
            if score is not None:
                own[assessor, repeat] = score
        if not parts:
            raise InputError(f"{measure}: no score; give at least one")
        cells = Cells(directions={} if direction is BY_NAME else {measure: direction})
        for (topic, run), own in parts.items():
            found = tuple(Part(score, assessor, repeat) for (assessor, repeat), score in own.items())
            cells.add(measure, topic, run, Cell(found[0].score) if single and found else mean_cell(found, None))
        return cls([cells])

    @classmethod
    def from_pandas(
        cls,
        frame: Frame,
        *,
        topic: str | None = None,
        run: str | None = None,
        score: str | None = None,
        measure: str | None = None,
    ) -> Scores:
        """Scores from a data frame of pandas, polars, Arrow or duckdb, long or wide.

        Long: topic, run, score, and measure when there are several; assessor and repeat if a run has several scores on
        a topic. Wide: topic and a column for each run, or topic, run and a column for each measure. Columns are found
        by their usual names (topic, qid, query_id, sample_id, id; run, system, model, name; score, value; measure,
        metric), or named by the arguments. ``measure`` is also the name of the scores of a frame without measures.

        >>> import kaiwa, polars
        >>> frame = polars.DataFrame({"sample": ["q1", "q1"], "who": ["A", "B"], "acc": [0.5, 1.0]})
        >>> kaiwa.Scores.from_pandas(frame, run="who").means()
        {'A': {'acc': 0.5}, 'B': {'acc': 1.0}}
        """
        from kaiwa.formats.data_frames import add_scores

        cells = Cells()
        named = {"topic": topic, "run": run, "score": score, "measure": measure}
        add_scores(cells, frame, names={kind: name for kind, name in named.items() if name})
        return cls([cells])

    # The measures, and one of them.

    @property
    def measures(self) -> tuple[str, ...]:
        """The measures, in the order given."""
        return tuple(self._tables)

    def __getitem__(self, measure: str | OtherMeasure) -> Scores:
        if isinstance(measure, list | tuple):
            raise InputError(f"{measure} are several measures, and [...] takes one; write .only({list(measure)})")
        measure = known_name(measure, self._tables)
        if len(self._tables) == 1:
            return self
        one = self._without_tables()
        one._tables[measure] = self._tables[measure]  # noqa: SLF001  of the same class
        one.topics_left_out = {name: left for name, left in self.topics_left_out.items() if name == measure}
        one.runs_left_out = {name: left for name, left in self.runs_left_out.items() if name == measure}
        one.filled = {name: count for name, count in self.filled.items() if name == measure}
        return one

    def _without_tables(self) -> Scores:
        """What was left out or counted 0, without the scores."""
        return Scores(
            (),
            topics_left_out=self.topics_left_out,
            runs_left_out=self.runs_left_out,
            filled=self.filled,
            remarks=self.remarks,
            undefined=self.undefined,
            unanswered=self.unanswered,
            unknown=self.unknown,
            orders=self.orders,
            origin=self.origin,
        )

    def __contains__(self, measure: object) -> bool:
        return measure in self._tables

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def keys(self) -> list[str]:
        """The measures.

        >>> import kaiwa
        >>> kaiwa.Scores.from_dict({"A": {"q1": 1.0}}, measure="nG@1").keys()
        ['nG@1']
        """
        return list(self)

    def items(self) -> list[tuple[str, Scores]]:
        """Each measure and its scores.

        >>> import kaiwa
        >>> kaiwa.Scores.from_dict({"A": {"q1": 1.0}}, measure="nG@1").items()
        [('nG@1', Scores('nG@1', 1 topic, 1 run))]
        """
        return [(measure, self[measure]) for measure in self]

    def __repr__(self) -> str:
        names = [repr(measure) for measure in self._tables]
        shown = names if len(names) <= _MOST_NAMED else [counted(len(names), "measure")]
        sizes = [counted(len(self.topics), self.axes.topic), counted(len(self.runs), self.axes.run)]
        sizes += [
            counted(len(listed), word) for word, listed in self._several().items() if len(listed) > 1 or any(listed)
        ]
        sizes += [counted(self.missing, "missing score")] if self.missing else []
        sizes += ["lower is better"] if len(names) == 1 and self.direction == "lower" else []
        return f"Scores({', '.join([*shown, *sizes])})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scores):
            return NotImplemented
        return self.measures == other.measures and all(
            _same(table, other._tables[measure], measure)  # noqa: SLF001  of the same class
            for measure, table in self._tables.items()
        )

    __hash__ = None  # type: ignore[assignment]  # arrays inside: scores are compared, not hashed

    # Topics, runs and gaps.

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics, in order of appearance."""
        return tuple(dict.fromkeys(topic for table in self._tables.values() for topic in _topics(table)))

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs, in order of appearance."""
        return tuple(dict.fromkeys(run for table in self._tables.values() for run in _runs(table)))

    @property
    def axes(self) -> Axes:
        """The words for topics and runs."""
        return next((table.axes for table in self._tables.values()), TOPICS_AND_RUNS)

    @property
    def missing(self) -> int:
        """How many scores are missing: runs without a score on a topic, by each measure."""
        return sum(table.missing(measure) for measure, table in self._tables.items() if isinstance(table, Cells))

    def _several(self) -> dict[str, tuple[str, ...]]:
        """The assessors and the repeats, in order of appearance; ``""`` if it is not known who or which."""
        parts = [
            part
            for measure, table in self._tables.items()
            if isinstance(table, Cells)
            for cell in table.tables[measure].values()
            for part in cell.parts
        ]
        return {
            "assessor": tuple(dict.fromkeys(part.assessor for part in parts)),
            "repeat": tuple(dict.fromkeys(part.repeat for part in parts)),
        }

    def complete(self, *, missing: str = "error") -> Scores:
        """The scores without gaps, by a rule for runs without a score on some topic; the result lists its effect.

        ``missing`` is ``error``, ``drop-topics``, ``drop-runs`` or ``zero``. Of several scores of a run on a topic the
        mean is kept.

        >>> import kaiwa
        >>> scores = kaiwa.Scores.from_dict({"A": {"q1": 0.5, "q2": 1.0}, "B": {"q1": 0.25}}, measure="AP")
        >>> scores.complete(missing="drop-topics").means(), scores.complete(missing="drop-topics").topics_left_out
        ({'A': {'AP': 0.5}, 'B': {'AP': 0.25}}, {'AP': ('q2',)})
        """
        require_missing_rule(missing)
        made = self._without_tables()
        for measure, table in self._tables.items():
            if isinstance(table, Matrix):
                made._add(table)  # noqa: SLF001  of the same class
                continue
            found = complete_scores(table, missing=missing)
            made._add(found.scores[measure])  # noqa: SLF001  of the same class
            made.topics_left_out |= {name: out for name, out in found.topics_left_out.items() if out}
            made.runs_left_out |= {name: out for name, out in found.runs_left_out.items() if out}
            made.filled |= {name: count for name, count in found.filled.items() if count}
        return made

    def only(self, measures: Iterable[str]) -> Scores:
        """The scores of these measures.

        >>> import kaiwa
        >>> scores = kaiwa.Scores.from_rows([("q1", "A", 0.5)], "AP")
        >>> scores.only(["AP"]) == scores
        True
        """
        return Scores([self[measure] for measure in measures])

    def directed(self, directions: Mapping[str, Direction]) -> Scores:
        """The scores with the directions of some measures, which files and names state wrongly or not at all.

        >>> import kaiwa
        >>> kaiwa.Scores.from_rows([("q1", "A", 0.5)], "seconds").directed({"seconds": "lower"}).directions
        {'seconds': 'lower'}
        """
        for measure in directions:
            if measure not in self._tables:
                raise UnknownName.among("measure", measure, self._tables)
        made = self.only(self)
        turned = {
            measure: table.directed({measure: directions[measure]})
            if isinstance(table, Cells)
            else replace(table, direction=directions[measure])
            for measure, table in self._tables.items()
            if measure in directions
        }
        made._tables |= turned  # noqa: SLF001  of the same class
        return made

    # One measure, as methods take it.

    def _one(self, measure: str | None = None) -> str:
        """The measure of this name, or the only one."""
        if measure is not None:
            return known_name(measure, self._tables)
        if len(self._tables) != 1:
            names = ", ".join(map(repr, self._tables)) or "none"
            what = f"the scores have {counted(len(self._tables), 'measure')} ({names}), and this takes one"
            raise InputError(f"{what}; choose it, as scores[{next(iter(self._tables), 'nG@1')!r}]")
        return next(iter(self._tables))

    def matrix(self, measure: str | None = None) -> Matrix:
        """One measure's topics x runs matrix, which has no gaps: what methods take.

        >>> import kaiwa, pandas
        >>> scores = kaiwa.Scores.from_dict({"A": {"q1": 1.0}, "B": {"q1": 0.5}}, measure="nG@1")
        >>> scores.matrix().values
        array([[1. , 0.5]])
        >>> pandas.DataFrame(scores.matrix().columns())
          topic    A    B
        0    q1  1.0  0.5
        """
        name = self._one(measure)
        table = self._tables[name]
        if isinstance(table, Matrix):
            return table
        if name not in self._means:
            self._means[name] = complete_scores(table).scores[name]
        return self._means[name]

    def matrices(self) -> list[Matrix]:
        """Every measure's topics x runs matrix.

        >>> import kaiwa
        >>> kaiwa.Scores.from_dict({"A": {"q1": 1.0}}, measure="nG@1").matrices()
        [Matrix('nG@1', 1 topic, 1 run)]
        """
        return [self.matrix(measure) for measure in self]

    def observations(self, measure: str | None = None) -> Observations:
        """One measure's scores one by one, each with its topic, run, assessor and repeat: what the crossed model takes.

        >>> import kaiwa
        >>> rows = [("q1", "A", "ann", "", 1.0), ("q1", "A", "bob", "", 0.5)]
        >>> kaiwa.Scores.from_rows(rows, "quality").observations().assessors
        ('ann', 'bob')
        """
        name = self._one(measure)
        table = self._tables[name]
        return Observations.of_matrix(table) if isinstance(table, Matrix) else table.observations(name)

    @property
    def measure(self) -> str:
        """The name of the one measure."""
        return self._one()

    @property
    def values(self) -> FloatArray:
        """The one measure's scores, topics x runs."""
        return self.matrix().values

    @property
    def direction(self) -> Direction:
        """Which scores of the one measure are better: ``higher`` or ``lower``."""
        name = self._one()
        table = self._tables[name]
        return table.direction if isinstance(table, Matrix) else table.direction(name)

    @property
    def directions(self) -> dict[str, Direction]:
        """Which scores are better, by measure: ``higher`` or ``lower``."""
        return {measure: one.direction for measure, one in self.items()}

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know: the scale, what was left out, what was counted 0."""
        from kaiwa.nouns.score_tables import notes_of

        return tuple(in_python(note) for note in notes_of(self))

    @property
    def standard_errors(self) -> dict[str, dict[str, float | None]]:
        """The standard error of each run's mean over topics, by measure; None with one topic.

        >>> import kaiwa
        >>> kaiwa.Scores.from_dict({"A": {"q1": 0.0, "q2": 1.0}}, "AP").standard_errors
        {'A': {'AP': 0.5}}
        """
        from kaiwa.nouns.score_tables import standard_errors

        return standard_errors(self)

    @property
    def gmax(self) -> str:
        """The highest possible gain and its source; empty if the scores were not made here."""
        return self.origin.gmax

    @property
    def intervals(self) -> Mapping[str, Mapping[str, Mapping[str, float]]]:
        """95% intervals of the means over panels of assessors, {run: {measure: {low, high, error}}}; empty without."""
        return self.origin.intervals

    @property
    def resampled_assessors(self) -> int | None:
        """How many people were resampled for the intervals; None if the votes do not name them."""
        return self.origin.resampled_assessors

    @property
    def method(self) -> str:
        """How the scores were standardised; empty for raw scores."""
        return self.origin.method

    @property
    def factors(self) -> Factors:
        """The factors by which each measure was standardised, for scores of a later round; empty for raw scores."""
        return self.origin.factors

    @property
    def tied_topics(self) -> Names:
        """The topics of each measure on which all runs tie, where they got the middle value."""
        return self.origin.tied_topics

    @property
    def a(self) -> float | None:
        """The slope A of std-AB; None for other scores."""
        return self.origin.a

    @property
    def b(self) -> float | None:
        """The middle B of std-AB; None for other scores."""
        return self.origin.b

    @property
    def variance_bound(self) -> Mapping[str, float]:
        """The highest V_E that the std-AB scores of each measure can have; empty by factors of other runs."""
        return self.origin.variance_bound

    @property
    def label(self) -> str:
        """The one measure's name for readers: ``ppl (lower is better)``."""
        return labelled(self.measure, self.direction)

    def means(self) -> dict[str, dict[str, float]]:
        """Each run's mean over topics by each measure that scores it.

        >>> import kaiwa
        >>> kaiwa.Scores.from_dict({"A": {"q1": 1.0, "q2": 0.5}}, measure="nG@1").means()
        {'A': {'nG@1': 0.75}}
        """
        by_measure = {table.measure: table.means() for table in self.matrices()}
        runs = dict.fromkeys(run for means in by_measure.values() for run in means)
        return {run: {measure: means[run] for measure, means in by_measure.items() if run in means} for run in runs}

    # The verbs.

    def compare(
        self,
        measures: MeasuresInput | None = None,
        *,
        test: str = "robust",
        baseline: str | None = None,
        family: bool = False,
        margin: float | None = None,
        alpha: float = 0.05,
        trials: int | Literal["auto"] | None = None,
        max_trials: int = 320_000,
        p_rule: PRule = "plus-one",
        missing: str = "error",
        lower_is_better: str | Iterable[str] = (),
        higher_is_better: str | Iterable[str] = (),
        team_pattern: str | None = None,
        seed: int = 1,
        engine: str = "local",
    ) -> Comparison:
        """Every pair of runs compared, or every run with a baseline: ``kaiwa.compare`` of these scores.

        >>> import kaiwa
        >>> scores = kaiwa.Scores.from_matrix("nG@1", "123456", "AB", [[1.0, 0.0]] * 6)
        >>> scores.compare(trials=999).ranks
        {'A': 1, 'B': 2}
        """
        from kaiwa.comparison.comparison import compare

        return compare(
            self,
            measures,
            test=test,
            baseline=baseline,
            family=family,
            margin=margin,
            alpha=alpha,
            trials=trials,
            max_trials=max_trials,
            p_rule=p_rule,
            missing=missing,
            lower_is_better=lower_is_better,
            higher_is_better=higher_is_better,
            team_pattern=team_pattern,
            seed=seed,
            engine=engine,
        )

    def tau(
        self,
        other: ScoresInput | None = None,
        measures: str | Sequence[str] | None = None,
        *,
        interval: Interval = "hwc",
        ties: Ties = "tau-b",
        confidence: float = 0.95,
        trials: int = 2_000,
        persistence: float = 0.9,
        seed: int = 1,
        engine: str = "local",
    ) -> Correlation:
        """The agreement of two measures, or with other scores, in ranking the runs: ``kaiwa.tau`` of these scores.

        >>> import kaiwa
        >>> one = kaiwa.Scores.from_matrix("AP", ["q1"], "ABCD", [[0.5, 0.4, 0.3, 0.2]])
        >>> round(one.tau(kaiwa.Scores.from_matrix("P+", ["q1"], "ABCD", [[0.5, 0.3, 0.4, 0.2]])).tau, 4)
        0.6667
        """
        from kaiwa.comparison.tau import tau

        return tau(
            self,
            other,
            measures,
            interval=interval,
            ties=ties,
            confidence=confidence,
            trials=trials,
            persistence=persistence,
            seed=seed,
            engine=engine,
        )

    def standardise(
        self,
        measures: str | Sequence[str] | None = None,
        *,
        method: str = "std-ab",
        a: float = 0.15,
        b: float = 0.5,
        factors: FactorsInput | None = None,
        save_factors: PathLike[str] | str | None = None,
    ) -> Scores:
        """The scores on one scale for every topic: ``kaiwa.standardise`` of these scores.

        >>> import kaiwa
        >>> raw = kaiwa.Scores.from_matrix("AP", ["q1"], "ABC", [[0.1, 0.2, 0.3]])
        >>> raw.standardise().values.round(2).tolist()
        [[0.35, 0.5, 0.65]]
        """
        from kaiwa.comparison.standardise import standardise

        return standardise(self, measures, method=method, a=a, b=b, factors=factors, save_factors=save_factors)

    def variance(
        self,
        measures: str | Sequence[str] | None = None,
        *,
        crossed: bool = False,
        confidence: float = 0.95,
        trials: int = 2_000,
        seed: int = 1,
        engine: str = "local",
    ) -> Variance:
        """V_E, V_E2 and the variance components of one measure: ``kaiwa.variance`` of these scores.

        >>> import kaiwa
        >>> values = [[0.7, 0.5, 0.0], [0.3, 0.1, 0.0], [0.2, 0.0, 0.2], [0.6, 0.2, 0.1]]
        >>> round(kaiwa.Scores.from_matrix("AP", "1234", "ABC", values).variance().v_e, 4)
        0.0375
        """
        from kaiwa.comparison.variance import variance

        return variance(self, measures, crossed=crossed, confidence=confidence, trials=trials, seed=seed, engine=engine)

    # What they show.

    def describe(self) -> Description:
        """The scores, their means, the matrix; what was left out."""
        from kaiwa.nouns.score_tables import description_of

        return description_of(self)

    def means_by_topic(self) -> Iterator[tuple[str, str, str, float]]:
        """Measure, topic, run and score of each run on each topic; of several scores the mean. Gaps are left out.

        >>> import kaiwa
        >>> list(kaiwa.Scores.from_dict({"A": {"q1": 1.0}}, "AP").means_by_topic())
        [('AP', 'q1', 'A', 1.0)]
        """
        for measure, table in self._tables.items():
            if isinstance(table, Matrix):
                for topic, by_run in zip(table.topics, table.values.tolist(), strict=True):
                    for run, score in zip(table.runs, by_run, strict=True):
                        yield measure, topic, run, score
            else:
                for (topic, run), cell in table.tables[measure].items():
                    if cell.score is not None:
                        yield measure, topic, run, cell.score

    def columns(self, table: str | None = None) -> dict[str, Sequence[object]]:
        """The rows of a table, column by column; by default measure, topic, run and score; assessor and repeat if any.

        Missing scores have no row.

        >>> import kaiwa
        >>> kaiwa.Scores.from_dict({"A": {"q1": 1.0}}, measure="nG@1").columns()
        {'measure': ['nG@1'], 'topic': ['q1'], 'run': ['A'], 'score': [1.0]}
        """
        if table not in {None, "scores"}:
            return dict(super().columns(table))
        each = [_columns(table, measure) for measure, table in self._tables.items()]
        has = {name for columns in each for name in ("assessor", "repeat") if any(columns[name])}
        absent = {"assessor", "repeat"} - has
        return {
            name: [cell for columns in each for cell in columns[name]]
            for name in ("measure", "topic", "run", "assessor", "repeat", "score")
            if name not in absent
        }

    _in_table = "scores"

    def _own_file(self, table: str | None) -> str:
        """Tidy CSV; of the table ``matrix``, topics x runs of the one measure."""
        from kaiwa.formats.scores import matrix_texts, scores_text

        if table == "matrix":
            return matrix_texts(self)[""]
        return scores_text(self) if table in {None, "scores"} else super()._written("csv", table)

    def _written(self, form: str | None, table: str | None) -> str:
        """What a file of this form holds; CSV is its own file."""
        return self._own_file(table) if form == "csv" else super()._written(form, table)


def _row(place: int, row: Sequence[object]) -> tuple[str, str, str, str, float | None]:
    """One row as topic, run, assessor, repeat and score."""
    if isinstance(row, str) or not hasattr(row, "__len__") or len(row) not in {_FEW, _ALL}:
        shape = "topic, run, score, or topic, run, assessor, repeat, score"
        raise InputError.at(f"row {place}", f"{row!r} is not a row of scores", f"give {shape}")
    topic, run = (id_text(kind, name, f"row {place}") for kind, name in zip(TOPICS_AND_RUNS, row[:2], strict=True))
    assessor, repeat = ("" if name is None else str(name) for name in (row[2:4] if len(row) == _ALL else ("", "")))
    score = row[-1]
    if score is None or (isinstance(score, Real) and isnan(score)):
        return topic, run, assessor, repeat, None
    if isinstance(score, bool) or not isinstance(score, Real) or not isfinite(score):
        what = f"the score {score!r} of run {run!r} on topic {topic!r} is not a finite number"
        raise InputError.at(f"row {place}", what, "give a number, or None if it is missing")
    return topic, run, assessor, repeat, float(score)


def _dense(cells: Cells, measure: str) -> Table:
    """The matrix of one measure if it has no gap and one score of each run on a topic; else its cells."""
    require_direction(cells.direction(measure))
    has_parts = any(cell.parts for cell in cells.tables[measure].values())
    return cells if has_parts or cells.missing(measure) else complete_scores(cells).scores[measure]


def _topics(table: Table) -> tuple[str, ...]:
    return table.topics if isinstance(table, Matrix) else table.topics(next(iter(table.tables)))


def _runs(table: Table) -> tuple[str, ...]:
    return table.runs if isinstance(table, Matrix) else table.runs(next(iter(table.tables)))


def _columns(table: Table, measure: str) -> dict[str, Sequence[object]]:
    if isinstance(table, Matrix):
        return table.rows()
    return table.observations(measure).columns()


def _same(one: Table, two: Table, measure: str) -> bool:
    """Whether two measures of this name have the same scores, of the same assessors in the same repeats."""
    if isinstance(one, Matrix) or isinstance(two, Matrix):
        return one == two
    if one.direction(measure) != two.direction(measure):
        return False
    return one.observations(measure).columns() == two.observations(measure).columns()


def together(each: Sequence[Scores]) -> Scores:
    """The scores of several together; two may have other runs or topics of the same measure.

    >>> one, two = (Scores.from_dict({run: {"q1": 0.5}}, "AP") for run in "AB")
    >>> together([one, two]).runs
    ('A', 'B')
    """
    names = [measure for scores in each for measure in scores]
    if len(set(names)) == len(names):
        return Scores(each)
    first = Scores(each[:1])
    tables = (table for scores in each for table in scores._tables.values())  # noqa: SLF001  of this module
    cells = joined(table if isinstance(table, Cells) else _cells(table) for table in tables)
    return Scores([replace(cells, axes=first.axes)], remarks=tuple(line for scores in each for line in scores.remarks))


def _cells(table: Matrix) -> Cells:
    cells = Cells(directions={table.measure: table.direction}, axes=table.axes)
    for topic, by_run in zip(table.topics, table.values.tolist(), strict=True):
        for run, score in zip(table.runs, by_run, strict=True):
            cells.add(table.measure, topic, run, Cell(score))
    return cells
