"""Raw post-comment pairs: TSV with or without a header, JSONL, Parquet; plain, .gz or .zst; read in batches."""

from __future__ import annotations

import json
import os
import re
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeVar

from kaiwa.errors import InputError
from kaiwa.files.inputs import open_input
from kaiwa.formats.fields import read_fields, split_header, stream_rows, word
from kaiwa.formats.judging_sheets import is_sheet
from kaiwa.formats.recognition import Head, Match, is_text, partly
from kaiwa.formats.text_files import Block, Span, numbered_lines, read_blocks
from kaiwa.nouns.pair_ids import PairId, PairIds
from kaiwa.nouns.run import Pair

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

    from kaiwa.formats.fields import Row, Texts


FIELDS = ("post_id", "post", "comment_id", "comment")
SHAPE = "a pair is post_id, post, comment_id, comment"
JSONL = {".jsonl", ".ndjson", ".json"}

Batch = list[Pair]
T = TypeVar("T")
HEAD_BYTES = 1 << 16
_BATCH = 8192


def is_pairs_tsv(head: Head) -> Match:
    """Whether every line has four columns between tabs; surely with a header, or if both texts have words."""
    rows = [line.split("\t") for line in head.lines]
    fitting = [len(row) == len(FIELDS) for row in rows]
    if not fitting or not all(fitting):
        return partly(fitting)
    named = sorted(cell.strip().lower() for cell in rows[0]) == sorted(FIELDS)
    texts = all(any(len(row[place].split()) > 1 or not row[place].isascii() for row in rows) for place in (1, 3))
    return Match.SURE if named or texts else Match.POSSIBLE


def is_pairs_jsonl(head: Head) -> Match:
    """Whether the first object has a comment_id; any other JSONL file may be a damaged one."""
    if kind_of(head.path) not in JSONL:
        return Match.NO
    found = first_object(head)
    return Match.SURE if found is not None and "comment_id" in found else Match.POSSIBLE


def is_pairs_parquet(head: Head) -> Match:
    """Whether a Parquet file's schema, at its end, names the columns of pairs."""
    if not head.name.endswith(".parquet") or head.is_folder:
        return Match.NO
    try:
        with open_input(head.path) as file:
            file.seek(max(file.seek(0, os.SEEK_END) - (1 << 16), 0))
            end = file.read()
    except OSError:
        return Match.POSSIBLE
    return Match.SURE if all(name.encode() in end for name in FIELDS) else Match.POSSIBLE


def first_object(head: Head) -> dict[str, Any] | None:  # Any: JSON values
    """The JSON object on the first line of a JSONL file; None if there is none."""
    if kind_of(head.path) not in JSONL or not head.lines:
        return None
    try:
        value = json.loads(head.lines[0])
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def read_pairs_jsonl(path: Path, *, span: Span | None = None, translations: Sequence[str] = ()) -> Iterator[Batch]:
    """The pairs of a JSONL file or of a span of it, batch by batch, ids and texts unchanged."""
    for block in read_blocks(path, span=span):
        yield [_from_object(fields, path, line, translations) for line, fields in objects(block, path)]


def in_batches(items: Iterator[T]) -> Iterator[list[T]]:
    """The items in lists of some thousands."""
    while batch := list(islice(items, _BATCH)):
        yield batch


def kind_of(path: Path) -> str:
    """The suffix that names the format, without that of the compression.

    >>> from pathlib import Path
    >>> kind_of(Path("weibo.jsonl.gz"))
    '.jsonl'
    """
    return (path.with_suffix("") if path.suffix in {".gz", ".zst"} else path).suffix.lower()


def objects(block: Block, path: Path) -> Iterator[tuple[int, dict[str, Any]]]:  # Any: JSON values
    """The JSON objects of a block of lines, each with its line; blank lines are ignored."""
    for line, text in numbered_lines(block):
        if not text.strip():
            continue
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            raise InputError.at(path, "is not JSON", "put one JSON object on each line", line=line) from None
        if not isinstance(value, dict):
            raise InputError.at(path, "is JSON but not an object", "put one object on each line", line=line)
        yield line, value


def read_pairs_tsv(path: Path, *, span: Span | None = None) -> Iterator[Batch]:
    """The pairs of a TSV file or of a span of it, with or without a header, batch by batch."""
    header = _header(_first_block(path)) if span and span.start else None
    order: Sequence[int] = header or range(len(FIELDS))
    begins = span is None or not span.start
    for block in read_blocks(path, span=span):
        lines = numbered_lines(block)
        if begins and block.first_line == 1 and (header := _header(block)):
            order = header
            next(lines)
        yield [_from_line(text, order, path, line) for line, text in lines if text.strip()]


def tsv_columns(path: Path) -> tuple[str, ...]:
    """The names in the header of a TSV file; none if it has no header."""
    block = _first_block(path)
    return tuple(_names(block)) if _header(block) else ()


def _first_block(path: Path) -> Block:
    return next(read_blocks(path, block_bytes=HEAD_BYTES))


def _names(block: Block) -> list[str]:
    return block.data[: block.data.index(b"\n")].decode().strip().lower().split("\t")


def _header(block: Block) -> list[int] | None:
    names = _names(block)
    return [names.index(field) for field in FIELDS] if sorted(names) == sorted(FIELDS) else None


def _from_line(text: str, order: Sequence[int], path: Path, line: int) -> Pair:
    cells = text.split("\t")
    if len(cells) != len(FIELDS):
        what = f"expected {len(FIELDS)} columns, found {len(cells)}"
        raise InputError.at(path, what, f"{SHAPE}, separated by tabs", line=line)
    pair = Pair(*(cells[place].strip() for place in order), line=line)
    refuse_invalid_ids(pair, path, line)
    return pair


def _from_object(
    fields: dict[str, Any],  # Any: JSON values
    path: Path,
    line: int,
    translations: Sequence[str],
) -> Pair:
    def fault(what: str) -> InputError:
        return InputError.at(path, what, SHAPE, line=line)

    values = [_cell(fields, name, fault) for name in FIELDS]
    others = tuple("" if fields.get(name) is None else _cell(fields, name, fault) for name in translations)
    pair = Pair(*values, line=line, translations=others)
    refuse_invalid_ids(pair, path, line)
    return pair


def _cell(fields: dict[str, Any], name: str, fault: Callable[[str], InputError]) -> str:  # Any: JSON values
    if name not in fields:
        raise fault(f"missing {name!r}")
    value = fields[name]
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise fault(f"{name!r} is not text")
    return clean_cell(str(value))


def clean_cell(text: str) -> str:
    r"""One cell of text: no tabs, line ends or lone surrogates, no space around it.

    >>> clean_cell(" a\tb\n")
    'a b'
    """
    if not text.isprintable():
        text = " ".join(text.replace("\x00", " ").split()).encode(errors="replace").decode()
    return text.strip()


def is_id(text: str) -> bool:
    """Whether the text can be an id in a run file, whose columns are separated by white space.

    >>> [is_id(text) for text in ("c1", "", "c 1")]
    [True, False, False]
    """
    return len(text.split()) == 1


def refuse_invalid_ids(pair: Pair, path: Path, line: int | None) -> None:
    """Refuse ids that are empty or contain white space."""
    for name, value in (("post_id", pair.post_id), ("comment_id", pair.comment_id)):
        if not is_id(value):
            what = f"{name} {value!r} contains white space" if value else f"empty {name}"
            raise InputError.at(path, what, "give every post and comment an id without white space", line=line)


def read_pairs_parquet(path: Path, *, groups: range | None = None, translations: Sequence[str] = ()) -> Iterator[Batch]:
    """The pairs of a Parquet file or of some of its row groups, batch by batch."""
    from kaiwa.files.foreign_parquet import foreign_batches  # loads what starts processes

    own = [name for name in translations if name in parquet_translations(path)] if translations else []
    for columns in foreign_batches(path, (*FIELDS, *own), SHAPE, groups):
        rows = (list(map(clean_cell, row)) for row in zip(*columns, strict=True))
        batch = [Pair(*row[:4], translations=_placed(row[4:], own, translations)) for row in rows]
        for pair in batch:
            refuse_invalid_ids(pair, path, None)
        yield batch


# Ids of pairs without texts, where texts may not be passed on: the header post_id TAB comment_id, then two ids a line.


_IDS = ("post_id", "comment_id")


def is_pair_ids(head: Head) -> Match:
    """Whether the header names two ids and nothing else."""
    return Match.SURE if head.fields and tuple(head.fields[0]) == _IDS else Match.NO


def read_pair_ids(path: Path) -> PairIds:
    """The ids of the pairs, in the order of the lines; the header may be missing."""
    found = dict[PairId, int]()
    for place, (line, cells) in enumerate(read_fields(path)):
        if tuple(cells) == _IDS and not place:
            continue
        if len(cells) != len(_IDS):
            what = f"expected the ids of a post and of a comment, found {len(cells)} fields"
            raise InputError.at(path, what, "write: post_id TAB comment_id", line=line)
        pair = (cells[0], cells[1])
        if pair in found:
            raise InputError.at(path, f"duplicate pair {pair} (first on line {found[pair]})", "keep one", line=line)
        found[pair] = line
    if not found:
        raise InputError.at(path, "contains no pair", "write: post_id TAB comment_id")
    return PairIds(tuple(found))


def pair_ids_texts(ids: PairIds) -> Texts:
    """The text of the file."""
    lines = [
        "\t".join(_IDS),
        *(f"{word('post', post, first=True)}\t{word('comment', comment)}" for post, comment in ids.pairs),
    ]
    return {"": "".join(f"{line}\n" for line in lines)}


# Translations of posts and comments, in columns such as post_en and comment_en; a file need not have them all.


_TRANSLATION = re.compile(r"(?:post|comment)_(?!id$)[a-z]{2,3}(?:-[A-Za-z0-9]{2,8})*")


def translations_among(names: Iterable[str]) -> tuple[str, ...]:
    """The columns that are translations, in their order.

    >>> translations_among(["post_id", "post", "post_en", "comment_id", "comment", "comment_zh-Hant", "post_date_1"])
    ('post_en', 'comment_zh-Hant')
    """
    return tuple(name for name in names if _TRANSLATION.fullmatch(name))


def jsonl_translations(path: Path) -> tuple[str, ...]:
    """The translations of a JSONL file: keys of its first object."""
    return translations_among(first_object(Head(path)) or ())


def parquet_translations(path: Path) -> tuple[str, ...]:
    """The translations of a Parquet file."""
    from kaiwa.files.foreign_parquet import foreign_size  # as above

    return translations_among(foreign_size(path).column_bytes)


def csv_translations(path: Path) -> tuple[str, ...]:
    """The translations of a table with a header."""
    _, names = split_header(first_line(path))
    return translations_among(names)


def _placed(cells: Sequence[str], own: Sequence[str], wanted: Sequence[str]) -> tuple[str, ...]:
    """The cells of a file's own columns in the wanted order; empty where the file has no such column."""
    found = dict(zip(own, cells, strict=True))
    return tuple(found.get(name, "") for name in wanted)


# Pairs without ids, as a table with a header (CSV) or as two columns: an id is made from the text.


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


def read_pairs_csv(path: Path, *, translations: Sequence[str] = ()) -> Iterator[Batch]:
    """The pairs of a table with a header, batch by batch; columns that are not named are ignored."""
    separator, names = split_header(first_line(path))
    places = [_place(names, column) for column in NAMES]
    for column in ("post", "comment"):
        if _place(names, column) is None:
            what = f"no column {' or '.join(NAMES[column])} in the header {separator.join(names)!r}"
            raise InputError.at(path, what, "name the columns post and comment; post_id and comment_id are optional")
    rows = stream_rows(path, separator=separator)
    next(rows, None)
    others = [names.index(name) if name in names else None for name in translations]
    yield from _batches(path, rows, [*places, *others], len(names))


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
    from kaiwa.nouns.normalise import fingerprint  # loads OpenSSL, which few formats need

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
    post_id, post, comment_id, comment, *others = (
        "" if place is None else clean_cell(cells[place]) for place in places
    )
    pair = Pair(
        post_id if places[0] is not None else made_id("p", post),
        post,
        comment_id if places[2] is not None else made_id("c", comment),
        comment,
        line=line,
        translations=tuple(others),
    )
    refuse_invalid_ids(pair, path, line)
    return pair
