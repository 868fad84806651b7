"""NTCIREVAL's output, ``RUN.LABEL.nev``: one line ``topic MEASURE= value`` per topic and measure."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kaiwa.disk.atomic_files import visible_files
from kaiwa.errors import InputError
from kaiwa.formats.file_names import file_name, lines
from kaiwa.formats.scores.score_cells import Cells, cells_of, joined
from kaiwa.formats.scores.score_lists import by_topic, run_names, topic_names
from kaiwa.formats.text.blocks import bare_name, numbered_lines, read_blocks
from kaiwa.formats.text.head import Match

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kaiwa.formats.file_names import Texts
    from kaiwa.formats.text.delimited import Row
    from kaiwa.formats.text.head import Head
    from kaiwa.model.score_set import ScoreSet

LABEL = "kaiwa"
"""The part of a written file's name that is NTCIREVAL's name of the evaluation."""

_LINE = re.compile(r"(?P<topic>\S+)\s+(?:#.*|(?P<measure>[^\s=]+)=\s*(?P<score>\S+))\s*")
_WIDTH = 20
_NAMES = {"nDCG": "MSnDCG", "Prec": "P", "P+": "P-plus", "P": "P-measure", "O": "O-measure"}


def is_nev(head: Head) -> Match:
    """Whether the first line is that of a .nev file, or the folder has .nev files.

    Without such a name, a line must have a score, and no tab: ``q1 TAB #weather`` is a topic.
    """
    found = [_LINE.fullmatch(line.strip()) for line in head.lines]
    if not found or found[0] is None:
        return Match.SURE if head.has_files("nev") else Match.NO
    scored = "\t" not in head.lines[0] and any(line is not None and line["measure"] for line in found)
    return Match.SURE if scored or head.name.endswith("nev") else Match.NO


def read_nev(path: Path) -> Cells:
    """The scores of a .nev file, or of those in a folder; the run is named after the file."""
    if path.is_dir():
        return joined(map(read_nev, visible_files(path.glob("*nev"))))
    return cells_of(path, _rows(path))


def _rows(path: Path) -> Iterator[Row]:
    run = run_of(path)
    for block in read_blocks(path):
        for line, text in numbered_lines(block):
            if not text.strip() or text.lstrip().startswith("#"):
                continue
            found = _LINE.fullmatch(text.strip())
            if found is None:
                raise InputError.at(
                    path, "is not a line of NTCIREVAL's output", "a line reads: topic MEASURE= value", line=line
                )
            if found["measure"]:
                yield line, [found["measure"], found["topic"], run, found["score"]]


def run_of(path: Path) -> str:
    """The run whose scores are in the file.

    >>> from pathlib import Path
    >>> run_of(Path("TRECRUN.test.nev.gz")), run_of(Path("bm25.k1.l10.Dnev")), run_of(Path("T1-C-R1.nev"))
    ('TRECRUN', 'bm25.k1', 'T1-C-R1')
    """
    name, _, ending = bare_name(path).rpartition(".")
    if not name:
        return ending
    run, _, label = name.rpartition(".")
    return run if run and label and ending.endswith("nev") else name


def nev_texts(scores: ScoreSet) -> Texts:
    """The text of each file: every run's scores, and the lists of runs and topics that NTCIREVAL's scripts take."""
    runs = run_names(scores)
    texts = {file_name(f"{run}.{LABEL}.nev"): nev_text(scores, run) for run in runs}
    return texts | {"runlist": lines("run", runs), "topics.tid": lines("topic", topic_names(scores))}


def nev_text(scores: ScoreSet, run: str) -> str:
    """One run's scores as the text of a .nev file, with every digit.

    >>> import numpy as np
    >>> from kaiwa.model.score_set import ScoreSet
    >>> from kaiwa.model.scores import Scores
    >>> print(nev_text(ScoreSet([Scores("nERR@10", ("0001",), ("A",), np.array([[0.5]]))]), "A"), end="")
    0001 nERR@0010=           0.5
    """
    return "".join(
        f"{topic} {f'{measure}=':<{_WIDTH}} {score!r}\n"
        for topic, by_measure in by_topic(scores, run, ntcireval_name, forbidden="=").items()
        for measure, score in by_measure.items()
    )


def ntcireval_name(measure: str) -> str:
    """NTCIREVAL's name of the measure; one that it does not have keeps its name.

    >>> [ntcireval_name(name) for name in ("nDCG@10", "nDCG(b=2)@10", "P+", "Prec@5", "Q", "RBP(p=0.8)@5", "accuracy")]
    ['MSnDCG@0010', 'nDCG@0010', 'P-plus', 'P@0005', 'Q-measure', 'RBP(p=0.8)@5', 'accuracy']
    """
    from kaiwa.measure.name import MeasureName, parse_name  # slow to load, and not needed for reading

    try:
        name = parse_name(measure)
    except InputError:
        return measure
    if name == MeasureName("nDCG", name.cutoff, options={"b": 2.0}):
        return _cut("nDCG", name.cutoff)
    if name != MeasureName(name.base, name.cutoff):
        return measure
    if name == MeasureName("Q"):
        return "Q-measure"
    return _cut(_NAMES.get(name.base, name.base), name.cutoff)


def _cut(base: str, cutoff: int | None) -> str:
    return base if cutoff is None else f"{base}@{cutoff:04d}"
