from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from kaiwa.errors import InputError, UnknownName
from kaiwa.model.direction import TOPICS_AND_RUNS, Axes
from kaiwa.model.late import verb
from kaiwa.model.shown import Shown

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from kaiwa.compare.comparison import Comparison
    from kaiwa.model.scores import Scores


class ScoreSet(Shown):
    """Scores by measure name, in the order given: a read-only mapping.

    ``topics_left_out`` and ``runs_left_out`` name, by measure, what was left out for missing scores; ``filled``
    counts the missing scores taken as 0; ``remarks`` are lines on logs that ended in error or have samples without a
    score. It is not a ``collections.abc.Mapping``, because data frame libraries read
    a Mapping as a table of columns.

    >>> import kaiwa, numpy
    >>> scores = kaiwa.ScoreSet([kaiwa.Scores("nG@1", ("q1",), ("A",), numpy.ones((1, 1)))])
    >>> scores["nG@1"].means()
    {'A': 1.0}
    >>> print(scores)
    run    nG@1
    ---  ------
    A    1.0000
    Means over 1 topic
    """

    def __init__(
        self,
        tables: Iterable[Scores],
        *,
        topics_left_out: Mapping[str, tuple[str, ...]] | None = None,
        runs_left_out: Mapping[str, tuple[str, ...]] | None = None,
        filled: Mapping[str, int] | None = None,
        remarks: tuple[str, ...] = (),
    ) -> None:
        self._tables: dict[str, Scores] = {}
        for table in tables:
            if table.measure in self._tables:
                raise InputError(f"duplicate measure {table.measure!r}; give each measure once")
            self._tables[table.measure] = table
        self.topics_left_out = dict(topics_left_out or {})
        self.runs_left_out = dict(runs_left_out or {})
        self.filled = dict(filled or {})
        self.remarks = remarks

    @property
    def axes(self) -> Axes:
        """The words for topics and runs."""
        return next((table.axes for table in self._tables.values()), TOPICS_AND_RUNS)

    def __getitem__(self, measure: str) -> Scores:
        if measure not in self._tables:
            raise UnknownName.among("measure", measure, self._tables)
        return self._tables[measure]

    def __contains__(self, measure: object) -> bool:
        return measure in self._tables

    def __iter__(self) -> Iterator[str]:
        return iter(self._tables)

    def __len__(self) -> int:
        return len(self._tables)

    def __repr__(self) -> str:
        return f"ScoreSet({', '.join(self._tables)})"

    def __eq__(self, other: object) -> bool:
        return dict(self.items()) == dict(other.items()) if isinstance(other, ScoreSet) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # arrays inside: scores are compared, not hashed

    def keys(self) -> list[str]:
        """The measures.

        >>> import kaiwa, numpy
        >>> kaiwa.ScoreSet([kaiwa.Scores("nG@1", ("q1",), ("A",), numpy.ones((1, 1)))]).keys()
        ['nG@1']
        """
        return list(self)

    def values(self) -> list[Scores]:
        """The scores of each measure.

        >>> import kaiwa, numpy
        >>> kaiwa.ScoreSet([kaiwa.Scores("nG@1", ("q1",), ("A",), numpy.ones((1, 1)))]).values()
        [Scores('nG@1', 1 topic, 1 run)]
        """
        return [self[measure] for measure in self]

    def items(self) -> list[tuple[str, Scores]]:
        """Each measure and its scores.

        >>> import kaiwa, numpy
        >>> kaiwa.ScoreSet([kaiwa.Scores("nG@1", ("q1",), ("A",), numpy.ones((1, 1)))]).items()
        [('nG@1', Scores('nG@1', 1 topic, 1 run))]
        """
        return [(measure, self[measure]) for measure in self]

    def means(self) -> dict[str, dict[str, float]]:
        """Each run's mean over topics by each measure that scores it.

        >>> import kaiwa, numpy
        >>> kaiwa.ScoreSet([kaiwa.Scores("nG@1", ("q1",), ("A",), numpy.ones((1, 1)))]).means()
        {'A': {'nG@1': 1.0}}
        """
        by_measure = {measure: scores.means() for measure, scores in self.items()}
        runs = dict.fromkeys(run for means in by_measure.values() for run in means)
        return {run: {measure: means[run] for measure, means in by_measure.items() if run in means} for run in runs}

    def compare(
        self,
        *,
        trials: int = 5_000,
        alpha: float = 0.05,
        p_rule: Literal["plus-one", "share"] = "plus-one",
        seed: int = 1,
        threads: int = 1,
        margin: float | None = None,
        engine: str = "local",
    ) -> dict[str, Comparison]:
        """Every pair of runs compared under every measure as one family: the error is over all of them together.

        >>> import kaiwa, numpy
        >>> values = numpy.array([[1.0, 0.0]] * 6)
        >>> tables = [kaiwa.Scores(measure, tuple("123456"), ("A", "B"), values) for measure in ("nG@1", "P+")]
        >>> {measure: found.ranks for measure, found in kaiwa.ScoreSet(tables).compare(trials=999).items()}
        {'nG@1': {'A': 1, 'B': 2}, 'P+': {'A': 1, 'B': 2}}
        """
        rng = np.random.default_rng(seed)
        found: dict[str, Comparison] = verb("ScoreSet.compare")(
            self.values(),
            trials=trials,
            alpha=alpha,
            p_rule=p_rule,
            rng=rng,
            threads=threads,
            margin=margin,
            engine=engine,
        )
        return found

    def columns(self) -> dict[str, Sequence[object]]:
        """The rows of all measures, column by column: measure, topic, run and score.

        >>> import kaiwa, numpy
        >>> kaiwa.ScoreSet([kaiwa.Scores("nG@1", ("q1",), ("A",), numpy.ones((1, 1)))]).columns()
        {'measure': ['nG@1'], 'topic': ['q1'], 'run': ['A'], 'score': [1.0]}
        """
        each = [scores.columns() for scores in self.values()]
        names = ("measure", "topic", "run", "score")
        return {name: [cell for columns in each for cell in columns[name]] for name in names}

    def write(self, path: Path | str, *, format: str = "csv") -> None:  # noqa: A002  the word that readers know
        """Write the scores as ``csv``, or as ``discpower``, ``nev`` or ``trec-eval`` into a folder.

        >>> import kaiwa, numpy
        >>> from pathlib import Path
        >>> from tempfile import mkdtemp
        >>> path = Path(mkdtemp(), "scores.csv")
        >>> kaiwa.ScoreSet([kaiwa.Scores("nG@1", ("q1",), ("A",), numpy.ones((1, 1)))]).write(path)
        >>> print(path.read_text(), end="")
        measure,topic,run,score
        nG@1,q1,A,1.0
        """
        verb("Scores.write")(self.values(), path, format=format)
