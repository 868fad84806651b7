"""Posts and comments in files of their own, joined on disk: memory does not grow with the number of texts.

posts     id, text
comments  id, text                line by line the comments of the posts, as the repository of the STC task
          id, post id, text       or each with the id of its post
pairs     post id, comment id     or the ids that belong together, in a third file

Columns between the ids and the text are ignored. A header names the columns: id or post_id or comment_id, and text or
post or comment.
"""

from __future__ import annotations

import re
from contextlib import ExitStack, closing
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from kaiwa.disk.atomic_files import visible_files
from kaiwa.errors import InputError, counted
from kaiwa.formats.collection.pair_files import clean_cell, in_batches, refuse_invalid_ids
from kaiwa.formats.collection.pair_tables import first_line
from kaiwa.formats.collection.text_lookup import TextLookup
from kaiwa.formats.text.blocks import bare_name
from kaiwa.formats.text.delimited import split_header, stream_rows
from kaiwa.formats.text.head import Match
from kaiwa.model.pair import Pair

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kaiwa.formats.collection.pair_files import Batch
    from kaiwa.formats.text.head import Head

_COMMENTS = re.compile("comment|cmnt|repl|response", re.IGNORECASE)
_POSTS = re.compile("post|question|query", re.IGNORECASE)
_PAIRS = re.compile("pair|link", re.IGNORECASE)
_HEADER = {"id", "post_id", "comment_id"}
_SHAPE = "give posts (id, text) and comments (id, text or id, post id, text), and perhaps pairs (post id, comment id)"
_LEAST, _MOST = 2, 3


@dataclass(frozen=True)
class _Table:
    """A file of separated cells, and the places of the columns that are wanted."""

    path: Path
    separator: str
    has_header: bool
    width: int
    places: tuple[int, ...]

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """The wanted cells of each row, with its line."""
        rows = stream_rows(self.path, separator=self.separator)
        if self.has_header:
            next(rows, None)
        for line, cells in rows:
            if len(cells) != self.width:
                what = f"expected {counted(self.width, 'column')}, found {len(cells)}"
                raise InputError.at(self.path, what, _SHAPE, line=line)
            yield line, [clean_cell(cells[place]) for place in self.places]


def is_split(head: Head) -> Match:
    """Whether the path is a folder with one file of posts and one of comments."""
    return Match.SURE if head.is_folder and _files_in(head.path) else Match.NO


def read_split(path: Path) -> Iterator[Batch]:
    """The pairs of a folder with a file of posts, one of comments, and perhaps one of pairs."""
    if not path.is_dir():
        raise InputError.at(path, "is not a folder of posts and comments", _SHAPE)
    if not (files := _files_in(path)):
        raise InputError.at(path, "has no file of posts and one of comments", "name them posts.tsv and comments.tsv")
    return read_split_files(files)


def read_split_files(paths: Sequence[Path]) -> Iterator[Batch]:
    """The pairs of files of posts, of comments and perhaps of pairs, in this order."""
    if not _LEAST <= len(paths) <= _MOST:
        raise InputError.at(paths[-1], f"{len(paths)} files of posts and comments", _SHAPE)
    posts = _table(paths[0], [("post_id", "id"), ("post", "text")], (0, -1))
    if len(paths) == _MOST:
        comments = _table(paths[1], [("comment_id", "id"), ("comment", "text")], (0, -1))
        return in_batches(_linked(posts, comments, _table(paths[2], [("post_id",), ("comment_id",)], (0, 1))))
    columns = [("comment_id", "id"), ("post_id",), ("comment", "text")]
    comments = _table(paths[1], columns[::2] if _width(paths[1]) == _LEAST else columns, (0, 1, -1))
    return in_batches(_aligned(posts, comments) if len(comments.places) == _LEAST else _replies(posts, comments))


def _files_in(folder: Path) -> list[Path]:
    """The file of posts, that of comments, and that of pairs if there is one; none if they are not clear."""
    files = [
        path for path in visible_files(folder.iterdir()) if path.is_file() and path.suffix not in {".parquet", ".md"}
    ]
    names = {path: bare_name(path) for path in files}
    comments = [path for path in files if _COMMENTS.search(names[path]) and not _PAIRS.search(names[path])]
    pairs = [path for path in files if _PAIRS.search(names[path])]
    posts = [path for path in files if _POSTS.search(names[path]) and path not in (*comments, *pairs)]
    clear = len(posts) == len(comments) == 1 and len(pairs) <= 1
    return [*posts, *comments, *pairs] if clear else []


def _width(path: Path) -> int:
    return len(split_header(first_line(path))[1])


def _table(path: Path, columns: Sequence[tuple[str, ...]], places: Sequence[int]) -> _Table:
    """The file with its columns found: by the names of a header, else by their places."""
    separator, names = split_header(first_line(path))
    if not _HEADER.intersection(names):
        width = first_line(path).count("\t") + 1
        if width < len(columns):
            raise InputError.at(path, f"expected {counted(len(columns), 'column')} between tabs, found {width}", _SHAPE)
        chosen = places if len(columns) == len(places) else (places[0], places[-1])
        return _Table(path, "\t", has_header=False, width=width, places=tuple(chosen))
    found = [next((names.index(name) for name in known if name in names), None) for known in columns]
    if None in found:
        missing = " or ".join(columns[found.index(None)])
        raise InputError.at(path, f"no column {missing} in the header {separator.join(names)!r}", _SHAPE)
    return _Table(path, separator, has_header=True, width=len(names), places=tuple(place or 0 for place in found))


def _aligned(posts: _Table, comments: _Table) -> Iterator[Pair]:
    """Pairs of the rows with the same number."""
    for number, (post, comment) in enumerate(zip_longest(posts.rows(), comments.rows()), start=1):
        if post is None or comment is None:
            short, long = (posts, comments) if post is None else (comments, posts)
            what = f"has {counted(number - 1, 'row')}, but {long.path} has more"
            raise InputError.at(short.path, what, "each row belongs to the row of the same number; or " + _SHAPE)
        yield _pair(post[1], comment[1], comments.path, comment[0])


def _replies(posts: _Table, comments: _Table) -> Iterator[Pair]:
    """Pairs of comments with the post whose id they have."""
    with TemporaryDirectory() as name, closing(TextLookup(posts.path, Path(name))) as texts:
        texts.fill(posts.rows())
        found = texts.find(cells[1] for _, cells in comments.rows())
        for batch in in_batches(comments.rows()):
            for (line, (comment_id, post_id, comment)), post in zip(batch, found(len(batch)), strict=True):
                yield _pair((post_id, post), (comment_id, comment), comments.path, line)
        _refuse_unrelated(texts, comments.path)


def _linked(posts: _Table, comments: _Table, pairs: _Table) -> Iterator[Pair]:
    """Pairs of the posts and comments whose ids are in the file of pairs."""
    with TemporaryDirectory() as name, ExitStack() as stack:
        tables = [stack.enter_context(closing(TextLookup(one.path, Path(name)))) for one in (posts, comments)]
        for table, source in zip(tables, (posts, comments), strict=True):
            table.fill(source.rows())
        found = [table.find(cells[place] for _, cells in pairs.rows()) for place, table in enumerate(tables)]
        for batch in in_batches(pairs.rows()):
            texts = zip(*(one(len(batch)) for one in found), strict=True)
            for (line, ids), (post, comment) in zip(batch, texts, strict=True):
                yield _pair((ids[0], post), (ids[1], comment), pairs.path, line)
        for table in tables:
            _refuse_unrelated(table, pairs.path)


def _refuse_unrelated(texts: TextLookup, path: Path) -> None:
    if not texts.found:
        raise InputError.at(path, f"no id of {texts.path} occurs in it", _SHAPE)


def _pair(post: Sequence[str], comment: Sequence[str], path: Path, line: int) -> Pair:
    pair = Pair(*post, *comment, line=line)
    refuse_invalid_ids(pair, path, line)
    return pair
