"""Scores that keep a ranking's order in every tool that reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

STEP = 2.0**-22
"""Two places of single precision, in which trec_eval holds scores."""


def told_apart(ranking: Sequence[tuple[str, float]]) -> list[tuple[str, float]]:
    """The ranking, best first, with scores that tie, or would in single precision, a hair below the one before.

    A tool that sorts by score breaks ties by its own rule; here every tool finds the same order.

    >>> told_apart([("c1", 4.0), ("c2", 4.0), ("c3", 1.0)])
    [('c1', 4.0), ('c2', 3.9999990463256836), ('c3', 1.0)]
    """
    apart: list[tuple[str, float]] = []
    for comment, score in ranking:
        before = apart[-1][1] if apart else float("inf")
        apart.append((comment, min(score, before - STEP * max(abs(before), 1.0)) if apart else score))
    return apart
