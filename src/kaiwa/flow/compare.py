"""Scores in a file, compared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from kaiwa.model import Scores, ScoreSet


def one_measure(scores: ScoreSet, measure: str | None, path: Path) -> Scores:
    """The measure asked for, or the only one there is."""
    if measure is None and len(scores) > 1:
        raise InputError.at(path, f"holds {len(scores)} measures ({', '.join(scores)})", "choose one with -m")
    return scores[measure or next(iter(scores))]
