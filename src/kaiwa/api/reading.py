"""Files and data frames in, nouns with verbs out."""

from __future__ import annotations

from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING

from kaiwa.api.nouns import Gains, Run, ScoreSet, Votes, dressed
from kaiwa.errors import InputError
from kaiwa.formats import data_frames as frames
from kaiwa.formats import readers

if TYPE_CHECKING:
    from kaiwa.formats.data_frames import Frame


def read_run(source: Path | str | Frame, *, order: str | None = None) -> Run:
    """A run from an STC/NTCIR or TREC file or a data frame, each topic's comments in rank order."""
    if isinstance(source, Path | str):
        return dressed(Run, readers.read_run(source, order=order))
    found = frames.runs_of(source, order=order)
    if len(found) > 1:
        raise InputError.at(frames.PLACE, f"holds {len(found)} runs", "read them with read_runs")
    return dressed(Run, found[0])


def read_runs(*sources: Path | str | Frame, order: str | None = None) -> list[Run]:
    """Runs from files named or matched by patterns such as ``runs/*.txt``, folders of .res files, or data frames."""
    paths = [path for source in sources if isinstance(source, Path | str) for path in _matched(str(source))]
    framed = [
        run for source in sources if not isinstance(source, Path | str) for run in frames.runs_of(source, order=order)
    ]
    return [dressed(Run, run) for run in (*readers.read_runs(paths, order=order), *framed)]


def read_qrels(source: Path | str | Frame) -> Gains:
    """Judgements from a TREC, NTCIR or BEIR file, NTCIREVAL's folder or a data frame, each grade as its own gain."""
    return dressed(Gains, readers.read_qrels(source) if isinstance(source, Path | str) else frames.gains_of(source))


def read_votes(source: Path | str | Frame, *, top: int | None = None) -> Votes:
    """Votes from STC labels, tidy CSV or a data frame."""
    if isinstance(source, Path | str):
        return dressed(Votes, readers.read_votes(source, top=top))
    return dressed(Votes, frames.votes_of(source, top=top))


def read_scores(source: Path | str | Frame) -> ScoreSet:
    """Scores from tidy CSV, a topics x runs matrix, what NTCIREVAL or trec_eval printed, or a data frame."""
    found = readers.read_scores(source) if isinstance(source, Path | str) else frames.scores_of(source)
    return ScoreSet(found.values())


def read_topics(path: Path | str) -> dict[str, str]:
    """Topics from lines ``id TAB text``."""
    return readers.read_topics(Path(path))


def _matched(pattern: str) -> list[str]:
    if Path(pattern).exists():
        return [pattern]
    found = sorted(glob(pattern, recursive=True))  # noqa: PTH207  an absolute pattern has no folder to start from
    if not found:
        raise InputError.at(pattern, "no such file", "check the name and the folder")
    return found
