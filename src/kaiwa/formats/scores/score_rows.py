"""The rows of a score file of any form: CSV, spaced, and the output of other evaluators as tidy rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.formats.scores.ntcireval_output import is_nev, nev_rows
from kaiwa.formats.scores.trec_eval import FIELDS, is_trec_eval, trec_eval_rows
from kaiwa.formats.text.blocks import numbered_lines, read_blocks
from kaiwa.formats.text.delimited import Row, read_csv, read_fields, read_spaced

if TYPE_CHECKING:
    from pathlib import Path

TIDY = ["measure", "topic", "run", "score"]


def score_rows(path: Path) -> list[Row]:
    """The rows of the file with their line numbers; NTCIREVAL's and trec_eval's under a tidy heading."""
    first = _first_line(path)
    if is_nev(first):
        return [(0, TIDY), *nev_rows(path)]
    if len(first.split()) == FIELDS and is_trec_eval(fields := list(read_fields(path))):
        return [(0, TIDY), *trec_eval_rows(path, fields)]
    return list(read_csv(path) if "," in first else read_spaced(path))


def _first_line(path: Path) -> str:
    """The first line that counts; nothing when there is none."""
    for block in read_blocks(path):
        for _, line in numbered_lines(block):
            if line.strip() and not line.startswith("#"):
                return line
    return ""
