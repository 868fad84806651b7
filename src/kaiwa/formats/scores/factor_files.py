"""Standardisation factors on disk, CSV ``measure,topic,mean,sd``, so that a later round can use them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.disk.atomic_files import write_text
from kaiwa.errors import InputError, option
from kaiwa.formats.file_names import cell
from kaiwa.formats.text.delimited import csv_text, number, read_csv
from kaiwa.formats.text.head import Match

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from kaiwa.compare.standardisation import Factors
    from kaiwa.formats.file_names import Texts
    from kaiwa.formats.text.head import Head

HEADER = ["measure", "topic", "mean", "sd"]


def is_factors(head: Head) -> Match:
    """Whether the header is that of factors."""
    return Match.SURE if head.header == HEADER else Match.NO


def read_factors(path: Path) -> dict[str, Factors]:
    """The factors in a file, by measure."""
    rows = list(read_csv(path))
    if not rows or [cell.lower() for cell in rows[0][1]] != HEADER:
        raise InputError.at(
            path, f"does not start with {','.join(HEADER)}", f"give a file written by {option('save_factors')}"
        )
    found: dict[str, list[tuple[str, float, float]]] = {}
    for line, row in rows[1:]:
        if len(row) != len(HEADER):
            what = f"expected {len(HEADER)} cells, found {len(row)}"
            raise InputError.at(path, what, "fill in every cell of the row", line=line)
        mean, sd = number(row[2], path, line, "mean"), number(row[3], path, line, "sd")
        if sd < 0:
            raise InputError.at(path, f"sd {row[3]} is negative", "fix the cell", line=line)
        found.setdefault(row[0], []).append((row[1], mean, sd))
    return {measure: _factors(path, measure, entries) for measure, entries in found.items()}


def write_factors(path: Path, factors: Iterable[Factors]) -> None:
    """Write factors, with every digit."""
    write_text(path, _text(factors))


def factors_texts(factors: dict[str, Factors]) -> Texts:
    """The text of the file."""
    return {"": _text(factors.values())}


def _text(factors: Iterable[Factors]) -> str:
    rows = [
        [cell("measure", each.measure, first=True), cell("topic", topic), mean, sd]
        for each in factors
        for topic, mean, sd in zip(each.topics, each.means.tolist(), each.sds.tolist(), strict=True)
    ]
    return csv_text(HEADER, rows)


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
        raise InputError(f"{path}: {fault.marked}") from None
