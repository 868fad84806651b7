"""LETOR files (SVMrank): ``label qid:topic 1:value 2:value ...``, one labelled candidate per line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kaiwa.errors import InputError
from kaiwa.formats.text_files import numbered_lines, read_blocks
from kaiwa.nouns.ids import pack, starts_of
from kaiwa.nouns.qrels import Qrels

if TYPE_CHECKING:
    from pathlib import Path

    from kaiwa.nouns.ids import FloatArray


_FORM = "a line reads: label qid:topic 1:value 2:value ..."
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_LINE = re.compile(rf"({_NUMBER})\s+qid:(\S+)((?:\s+\d{{1,5}}:{_NUMBER})*)\s*")
_LARGEST_LABEL = 30
_LARGEST_VALUE = 1e100  # its square is finite, as variances need


class Letor(NamedTuple):
    """The gains of the candidates, named by their lines, and their features ("items x features") by number."""

    gains: Qrels
    features: tuple[str, ...]
    rows: FloatArray


def read_letor(path: Path) -> Letor:
    """The labelled candidates of a file; the lowest label of the file is level 0, and the gain is 2^level - 1.

    The candidates of a topic need not be neighbours. A feature that a line does not have is 0.
    """
    by_topic: dict[str, list[tuple[int, int, dict[int, float]]]] = {}
    for block in read_blocks(path):
        for line, text in numbered_lines(block):
            if kept := text.partition("#")[0].strip():
                topic, label, values = _parsed(path, line, kept)
                by_topic.setdefault(topic, []).append((line, label, values))
    if not by_topic:
        raise InputError.at(path, "contains no labelled candidate", _FORM)
    return _letor(path, by_topic)


def _parsed(path: Path, line: int, text: str) -> tuple[str, int, dict[int, float]]:
    match = _LINE.fullmatch(text)
    if match is None:
        raise InputError.at(path, "not a labelled candidate", _FORM, line=line)
    label = float(match[1])
    if label != int(label) or not 0 <= label <= _LARGEST_LABEL:
        what = f"label {match[1]} is not a whole number from 0 to {_LARGEST_LABEL}"
        raise InputError.at(path, what, "give levels", line=line)
    cells = [cell.split(":") for cell in match[3].split()]
    values = {int(number): float(value) for number, value in cells}
    if large := [cell for cell in cells if abs(float(cell[1])) > _LARGEST_VALUE]:
        what = f"feature {large[0][0]} is {large[0][1]}"
        raise InputError.at(path, what, f"give values from -{_LARGEST_VALUE:g} to {_LARGEST_VALUE:g}", line=line)
    if len(values) < len(cells):
        raise InputError.at(path, "a feature occurs twice", "give each feature once", line=line)
    return match[2], int(label), values


def _letor(path: Path, by_topic: dict[str, list[tuple[int, int, dict[int, float]]]]) -> Letor:
    items = [item for own in by_topic.values() for item in own]
    numbers = sorted({number for _, _, values in items for number in values})
    if not numbers:
        raise InputError.at(path, "no line has a feature", _FORM)
    labels = np.array([label for _, label, _ in items])
    gains = 2.0 ** (labels - labels.min()) - 1
    made = Qrels(
        topics=tuple(by_topic),
        starts=starts_of([len(own) for own in by_topic.values()]),
        comments=pack(str(line) for line, _, _ in items),
        gains=gains,
        top=float(gains.max()),
        how="levels",
        source=str(path),
        lines=np.array([line for line, _, _ in items]),
    )
    rows = np.array([[values.get(number, 0.0) for number in numbers] for _, _, values in items])
    return Letor(made, tuple(map(str, numbers)), rows)
