from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, counted
from kaiwa.model.direction import BY_NAME, TOPICS_AND_RUNS, Axes, Direction, known_direction, labelled
from kaiwa.model.late import verb
from kaiwa.model.shown import Noun

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kaiwa.compare.crossed_comparison import CrossedComparison
    from kaiwa.compare.crossed_variance import CrossedVariance
    from kaiwa.model.ids import FloatArray, IntArray

    Row = tuple[str, str, str, str, float]


@dataclass(frozen=True, eq=False)
class Observations(Noun):
    """One measure's scores, each of a run on a topic, by an assessor and in a repeat; any of them may be missing.

    ``topic``, ``run``, ``assessor`` and ``repeat`` are places in the names; ``assessors`` and ``repeats`` have the one
    name ``""`` if nobody judged and nothing was repeated.

    >>> import kaiwa
    >>> rows = [("q1", "A", "ann", "", 1.0), ("q1", "A", "bob", "", 0.5), ("q1", "B", "bob", "", 0.0)]
    >>> kaiwa.Observations.from_rows("quality", rows)
    Observations('quality', 1 topic, 2 runs, 2 assessors, 3 scores)
    """

    measure: str
    topics: tuple[str, ...]
    runs: tuple[str, ...]
    assessors: tuple[str, ...]
    repeats: tuple[str, ...]
    topic: IntArray
    run: IntArray
    assessor: IntArray
    repeat: IntArray
    values: FloatArray
    direction: Direction = BY_NAME
    axes: Axes = TOPICS_AND_RUNS

    def __post_init__(self) -> None:
        if self.direction is BY_NAME:
            object.__setattr__(self, "direction", known_direction(self.measure))
        if not np.isfinite(self.values).all():
            raise InputError(f"{self.measure}: a score is not a finite number; fix it or leave it out")

    def __repr__(self) -> str:
        return f"Observations({self.measure!r}, {', '.join(self.sizes())})"

    def sizes(self) -> list[str]:
        """How many topics, runs, assessors, repeats and scores there are, in words.

        >>> import kaiwa
        >>> kaiwa.Observations.from_rows("quality", [("q1", "A", "", "", 1.0)]).sizes()
        ['1 topic', '1 run', '1 score']
        """
        words = [counted(len(self.topics), self.axes.topic), counted(len(self.runs), self.axes.run)]
        words += [counted(len(self.assessors), "assessor")] if len(self.assessors) > 1 else []
        words += [counted(len(self.repeats), "repeat")] if len(self.repeats) > 1 else []
        return [*words, counted(len(self.values), "score")]

    @classmethod
    def from_rows(
        cls, measure: str, rows: Iterable[Row], *, direction: Direction = BY_NAME, axes: Axes = TOPICS_AND_RUNS
    ) -> Observations:
        """Scores from rows of topic, run, assessor, repeat and score; an assessor or repeat may be ``""``.

        >>> import kaiwa
        >>> kaiwa.Observations.from_rows("quality", [("q1", "A", "ann", "", 1.0)]).assessors
        ('ann',)
        """
        listed = list(rows)
        if not listed:
            raise InputError(f"{measure}: no score; give at least one")
        columns = list(zip(*listed, strict=True))
        names = [{name: place for place, name in enumerate(dict.fromkeys(column))} for column in columns[:4]]
        codes = [
            np.array([known[name] for name in column], dtype=np.int64)
            for known, column in zip(names, columns, strict=False)
        ]
        values = np.array(columns[4], dtype=float)
        topics, runs, assessors, repeats = (tuple(known) for known in names)
        topic, run, assessor, repeat = codes
        if len({*zip(*(code.tolist() for code in codes), strict=True)}) < len(listed):
            raise InputError(f"{measure}: duplicate score; give each repeat its own name")
        return cls(measure, topics, runs, assessors, repeats, topic, run, assessor, repeat, values, direction, axes)

    @property
    def label(self) -> str:
        """The measure's name for readers: ``ppl (lower is better)``."""
        return labelled(self.measure, self.direction)

    def variance(self, *, confidence: float = 0.95) -> CrossedVariance:
        """Variance components of topic, run, assessor and repeat, the leniency of assessors, and the effect of more.

        >>> import kaiwa
        >>> rows = [(f"q{i}", run, "", "", i % 5 + i * k % 3 + 9 * k) for i in range(9) for k, run in enumerate("AB")]
        >>> kaiwa.Observations.from_rows("quality", rows).variance().components[0].name
        'topic'
        """
        found: CrossedVariance = verb("Observations.variance")(self, confidence=confidence)
        return found

    def compare(self, *, alpha: float = 0.05) -> CrossedComparison:
        """Every pair of runs compared by the crossed model: adjusted means, simultaneous intervals, probabilities.

        >>> import kaiwa
        >>> rows = [(f"q{i}", run, "", "", i % 5 + i * k % 3 + 9 * k) for i in range(9) for k, run in enumerate("AB")]
        >>> kaiwa.Observations.from_rows("quality", rows).compare().ranks
        {'B': 1, 'A': 2}
        """
        found: CrossedComparison = verb("Observations.compare")(self, alpha=alpha)
        return found

    def columns(self) -> dict[str, Sequence[object]]:
        """The rows, column by column: measure, topic, run, assessor, repeat and score.

        >>> import kaiwa
        >>> kaiwa.Observations.from_rows("quality", [("q1", "A", "ann", "", 1.0)]).columns()["assessor"]
        ['ann']
        """
        named = {
            "topic": (self.topics, self.topic),
            "run": (self.runs, self.run),
            "assessor": (self.assessors, self.assessor),
            "repeat": (self.repeats, self.repeat),
        }
        return {
            "measure": [self.measure] * len(self.values),
            **{name: [names[code] for code in codes.tolist()] for name, (names, codes) in named.items()},
            "score": self.values.tolist(),
        }
