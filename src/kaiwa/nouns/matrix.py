"""What pure methods take: one measure's scores as a matrix without gaps, or one by one with assessor and repeat.

With them: the direction of a measure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

import numpy as np

from kaiwa.errors import InputError, UnknownName, counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kaiwa.nouns.ids import FloatArray, IntArray

    Row = tuple[str, str, str, str, float]


Direction = Literal["higher", "lower"]
LOWER_IS_BETTER = frozenset(
    {
        "perplexity",
        "ppl",
        "perplexity_per_token",
        "perplexity_per_seq",
        "bits_per_byte",
        "bits_per_character",
        "bpb",
        "bpc",
        "loss",
        "nll",
        "log_loss",
        "cross_entropy",
        "negative_log_likelihood",
        "regret",
        "error",
        "error_rate",
        "mse",
        "rmse",
        "mae",
        "mape",
        "brier",
        "brier_score",
        "ece",
        "eer",
        "wer",
        "cer",
        "ter",
        "mer",
        "der",
        "distance",
        "divergence",
        "jsd",
        "kld",
        "kl",
        "emd",
        "nmd",
        "rnod",
        "rsnod",
        "rnss",
        "fid",
    }
)
"""The measures, or the last words of their names, whose lower scores are better."""
BEST = {"higher": "highest", "lower": "lowest"}
"""The word for the best score."""


BY_NAME: Any = ""  # Any: scores replace it by a direction when they are made
"""The default direction of scores: that of the measure's name."""


class Axes(NamedTuple):
    """What the rows and columns of a score matrix are called, in the singular."""

    topic: str
    run: str


TOPICS_AND_RUNS = Axes("topic", "run")
SAMPLES_AND_MODELS = Axes("sample", "model")
"""The words for a log of an LLM evaluation."""


def known_direction(measure: str) -> Direction:
    """The direction of a measure by its name: its task, filter and cutoff are ignored; unknown names are higher.

    >>> [known_direction(name) for name in ("nERR@10", "wikitext:word_perplexity", "wer,none", "eval/loss")]
    ['higher', 'lower', 'lower', 'lower']
    """
    name = re.split("[,@]", measure.rsplit(":", 1)[-1].lower())[0]
    words = re.findall("[a-z0-9]+", name)
    endings = {"_".join(words[place:]) for place in range(len(words))}
    return "lower" if endings & LOWER_IS_BETTER else "higher"


def require_direction(direction: str) -> None:
    """Refuse a word that is not a direction."""
    if direction not in get_args(Direction):
        raise UnknownName.among("direction", direction, get_args(Direction))


def oriented(values: FloatArray, direction: Direction) -> FloatArray:
    """The values such that higher is better: negated if lower is better.

    >>> import numpy as np
    >>> oriented(np.array([10.5, 15.5]), "lower").tolist()
    [-10.5, -15.5]
    """
    return -values if direction == "lower" else values


def labelled(measure: str, direction: Direction) -> str:
    """The measure's name for readers, who expect that higher is better.

    >>> labelled("nERR@10", "higher"), labelled("ppl", "lower")
    ('nERR@10', 'ppl (lower is better)')
    """
    return measure if direction == "higher" else f"{measure} (lower is better)"


class Labelled:
    """A result of one measure."""

    measure: str
    direction: Direction

    @property
    def label(self) -> str:
        """The measure's name for readers: ``ppl (lower is better)``."""
        return labelled(self.measure, self.direction)


def better_of(a: str, b: str, diff: float, direction: Direction) -> str | None:
    """The better of two runs, whose scores differ by ``diff`` = a - b; None if they are equal.

    >>> better_of("A", "B", -5.0, "lower"), better_of("A", "B", -5.0, "higher"), better_of("A", "B", 0.0, "lower")
    ('A', 'B', None)
    """
    if diff == 0:
        return None
    return a if (diff > 0) == (direction == "higher") else b


@dataclass(frozen=True, eq=False)
class Matrix:
    """One measure's scores as a topics x runs matrix with names on both axes; every cell is a number.

    ``direction`` says which scores are better, ``higher`` or ``lower``; by default the measure's name decides.
    ``axes`` are the words for topics and runs in texts and messages.

    >>> scores = Matrix("nG@1", ("q1", "q2"), ("A", "B"), np.array([[1.0, 0.0], [0.5, 0.25]]))
    >>> scores
    Matrix('nG@1', 2 topics, 2 runs)
    >>> Matrix("ppl", ("q1",), ("A", "B"), np.array([[15.5, 10.5]])).direction
    'lower'
    """

    measure: str
    topics: tuple[str, ...]
    runs: tuple[str, ...]
    values: FloatArray
    direction: Direction = BY_NAME
    axes: Axes = TOPICS_AND_RUNS

    def __post_init__(self) -> None:
        if self.direction is BY_NAME:
            object.__setattr__(self, "direction", known_direction(self.measure))
        require_direction(self.direction)
        if self.values.shape != (len(self.topics), len(self.runs)):
            raise InputError(
                f"{self.measure}: a {self.values.shape} matrix for {len(self.topics)} topics and "
                f"{len(self.runs)} runs; give one row per topic, one column per run"
            )
        for kind, names in ((self.axes.topic, self.topics), (self.axes.run, self.runs)):
            if len(set(names)) != len(names):
                duplicate = next(name for place, name in enumerate(names) if name in names[:place])
                raise InputError(f"{self.measure}: duplicate {kind} {duplicate!r}; give each {kind} once")
        if not np.isfinite(self.values).all():
            row, column = np.argwhere(~np.isfinite(self.values))[0].tolist()
            raise InputError(
                f"{self.measure}: the score of {self.axes.run} {self.runs[column]!r} on {self.axes.topic} "
                f"{self.topics[row]!r} is not a finite number; fix it or leave out that {self.axes.topic} or "
                f"{self.axes.run}"
            )

    def __repr__(self) -> str:
        size = f"{counted(len(self.topics), self.axes.topic)}, {counted(len(self.runs), self.axes.run)}"
        return f"Matrix({self.measure!r}, {size}{', lower is better' if self.direction == 'lower' else ''})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Matrix):
            return NotImplemented
        return (self.measure, self.direction, self.topics, self.runs) == (
            other.measure,
            other.direction,
            other.topics,
            other.runs,
        ) and np.array_equal(self.values, other.values)

    __hash__ = None  # type: ignore[assignment]  # arrays inside: scores are compared, not hashed

    @property
    def label(self) -> str:
        """The measure's name for readers: ``ppl (lower is better)``."""
        return labelled(self.measure, self.direction)

    @property
    def oriented(self) -> FloatArray:
        """The matrix such that higher is better: negated if lower is better."""
        return oriented(self.values, self.direction)

    def means(self) -> dict[str, float]:
        """Each run's mean over topics.

        >>> Matrix("nG@1", ("q1", "q2"), ("A", "B"), np.array([[1.0, 0.0], [0.5, 0.0]])).means()
        {'A': 0.75, 'B': 0.0}
        """
        return dict(zip(self.runs, self.values.mean(axis=0).tolist(), strict=True))

    def rows(self) -> dict[str, Sequence[object]]:
        """The scores one by one, column by column: measure, topic, run, assessor, repeat and score.

        >>> Matrix("nG@1", ("q1",), ("A",), np.ones((1, 1))).rows()["score"]
        [1.0]
        """
        unnamed = [""] * self.values.size
        return {
            "measure": [self.measure] * self.values.size,
            "topic": [topic for topic in self.topics for _ in self.runs],
            "run": list(self.runs) * len(self.topics),
            "assessor": unnamed,
            "repeat": unnamed,
            "score": self.values.ravel().tolist(),
        }

    def columns(self) -> dict[str, Sequence[object]]:
        """The topics x runs matrix, column by column: the topics, then each run's scores.

        >>> import pandas
        >>> pandas.DataFrame(Matrix("nG@1", ("q1",), ("A", "B"), np.array([[1.0, 0.5]])).columns())
          topic    A    B
        0    q1  1.0  0.5
        """
        runs = {run: self.values[:, place].tolist() for place, run in enumerate(self.runs)}
        return {"topic": list(self.topics), **runs}


@dataclass(frozen=True, eq=False)
class Observations:
    """One measure's scores, each of a run on a topic, by an assessor and in a repeat; any of them may be missing.

    ``topic``, ``run``, ``assessor`` and ``repeat`` are places in the names; ``assessors`` and ``repeats`` have the one
    name ``""`` if nobody judged and nothing was repeated.

    >>> rows = [("q1", "A", "ann", "", 1.0), ("q1", "A", "bob", "", 0.5), ("q1", "B", "bob", "", 0.0)]
    >>> Observations.from_rows("quality", rows)
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

        >>> Observations.from_rows("quality", [("q1", "A", "", "", 1.0)]).sizes()
        ['1 topic', '1 run', '1 score']
        """
        words = [counted(len(self.topics), self.axes.topic), counted(len(self.runs), self.axes.run)]
        words += [counted(len(self.assessors), "assessor")] if len(self.assessors) > 1 else []
        words += [counted(len(self.repeats), "repeat")] if len(self.repeats) > 1 else []
        return [*words, counted(len(self.values), "score")]

    def topics_per_run(self) -> list[int]:
        """How many topics each run has a score on.

        >>> Observations.from_rows("quality", [("q1", "A", "ann", "", 1.0)]).topics_per_run()
        [1]
        """
        pairs = np.unique(np.stack([self.run, self.topic]), axis=1)
        counts: list[int] = np.bincount(pairs[0], minlength=len(self.runs)).tolist()
        return counts

    @classmethod
    def from_rows(
        cls, measure: str, rows: Iterable[Row], *, direction: Direction = BY_NAME, axes: Axes = TOPICS_AND_RUNS
    ) -> Observations:
        """Scores from rows of topic, run, assessor, repeat and score; an assessor or repeat may be ``""``.

        >>> Observations.from_rows("quality", [("q1", "A", "ann", "", 1.0)]).assessors
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

    @classmethod
    def of_matrix(cls, scores: Matrix) -> Observations:
        """The scores of a matrix.

        >>> Observations.of_matrix(Matrix("AP", ("q1",), ("A", "B"), np.array([[0.5, 0.25]]))).values.tolist()
        [0.5, 0.25]
        """
        topics, runs = scores.values.shape
        unnamed = np.zeros(topics * runs, dtype=np.int64)
        return cls(
            scores.measure,
            scores.topics,
            scores.runs,
            ("",),
            ("",),
            np.repeat(np.arange(topics), runs),
            np.tile(np.arange(runs), topics),
            unnamed,
            unnamed,
            scores.values.ravel(),
            scores.direction,
            scores.axes,
        )

    @property
    def label(self) -> str:
        """The measure's name for readers: ``ppl (lower is better)``."""
        return labelled(self.measure, self.direction)

    def columns(self) -> dict[str, Sequence[object]]:
        """The rows, column by column: measure, topic, run, assessor, repeat and score.

        >>> Observations.from_rows("quality", [("q1", "A", "ann", "", 1.0)]).columns()["assessor"]
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
