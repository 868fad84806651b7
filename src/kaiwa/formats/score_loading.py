"""Score files of any format as one set of complete matrices, with what was left out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kaiwa.errors import InputError, UnknownName, counted, option
from kaiwa.formats.format import SCORES
from kaiwa.formats.readers import format_of, read
from kaiwa.formats.scores.score_cells import complete_scores, joined

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kaiwa.formats.scores.score_cells import Cells, CompleteScores
    from kaiwa.model.score_set import ScoreSet
    from kaiwa.model.scores import Scores


@dataclass(frozen=True)
class Loaded:
    """One measure's scores, the runs that cannot be ranked, and remarks on what was left out or filled."""

    scores: Scores
    unranked: tuple[str, ...]
    remarks: tuple[str, ...]


def read_scores(path: Path | str) -> ScoreSet:
    """The scores in a file or folder, by measure; the measure of a matrix is named after its file."""
    return complete_scores(read(SCORES, path)).scores


def read_cells(paths: Sequence[Path]) -> Cells:
    """The scores of several files or folders together, with gaps."""
    formats = {path: format_of(path, SCORES) for path in paths}
    together = [path for path, row in formats.items() if row.read_together is not None]
    if together and len(together) < len(formats):
        raise InputError.at(together[0], "is a JSON log among score tables", "give logs or tables, not both")
    if together and (read_all := formats[together[0]].read_together) is not None:
        logs: Cells = read_all(together)
        return logs
    return joined(formats[path].read(path) for path in paths)


def load_scores(paths: Sequence[Path], *, measure: str | None = None, missing: str = "error") -> Loaded:
    """One measure of score files of any format, all runs together."""
    complete = complete_scores(read_cells(paths), missing=missing)
    scores = one_measure(complete.scores, measure, paths[0])
    return Loaded(scores, complete.runs_left_out[scores.measure], _remarks(complete, scores.measure))


def load_all(paths: Sequence[Path]) -> ScoreSet:
    """Every measure of the files, all runs together."""
    return complete_scores(read_cells(paths)).scores


def one_measure(scores: ScoreSet, measure: str | None, path: Path) -> Scores:
    """The measure of this name, or the only measure."""
    if measure is None and len(scores) > 1:
        raise InputError.at(
            path, f"contains {len(scores)} measures ({', '.join(scores)})", f"choose one with {option('measure')}"
        )
    if measure is not None and measure not in scores:
        raise InputError(f"{path}: {UnknownName.among('measure', measure, scores)}")
    return scores[measure if measure is not None else next(iter(scores))]


def matrices(paths: Sequence[Path], measure: str | None) -> list[Scores]:
    """One measure of each score file; logs of an LLM evaluation, one per model, make one matrix together."""
    if any(format_of(path, SCORES).read_together for path in paths):
        return [load_scores(paths, measure=measure).scores]
    return [one_measure(read_scores(path), measure, path) for path in paths]


def _remarks(complete: CompleteScores, measure: str) -> tuple[str, ...]:
    found = []
    for noun, names in (("topic", complete.topics_left_out[measure]), ("run", complete.runs_left_out[measure])):
        if names:
            shown = ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")  # noqa: PLR2004
            found.append(f"{measure}: {counted(len(names), noun)} left out for missing scores: {shown}")
    if count := complete.filled[measure]:
        found.append(f"{measure}: {counted(count, 'missing score')} counted as 0")
    return tuple(found)
