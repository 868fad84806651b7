from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from kaiwa.errors import InputError, counted
from kaiwa.model.direction import (
    BY_NAME,
    TOPICS_AND_RUNS,
    Axes,
    Direction,
    known_direction,
    labelled,
    oriented,
    require_direction,
)
from kaiwa.model.late import verb
from kaiwa.model.shown import Noun

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kaiwa.compare.baseline import BaselineComparison
    from kaiwa.compare.comparison import Comparison
    from kaiwa.compare.standardisation import Factors
    from kaiwa.compare.variance_components import Variance
    from kaiwa.model.ids import FloatArray


@dataclass(frozen=True, eq=False)
class Scores(Noun):
    """One measure's scores as a topics x runs matrix with names on both axes; every cell is a number.

    ``direction`` says which scores are better, ``higher`` or ``lower``; by default the measure's name decides.
    ``axes`` are the words for topics and runs in texts and messages.

    >>> import kaiwa, numpy
    >>> scores = kaiwa.Scores("nG@1", ("q1", "q2"), ("A", "B"), numpy.array([[1.0, 0.0], [0.5, 0.25]]))
    >>> scores
    Scores('nG@1', 2 topics, 2 runs)
    >>> print(scores)
    run  mean nG@1
    ---  ---------
    A       0.7500
    B       0.1250
    2 topics
    >>> kaiwa.Scores("ppl", ("q1",), ("A", "B"), numpy.array([[15.5, 10.5]])).direction
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
        return f"Scores({self.measure!r}, {size}{', lower is better' if self.direction == 'lower' else ''})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scores):
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

        >>> import kaiwa, numpy
        >>> kaiwa.Scores("nG@1", ("q1", "q2"), ("A", "B"), numpy.array([[1.0, 0.0], [0.5, 0.0]])).means()
        {'A': 0.75, 'B': 0.0}
        """
        return dict(zip(self.runs, self.values.mean(axis=0).tolist(), strict=True))

    def compare(
        self,
        *,
        test: str = "hsd",
        trials: int | Literal["auto"] = 5_000,
        max_trials: int = 320_000,
        alpha: float = 0.05,
        p_rule: Literal["plus-one", "share"] = "plus-one",
        seed: int = 1,
        threads: int = 1,
        margin: float | None = None,
        engine: str = "local",
    ) -> Comparison:
        """Every pair of runs compared: by default with the randomised Tukey HSD test.

        ``test`` is ``hsd``, ``step-down``, ``tukey``, or ``robust`` or ``robust-step-down``, which keep the variances
        and correlations of the runs. ``trials="auto"`` adds trials until no pair is close to ``alpha``, up to
        ``max_trials``. ``margin`` is the smallest difference that matters: each pair then has a ``verdict``.
        ``engine`` computes the trials: ``local`` (with ``threads``), ``local[N]``, ``spark://HOST:PORT`` or
        ``sc://HOST:PORT``; the result does not depend on it.

        >>> import kaiwa, numpy
        >>> scores = kaiwa.Scores("nG@1", tuple("123456"), ("A", "B"), numpy.array([[1.0, 0.0]] * 6))
        >>> scores.compare(trials=999).ranks
        {'A': 1, 'B': 2}
        """
        found: Comparison = verb("Scores.compare")(
            self,
            test=test,
            trials=trials,
            cap=max_trials,
            alpha=alpha,
            p_rule=p_rule,
            rng=np.random.default_rng(seed),
            threads=threads,
            margin=margin,
            engine=engine,
        )
        return found

    def compare_with_baseline(
        self,
        baseline: str,
        *,
        test: str = "randomisation",
        trials: int | None = None,
        alpha: float = 0.05,
        p_rule: Literal["plus-one", "share"] = "plus-one",
        seed: int = 1,
        margin: float | None = None,
        engine: str = "local",
    ) -> BaselineComparison:
        """Every run compared with one baseline by paired tests, Holm-corrected.

        ``test`` is ``randomisation``, ``t`` or ``bootstrap``. Without ``trials`` there are as many as the comparisons
        need at ``alpha``, at least 5,000. ``margin`` is the smallest difference that matters: each run then has a
        ``verdict``, such as ``not inferior``. ``engine`` computes the trials.

        >>> import kaiwa, numpy
        >>> scores = kaiwa.Scores("nG@1", tuple("123456"), ("A", "B"), numpy.array([[1.0, 0.0]] * 6))
        >>> scores.compare_with_baseline("B", test="t").pairs[0].significant
        True
        """
        found: BaselineComparison = verb("Scores.compare_with_baseline")(
            self,
            baseline,
            test=test,
            trials=trials,
            alpha=alpha,
            p_rule=p_rule,
            rng=np.random.default_rng(seed),
            margin=margin,
            engine=engine,
        )
        return found

    def factors(self) -> Factors:
        """Each topic's mean and standard deviation over these runs, for standardising other scores.

        >>> import kaiwa, numpy
        >>> kaiwa.Scores("AP", ("q1",), ("A", "B"), numpy.array([[0.5, 0.25]])).factors().means.tolist()
        [0.375]
        """
        found: Factors = verb("Scores.factors")(self)
        return found

    def standardise(
        self, *, method: str = "std-ab", a: float = 0.15, b: float = 0.5, factors: Factors | None = None
    ) -> Scores:
        """The scores on one scale for every topic: ``std``, ``std-cdf`` or ``std-ab`` (slope ``a``, middle ``b``).

        ``factors`` are those of an earlier round; by default those of these runs.

        >>> import kaiwa, numpy
        >>> raw = kaiwa.Scores("AP", ("q1",), ("A", "B", "C"), numpy.array([[0.1, 0.2, 0.3]]))
        >>> raw.standardise().values.round(2).tolist()
        [[0.35, 0.5, 0.65]]
        """
        made: Scores = verb("Scores.standardise")(self, factors or self.factors(), method=method, a=a, b=b)
        return made

    def variance(
        self, *, trials: int = 2_000, confidence: float = 0.95, seed: int = 1, engine: str = "local"
    ) -> Variance:
        """V_E, V_E2 and the variance components, with bootstrap limits over topics, which ``engine`` computes.

        >>> import kaiwa, numpy
        >>> values = numpy.array([[0.7, 0.5, 0.0], [0.3, 0.1, 0.0], [0.2, 0.0, 0.2], [0.6, 0.2, 0.1]])
        >>> round(kaiwa.Scores("AP", tuple("1234"), ("A", "B", "C"), values).variance().v_e, 4)
        0.0375
        """
        rng = np.random.default_rng(seed)
        found: Variance = verb("Scores.variance")(
            [self.values], trials=trials, confidence=confidence, rng=rng, engine=engine
        )
        return found

    def columns(self) -> dict[str, Sequence[object]]:
        """The rows, column by column: measure, topic, run and score.

        >>> import kaiwa, numpy
        >>> kaiwa.Scores("nG@1", ("q1",), ("A",), numpy.ones((1, 1))).columns()
        {'measure': ['nG@1'], 'topic': ['q1'], 'run': ['A'], 'score': [1.0]}
        """
        return {
            "measure": [self.measure] * self.values.size,
            "topic": [topic for topic in self.topics for _ in self.runs],
            "run": list(self.runs) * len(self.topics),
            "score": self.values.ravel().tolist(),
        }

    def matrix(self) -> dict[str, Sequence[object]]:
        """The topics x runs matrix, column by column: the topics, then each run's scores.

        >>> import kaiwa, numpy, pandas
        >>> pandas.DataFrame(kaiwa.Scores("nG@1", ("q1",), ("A", "B"), numpy.array([[1.0, 0.5]])).matrix())
          topic    A    B
        0    q1  1.0  0.5
        """
        runs = {run: self.values[:, place].tolist() for place, run in enumerate(self.runs)}
        return {"topic": list(self.topics), **runs}

    def write(self, path: Path | str, *, format: str = "csv") -> None:  # noqa: A002  the word that readers know
        """Write the scores as ``csv`` or ``matrix``, or as ``discpower``, ``nev`` or ``trec-eval`` into a folder.

        >>> import kaiwa, numpy
        >>> from pathlib import Path
        >>> from tempfile import mkdtemp
        >>> path = Path(mkdtemp(), "scores.csv")
        >>> kaiwa.Scores("nG@1", ("q1",), ("A",), numpy.ones((1, 1))).write(path, format="matrix")
        >>> print(path.read_text(), end="")
        topic,A
        q1,1.0
        """
        verb("Scores.write")([self], path, format=format)
