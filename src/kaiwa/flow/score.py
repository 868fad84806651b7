"""Score run files against judgements: read one run, score it, drop it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, option
from kaiwa.formats.readers import each_run
from kaiwa.formats.scores.score_tables import write_matrix, write_scores
from kaiwa.measure.chosen_measure import choose
from kaiwa.measure.scoring import Reading, RunScores, Scored, gather, in_portions, score_together

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

    from kaiwa.measure.judgements import Judgements
    from kaiwa.model.run import Run

OFFICIAL = ("nG@1", "nERR@10", "P+")
"""The measures of the STC overview, in its order."""
_BLOCK_ROWS = 64


def score_files(
    paths: Sequence[Path],
    judgements: Judgements,
    measures: Sequence[str] = OFFICIAL,
    *,
    reading: Reading | None = None,
    order: str | None = None,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Scored:
    """The scores of run files, one table per measure."""
    chosen = [choose(name) for name in measures]
    reading = reading or Reading()
    topics = judgements.gains.topics
    rows = max(len(paths), _BLOCK_ROWS)  # scores kept run by run would fragment memory
    scored: list[RunScores] = []
    for portion in in_portions(_judged_runs(paths, order, topics, on_progress)):
        for one in score_together(portion, judgements, chosen, reading):
            if len(scored) % rows == 0:
                block = np.empty((rows, len(chosen), len(topics)))
            block[len(scored) % rows] = one.values
            scored.append(replace(one, values=block[len(scored) % rows]))
    return gather(scored, judgements, chosen, reading)


def _judged_runs(
    paths: Sequence[Path], order: str | None, judged: Sequence[str], on_progress: Callable[[int, int], None]
) -> Iterator[Run]:
    """The runs of all files, each checked to answer at least one judged topic."""
    known = frozenset(judged)
    for path, run in each_run(_watched(paths, on_progress), order=order):
        if known.isdisjoint(run.topics):
            what = f"no topic of the run is judged (the run has {run.topics[0]!r}, the judgements {judged[0]!r})"
            raise InputError.at(path, what, "give the judgements of its topics")
        yield run


def _watched(paths: Sequence[Path], on_progress: Callable[[int, int], None]) -> Iterator[Path]:
    for done, path in enumerate(paths):
        on_progress(done, len(paths))
        yield path


def write_scored(path: Path, scored: Scored, *, matrix: bool = False) -> None:
    """Write the scores as tidy CSV, or the one measure's as a topics x runs matrix."""
    if not matrix:
        write_scores(path, scored)
        return
    if len(scored) != 1:
        raise InputError(
            f"{option('matrix')} writes one measure, but {len(scored)} are given; give one {option('measure')}"
        )
    write_matrix(path, next(iter(scored.values())))
