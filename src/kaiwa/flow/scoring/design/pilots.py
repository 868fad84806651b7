"""Pilot score files, checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.errors import InputError
from kaiwa.formats.score_loading import matrices

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kaiwa.flow.scoring.design.options import Question
    from kaiwa.model.scores import Scores


def read_pilots(question: Question, remark: Callable[[str], None]) -> list[Scores]:
    """The measure of every pilot file, checked to have enough topics and runs for a variance.

    ``remark`` is called with each line on the files.
    """
    loaded = matrices(question.pilots, question.measure, question.directions)
    for path, one in zip(question.pilots, loaded, strict=False):  # logs make one table together
        for line in one.remarks:
            remark(line)
        _require_variance(path, one.scores)
    return [one.scores for one in loaded]


def _require_variance(path: Path, table: Scores) -> None:
    (topic, run), (topics, runs) = table.axes, table.values.shape
    if topics < 2:  # noqa: PLR2004
        raise InputError.at(path, f"holds one {topic}, which has no variance", f"give a pilot of 2 {topic}s or more")
    if runs < 2:  # noqa: PLR2004
        raise InputError.at(path, f"holds one {run}", f"give a pilot of 2 {run}s or more")
    if not (table.values != table.values[0]).any():
        raise InputError.at(path, f"every {run} scores the same on every {topic}", "give a pilot that varies")
