"""Score tables: tidy CSV ``measure,topic,run,score``, and topics x runs matrices, spaced or CSV.

A comment line ``# lower is better: MEASURE`` states the direction of a measure, ``# lower is better`` that of every
measure of the file. It is written where lower is better, and where the name of a measure would say so wrongly.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from kaiwa.errors import InputError, UnknownName, counted, option
from kaiwa.files.atomic import visible_files, write_text
from kaiwa.formats.fields import (
    Row,
    cell,
    csv_text,
    file_name,
    is_number,
    lines,
    number,
    read_csv,
    read_fields,
    read_spaced,
    usual_column,
    word,
)
from kaiwa.formats.pairs import is_pair_ids
from kaiwa.formats.recognition import Head, Match, are_numbers, is_zip, partly
from kaiwa.formats.text_files import bare_name, numbered_lines, read_blocks
from kaiwa.nouns.cells import Cell, Cells, Part, joined, mean_cell
from kaiwa.nouns.matrix import known_direction

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from kaiwa.formats.fields import Texts
    from kaiwa.nouns.matrix import Direction, Matrix
    from kaiwa.nouns.scores import Scores


# The cells of score tables: rows of measure, topic, run and score, with gaps.


MEAN_REMARK = "a run's score on a topic is the mean over its"
MISSING_TEXTS = {"", "na", "n/a", "nan", "null", "none", "-"}


def cells_of(path: Path, rows: Iterable[Row]) -> Cells:
    """The cells of rows ``measure, topic, run, score``; an empty score, n/a or NaN is a gap."""
    cells = Cells()
    for line, (measure, topic, run, shown) in rows:
        score = None if shown.lower() in MISSING_TEXTS else number(shown, path, line, "score")
        cells.add(measure, topic, run, Cell(score, path, line, "" if score is not None else shown))
    if not cells.tables:
        raise _no_score(path)
    return cells


def cells_of_parts(path: Path, rows: Iterable[Row]) -> Cells:
    """The cells of rows ``measure, topic, run, score, assessor, repeat``, each the mean of its parts."""
    parts: dict[tuple[str, str, str], dict[tuple[str, str], Part]] = {}
    lines: dict[tuple[str, str, str], int] = {}
    for line, (measure, topic, run, shown, assessor, repeat) in rows:
        own = parts.setdefault((measure, topic, run), {})
        lines.setdefault((measure, topic, run), line)
        if shown.lower() in MISSING_TEXTS:
            continue
        if (assessor, repeat) in own:
            by = f" by assessor {assessor!r}" if assessor else ""
            what = f"duplicate score: {measure} of run {run!r} on topic {topic!r}{by}"
            raise InputError.at(path, what, "keep one, or give each its own repeat", line=line)
        own[assessor, repeat] = Part(number(shown, path, line, "score"), assessor, repeat)
    cells = Cells()
    for (measure, topic, run), own in parts.items():
        cells.add(measure, topic, run, mean_cell(tuple(own.values()), path, lines[measure, topic, run]))
    if not cells.tables:
        raise _no_score(path)
    return cells


def _no_score(path: Path) -> InputError:
    return InputError.at(path, "contains no score", "add rows measure,topic,run,score")


TIDY = ["measure", "topic", "run", "score"]
PARTS = ["assessor", "repeat"]
"""Columns of scores of which a run has several on a topic."""
TOPIC_HEADERS = {"", "topic", "topics", "topic_id", "query", "query_id", "qid", "id"}
MAX_ROWS = 5_000_000
_MEASURED = {"topic", "run", "score"}
_MARK = re.compile(r"#\s*(lower|higher) is better(?::\s*(.*))?")


def is_tidy(head: Head) -> Match:
    """Whether the header has topic, run and score, by their usual names."""
    return Match.SURE if set(_usual(head.header)) >= _MEASURED else Match.NO


def _usual(header: Sequence[str]) -> list[str]:
    """The header with our names of the columns that have a usual one."""
    ours = {usual_column(column, header): column for column in (*TIDY, *PARTS)}
    return [ours.get(name, name) for name in header]


def read_tidy(path: Path) -> Cells:
    """The scores of a tidy CSV file; without a measure column, the measure is named after the file.

    With a column ``assessor`` or ``repeat``, a run's score on a topic is the mean of several, which are kept.
    """
    rows = _score_tables_rows(path)
    _, header = next(rows, (0, []))
    names = _usual([cell.lower() for cell in header])
    if not set(names) >= _MEASURED:
        raise InputError.at(path, "does not start with topic, run and score", f"write CSV: {','.join(TIDY)}")
    if not {*PARTS} & {*names}:
        return _directed(path, cells_of(path, _tidy_rows(path, names, rows)))
    cells = cells_of_parts(path, _tidy_rows(path, names, rows, columns=[*TIDY, *PARTS]))
    several = [f"{name}s" for name in PARTS if name in names and _several(cells, name)]
    if several:
        cells.remarks.append(f"{path}: {MEAN_REMARK} {' and '.join(several)}")
    return _directed(path, cells)


def _several(cells: Cells, name: str) -> bool:
    """Whether some score is the mean of parts with different names in this column."""
    return any(
        len({getattr(part, name) for part in cell.parts}) > 1
        for table in cells.tables.values()
        for cell in table.values()
    )


def is_matrix(head: Head) -> Match:
    """Whether there are numbers below run names; possible if there are only numbers, or some cells are not numbers."""
    if not head.rows:
        return Match.NO
    bare = are_numbers(head.rows[0])
    body = head.rows if bare else [row[_topic_column(head.rows) :] for row in head.rows[1:]]
    fitting = [is_number(cell) or cell.lower() in MISSING_TEXTS for row in body for cell in row]
    is_sure = fitting and all(fitting) and not bare and not is_tidy(head) and not is_pair_ids(head)
    return Match.SURE if is_sure else partly(fitting)


def read_matrix(path: Path) -> Cells:
    """The scores of a topics x runs matrix; the measure is named after the file."""
    rows = list(_score_tables_rows(path))
    if not rows:
        raise InputError.at(path, "contains no score", "write CSV: measure,topic,run,score")
    return _directed(path, cells_of(path, _matrix_rows(path, rows)))


def _directed(path: Path, cells: Cells) -> Cells:
    """The cells with the directions that comment lines of the file state."""
    for line, text in (numbered for block in read_blocks(path) for numbered in numbered_lines(block)):
        if text.startswith("#") and (mark := _MARK.fullmatch(text.strip())):
            direction: Direction = "lower" if mark[1] == "lower" else "higher"
            if mark[2] and mark[2] not in cells.tables:
                fault = UnknownName.among("measure", mark[2], cells.tables)
                raise InputError(f"{path}:{line}: {fault.marked}")
            for measure in [mark[2]] if mark[2] else cells.tables:
                cells.state(measure, direction, f"{path}:{line}")
    return cells


def write_scores(path: Path | str, scores: Scores) -> None:
    """Write scores as tidy CSV, with every digit."""
    write_text(Path(path), scores_text(scores))


def scores_text(scores: Scores) -> str:
    """The scores as tidy CSV."""
    columns = scores.columns()
    rows = [
        [
            *(
                cell(name, str(text), first=place == 0)
                for place, (name, text) in enumerate(zip(columns, row, strict=False))
            ),
            score,
        ]
        for *row, score in zip(*columns.values(), strict=True)
    ]
    return "".join(_mark(one, f": {one.measure}") for _, one in scores.items()) + csv_text(list(columns), rows)


def _mark(scores: Matrix | Scores, measure: str) -> str:
    """The comment line that states the direction; empty if readers would assume it anyway."""
    if scores.direction == known_direction(scores.measure) == "higher":
        return ""
    return f"# {scores.direction} is better{measure}\n"


def matrix_text(scores: Matrix) -> str:
    """One measure as a topics x runs CSV matrix with run names on the first line and a topic column."""
    if {run.lower() for run in scores.runs} >= _MEASURED - {"topic"}:
        raise InputError("runs 'run' and 'score': the header would be that of tidy CSV; rename one of them")
    rows = [
        [cell("topic", topic, first=True), *by_run]
        for topic, by_run in zip(scores.topics, scores.values.tolist(), strict=True)
    ]
    return _mark(scores, "") + csv_text(["topic", *(cell("run", run) for run in scores.runs)], rows)


def tidy_texts(scores: Scores) -> Texts:
    """The text of the CSV file."""
    return {"": scores_text(scores)}


def matrix_texts(scores: Scores) -> Texts:
    """The text of the matrix."""
    if len(scores) > 1:
        what = f"a matrix has one measure, and there are {', '.join(scores)}"
        raise InputError(f"{what}; choose one with {option('measures')}")
    return {"": matrix_text(scores.matrix())}


def _tidy_rows(path: Path, header: list[str], rows: Iterator[Row], columns: Sequence[str] = TIDY) -> Iterator[Row]:
    """The rows in the order of these columns; of those that the header does not have, the measure is the file's."""
    places = [header.index(name) if name in header else None for name in columns]
    default = {"measure": path.stem}
    for line, row in rows:
        if len(row) != len(header):
            what = f"expected {len(header)} cells, found {len(row)}"
            raise InputError.at(path, what, "fill in every cell of the row", line=line)
        yield (
            line,
            [
                default.get(name, "") if place is None else row[place]
                for name, place in zip(columns, places, strict=True)
            ],
        )


def _score_tables_rows(path: Path) -> Iterator[Row]:
    """The rows of a spaced or comma-separated file, according to its first line."""
    rows = read_csv(path) if "," in "".join(Head(path).lines[:1]) else read_spaced(path)
    for count, row in enumerate(rows, start=1):
        if count > MAX_ROWS:
            raise InputError.at(path, f"more than {MAX_ROWS:,} rows", "split it by measure or by topic", line=row[0])
        yield row


def _matrix_rows(path: Path, rows: list[Row]) -> Iterator[Row]:
    """A row ``measure, topic, run, score`` for each cell."""
    runs, body, topics = _parts(path, rows)
    measure = path.name.split(".")[0]
    for place, (line, row) in enumerate(body, start=1):
        shown = row[topics:]
        if len(shown) != len(runs):
            what = f"expected {counted(len(runs), 'score')}, found {len(shown)}"
            raise InputError.at(path, what, "give every topic a score of every run", line=line)
        for run, score in zip(runs, shown, strict=True):
            yield line, [measure, row[0] if topics else str(place), run, score]


def _parts(path: Path, rows: list[Row]) -> tuple[list[str], list[Row], int]:
    """The run names, the rows below them, and the number of cells (0 or 1) of each row that name its topic."""
    first = rows[0][1]
    if are_numbers(first):
        return [f"run{place}" for place in range(1, len(first) + 1)], rows, 0
    if len(rows) == 1:
        raise InputError.at(path, "has run names but no scores", "add a row of scores per topic")
    topics = _topic_column([row for _, row in rows[:2]])
    runs = first if len(rows[1][1]) == len(first) + 1 else first[topics:]
    if len(set(runs)) != len(runs):
        duplicate = next(name for place, name in enumerate(runs) if name in runs[:place])
        raise InputError.at(path, f"duplicate run {duplicate!r} in the header", "keep one", line=rows[0][0])
    return runs, rows[1:], topics


def _topic_column(rows: list[list[str]]) -> int:
    """The number of cells (0 or 1) of a row below the header that name its topic."""
    header, below = rows[0], rows[1] if len(rows) > 1 else []
    longer = len(below) == len(header) + 1
    return int(longer or (header[0].lower() in TOPIC_HEADERS and len(header) > 1))


# One run's scores as other evaluators list them: by topic, then by measure, with their names of measures.


def by_topic(
    scores: Scores, run: str, renamed: Callable[[str], str], *, forbidden: str = ""
) -> dict[str, dict[str, float]]:
    """The run's scores as {topic: {measure: score}}, measures renamed; no name may contain a blank or ``forbidden``."""
    listed: dict[str, dict[str, float]] = {}
    sources: dict[str, str] = {}
    for table in scores.matrices():
        measure = word("measure", renamed(word("measure", table.measure)), first=True, forbidden=forbidden)
        if (other := sources.setdefault(measure, table.measure)) != table.measure:
            what = f"measures {other!r} and {table.measure!r} are both {measure!r} in this format"
            raise InputError(f"{what}; write one with {option('measures')}")
        if run in table.runs:
            for topic, score in zip(table.topics, table.values[:, table.runs.index(run)].tolist(), strict=True):
                listed.setdefault(word("topic", topic, first=True, forbidden=forbidden), {})[measure] = score
    return listed


def run_names(scores: Scores) -> list[str]:
    """Every run of the scores, in order of appearance."""
    return list(dict.fromkeys(run for table in scores.matrices() for run in table.runs))


def topic_names(scores: Scores) -> list[str]:
    """Every topic of the scores, in order of appearance."""
    return list(dict.fromkeys(topic for table in scores.matrices() for topic in table.topics))


# Discpower's matrices: bare numbers, topics x runs, ``MEASURE.tsmatrix``, with the names in files beside them.


_DISCPOWER_ENDING, _RUNS, _TOPICS = ".tsmatrix", "runlist", "topics.tid"


def is_discpower(head: Head) -> Match:
    """Whether the name ends in .tsmatrix, or the folder has such files."""
    return Match.SURE if head.name.endswith(_DISCPOWER_ENDING) or head.has_files(_DISCPOWER_ENDING) else Match.NO


def read_discpower(path: Path) -> Cells:
    """The scores of one matrix, with numbered runs and topics; or of a folder of matrices, with its lists of names."""
    if not path.is_dir():
        return read_matrix(path)
    names = [path / _TOPICS, path / _RUNS]
    topics, runs = ([row[0] for _, row in read_fields(file)] for file in names)
    return joined(
        cells_of(file, _named(file, topics, runs)) for file in visible_files(path.glob(f"*{_DISCPOWER_ENDING}"))
    )


def _named(file: Path, topics: list[str], runs: list[str]) -> Iterator[Row]:
    rows = list(read_fields(file))
    if len(rows) != len(topics) or any(len(row) != len(runs) for _, row in rows):
        what = f"is not a matrix of {len(topics)} topics x {len(runs)} runs"
        raise InputError.at(file, what, f"name every topic in {_TOPICS} and every run in {_RUNS}")
    for topic, (line, row) in zip(topics, rows, strict=True):
        for run, score in zip(runs, row, strict=True):
            yield line, [file.name.removesuffix(_DISCPOWER_ENDING), topic, run, score]


def discpower_texts(scores: Scores) -> Texts:
    """The text of each file that Discpower takes: a matrix of numbers per measure, and the lists of names."""
    topics, runs = topic_names(scores), run_names(scores)
    texts = {
        file_name(f"{table.measure}{_DISCPOWER_ENDING}"): _matrix(table, topics, runs) for table in scores.matrices()
    }
    return texts | {_RUNS: lines("run", runs), _TOPICS: lines("topic", topics)}


def _matrix(table: Matrix, topics: list[str], runs: list[str]) -> str:
    """The numbers of one measure in the order of the lists, which all measures share."""
    if set(table.topics) != set(topics) or set(table.runs) != set(runs):
        what = "does not have the topics and runs of the other measures"
        raise InputError.at(f"measure {table.measure!r}", what, f"write one with {option('measures')}")
    rows, columns = (list(map(own.index, wanted)) for own, wanted in ((table.topics, topics), (table.runs, runs)))
    return "".join(f"{' '.join(map(repr, by_run))}\n" for by_run in table.values[rows][:, columns].tolist())


# NTCIREVAL's output, ``RUN.LABEL.nev``: one line ``topic MEASURE= value`` per topic and measure.


LABEL = "kaiwa"
"""The part of a written file's name that is NTCIREVAL's name of the evaluation."""

_LINE = re.compile(r"(?P<topic>\S+)\s+(?:#.*|(?P<measure>[^\s=]+)=\s*(?P<score>\S+))\s*")
_NEV_WIDTH = 20
_NEV_NAMES = {"nDCG": "MSnDCG", "Prec": "P", "P+": "P-plus", "P": "P-measure", "O": "O-measure"}


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
    return cells_of(path, _nev_rows(path))


def _nev_rows(path: Path) -> Iterator[Row]:
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


def nev_texts(scores: Scores) -> Texts:
    """The text of each file: every run's scores, and the lists of runs and topics that NTCIREVAL's scripts take."""
    runs = run_names(scores)
    texts = {file_name(f"{run}.{LABEL}.nev"): nev_text(scores, run) for run in runs}
    return texts | {"runlist": lines("run", runs), "topics.tid": lines("topic", topic_names(scores))}


def nev_text(scores: Scores, run: str) -> str:
    """One run's scores as the text of a .nev file, with every digit.

    >>> import numpy as np
    >>> from kaiwa.nouns.matrix import Matrix
    >>> from kaiwa.nouns.scores import Scores
    >>> print(nev_text(Scores([Matrix("nERR@10", ("0001",), ("A",), np.array([[0.5]]))]), "A"), end="")
    0001 nERR@0010=           0.5
    """
    return "".join(
        f"{topic} {f'{measure}=':<{_NEV_WIDTH}} {score!r}\n"
        for topic, by_measure in by_topic(scores, run, ntcireval_name, forbidden="=").items()
        for measure, score in by_measure.items()
    )


def ntcireval_name(measure: str) -> str:
    """NTCIREVAL's name of the measure; one that it does not have keeps its name.

    >>> [ntcireval_name(name) for name in ("nDCG@10", "nDCG(b=2)@10", "P+", "Prec@5", "Q", "RBP(p=0.8)@5", "accuracy")]
    ['MSnDCG@0010', 'nDCG@0010', 'P-plus', 'P@0005', 'Q-measure', 'RBP(p=0.8)@5', 'accuracy']
    """
    from kaiwa.nouns.measure_name import MeasureName, parse_name  # slow to load, and not needed for reading

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
    return _cut(_NEV_NAMES.get(name.base, name.base), name.cutoff)


def _cut(base: str, cutoff: int | None) -> str:
    return base if cutoff is None else f"{base}@{cutoff:04d}"


# trec_eval's output: lines ``measure TAB topic TAB value`` of one run, with the means as the topic ``all``; that of
# ir_measures has the topic first.


ALL, RUN_ID = "all", "runid"
_TEXTS = (RUN_ID, "relstring")
FIELDS = 3
_TREC_EVAL_ENDING = ".eval"
_MEAN = re.compile(
    rb"^[ \t]*(?:runid[ \t]+all[ \t]+\S+|(?:[^\s#]\S*[ \t]+all|all[ \t]+[^\s#]\S*)[ \t]+[-+.0-9]\S*)[ \t]*$",
    re.MULTILINE,
)
_TREC_EVAL_WIDTH = 22
_TREC_EVAL_NAMES = {"AP": "map", "RR": "recip_rank", "bpref": "bpref", "nDCG": "ndcg"}
_CUT_NAMES = {"nDCG": "ndcg_cut", "Prec": "P", "Recall": "recall", "Hit": "success"}


def is_trec_eval(head: Head) -> Match:
    """Whether some line of three fields is a mean over topics or names the run, or the folder has such .eval files.

    inspect_ai's .eval files are zip files.
    """
    if head.has_files(_TREC_EVAL_ENDING):
        return Match.NO if any(map(is_zip, head.path.rglob(f"*{_TREC_EVAL_ENDING}"))) else Match.SURE
    if not head.fields or len(head.fields[0]) != FIELDS:
        return Match.NO
    return Match.SURE if any(_MEAN.search(block.data) for block in read_blocks(head.path)) else Match.NO


def read_trec_eval(path: Path) -> Cells:
    """The per-topic scores of a file, or of the .eval files in a folder; several runs may follow each other."""
    if path.is_dir():
        return joined(map(read_trec_eval, visible_files(path.glob(f"*{_TREC_EVAL_ENDING}"))))
    return cells_of(path, _trec_eval_rows(path))


def _trec_eval_rows(path: Path) -> Iterator[Row]:
    found = False
    for block in _blocks(path, _measure_first(list(read_fields(path)))):
        run = _run_of(path, block)
        for line, (measure, topic, value) in block:
            if topic != ALL and not measure.startswith(_TEXTS):
                found = True
                yield line, [measure, topic, run, value]
    if not found:
        raise InputError.at(path, "contains only means over topics", "run trec_eval with -q, which lists every topic")


def _measure_first(rows: list[Row]) -> list[Row]:
    """The rows with the measure before the topic, which ir_measures prints first."""
    if not any(row[:1] == [ALL] for _, row in rows):
        return rows
    return [(line, [*row[1:2], *row[:1], *row[2:]]) for line, row in rows]


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


def trec_eval_texts(scores: Scores) -> Texts:
    """The text of each file, one per run."""
    return {file_name(f"{run}{_TREC_EVAL_ENDING}"): trec_eval_text(scores, run) for run in run_names(scores)}


def trec_eval_text(scores: Scores, run: str) -> str:
    """One run's scores as ``trec_eval -q`` prints them, with every digit: topic by topic, then the means.

    >>> import numpy as np
    >>> from kaiwa.nouns.matrix import Matrix
    >>> from kaiwa.nouns.scores import Scores
    >>> text = trec_eval_text(Scores([Matrix("AP", ("301",), ("A",), np.array([[0.5]]))]), "A")
    >>> [line.split() for line in text.splitlines()]
    [['map', '301', '0.5'], ['runid', 'all', 'A'], ['num_q', 'all', '1'], ['map', 'all', '0.5']]
    """
    listed = by_topic(scores, run, trec_eval_name)
    if ALL in listed:
        raise InputError(f"topic {ALL!r} is trec_eval's name for the mean over topics; rename the topic")
    own = [table for table in scores.matrices() if run in table.runs]
    for table in own:
        if table.measure.startswith(_TEXTS) or table.measure == ALL:
            what = "is not a measure in trec_eval's output"
            raise InputError.at(f"measure {table.measure!r}", what, "rename the measure")
    means = {trec_eval_name(table.measure): table.means()[run] for table in own}
    rows = [(measure, topic, repr(score)) for topic, found in listed.items() for measure, score in found.items()]
    rows += [(RUN_ID, ALL, word("run", run)), ("num_q", ALL, str(len(listed)))]
    rows += [(measure, ALL, repr(mean)) for measure, mean in means.items()]
    return "".join(f"{measure:<{_TREC_EVAL_WIDTH}}\t{topic}\t{value}\n" for measure, topic, value in rows)


def trec_eval_name(measure: str) -> str:
    """trec_eval's name of the measure, if it defines the same measure; else the name unchanged.

    >>> [trec_eval_name(name) for name in ("AP", "nDCG@10", "P@5", "Hit@1", "RR", "AP@10", "nERR@10")]
    ['map', 'ndcg_cut_10', 'P_5', 'success_1', 'recip_rank', 'AP@10', 'nERR@10']
    """
    from kaiwa.nouns.measure_name import MeasureName, parse_name  # slow to load, and not needed for reading

    try:
        name = parse_name(measure)
    except InputError:
        return measure
    if name != MeasureName(name.base, name.cutoff):
        return measure
    if name.cutoff is None:
        return _TREC_EVAL_NAMES.get(name.base, measure)
    return f"{_CUT_NAMES[name.base]}_{name.cutoff}" if name.base in _CUT_NAMES else measure
