from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, UnknownName

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kaiwa.model.ids import FloatArray


@dataclass(frozen=True, eq=False)
class Scores:
    """One measure's scores as a topics x runs matrix with names on both axes; every cell is a number."""

    measure: str
    topics: tuple[str, ...]
    runs: tuple[str, ...]
    values: FloatArray

    def __post_init__(self) -> None:
        if self.values.shape != (len(self.topics), len(self.runs)):
            raise InputError(
                f"{self.measure}: a {self.values.shape} matrix for {len(self.topics)} topics and "
                f"{len(self.runs)} runs; give one row a topic, one column a run"
            )
        for kind, names in (("topic", self.topics), ("run", self.runs)):
            if len(set(names)) != len(names):
                twice = next(name for place, name in enumerate(names) if name in names[:place])
                raise InputError(f"{self.measure}: {kind} {twice!r} stands twice; give each {kind} once")
        if not np.isfinite(self.values).all():
            row, column = np.argwhere(~np.isfinite(self.values))[0].tolist()
            raise InputError(
                f"{self.measure}: the score of run {self.runs[column]!r} on topic {self.topics[row]!r} "
                f"is not a finite number; mend it or leave out that topic or run"
            )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scores):
            return NotImplemented
        return (self.measure, self.topics, self.runs) == (
            other.measure,
            other.topics,
            other.runs,
        ) and np.array_equal(self.values, other.values)

    __hash__ = None  # type: ignore[assignment]  # arrays inside: scores are compared, not hashed

    def means(self) -> dict[str, float]:
        """Each run's mean over topics.

        >>> Scores("nG@1", ("q1", "q2"), ("A", "B"), np.array([[1.0, 0.0], [0.5, 0.0]])).means()
        {'A': 0.75, 'B': 0.0}
        """
        return dict(zip(self.runs, self.values.mean(axis=0).tolist(), strict=True))


class ScoreSet:
    """Scores by measure name, in the order they were made: a read-only mapping.

    It is no ``collections.abc.Mapping``, for data frame libraries take any of those for a table of columns.
    """

    def __init__(self, tables: Iterable[Scores]) -> None:
        self._tables: dict[str, Scores] = {}
        for table in tables:
            if table.measure in self._tables:
                raise InputError(f"measure {table.measure!r} stands twice; give each measure once")
            self._tables[table.measure] = table

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
        """The measures."""
        return list(self)

    def values(self) -> list[Scores]:
        """The scores of each measure."""
        return [self[measure] for measure in self]

    def items(self) -> list[tuple[str, Scores]]:
        """Each measure and its scores."""
        return [(measure, self[measure]) for measure in self]
