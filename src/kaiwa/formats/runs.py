"""Run files: STC/NTCIR (``<SYSDESC>``, ``topic 0 comment rank score run``) and TREC (``topic Q0 ...``)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, UnknownName
from kaiwa.files.atomic import write_text
from kaiwa.formats.fields import Columns, cell, file_name, is_number, split_fields, word
from kaiwa.formats.recognition import Match, are_ids, are_whole, partly
from kaiwa.formats.text_files import Block, read_blocks
from kaiwa.formats.topics import TopicNumbers
from kaiwa.nouns.ids import repeated_row, starts_of
from kaiwa.nouns.run import Run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from kaiwa.formats.fields import Texts
    from kaiwa.formats.recognition import Head
    from kaiwa.nouns.ids import FloatArray, IdArray, IntArray


# The rows of a run file, and their ranking: by line, by score or by rank.


_AT_ONCE = 1 << 15


@dataclass(frozen=True)
class RunRows:
    """The columns of a run's lines that are kept."""

    topic: IntArray
    comment: IdArray
    rank: FloatArray
    score: FloatArray


def joined_rows(parts: list[RunRows]) -> RunRows:
    """The rows of all blocks."""
    if len(parts) == 1:
        return parts[0]
    return RunRows(*(np.concatenate([getattr(part, name) for part in parts]) for name in RunRows.__dataclass_fields__))


def placing_of(rows: RunRows, order: str) -> IntArray | None:
    """The order of the rows by topic and then by rank; None if they are already in this order."""
    if order == "score":
        return _by_score(rows)
    if order == "rank":
        return np.lexsort((rows.rank, rows.topic))
    grouped = (np.diff(rows.topic) >= 0).all()
    return None if grouped else np.argsort(rows.topic, kind="stable")


def _by_score(rows: RunRows) -> IntArray | None:
    if all(_falling(rows, start).all() for start in range(0, len(rows.topic), _AT_ONCE)):
        return None
    next_topic = rows.topic[1:] - rows.topic[:-1]
    only_ties = ((next_topic > 0) | ((next_topic == 0) & (rows.score[1:] <= rows.score[:-1]))).all()
    placing = np.arange(len(rows.topic)) if only_ties else np.lexsort((-rows.score, rows.topic))
    score, topic = rows.score[placing], rows.topic[placing]
    tied = np.concatenate(([False], (score[1:] == score[:-1]) & (topic[1:] == topic[:-1]), [False]))
    edges = np.flatnonzero(tied[1:] != tied[:-1])
    for low, last in zip(edges[0::2].tolist(), edges[1::2].tolist(), strict=True):
        group = placing[low : last + 1]
        placing[low : last + 1] = group[np.argsort(rows.comment[group], kind="stable")[::-1]]
    return placing


def _falling(rows: RunRows, start: int) -> NDArray[np.bool_]:
    """Whether each of some rows starts a later topic than the row before it, or has a lower score."""
    topic, score = rows.topic[start : start + _AT_ONCE + 1], rows.score[start : start + _AT_ONCE + 1]
    fallen: NDArray[np.bool_] = (topic[1:] > topic[:-1]) | ((topic[1:] == topic[:-1]) & (score[1:] < score[:-1]))
    return fallen


FORM = "topic Q0 comment rank score run"
ORDERS = ("file", "score", "rank")
STC_NAME = re.compile(r"(?P<team>.+)-(?P<subtask>[CEJ])-R(?P<number>[1-5])")

_TOPIC, _ITERATION, _COMMENT, _RANK, _SCORE, _NAME = range(6)
_OPENING, _CLOSING = b"<SYSDESC>", b"</SYSDESC>"


def is_ntcir_run(head: Head) -> Match:
    """Whether the file starts with a description, or its lines are those of a run with 0 in the second field."""
    if head.lines and head.lines[0].lstrip().startswith(_OPENING.decode()):
        return Match.SURE
    return _match(head) if _seconds(head) == {"0"} else Match.NO


def is_trec_run(head: Head) -> Match:
    """Whether the lines are those of a run and some second field is not 0; surely if every one is Q0."""
    seconds = _seconds(head)
    return min(_match(head), Match.SURE if seconds <= {"Q0", "q0", "0"} else Match.POSSIBLE) if seconds else Match.NO


def _seconds(head: Head) -> set[str]:
    return {row[_ITERATION] for row in head.fields if len(row) > _ITERATION}


def _match(head: Head) -> Match:
    """How well the lines fit: six fields or more with a rank, a score, and the same name on all lines."""
    fitting = [len(row) > _NAME and are_whole([row[_RANK]]) and is_number(row[_SCORE]) for row in head.fields]
    if not fitting or not all(fitting):
        return partly(fitting)
    topics, comments, names = ([row[place] for row in head.fields] for place in (_TOPIC, _COMMENT, _NAME))
    return Match.SURE if are_ids(topics, comments) and len(set(names)) == 1 else Match.POSSIBLE


def read_run_file(path: Path, *, order: str | None = None) -> list[Run]:
    """The run of a file, in a list, as every run format gives it."""
    return [read_run_lines(path, order=order)]


def read_run_lines(path: Path, *, order: str | None = None) -> Run:
    """A run, each topic's comments in rank order.

    Without ``order``, NTCIR runs rank by the order of their lines and TREC runs (``Q0``) by score
    descending, then id descending; ``order`` may be ``file``, ``score`` or ``rank``.
    """
    if order is not None and order not in ORDERS:
        raise UnknownName.among("order", order, ORDERS)
    numbers, parts = TopicNumbers(), list[RunRows]()
    description, name, is_trec = "", b"", False
    for found, columns in _blocks(path):
        description = found or description
        if not len(columns):
            continue
        is_trec = is_trec or (not description and _is_trec(columns))
        name = _same_name(columns, name)
        parts.append(_rows(columns, numbers, keep_rank=order == "rank"))
    if not parts:
        raise InputError.at(path, "contains no ranked line", f"a line reads: {FORM}")
    rows = joined_rows(parts)
    parts.clear()
    order = order or ("score" if is_trec else "file")
    return _ranked(path, rows, numbers.topics, name=name.decode(), description=description, order=order)


def write_run(path: Path | str, run: Run, *, form: str = "ntcir") -> None:
    """Write a run as an STC/NTCIR file (``form="ntcir"``) or a TREC one (``"trec"``)."""
    write_text(Path(path), run_text(run, form=form))


def run_text(run: Run, *, form: str = "ntcir") -> str:
    """The run as the text of its file.

    >>> print(run_text(Run.from_lists("T1-C-R1", {"q1": [("c9", 2.0)]}, description="plain")), end="")
    <SYSDESC>plain</SYSDESC>
    q1 0 c9 1 2.0 T1-C-R1
    """
    if form not in {"ntcir", "trec"}:
        raise UnknownName.among("run form", form, ["ntcir", "trec"])
    iteration = "0" if form == "ntcir" else "Q0"
    lines = [f"<SYSDESC>{_one_line(run.description)}</SYSDESC>\n"] if form == "ntcir" else []
    name = word("run", run.name)
    for topic in run.topics:
        begin = f"{word('topic', topic, first=True)} {iteration}"
        lines += [
            f"{begin} {word('comment', comment)} {place} {score!r} {name}\n"
            for place, (comment, score) in enumerate(run.ranking(topic), start=1)
        ]
    return "".join(lines)


def ntcir_run_texts(runs: Iterable[Run]) -> Texts:
    """The text of each STC/NTCIR file, one per run."""
    return {file_name(f"{run.name}.txt"): run_text(run, form="ntcir") for run in runs}


def trec_run_texts(runs: Iterable[Run]) -> Texts:
    """The text of each TREC file, one per run."""
    return {file_name(f"{run.name}.txt"): run_text(run, form="trec") for run in runs}


def take_description(block: Block, path: Path) -> tuple[str, Block]:
    """The system description on the first line, and the block with this line made empty.

    The line stays, so that later lines keep their numbers.
    """
    first, newline, rest = block.data.partition(b"\n")
    if not first.lstrip().startswith(_OPENING):
        return "", block
    inside, closing, after = first.lstrip()[len(_OPENING) :].partition(_CLOSING)
    if not closing or after.strip():
        raise InputError.at(path, "<SYSDESC> is not closed on its line", "end line 1 with </SYSDESC>", line=1)
    return inside.decode().strip(), Block(newline + rest, block.first_line)


def _blocks(path: Path) -> Iterator[tuple[str, Columns]]:
    """The file's fields block by block, each with the description if it has one."""
    for block in read_blocks(path):
        description, ranked = take_description(block, path) if block.first_line == 1 else ("", block)
        yield description, split_fields(ranked, path, fields=6, form=FORM, more=True)


def _is_trec(columns: Columns) -> bool:
    start = columns.starts[:, _ITERATION]
    is_zero = (columns.ends[:, _ITERATION] - start == 1) & (columns.data[start] == ord("0"))
    return not is_zero.all()


def _same_name(columns: Columns, name: bytes) -> bytes:
    if name and columns.are(_NAME, name):
        return name
    names = columns.ids(_NAME)
    name = name or bytes(names[0])
    other = names != name
    if other.any():
        row = int(other.argmax())
        what = f"second run name {names[row].decode()!r}, after {name.decode()!r}"
        raise columns.fault(row, what, "put each run in its own file")
    return name


def _rows(columns: Columns, numbers: TopicNumbers, *, keep_rank: bool) -> RunRows:
    score = columns.floats(_SCORE, "score")
    return RunRows(
        topic=numbers.of(columns.ids(_TOPIC)),
        comment=columns.ids(_COMMENT),
        rank=columns.floats(_RANK, "rank") if keep_rank else score[:0],
        score=score,
    )


def _ranked(path: Path, rows: RunRows, topics: tuple[str, ...], *, name: str, description: str, order: str) -> Run:
    placing = placing_of(rows, order)
    comment, score = (rows.comment, rows.score) if placing is None else (rows.comment[placing], rows.score[placing])
    starts = starts_of(np.bincount(rows.topic, minlength=len(topics)).tolist())
    try:
        return Run(topics, starts, comment, score, name=name, description=description, order=order)
    except InputError:
        raise _duplicate(path, rows) from None


def _duplicate(path: Path, rows: RunRows) -> InputError:
    duplicate = repeated_row(rows.topic, rows.comment)
    if duplicate is None:  # Run refuses only duplicates here: numbers and names are checked above
        raise AssertionError
    lines = np.concatenate([columns.lines for _, columns in _blocks(path)])
    first, second = (int(lines[row]) for row in duplicate)
    what = f"duplicate comment {rows.comment[duplicate[1]].decode()!r} (first on line {first})"
    return InputError.at(
        path, what, "each comment may appear once per topic (kaiwa check --fix keeps the first)", line=second
    )


def _one_line(text: str) -> str:
    return cell("description", " ".join(text.replace("<", "‹").replace(">", "›").split()))
