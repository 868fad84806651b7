"""Data frames of pandas, polars, pyarrow, duckdb and others as nouns, by Arrow's PyCapsule protocol.

Columns are found by name: Kaiwa's own, those of ir_measures (``query_id``, ``doc_id``, ``relevance``), PyTerrier
(``qid``, ``docno``, ``label``, ``name``) and logs (``sample_id``, ``model``), in any case of letters, or the names that
the caller gives; others are ignored.
"""

from __future__ import annotations

from math import isfinite
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from kaiwa.errors import InputError, UnknownName, needs_extra
from kaiwa.formats.fields import COLUMNS, usual_column
from kaiwa.nouns.cells import Cell, Part, mean_cell
from kaiwa.nouns.qrels import Qrels
from kaiwa.nouns.run import Run
from kaiwa.nouns.votes import Votes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from kaiwa.nouns.cells import Cells

    ScoreRow = tuple[str, str, str, float | None]


PLACE = "the data frame"
_MOST_LEVELS = 1000
Values = list[Any]  # Any: values of a frame's cells, checked when they are read


class Frame(Protocol):
    """A table that exports a stream of Arrow batches."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


def add_scores(cells: Cells, frame: Frame, *, measure: str = "score", names: Mapping[str, str] | None = None) -> None:
    """Add the scores of a frame, long or wide, to the cells; ``names`` are the names of its columns.

    Long: topic, run, score, and measure when there are several. Wide: topic, run and a column for each measure, or
    topic and a column for each run; an empty cell of a wide frame is a gap. ``measure`` is the name of the scores of a
    frame without measures; a name of its column of measures that no column has is that name too.
    """
    named = dict(names or {})
    column = named.pop("measure", None)
    columns = _Columns(frame, named)
    if column is not None and columns.is_other(column):
        columns = _Columns(frame, {**named, "measure": column})
    elif column is not None:
        measure = column
    if columns.has("score") and (columns.has("assessor") or columns.has("repeat")):
        _add_parts(cells, columns, measure)
        return
    rows = _long(columns, measure) if columns.has("score") else _wide(columns, measure)
    for name, topic, run, score in rows:
        try:
            cells.add(name, topic, run, Cell(score))
        except InputError as fault:
            raise InputError(f"{PLACE}: {fault.marked}") from None


def _add_parts(cells: Cells, columns: _Columns, measure: str) -> None:
    """Add the means of scores by assessor or repeat, which are kept."""
    rows = list(_long(columns, measure))
    assessors, repeats = (
        columns.ids(name) if columns.has(name) else [""] * len(rows) for name in ("assessor", "repeat")
    )
    parts: dict[tuple[str, str, str], list[Part]] = {}
    for (name, topic, run, score), assessor, repeat in zip(rows, assessors, repeats, strict=True):
        own = parts.setdefault((name, topic, run), [])
        if score is not None:
            own.append(Part(score, assessor, repeat))
    for (name, topic, run), own in parts.items():
        cells.add(name, topic, run, mean_cell(tuple(own), None))


def _long(columns: _Columns, measure: str) -> Iterator[ScoreRow]:
    topics, runs, scores = columns.ids("topic"), columns.ids("run"), columns.numbers("score")
    measures = columns.ids("measure") if columns.has("measure") else [measure] * len(scores)
    return zip(measures, topics, runs, scores, strict=True)


def _wide(columns: _Columns, measure: str) -> Iterator[ScoreRow]:
    named = columns.other_numbers() if columns.has("topic") else {}
    if not named:
        columns.numbers("score")  # raises the error for the missing column
    topics = columns.ids("topic")
    if columns.has("run"):
        runs = columns.ids("run")
        return (
            (name, topic, run, score)
            for name, scores in named.items()
            for topic, run, score in zip(topics, runs, scores, strict=True)
        )
    return (
        (measure, topic, name, scores[place]) for place, topic in enumerate(topics) for name, scores in named.items()
    )


def runs_of(frame: Frame, *, order: str | None = None, names: Mapping[str, str] | None = None) -> list[Run]:
    """The runs of a frame: topic, comment, score, and run if several; ranked by rank if it has that column.

    ``names`` are the names of its columns.
    """
    columns = _Columns(frame, names or {})
    order = order or ("rank" if columns.has("rank") else "score")
    if order not in _ORDERS:
        raise UnknownName.among("order", order, _ORDERS)
    topics, comments, scores = columns.ids("topic"), columns.ids("comment"), columns.numbers("score")
    run_per_row = columns.ids("run") if columns.has("run") else ["run"] * len(scores)
    ranks = columns.numbers("rank") if order == "rank" else scores
    lists: dict[str, dict[str, list[tuple[float, str, float]]]] = {}
    for name, topic, comment, rank, score in zip(run_per_row, topics, comments, ranks, scores, strict=True):
        lists.setdefault(name, {}).setdefault(topic, []).append((rank, comment, score))
    return [_run(name, by_topic, order) for name, by_topic in lists.items()]


_ORDERS: dict[str, Callable[[list[tuple[float, str, float]]], list[tuple[float, str, float]]]] = {
    "file": list,
    "score": lambda rows: sorted(rows, key=lambda row: (row[2], row[1]), reverse=True),
    "rank": lambda rows: sorted(rows, key=lambda row: row[0]),
}


def _run(name: str, lists: dict[str, list[tuple[float, str, float]]], order: str) -> Run:
    ranked = {topic: [row[1:] for row in _ORDERS[order](rows)] for topic, rows in lists.items()}
    try:
        return Run.from_lists(name, ranked)
    except InputError as fault:
        raise InputError(f"{PLACE}: run {name!r}, {fault.marked}") from None


def qrels_of(frame: Frame, *, names: Mapping[str, str] | None = None) -> Qrels:
    """The judgements of a frame: topic, comment, gain; ``names`` are the names of its columns."""
    columns = _Columns(frame, names or {})
    gains: dict[str, dict[str, float]] = {}
    rows = zip(columns.ids("topic"), columns.ids("comment"), columns.numbers("gain"), strict=True)
    for place, (topic, comment, gain) in enumerate(rows, start=1):
        items = gains.setdefault(topic, {})
        if comment in items:
            raise _fault(place, f"duplicate judgement of comment {comment!r} of topic {topic!r}", "keep one judgement")
        items[comment] = gain
    return Qrels.from_lists(gains)


def votes_of(frame: Frame, *, top: int | None = None, names: Mapping[str, str] | None = None) -> Votes:
    """The votes of a frame: topic, comment, assessor, level (missing: NA); ``names`` are the names of its columns."""
    columns = _Columns(frame, names or {})
    ids = (columns.ids("topic"), columns.ids("comment"), columns.ids("assessor"))
    try:
        return Votes.from_rows(zip(*ids, columns.levels("level"), strict=True), max_level=top)
    except InputError as fault:
        raise InputError(f"{PLACE}: {fault.marked}") from None


def topics_of(frame: Frame) -> dict[str, str]:
    """The topics of a frame: topic and text."""
    columns = _Columns(frame)
    topics: dict[str, str] = {}
    for place, (topic, text) in enumerate(zip(columns.ids("topic"), columns.texts("text"), strict=True), start=1):
        if topic in topics:
            raise _fault(place, f"duplicate topic {topic!r}", "keep one")
        topics[topic] = text
    return topics


class _Columns:
    """A frame's columns by Kaiwa's names; every cell is checked."""

    def __init__(self, frame: Frame, named: Mapping[str, str] = MappingProxyType({})) -> None:
        self._named = named
        if not hasattr(frame, "__arrow_c_stream__"):
            what = f"{type(frame).__name__} is neither a path nor a data frame"
            raise InputError(f"{what}; give a path, or a frame of pandas, polars or pyarrow")
        with needs_extra("parquet"):
            import pyarrow as pa
        self._table = pa.table(frame)
        names = self._table.column_names
        if twice := [name for name in names if names.count(name) > 1]:
            raise InputError.at(PLACE, f"has the column {twice[0]!r} twice", "rename or drop one")
        if not self._table.num_rows:
            raise InputError.at(PLACE, "has no rows", "give at least one row")

        for column, name in named.items():
            if name not in names:
                present = ", ".join(map(repr, names))
                raise InputError.at(PLACE, f"has no column {name!r}", f"name another as {column}=: {present}")

    def is_other(self, name: str) -> bool:
        """Whether the frame has a column of this name that is not its scores."""
        return name in self._table.column_names and name != self._name("score")

    def has(self, column: str) -> bool:
        """Whether the frame has the column, by any of its names."""
        return self._name(column) is not None

    def ids(self, column: str) -> list[str]:
        """A column of names; whole numbers are names too."""
        return [self._id(place, column, cell) for place, cell in enumerate(self._cells(column), start=1)]

    def texts(self, column: str) -> list[str]:
        """A column of texts."""
        cells = self._cells(column)
        for place, cell in enumerate(cells, start=1):
            if not isinstance(cell, str):
                raise _fault(place, f"{column} {_shown(cell)} is not a text", "give the text")
        return cells

    def numbers(self, column: str) -> list[float]:
        """A column of finite numbers."""
        cells = self._cells(column)
        for place, cell in enumerate(cells, start=1):
            if not isinstance(cell, int | float) or not isfinite(cell):
                raise _fault(place, f"{column} {_shown(cell)} is not a finite number", "fix the row")
        return [float(cell) for cell in cells]

    def other_numbers(self) -> dict[str, list[float | None]]:
        """The columns of numbers whose names are not Kaiwa's, by name; None for an empty cell."""
        own = {name for names in COLUMNS.values() for name in names}
        others = [
            name for name in self._table.column_names if name.lower() not in own and name not in self._named.values()
        ]
        cells = {name: self._table.column(name).to_pylist() for name in others}
        return {name: list(map(_number_or_gap, column)) for name, column in cells.items() if _are_numbers(column)}

    def levels(self, column: str) -> list[int | None]:
        """A column of levels 0, 1, ...; None for an empty cell."""
        cells = self._cells(column)
        for place, cell in enumerate(cells, start=1):
            if cell is not None and not (isinstance(cell, int | float) and 0 <= cell == cell // 1 < _MOST_LEVELS):
                raise _fault(place, f"{column} {_shown(cell)} is not a level", "give 0, 1, 2, ...")
        return [None if cell is None else int(cell) for cell in cells]

    def _name(self, column: str) -> str | None:
        if column in self._named:
            return self._named[column]
        taken = set(self._named.values())
        return usual_column(column, [name for name in self._table.column_names if name not in taken])

    def _cells(self, column: str) -> Values:
        name = self._name(column)
        if name is None:
            known, present = " or ".join(map(repr, COLUMNS[column])), ", ".join(map(repr, self._table.column_names))
            fix = f"rename one of {present}, or name it: from_pandas(frame, {column}=...)"
            raise InputError.at(PLACE, f"has no column {known}", fix)
        cells: Values = self._table.column(name).to_pylist()
        return cells

    @staticmethod
    def _id(place: int, column: str, cell: object) -> str:
        if isinstance(cell, bool) or not isinstance(cell, str | int) or cell == "":
            raise _fault(place, f"{column} {_shown(cell)} is not a name", "give text or a whole number")
        return str(cell)


def _are_numbers(cells: Values) -> bool:
    return any(cell is not None for cell in cells) and all(isinstance(cell, int | float | None) for cell in cells)


def _number_or_gap(cell: float | None) -> float | None:
    return None if cell is None or not isfinite(cell) else float(cell)


def _fault(place: int, what: str, fix: str) -> InputError:
    return InputError.at(f"{PLACE}, row {place}", what, fix)


def _shown(cell: object) -> str:
    return "is missing and" if cell is None else repr(cell)
