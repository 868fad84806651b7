"""Pilot score files, checked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.errors import InputError
from kaiwa.formats.score_loading import matrices

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kaiwa.model.scores import Scores


def read_pilots(paths: Sequence[Path], measure: str | None) -> list[Scores]:
    """One measure of every pilot file, checked to have enough topics and runs for a variance."""
    tables = matrices(paths, measure)
    for path, table in zip(paths, tables, strict=False):  # logs make one table together
        topics, runs = table.values.shape
        if topics < 2:  # noqa: PLR2004
            raise InputError.at(path, "holds one topic, which has no variance", "give a pilot of 2 topics or more")
        if runs < 2:  # noqa: PLR2004
            raise InputError.at(path, "holds one run", "give a pilot of 2 runs or more")
        if not (table.values != table.values[0]).any():
            raise InputError.at(path, "every run scores the same on every topic", "give a pilot that varies")
    return tables
