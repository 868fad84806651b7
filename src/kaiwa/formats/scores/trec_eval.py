"""trec_eval's output: lines ``measure TAB topic TAB value`` of one run, with the means as the topic ``all``."""

from __future__ import annotations

import re
from pathlib import PurePath
from typing import TYPE_CHECKING

from kaiwa.disk.atomic_files import visible_files
from kaiwa.errors import InputError
from kaiwa.formats.file_names import file_name, word
from kaiwa.formats.scores.score_cells import Cells, cells_of, joined
from kaiwa.formats.scores.score_lists import by_topic, run_names
from kaiwa.formats.text.blocks import bare_name, read_blocks
from kaiwa.formats.text.delimited import Row, read_fields
from kaiwa.formats.text.head import Match, is_zip

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kaiwa.formats.file_names import Texts
    from kaiwa.formats.text.head import Head
    from kaiwa.model.score_set import ScoreSet

ALL, RUN_ID = "all", "runid"
_TEXTS = (RUN_ID, "relstring")
FIELDS = 3
_ENDING = ".eval"
_MEAN = re.compile(rb"^[ \t]*(?:runid[ \t]+all[ \t]+\S+|[^\s#]\S*[ \t]+all[ \t]+[-+.0-9]\S*)[ \t]*$", re.MULTILINE)
_WIDTH = 22
_NAMES = {"AP": "map", "RR": "recip_rank", "bpref": "bpref", "nDCG": "ndcg"}
_CUT_NAMES = {"nDCG": "ndcg_cut", "Prec": "P", "Recall": "recall", "Hit": "success"}


def is_trec_eval(head: Head) -> Match:
    """Whether some line of three fields is a mean over topics or names the run, or the folder has such .eval files.

    inspect_ai's .eval files are zip files.
    """
    if head.has_files(_ENDING):
        return Match.NO if any(map(is_zip, head.path.rglob(f"*{_ENDING}"))) else Match.SURE
    if not head.fields or len(head.fields[0]) != FIELDS:
        return Match.NO
    return Match.SURE if any(_MEAN.search(block.data) for block in read_blocks(head.path)) else Match.NO


def read_trec_eval(path: Path) -> Cells:
    """The per-topic scores of a file, or of the .eval files in a folder; several runs may follow each other."""
    if path.is_dir():
        return joined(map(read_trec_eval, visible_files(path.glob(f"*{_ENDING}"))))
    return cells_of(path, _rows(path))


def _rows(path: Path) -> Iterator[Row]:
    found = False
    for block in _blocks(path, list(read_fields(path))):
        run = _run_of(path, block)
        for line, (measure, topic, value) in block:
            if topic != ALL and not measure.startswith(_TEXTS):
                found = True
                yield line, [measure, topic, run, value]
    if not found:
        raise InputError.at(path, "contains only means over topics", "run trec_eval with -q, which lists every topic")


def _run_of(path: Path, block: list[Row]) -> str:
    """The run's name among its means; the file's name if it is missing."""
    named = [(line, row[2]) for line, row in block if row[0] == RUN_ID]
    if len(named) > 1:
        line, name = named[1]
        raise InputError.at(path, f"duplicate runid {name!r}", "keep one", line=line)
    return named[0][1] if named else PurePath(bare_name(path)).stem


def _blocks(path: Path, rows: list[Row]) -> list[list[Row]]:
    """The rows of each run: topic by topic first, then its means."""
    blocks: list[list[Row]] = [[]]
    for line, row in rows:
        if len(row) != FIELDS:
            what = f"expected {FIELDS} fields, found {len(row)}"
            raise InputError.at(path, what, "a line of trec_eval reads: measure topic value", line=line)
        if blocks[-1] and blocks[-1][-1][1][1] == ALL and row[1] != ALL:
            blocks.append([])
        blocks[-1].append((line, row))
    return blocks


def trec_eval_texts(scores: ScoreSet) -> Texts:
    """The text of each file, one per run."""
    return {file_name(f"{run}{_ENDING}"): trec_eval_text(scores, run) for run in run_names(scores)}


def trec_eval_text(scores: ScoreSet, run: str) -> str:
    """One run's scores as ``trec_eval -q`` prints them, with every digit: topic by topic, then the means.

    >>> import numpy as np
    >>> from kaiwa.model.score_set import ScoreSet
    >>> from kaiwa.model.scores import Scores
    >>> text = trec_eval_text(ScoreSet([Scores("AP", ("301",), ("A",), np.array([[0.5]]))]), "A")
    >>> [line.split() for line in text.splitlines()]
    [['map', '301', '0.5'], ['runid', 'all', 'A'], ['num_q', 'all', '1'], ['map', 'all', '0.5']]
    """
    listed = by_topic(scores, run, trec_eval_name)
    if ALL in listed:
        raise InputError(f"topic {ALL!r} is trec_eval's name for the mean over topics; rename the topic")
    own = [table for table in scores.values() if run in table.runs]
    for table in own:
        if table.measure.startswith(_TEXTS):
            what = "is not a measure in trec_eval's output"
            raise InputError.at(f"measure {table.measure!r}", what, "rename the measure")
    means = {trec_eval_name(table.measure): table.means()[run] for table in own}
    rows = [(measure, topic, repr(score)) for topic, found in listed.items() for measure, score in found.items()]
    rows += [(RUN_ID, ALL, word("run", run)), ("num_q", ALL, str(len(listed)))]
    rows += [(measure, ALL, repr(mean)) for measure, mean in means.items()]
    return "".join(f"{measure:<{_WIDTH}}\t{topic}\t{value}\n" for measure, topic, value in rows)


def trec_eval_name(measure: str) -> str:
    """trec_eval's name of the measure, if it defines the same measure; else the name unchanged.

    >>> [trec_eval_name(name) for name in ("AP", "nDCG@10", "P@5", "Hit@1", "RR", "AP@10", "nERR@10")]
    ['map', 'ndcg_cut_10', 'P_5', 'success_1', 'recip_rank', 'AP@10', 'nERR@10']
    """
    from kaiwa.measure.name import MeasureName, parse_name  # slow to load, and not needed for reading

    try:
        name = parse_name(measure)
    except InputError:
        return measure
    if name != MeasureName(name.base, name.cutoff):
        return measure
    if name.cutoff is None:
        return _NAMES.get(name.base, measure)
    return f"{_CUT_NAMES[name.base]}_{name.cutoff}" if name.base in _CUT_NAMES else measure
