"""Nouns from files: a verb asks for a noun and gets it from a file or folder in any format.

A file that contains another noun is recognised, and the error says which command takes it.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from kaiwa.errors import InputError, UnknownName, counted, option
from kaiwa.formats.qrels import read_grouped_file
from kaiwa.formats.recognition import CHANCES, FACTORS, PAIRS, QRELS, RUNS, SCORES, TOPICS, VOTES, Head, Match
from kaiwa.formats.table import FORMATS
from kaiwa.nouns.cells import complete_scores, joined, log_remarks
from kaiwa.nouns.scores import Scores

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from kaiwa.formats.pairs import Batch
    from kaiwa.formats.recognition import Content, Format
    from kaiwa.nouns.cells import Cells, CompleteScores
    from kaiwa.nouns.factors import Factors
    from kaiwa.nouns.matrix import Direction, Matrix
    from kaiwa.nouns.qrels import IntentChances, Qrels
    from kaiwa.nouns.run import Run
    from kaiwa.nouns.votes import Votes

    Directions = Mapping[str, Direction]


MAX_LEVEL = 1_000
"""The highest level that a scale of votes may have."""
T = TypeVar("T")
W = TypeVar("W")


def read(noun: Content[T, W], path: Path | str, **options: object) -> T:
    """The noun in a file or folder, in any of its formats; ``options`` are those of the noun."""
    found: T = format_of(Path(path), noun).read(Path(path), **options)
    return found


def read_run(path: Path | str, *, order: str | None = None) -> Run:
    """The one run of a file, each topic's comments in rank order.

    Without ``order``, NTCIR runs rank by the order of their lines and TREC runs (``Q0``) by score
    descending, then id descending; ``order`` may be ``file``, ``score`` or ``rank``.
    """
    runs = read(RUNS, path, order=order)
    if len(runs) > 1:
        raise InputError.at(path, f"contains {len(runs)} runs", "read them with read_runs")
    return runs[0]


def read_runs(paths: Iterable[Path | str], *, order: str | None = None) -> list[Run]:
    """The runs of all files and folders; two runs of the same name are an error."""
    return [run for _, run in each_run(paths, order=order)]


def each_run(paths: Iterable[Path | str], *, order: str | None = None) -> Iterator[tuple[Path | str, Run]]:
    """The runs one after the other, each with its file, so that its memory can be freed before the next is read."""
    sources: dict[str, Path | str] = {}
    for path in paths:
        for run in read(RUNS, path, order=order):
            if run.name in sources:
                what = f"duplicate run name {run.name!r} (first in {sources[run.name]})"
                raise InputError.at(path, what, "rename one")
            sources[run.name] = path
            yield path, run


def read_qrels(path: Path | str) -> Qrels:
    """Judgements, with each grade as its gain: ``L2`` and ``2`` give 2, ``0.75`` gives 0.75.

    The scale's top is the largest grade in the file; grades can be mapped to gains, and another top declared, later.
    """
    return read(QRELS, path)


def read_grouped_qrels(path: Path | str) -> dict[str, Qrels]:
    """Judgements by group: the second column's intents, assessors or judgement groups, each as its own gains.

    With five columns, a group and a subgroup (trec_eval's preference judgements) are named ``group/subgroup``.
    """
    format_of(Path(path), QRELS)
    groups: dict[str, Qrels] = read_grouped_file(Path(path))
    return groups


def read_votes(path: Path | str, *, top: int | None = None) -> Votes:
    """The votes in a file; ``top`` is the scale's highest level."""
    if top is not None and not 1 <= top <= MAX_LEVEL:
        what = f"{option('max_level', str(top))} is not a level from 1 to {MAX_LEVEL:,}"
        raise InputError(f"{what}; give the scale's highest level")
    return read(VOTES, path, top=top)


def read_topics(path: Path | str) -> dict[str, str]:
    """The topics of a task, id to text."""
    if Path(path).is_dir():
        raise InputError.at(path, "is a folder", "give a file of topics, with lines of: id TAB text")
    return read(TOPICS, path)


def read_pairs(path: Path) -> Iterator[Batch]:
    """The file's pairs, batch by batch, ids and texts unchanged."""
    return read(PAIRS, path)


def read_factors(path: Path) -> Factors:
    """The standardisation factors in a file."""
    return read(FACTORS, path)


def read_chances(path: Path) -> IntentChances:
    """The probability of each intent of a topic."""
    return read(CHANCES, path)


def format_of(
    path: Path, noun: Content[T, W], *others: Content[Any, Any]
) -> Format[Any, Any]:  # Any: of any of the nouns
    """The format of a file that should hold one of the nouns; a file that fits another noun better is an error.

    If no format recognises the file, the format is the first noun's default, whose reader reports what is wrong.
    """
    head = Head(path)
    nouns = (noun, *others)
    best, match = _best(head, _rows(nouns))
    if match is Match.SURE:
        return best
    other, better = _best(head, _rows_of_others(nouns))
    if better > match:
        raise _wrong_noun(path, other, nouns, better)
    return best


def recognised(path: Path, *nouns: Content[Any, Any]) -> tuple[Format[Any, Any], Match]:  # Any: of any of the nouns
    """The format of the nouns that fits a file or folder best, and how well it fits."""
    return _best(Head(path), _rows(nouns))


def refuse_other_nouns(path: Path, *nouns: Content[Any, Any]) -> None:  # Any: as above
    """Refuse a file or folder that surely contains another noun."""
    other, match = _best(Head(path), _rows_of_others(nouns))
    if match is Match.SURE:
        raise _wrong_noun(path, other, nouns, match)


def _rows(nouns: Sequence[Content[Any, Any]]) -> list[Format[Any, Any]]:  # Any: as above
    return [row for noun in nouns for row in FORMATS.values() if row.noun is noun]


def _rows_of_others(nouns: Sequence[Content[Any, Any]]) -> list[Format[Any, Any]]:  # Any: as above
    return [row for row in FORMATS.values() if row.noun not in nouns]


def _best(head: Head, rows: Iterable[Format[Any, Any]]) -> tuple[Format[Any, Any], Match]:
    """The first row that is sure, else the first possible one, else the first row."""
    found = []
    for row in rows:
        match = row.recognise(head)
        if match is Match.SURE:
            return row, match
        found.append((row, match))
    return max(found, key=lambda pair: pair[1])


def _wrong_noun(path: Path, found: Format[Any, Any], nouns: tuple[Content[Any, Any], ...], match: Match) -> InputError:
    if path.suffix == ".parquet" and match is not Match.SURE:
        fix = "read it with pandas.read_parquet, and give the data frame"
        return InputError.at(path, "is Parquet, of which only pairs are read", fix)
    if path.suffix == ".json" and match is not Match.SURE:
        what = f"is JSON, and no {' or '.join(noun.name for noun in nouns)} of a known form"
        return InputError.at(path, what, "load it, and give the dict or the data frame")
    what = f"this is {found.noun.file} ({found.shape}), not {' or '.join(noun.wanted for noun in nouns)}"
    return InputError.at(path, what, found.noun.use.format(path=shlex.quote(str(path))))


# Score files and logs of any format as complete matrices, with remarks on what was left out.


_MOST_NAMES = 5


@dataclass(frozen=True)
class Loaded:
    """One measure's scores, the runs that cannot be ranked, and remarks on the files and on missing scores."""

    scores: Matrix
    unranked: tuple[str, ...]
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class LoadedSet:
    """Several measures' scores, and remarks on the files and on missing scores."""

    scores: Scores
    remarks: tuple[str, ...]


def read_scores(path: Path | str) -> Scores:
    """The scores in a file or folder, by measure; the measure of a matrix is named after its file."""
    return Scores(complete_scores(read(SCORES, path)).scores.values())


def read_cells(paths: Sequence[Path], directions: Directions | None = None) -> Cells:
    """The scores of several files or folders together, with gaps; ``directions`` are those that the user chose."""
    formats = {path: format_of(path, SCORES) for path in paths}
    together = [path for path, row in formats.items() if row.read_together is not None]
    if together and len(together) < len(formats):
        raise InputError.at(together[0], "is a log among score tables", "give logs or tables, not both")
    if together and (read_all := formats[together[0]].read_together) is not None:
        cells: Cells = read_all(together)
    else:
        cells = joined(formats[path].read(path) for path in paths)
    return with_directions(cells, directions, paths[0]) if directions else cells


def read_separately(paths: Sequence[Path], directions: Directions | None = None) -> list[Cells]:
    """The scores of each file or folder, with gaps; a chosen direction needs a measure of one of them only."""
    each = [read_cells([path]) for path in paths]
    _require_measures(directions or {}, dict.fromkeys(measure for cells in each for measure in cells.tables), paths[0])
    return [cells.directed(directions or {}) for cells in each]


def with_directions(cells: Cells, directions: Directions, place: object = "scores") -> Cells:
    """The cells with the directions that the user chose; a measure that they do not have is an error."""
    _require_measures(directions, cells.tables, place)
    return cells.directed(directions)


def _require_measures(directions: Directions, known: Collection[str], place: object) -> None:
    for measure in directions:
        chosen_measure(known, measure, place)


def load_scores(
    paths: Sequence[Path],
    *,
    measure: str | None = None,
    missing: str = "error",
    directions: Directions | None = None,
) -> Loaded:
    """One measure of score files of any format, all runs together; gaps of other measures do not matter."""
    return loaded_scores(read_cells(paths, directions), paths[0], measure=measure, missing=missing)


def loaded_scores(cells: Cells, path: Path, *, measure: str | None, missing: str = "error") -> Loaded:
    """One measure of the cells, which are those of ``path``."""
    chosen = chosen_measure(cells.tables, measure, path)
    complete = complete_scores(cells.only([chosen]), missing=missing)
    return Loaded(complete.scores[chosen], complete.runs_left_out[chosen], _remarks(cells, complete))


def loaded_set(cells: Cells, path: Path, *, measures: Sequence[str] = (), missing: str = "error") -> LoadedSet:
    """The measures of the cells, by default every one; the cells are those of ``path``."""
    chosen = [chosen_measure(cells.tables, measure, path) for measure in measures or cells.tables]
    complete = complete_scores(cells.only(chosen), missing=missing)
    return LoadedSet(Scores(complete.scores.values()), _remarks(cells, complete))


def chosen_measure(known: Collection[str], measure: str | None, place: object) -> str:
    """The measure of this name, or the only measure."""
    if measure is None and len(known) > 1:
        raise InputError.at(
            place, f"contains {len(known)} measures ({', '.join(known)})", f"choose one with {option('measures')}"
        )
    if measure is not None and measure not in known:
        raise InputError(f"{place}: {UnknownName.among('measure', measure, known)}")
    return measure if measure is not None else next(iter(known))


def matrices(paths: Sequence[Path], measure: str | None, directions: Directions | None = None) -> list[Loaded]:
    """One measure of each score file; logs of an LLM evaluation, one per model, make one matrix together."""
    if are_logs(paths):
        return [load_scores(paths, measure=measure, directions=directions)]
    each = read_separately(paths, directions)
    return [loaded_scores(cells, path, measure=measure) for path, cells in zip(paths, each, strict=True)]


def are_logs(paths: Sequence[Path]) -> bool:
    """Whether there are logs among the files, which are only understood together."""
    return any(format_of(path, SCORES).read_together for path in paths)


def _remarks(cells: Cells, complete: CompleteScores) -> tuple[str, ...]:
    found = list(log_remarks(cells.only(complete.scores)))
    for measure in complete.scores:
        left_out = ((cells.axes.topic, complete.topics_left_out), (cells.axes.run, complete.runs_left_out))
        for noun, names in ((noun, by_measure[measure]) for noun, by_measure in left_out):
            if names:
                shown = ", ".join(names[:_MOST_NAMES]) + (", ..." if len(names) > _MOST_NAMES else "")
                found.append(f"{measure}: {counted(len(names), noun)} left out for missing scores: {shown}")
        if count := complete.filled[measure]:
            found.append(f"{measure}: {counted(count, 'missing score')} counted as 0")
    return tuple(found)
