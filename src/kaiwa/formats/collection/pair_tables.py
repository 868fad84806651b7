"""Pairs without ids, as a table with a header (CSV) or as two columns: an id is made from the text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kaiwa.errors import InputError
from kaiwa.formats.collection.pair_files import clean_cell, in_batches, refuse_invalid_ids
from kaiwa.formats.exports.judging_sheets import is_sheet
from kaiwa.formats.text.blocks import numbered_lines, read_blocks
from kaiwa.formats.text.delimited import split_header, stream_rows
from kaiwa.formats.text.head import Match, is_text, partly
from kaiwa.model.normalise import fingerprint
from kaiwa.model.pair import Pair

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kaiwa.formats.collection.pair_files import Batch
    from kaiwa.formats.text.delimited import Row
    from kaiwa.formats.text.head import Head

NAMES = {
    "post_id": ("post_id",),
    "post": ("post", "question", "query", "prompt"),
    "comment_id": ("comment_id",),
    "comment": ("comment", "reply", "response", "answer"),
}
"""The columns of a table of pairs, with the names that they may have."""
_TEXTS = 2
_WORD = re.compile(r"[^\W\d_]{3}|[^\x00-\x7f]")


def is_pairs_csv(head: Head) -> Match:
    """Whether the first line names a column of posts and one of comments; a sheet of votes does too."""
    if not head.lines or head.is_folder:
        return Match.NO
    _, names = split_header(head.lines[0])
    if not all(_place(names, column) is not None for column in ("post", "comment")):
        return Match.NO
    return Match.POSSIBLE if is_sheet(head) is Match.SURE else Match.SURE


def read_pairs_csv(path: Path) -> Iterator[Batch]:
    """The pairs of a table with a header, batch by batch; other columns are ignored."""
    separator, names = split_header(first_line(path))
    places = [_place(names, column) for column in NAMES]
    for column in ("post", "comment"):
        if _place(names, column) is None:
            what = f"no column {' or '.join(NAMES[column])} in the header {separator.join(names)!r}"
            raise InputError.at(path, what, "name the columns post and comment; post_id and comment_id are optional")
    rows = stream_rows(path, separator=separator)
    next(rows, None)
    yield from _batches(path, rows, places, len(names))


def csv_columns(path: Path) -> tuple[str, ...]:
    """The columns of pairs that the header of a table names."""
    _, names = split_header(first_line(path))
    return tuple(column for column in NAMES if _place(names, column) is not None)


def is_two_columns(head: Head) -> Match:
    """Whether every line is two cells with one tab between them; surely if the first column cannot be ids.

    The second column has words, so that it is not a list of labels.
    """
    rows = [line.split("\t") for line in head.lines]
    fitting = [len(row) == _TEXTS and all(map(str.strip, row)) for row in rows]
    if not fitting or not all(fitting):
        return partly(fitting)
    posts, comments = zip(*rows, strict=True)
    return Match.SURE if any(map(is_text, posts)) and any(map(_WORD.search, comments)) else Match.POSSIBLE


def read_two_columns(path: Path) -> Iterator[Batch]:
    """The pairs of a file of two columns, batch by batch."""
    return _batches(path, stream_rows(path, separator="\t"), [None, 0, None, 1], _TEXTS)


def two_columns(_path: Path) -> tuple[str, ...]:
    """The columns of pairs without ids."""
    return ("post", "comment")


def made_id(kind: str, text: str) -> str:
    """An id for a text without one: the same text always gets the same id.

    >>> made_id("p", "Hello") == made_id("p", "Hello") != made_id("p", "hello")
    True
    """
    return f"{kind}{fingerprint(text):016x}"


def _place(names: list[str], column: str) -> int | None:
    return next((names.index(name) for name in NAMES[column] if name in names), None)


def first_line(path: Path) -> str:
    """The first line that is not blank."""
    lines = (line for block in read_blocks(path) for _, line in numbered_lines(block))
    return next((line for line in lines if line.strip()), "")


def _batches(path: Path, rows: Iterator[Row], places: list[int | None], width: int) -> Iterator[Batch]:
    for batch in in_batches(rows):
        yield [_pair(path, line, cells, places, width) for line, cells in batch]


def _pair(path: Path, line: int, cells: list[str], places: list[int | None], width: int) -> Pair:
    if len(cells) != width:
        raise InputError.at(
            path, f"expected {width} columns, found {len(cells)}", "fill in every cell, and quote separators", line=line
        )
    post_id, post, comment_id, comment = ("" if place is None else clean_cell(cells[place]) for place in places)
    pair = Pair(
        post_id if places[0] is not None else made_id("p", post),
        post,
        comment_id if places[2] is not None else made_id("c", comment),
        comment,
        line=line,
    )
    refuse_invalid_ids(pair, path, line)
    return pair
