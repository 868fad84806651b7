"""The engine on Apache Spark, by its DataFrame functions alone, so that Spark Connect has all that it needs."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from kaiwa.engine.arrow_tables import ByKey, ByTask, decoded
from kaiwa.engine.calls import Call, sorted_by
from kaiwa.engine.dataset import Gathered
from kaiwa.engine.spark.tasks import (
    FAULT,
    JOINED,
    LEFT,
    NOTE,
    ORDERED,
    REGROUPED,
    RIGHT,
    SCHEMA,
    STORED,
    TASKS,
    Stage,
    fault_of,
    mapped,
    note_of,
    rows_in,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from kaiwa.engine.arrow_tables import Split
    from kaiwa.engine.dataset import Dataset
    from kaiwa.engine.spark.session import SparkAccess


PARTS_PER_WORKER = 4
"""Of a regrouping, if the dataset has fewer tasks: a large file that cannot be split is one task."""


class SparkEngine:
    """Runs tasks on the workers of a Spark master or server."""

    def __init__(self, access: SparkAccess, shared: str) -> None:
        self.access, self.shared = access, shared
        self.workers = access.workers
        self.stored = list[Any]()  # Any: data frames that are kept

    def tables(
        self, step: Callable[..., Any], tasks: Sequence[Any], *arguments: object
    ) -> SparkDataset:  # Any: pickles
        """A dataset of what the step makes of each task."""
        frame = self.access.session.range(0, len(tasks), 1, len(tasks))
        stage = Stage(0, TASKS, Call(step, arguments), (), None, len(tasks), tasks=tuple(tasks), shared=self.shared)
        return SparkDataset(self, frame, stage)


@dataclass(frozen=True)
class SparkDataset:
    """A data frame, and the stage that is not part of it yet."""

    engine: SparkEngine
    frame: Any  # Any: a data frame of Spark or Spark Connect
    stage: Stage

    def map(self, step: Callable[..., Any], *arguments: object) -> SparkDataset:  # Any: tables and notes
        """The step for each table."""
        return replace(self, stage=replace(self.stage, calls=(*self.stage.calls, Call(step, arguments))))

    def regrouped(self, key: str, step: Callable[..., Any], *arguments: object) -> SparkDataset:  # Any: as above
        """The step for all rows of a key."""
        parts = max(self.stage.parts, PARTS_PER_WORKER * self.engine.workers)
        frame = self.split_frame(ByKey(key, parts), parts, LEFT).repartitionById(parts, "part")
        return self.then(frame, REGROUPED, Call(step, arguments), parts)

    def joined(
        self, other: Dataset, key: str, step: Callable[..., Any], *arguments: object
    ) -> SparkDataset:  # Any: as above
        """The step for all rows of a key of both datasets."""
        if not isinstance(other, SparkDataset):
            raise TypeError("a dataset of another engine")
        parts = max(self.stage.parts, other.stage.parts, PARTS_PER_WORKER * self.engine.workers)
        split = ByKey(key, parts)
        both = self.split_frame(split, parts, LEFT).unionAll(other.split_frame(split, parts, RIGHT))
        later = replace(self, stage=replace(self.stage, number=max(self.stage.number, other.stage.number)))
        return later.then(both.repartitionById(parts, "part"), JOINED, Call(step, arguments), parts)

    def in_order(self, step: Callable[..., Any], *arguments: object) -> SparkDataset:  # Any: as above
        """The step for all rows of a task."""
        parts = self.stage.parts
        frame = self.split_frame(ByTask(), parts, LEFT).repartitionById(parts, "part")
        ordered = frame.sortWithinPartitions("piece", "stage", "origin", "place")
        return self.then(ordered, ORDERED, Call(step, arguments), parts)

    def kept(self) -> SparkDataset:
        """The tables, kept by Spark in memory and on the workers' disks."""
        frame = self._made(self.stage).persist()
        self.engine.stored.append(frame)
        return self.then(frame, STORED, None, self.stage.parts)

    def gathered(self, *, by: Sequence[str] = ()) -> Gathered:
        """All rows, and all notes; the first error is raised."""
        with self.engine.access.one_line():
            collected = self._made(self.stage).toArrow()
        found = sorted(rows_in(collected.to_batches()), key=lambda row: row.order)
        for row in found:
            if row.kind == FAULT:
                raise fault_of(row)
        tables = [decoded(row.data) for row in found if row.kind == LEFT]
        return Gathered(sorted_by(tables, by), tuple(note_of(row) for row in found if row.kind == NOTE))

    def split_frame(self, split: Split, parts: int, side: int) -> Any:  # Any: a data frame
        """The data frame in which the rows know their parts of the next stage."""
        return self._made(replace(self.stage, split=split, parts=parts, side=side))

    def _made(self, stage: Stage) -> Any:  # Any: a data frame
        def run(batches: Iterator[Any]) -> Iterator[Any]:  # Any: Arrow batches; pickled by value, and small
            return stage.batches(batches)

        return mapped(self.frame, run, SCHEMA)

    def then(self, frame: Any, kind: int, call: Call | None, parts: int) -> SparkDataset:  # Any: a data frame
        """The dataset of the next stage, whose input is the data frame."""
        stage = Stage(self.stage.number + 1, kind, call, (), None, parts, shared=self.engine.shared)
        return SparkDataset(self.engine, frame, stage)


@contextmanager
def opened_spark(access: SparkAccess, shared: str) -> Iterator[SparkEngine]:
    """The engine on a session; what it keeps is freed at the end."""
    engine = SparkEngine(access, shared)
    try:
        yield engine
    finally:
        for frame in engine.stored:
            frame.unpersist()
