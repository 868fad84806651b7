"""Score files and logs of any format as complete matrices, with remarks on what was left out."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kaiwa.errors import InputError, UnknownName, counted, option
from kaiwa.formats.format import SCORES
from kaiwa.formats.readers import format_of, read
from kaiwa.formats.scores.score_cells import MEAN_REMARK, complete_scores, joined

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from pathlib import Path

    from kaiwa.formats.scores.score_cells import Cells, CompleteScores
    from kaiwa.model.direction import Direction
    from kaiwa.model.observations import Observations
    from kaiwa.model.score_set import ScoreSet
    from kaiwa.model.scores import Scores

    Directions = Mapping[str, Direction]

_MOST_NAMES, _MOST_REASONS = 5, 2


@dataclass(frozen=True)
class Loaded:
    """One measure's scores, the runs that cannot be ranked, and remarks on the files and on missing scores."""

    scores: Scores
    unranked: tuple[str, ...]
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class LoadedObservations:
    """One measure's scores by assessor and repeat, and remarks on the files."""

    observed: Observations
    remarks: tuple[str, ...]


@dataclass(frozen=True)
class LoadedSet:
    """Several measures' scores, and remarks on the files and on missing scores."""

    scores: ScoreSet
    remarks: tuple[str, ...]


def read_scores(path: Path | str) -> ScoreSet:
    """The scores in a file or folder, by measure; the measure of a matrix is named after its file."""
    return complete_scores(read(SCORES, path)).scores


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


def load_observations(
    paths: Sequence[Path], *, measure: str | None = None, directions: Directions | None = None
) -> LoadedObservations:
    """Every score of one measure with its assessor and repeat; gaps need no rule."""
    cells = read_cells(paths, directions)
    chosen = chosen_measure(cells.tables, measure, paths[0])
    remarks = [line for line in log_remarks(cells.only([chosen])) if MEAN_REMARK not in line]
    return LoadedObservations(cells.observations(chosen), tuple(remarks))


def loaded_scores(cells: Cells, path: Path, *, measure: str | None, missing: str = "error") -> Loaded:
    """One measure of the cells, which are those of ``path``."""
    chosen = chosen_measure(cells.tables, measure, path)
    complete = complete_scores(cells.only([chosen]), missing=missing)
    return Loaded(complete.scores[chosen], complete.runs_left_out[chosen], _remarks(cells, complete))


def loaded_set(cells: Cells, path: Path, *, measures: Sequence[str] = (), missing: str = "error") -> LoadedSet:
    """The measures of the cells, by default every one; the cells are those of ``path``."""
    chosen = [chosen_measure(cells.tables, measure, path) for measure in measures or cells.tables]
    complete = complete_scores(cells.only(chosen), missing=missing)
    return LoadedSet(complete.scores, _remarks(cells, complete))


def chosen_measure(known: Collection[str], measure: str | None, place: object) -> str:
    """The measure of this name, or the only measure."""
    if measure is None and len(known) > 1:
        raise InputError.at(
            place, f"contains {len(known)} measures ({', '.join(known)})", f"choose one with {option('measure')}"
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


def log_remarks(cells: Cells) -> tuple[str, ...]:
    """Lines on logs that ended in error or have samples without a score."""
    return (*cells.remarks, *(line for measure in cells.tables for line in _unscored(cells, measure)))


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


def _unscored(cells: Cells, measure: str) -> list[str]:
    """A line for each log with samples that have no score: how many, and why."""
    table = cells.tables[measure].values()
    reasons: dict[Path | None, Counter[str]] = {}
    for cell in table:
        if cell.score is None and cell.reason:
            reasons.setdefault(cell.path, Counter())[cell.reason] += 1
    sizes = Counter(cell.path for cell in table)
    lines = []
    for path, counts in reasons.items():
        why = "; ".join(f"{count} x {reason}" for reason, count in counts.most_common(_MOST_REASONS))
        more = "; ..." if len(counts) > _MOST_REASONS else ""
        lines.append(
            f"{path}: {counts.total()} of {counted(sizes[path], cells.axes.topic)} without {measure}: {why}{more}"
        )
    return lines
