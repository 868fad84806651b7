"""Standardisation factors: the mean and standard deviation of each topic over the runs of one round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, UnknownName, counted
from kaiwa.nouns.noun import Noun
from kaiwa.show.result import Description, Table

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kaiwa.nouns.ids import FloatArray
    from kaiwa.show.text import Cell


@dataclass(frozen=True, eq=False)
class TopicFactors:
    """The mean and standard deviation of each topic, over the runs of one round, under one measure.

    A standard deviation of 0 marks a topic on which all those runs tied: every standardised score is neutral.
    """

    measure: str
    topics: tuple[str, ...]
    means: FloatArray
    sds: FloatArray

    def __post_init__(self) -> None:
        if not (np.isfinite(self.means).all() and np.isfinite(self.sds).all() and (self.sds >= 0).all()):
            raise InputError(f"{self.measure}: a topic's mean or sd is not a number, or the sd is below 0; fix it")
        if len(set(self.topics)) != len(self.topics):
            raise InputError(f"{self.measure}: duplicate topic; keep one factor per topic")


class Factors(Noun):
    """The mean and standard deviation of each topic, over the runs of one round, by measure.

    ``factors["AP"]`` are the factors of one measure, which have ``measure``, ``topics``, ``means`` and ``sds``. They
    are not a Mapping, as ``Scores`` are none.

    >>> import kaiwa
    >>> made = kaiwa.Scores.from_matrix("AP", ["q1"], "AB", [[0.5, 0.25]]).standardise()
    >>> made.factors, made.factors["AP"].topics
    (Factors('AP', 1 topic), ('q1',))
    """

    _in_table = "factors"

    def __init__(self, each: Iterable[TopicFactors]) -> None:
        self._each = {one.measure: one for one in each}

    def __repr__(self) -> str:
        names = [repr(measure) for measure in self._each]
        shown = names if len(names) <= _MOST_NAMED else [counted(len(names), "measure")]
        topics = dict.fromkeys(topic for one in self._each.values() for topic in one.topics)
        return f"Factors({', '.join([*shown, counted(len(topics), 'topic')])})"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Factors):
            return NotImplemented
        return self.factors == other.factors

    __hash__ = None  # type: ignore[assignment]  # arrays inside: factors are compared, not hashed

    def __getitem__(self, measure: str) -> Factors:
        if measure not in self._each:
            raise UnknownName.among("measure", measure, self._each)
        return Factors([self._each[measure]])

    def __contains__(self, measure: object) -> bool:
        return measure in self._each

    def __iter__(self) -> Iterator[str]:
        return iter(self._each)

    def __len__(self) -> int:
        return len(self._each)

    def keys(self) -> list[str]:
        """The measures.

        >>> import kaiwa
        >>> kaiwa.Scores.from_matrix("AP", ["q1"], "AB", [[0.5, 0.25]]).standardise().factors.keys()
        ['AP']
        """
        return list(self)

    def of(self, measure: str | None = None) -> TopicFactors:
        """The factors of this measure, or of the only one, as methods take them.

        >>> import kaiwa
        >>> factors = kaiwa.Scores.from_matrix("AP", ["q1"], "AB", [[0.5, 0.25]]).standardise().factors
        >>> factors.of("AP").means
        array([0.375])
        """
        if measure is None and len(self._each) != 1:
            names = ", ".join(map(repr, self._each)) or "none"
            what = f"the factors have {counted(len(self._each), 'measure')} ({names}), and this takes one"
            raise InputError(f"{what}; choose it, as factors[{next(iter(self._each), 'nG@1')!r}]")
        name = next(iter(self._each)) if measure is None else measure
        if name not in self._each:
            raise UnknownName.among("measure", name, self._each)
        return self._each[name]

    @property
    def measure(self) -> str:
        """The name of the one measure."""
        return self.of().measure

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics of the one measure."""
        return self.of().topics

    @property
    def means(self) -> FloatArray:
        """The mean of each topic under the one measure."""
        return self.of().means

    @property
    def sds(self) -> FloatArray:
        """The standard deviation of each topic under the one measure; 0 where all runs tied."""
        return self.of().sds

    @property
    def factors(self) -> dict[str, dict[str, dict[str, float]]]:
        """The mean and sd of each topic, by measure."""
        return {
            name: {
                topic: {"mean": mean, "sd": sd}
                for topic, mean, sd in zip(one.topics, one.means.tolist(), one.sds.tolist(), strict=True)
            }
            for name, one in self._each.items()
        }

    def describe(self) -> Description:
        """How many topics each measure has factors of; the table ``factors`` has them."""
        rows: list[list[Cell]] = [
            [measure, topic, own["mean"], own["sd"]]
            for measure, topics in self.factors.items()
            for topic, own in topics.items()
        ]
        sizes: list[list[Cell]] = [
            [one.measure, len(one.topics), int((one.sds == 0).sum())] for one in self._each.values()
        ]
        return Description(
            tables=(
                Table("factors", ["measure", "topic", "mean", "sd"], rows),
                Table("measures", ["measure", "topics", "tied"], sizes, ["measure", "topics", "all runs tie"]),
            ),
            shown=["measures"],
            fields={"factors": self.factors},
        )

    def _own_file(self, table: str | None) -> str:
        """The CSV file of factors; another table as ``print`` shows it."""
        return self.texts("factors")[""] if table in {None, "factors"} else super()._own_file(table)

    def _written(self, form: str | None, table: str | None) -> str:
        """What a file of this form holds; CSV is its own file."""
        return self._own_file(table) if form == "csv" and table in {None, "factors"} else super()._written(form, table)


_MOST_NAMED = 5


NO_FACTORS = Factors(())
"""Of raw scores."""
