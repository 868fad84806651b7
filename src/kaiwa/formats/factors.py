"""Standardisation factors on disk, CSV ``measure,topic,mean,sd``, so that a later round can use them.

A last column ``scores_sha256`` has the hash of the standardised scores that were written with them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, option
from kaiwa.files.atomic import write_text
from kaiwa.formats.fields import cell, csv_text, number, read_csv
from kaiwa.formats.recognition import Match
from kaiwa.nouns.factors import Factors, TopicFactors

if TYPE_CHECKING:
    from pathlib import Path

    from kaiwa.formats.fields import Texts
    from kaiwa.formats.recognition import Head


HEADER = ["measure", "topic", "mean", "sd"]
WITH_SCORES = [*HEADER, "scores_sha256"]


def is_factors(head: Head) -> Match:
    """Whether the header is that of factors."""
    return Match.SURE if head.header in (HEADER, WITH_SCORES) else Match.NO


def read_factors(path: Path) -> Factors:
    """The factors in a file."""
    rows = list(read_csv(path))
    header = [cell.lower() for cell in rows[0][1]] if rows else []
    if header not in (HEADER, WITH_SCORES):
        raise InputError.at(
            path, f"does not start with {','.join(HEADER)}", f"give a file written by {option('save_factors')}"
        )
    found: dict[str, list[tuple[str, float, float]]] = {}
    for line, row in rows[1:]:
        if len(row) != len(header):
            what = f"expected {len(header)} cells, found {len(row)}"
            raise InputError.at(path, what, "fill in every cell of the row", line=line)
        mean, sd = number(row[2], path, line, "mean"), number(row[3], path, line, "sd")
        if sd < 0:
            raise InputError.at(path, f"sd {row[3]} is negative", "fix the cell", line=line)
        found.setdefault(row[0], []).append((row[1], mean, sd))
    return Factors(_of_measure(path, measure, entries) for measure, entries in found.items())


def write_factors(path: Path, factors: Factors, *, scores: str = "") -> None:
    """Write factors, with every digit, and the hash of the ``scores`` that are written with them."""
    write_text(path, _text(factors, scores))


def factors_texts(factors: Factors) -> Texts:
    """The text of the file."""
    return {"": _text(factors)}


def _text(factors: Factors, scores: str = "") -> str:
    more = [scores] if scores else []
    rows = [
        [cell("measure", each.measure, first=True), cell("topic", topic), mean, sd, *more]
        for each in map(factors.of, factors)
        for topic, mean, sd in zip(each.topics, each.means.tolist(), each.sds.tolist(), strict=True)
    ]
    return csv_text(WITH_SCORES if scores else HEADER, rows)


def _of_measure(path: Path, measure: str, entries: list[tuple[str, float, float]]) -> TopicFactors:
    try:
        return TopicFactors(
            measure,
            tuple(topic for topic, _, _ in entries),
            np.array([mean for _, mean, _ in entries]),
            np.array([sd for _, _, sd in entries]),
        )
    except InputError as fault:
        raise InputError(f"{path}: {fault.marked}") from None
