"""Kaiwa: run and measure a Short Text Conversation task, or any part of one.

The names below are the public API; each is loaded when first used, so ``import kaiwa`` costs nothing.
"""

from __future__ import annotations

import importlib
from typing import Any

_PUBLIC = {
    "Comparison": "kaiwa.api",
    "DesignError": "kaiwa.errors",
    "Gains": "kaiwa.model",
    "InputError": "kaiwa.errors",
    "KaiwaError": "kaiwa.errors",
    "Pair": "kaiwa.model",
    "Run": "kaiwa.model",
    "ScoreSet": "kaiwa.api",
    "Scores": "kaiwa.api",
    "UnknownName": "kaiwa.errors",
    "Votes": "kaiwa.api",
    "read_qrels": "kaiwa.api",
    "read_run": "kaiwa.api",
    "read_runs": "kaiwa.api",
    "read_scores": "kaiwa.api",
    "read_topics": "kaiwa.api",
    "read_votes": "kaiwa.api",
    "score": "kaiwa.api",
}

__all__ = sorted(_PUBLIC)  # noqa: PLE0605  a list of names, as the language asks


def __getattr__(name: str) -> Any:  # Any: the attribute's own type
    if name not in _PUBLIC:
        raise AttributeError(f"module 'kaiwa' has no attribute {name!r}")
    return getattr(importlib.import_module(_PUBLIC[name]), name)


def __dir__() -> list[str]:
    return __all__
