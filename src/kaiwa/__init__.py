"""Kaiwa: run and measure a Short Text Conversation task, or any part of one.

The names below are the public API; each is loaded when first used, so ``import kaiwa`` costs nothing.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kaiwa.api import (
        Comparison,
        Gains,
        Run,
        Scores,
        ScoreSet,
        Votes,
        design,
        read_qrels,
        read_run,
        read_runs,
        read_scores,
        read_topics,
        read_votes,
        score,
    )
    from kaiwa.api import open_index as open  # noqa: A004  kaiwa.open, not the builtin
    from kaiwa.errors import DesignError, InputError, KaiwaError, UnknownName
    from kaiwa.model.pair import Pair

_HOMES = {
    "kaiwa.api": (
        "Comparison Gains Run Scores ScoreSet Votes design open_index read_qrels read_run read_runs "
        "read_scores read_topics read_votes score"
    ),
    "kaiwa.errors": "DesignError InputError KaiwaError UnknownName",
    "kaiwa.model.pair": "Pair",
}
_PUBLIC = {name: home for home, names in _HOMES.items() for name in names.split()}

__all__ = [
    "Comparison",
    "DesignError",
    "Gains",
    "InputError",
    "KaiwaError",
    "Pair",
    "Run",
    "ScoreSet",
    "Scores",
    "UnknownName",
    "Votes",
    "design",
    "open",
    "read_qrels",
    "read_run",
    "read_runs",
    "read_scores",
    "read_topics",
    "read_votes",
    "score",
]


def __getattr__(name: str) -> Any:  # Any: the attribute's own type
    inside = "open_index" if name == "open" else name
    if inside not in _PUBLIC:
        raise AttributeError(f"module 'kaiwa' has no attribute {name!r}")
    return getattr(importlib.import_module(_PUBLIC[inside]), inside)


def __dir__() -> list[str]:
    return __all__
