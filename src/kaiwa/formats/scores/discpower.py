"""Discpower's matrices: bare numbers, topics x runs, ``MEASURE.tsmatrix``, with the names in files beside them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.disk.atomic_files import visible_files
from kaiwa.errors import InputError, option
from kaiwa.formats.file_names import file_name, lines
from kaiwa.formats.scores.score_cells import Cells, cells_of, joined
from kaiwa.formats.scores.score_lists import run_names, topic_names
from kaiwa.formats.scores.score_tables import read_matrix
from kaiwa.formats.text.delimited import read_fields
from kaiwa.formats.text.head import Match

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kaiwa.formats.file_names import Texts
    from kaiwa.formats.text.delimited import Row
    from kaiwa.formats.text.head import Head
    from kaiwa.model.score_set import ScoreSet
    from kaiwa.model.scores import Scores

_ENDING, _RUNS, _TOPICS = ".tsmatrix", "runlist", "topics.tid"


def is_discpower(head: Head) -> Match:
    """Whether the name ends in .tsmatrix, or the folder has such files."""
    return Match.SURE if head.name.endswith(_ENDING) or head.has_files(_ENDING) else Match.NO


def read_discpower(path: Path) -> Cells:
    """The scores of one matrix, with numbered runs and topics; or of a folder of matrices, with its lists of names."""
    if not path.is_dir():
        return read_matrix(path)
    names = [path / _TOPICS, path / _RUNS]
    topics, runs = ([row[0] for _, row in read_fields(file)] for file in names)
    return joined(cells_of(file, _named(file, topics, runs)) for file in visible_files(path.glob(f"*{_ENDING}")))


def _named(file: Path, topics: list[str], runs: list[str]) -> Iterator[Row]:
    rows = list(read_fields(file))
    if len(rows) != len(topics) or any(len(row) != len(runs) for _, row in rows):
        what = f"is not a matrix of {len(topics)} topics x {len(runs)} runs"
        raise InputError.at(file, what, f"name every topic in {_TOPICS} and every run in {_RUNS}")
    for topic, (line, row) in zip(topics, rows, strict=True):
        for run, score in zip(runs, row, strict=True):
            yield line, [file.name.removesuffix(_ENDING), topic, run, score]


def discpower_texts(scores: ScoreSet) -> Texts:
    """The text of each file that Discpower takes: a matrix of numbers per measure, and the lists of names."""
    topics, runs = topic_names(scores), run_names(scores)
    texts = {file_name(f"{table.measure}{_ENDING}"): _matrix(table, topics, runs) for table in scores.values()}
    return texts | {_RUNS: lines("run", runs), _TOPICS: lines("topic", topics)}


def _matrix(table: Scores, topics: list[str], runs: list[str]) -> str:
    """The numbers of one measure in the order of the lists, which all measures share."""
    if set(table.topics) != set(topics) or set(table.runs) != set(runs):
        what = "does not have the topics and runs of the other measures"
        raise InputError.at(f"measure {table.measure!r}", what, f"write one with {option('measure')}")
    rows, columns = (list(map(own.index, wanted)) for own, wanted in ((table.topics, topics), (table.runs, runs)))
    return "".join(f"{' '.join(map(repr, by_run))}\n" for by_run in table.values[rows][:, columns].tolist())
