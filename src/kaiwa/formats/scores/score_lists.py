"""One run's scores as other evaluators list them: by topic, then by measure, with their names of measures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.errors import InputError, option
from kaiwa.formats.file_names import word

if TYPE_CHECKING:
    from collections.abc import Callable

    from kaiwa.model.score_set import ScoreSet


def by_topic(
    scores: ScoreSet, run: str, renamed: Callable[[str], str], *, forbidden: str = ""
) -> dict[str, dict[str, float]]:
    """The run's scores as {topic: {measure: score}}, measures renamed; no name may contain a blank or ``forbidden``."""
    listed: dict[str, dict[str, float]] = {}
    sources: dict[str, str] = {}
    for table in scores.values():
        measure = word("measure", renamed(word("measure", table.measure)), first=True, forbidden=forbidden)
        if (other := sources.setdefault(measure, table.measure)) != table.measure:
            what = f"measures {other!r} and {table.measure!r} are both {measure!r} in this format"
            raise InputError(f"{what}; write one with {option('measure')}")
        if run in table.runs:
            for topic, score in zip(table.topics, table.values[:, table.runs.index(run)].tolist(), strict=True):
                listed.setdefault(word("topic", topic, first=True, forbidden=forbidden), {})[measure] = score
    return listed


def run_names(scores: ScoreSet) -> list[str]:
    """Every run of the scores, in order of appearance."""
    return list(dict.fromkeys(run for table in scores.values() for run in table.runs))


def topic_names(scores: ScoreSet) -> list[str]:
    """Every topic of the scores, in order of appearance."""
    return list(dict.fromkeys(topic for table in scores.values() for topic in table.topics))
