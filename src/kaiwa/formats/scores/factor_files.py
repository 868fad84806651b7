"""Standardisation factors on disk, CSV ``measure,topic,mean,sd``: an earlier round reads a later one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.disk.atomic_files import write_text
from kaiwa.errors import InputError, option
from kaiwa.formats.text.delimited import csv_text, number, read_csv
from kaiwa.formats.text.head import Match

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from kaiwa.compare.standardisation import Factors
    from kaiwa.formats.format import Texts
    from kaiwa.formats.text.head import Head

HEADING = ["measure", "topic", "mean", "sd"]


def is_factors(head: Head) -> Match:
    """Whether the heading is that of factors."""
    return Match.SURE if head.heading == HEADING else Match.NO


def read_factors(path: Path) -> dict[str, Factors]:
    """The factors in a file, by measure."""
    rows = list(read_csv(path))
    if not rows or [cell.lower() for cell in rows[0][1]] != HEADING:
        raise InputError.at(
            path, f"does not start with {','.join(HEADING)}", f"give a file written by {option('save_factors')}"
        )
    found: dict[str, list[tuple[str, float, float]]] = {}
    for line, row in rows[1:]:
        if len(row) != len(HEADING):
            what = f"{len(row)} cells where the heading has {len(HEADING)}"
            raise InputError.at(path, what, "give every row every cell", line=line)
        mean, sd = number(row[2], path, line, "mean"), number(row[3], path, line, "sd")
        if sd < 0:
            raise InputError.at(path, f"sd {row[3]} is below 0", "fix that cell", line=line)
        found.setdefault(row[0], []).append((row[1], mean, sd))
    return {measure: _factors(path, measure, entries) for measure, entries in found.items()}


def write_factors(path: Path, factors: Iterable[Factors]) -> None:
    """Write factors, every digit kept."""
    write_text(path, _text(factors))


def factors_texts(factors: dict[str, Factors]) -> Texts:
    """The text of the one file."""
    return {"": _text(factors.values())}


def _text(factors: Iterable[Factors]) -> str:
    rows = [
        [each.measure, topic, mean, sd]
        for each in factors
        for topic, mean, sd in zip(each.topics, each.means.tolist(), each.sds.tolist(), strict=True)
    ]
    return csv_text(HEADING, rows)


def _factors(path: Path, measure: str, entries: list[tuple[str, float, float]]) -> Factors:
    from kaiwa.compare.standardisation import Factors

    try:
        return Factors(
            measure,
            tuple(topic for topic, _, _ in entries),
            np.array([mean for _, mean, _ in entries]),
            np.array([sd for _, _, sd in entries]),
        )
    except InputError as fault:
        raise InputError(f"{path}: {fault}") from None
