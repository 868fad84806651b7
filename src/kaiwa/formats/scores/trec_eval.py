"""trec_eval's output: lines ``measure TAB topic TAB value`` of one run, its means under the topic ``all``."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING

from kaiwa.errors import InputError
from kaiwa.formats.scores.score_lists import by_topic, file_name, run_names, word
from kaiwa.formats.text.blocks import bare_name
from kaiwa.formats.text.delimited import Row, is_number

if TYPE_CHECKING:
    from pathlib import Path

    from kaiwa.model.scores import ScoreSet

ALL, RUN_ID = "all", "runid"
_TEXTS = (RUN_ID, "relstring")
FIELDS = 3
_WIDTH = 22
_NAMES = {"AP": "map", "RR": "recip_rank", "bpref": "bpref", "nDCG": "ndcg"}
_CUT_NAMES = {"nDCG": "ndcg_cut", "Prec": "P", "Recall": "recall", "Hit": "success"}


def is_trec_eval(rows: list[Row]) -> bool:
    """Whether some row is a mean over all topics, or the run's name."""
    return any(len(row) == FIELDS and row[1] == ALL and (row[0] == RUN_ID or is_number(row[2])) for _, row in rows)


def trec_eval_rows(path: Path, rows: list[Row]) -> list[Row]:
    """The per-topic scores as tidy rows; the outputs of several runs may follow each other."""
    tidy = list[Row]()
    for block in _blocks(path, rows):
        run = _run_of(path, block)
        tidy += [
            (line, [measure, topic, run, value])
            for line, (measure, topic, value) in block
            if topic != ALL and not measure.startswith(_TEXTS)
        ]
    if not tidy:
        raise InputError.at(path, "holds means over topics only", "let trec_eval list every topic with -q")
    return tidy


def _run_of(path: Path, block: list[Row]) -> str:
    """The run's name among its means; the file's when it is not there."""
    named = [(line, row[2]) for line, row in block if row[0] == RUN_ID]
    if len(named) > 1:
        line, name = named[1]
        raise InputError.at(path, f"a second runid, {name!r}, of the same scores", "keep one", line=line)
    return named[0][1] if named else PurePath(bare_name(path)).stem


def _blocks(path: Path, rows: list[Row]) -> list[list[Row]]:
    """The rows of each run: topic by topic first, then its means."""
    blocks: list[list[Row]] = [[]]
    for line, row in rows:
        if len(row) != FIELDS:
            what = f"{len(row)} fields where 3 are expected"
            raise InputError.at(path, what, "a line of trec_eval reads: measure topic value", line=line)
        if blocks[-1] and blocks[-1][-1][1][1] == ALL and row[1] != ALL:
            blocks.append([])
        blocks[-1].append((line, row))
    return blocks


def trec_eval_texts(scores: ScoreSet) -> dict[str, str]:
    """The text of each file, one a run."""
    return {f"{file_name(run)}.eval": trec_eval_text(scores, run) for run in run_names(scores)}


def trec_eval_text(scores: ScoreSet, run: str) -> str:
    """One run's scores as ``trec_eval -q`` prints them, every digit kept: topic by topic, then the means.

    >>> import numpy as np
    >>> from kaiwa.model.scores import Scores, ScoreSet
    >>> text = trec_eval_text(ScoreSet([Scores("AP", ("301",), ("A",), np.array([[0.5]]))]), "A")
    >>> [line.split() for line in text.splitlines()]
    [['map', '301', '0.5'], ['runid', 'all', 'A'], ['num_q', 'all', '1'], ['map', 'all', '0.5']]
    """
    listed = by_topic(scores, run, trec_eval_name)
    if ALL in listed:
        raise InputError(f"topic {ALL!r} is what trec_eval calls the mean over topics; rename it")
    own = [table for table in scores.values() if run in table.runs]
    means = {trec_eval_name(table.measure): table.means()[run] for table in own}
    rows = [(measure, topic, repr(score)) for topic, found in listed.items() for measure, score in found.items()]
    rows += [(RUN_ID, ALL, word("run", run)), ("num_q", ALL, str(len(listed)))]
    rows += [(measure, ALL, repr(mean)) for measure, mean in means.items()]
    return "".join(f"{measure:<{_WIDTH}}\t{topic}\t{value}\n" for measure, topic, value in rows)


def trec_eval_name(measure: str) -> str:
    """The measure as trec_eval spells it, where it defines the same; any other keeps its own name.

    >>> [trec_eval_name(name) for name in ("AP", "nDCG@10", "P@5", "Hit@1", "RR", "AP@10", "nERR@10")]
    ['map', 'ndcg_cut_10', 'P_5', 'success_1', 'recip_rank', 'AP@10', 'nERR@10']
    """
    from kaiwa.measure.name import MeasureName, parse_name  # the measures take time to load, and readers need none

    try:
        name = parse_name(measure)
    except InputError:
        return measure
    if name != MeasureName(name.base, name.cutoff):
        return measure
    if name.cutoff is None:
        return _NAMES.get(name.base, measure)
    return f"{_CUT_NAMES[name.base]}_{name.cutoff}" if name.base in _CUT_NAMES else measure
