"""Dialogues as lists of turns, in JSON: every turn is a post, and the next turn is its comment."""

from __future__ import annotations

import re
from contextlib import ExitStack, closing
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import pairwise, zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.errors import InputError, counted
from kaiwa.files.atomic import visible_files
from kaiwa.files.spill import Partitions, RecordReader, TemporaryStrings, part_of, range_of
from kaiwa.formats.fields import split_header, stream_rows
from kaiwa.formats.pairs import (
    JSONL,
    clean_cell,
    first_line,
    first_object,
    in_batches,
    is_id,
    kind_of,
    objects,
    refuse_invalid_ids,
)
from kaiwa.formats.recognition import Match
from kaiwa.formats.text_files import bare_name, json_values, read_blocks
from kaiwa.nouns.ids import first_rows
from kaiwa.nouns.run import Pair

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from kaiwa.formats.pairs import Batch
    from kaiwa.formats.recognition import Head
    from kaiwa.formats.text_files import Span

    Records = NDArray[Any]  # Any: of the dtype below


_NONE = np.uint64(2**64 - 1)
_RECORD = np.dtype([
    ("row", np.uint64),
    ("key", np.uint64),  # of the id
    ("text", np.uint64),  # the key of a known text; the row of the text that was found for a wanted id
    ("line", np.uint64),
    ("wanted", np.bool_),
])  # fmt: skip


class TextLookup:
    """The texts of rows (id, text) with their lines; ids are looked up once, all together."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.path, self.found = path, 0
        self._folder = folder
        self._texts, self._records = TemporaryStrings(folder), Partitions(folder)

    def fill(self, rows: Iterator[tuple[int, list[str]]]) -> None:
        """Add all texts, before ids are looked up."""
        from kaiwa.nouns.normalise import fingerprint, skeleton  # loads OpenSSL, which few formats need

        count = 0
        for batch in in_batches(rows):
            texts = [cells[1] for _, cells in batch]
            self._texts.add(texts)
            records = _records([cells[0] for _, cells in batch], first_row=count)
            records["text"] = [fingerprint(skeleton(text)) for text in texts]
            records["line"] = [line for line, _ in batch]
            self._records.add(records, part_of(records["key"]))
            count += len(batch)

    def find(self, wanted: Iterator[str]) -> Callable[[int], list[str]]:
        """A function that gives the texts of the next so many of these ids; "" for an id that is not in the file."""
        count = 0
        for batch in in_batches(wanted):
            records = _records(batch, first_row=count)
            records["wanted"] = True
            self._records.add(records, part_of(records["key"]))
            count += len(batch)
        in_order = Partitions(self._folder)
        for part in self._records.parts():
            looked_up = self._looked_up(part)
            in_order.add(looked_up, range_of(looked_up["row"], count))
        decisions = RecordReader(in_order.parts())
        return lambda size: self._at(decisions.take(size)["text"])

    def close(self) -> None:
        """Delete the texts."""
        self._texts.close()

    def _looked_up(self, part: Records) -> Records:
        """The wanted ids of a part, each with the row of its text."""
        known: Records = part[~part["wanted"]]
        wanted: Records = part[part["wanted"]]
        self._refuse_two_texts(known)
        keys, first = np.unique(known["key"], return_index=True)
        wanted["text"] = _NONE
        if len(keys):
            place = np.minimum(np.searchsorted(keys, wanted["key"]), len(keys) - 1)
            hits = keys[place] == wanted["key"]
            wanted["text"][hits] = known["row"][first[place[hits]]]
            self.found += int(hits.sum())
        return wanted

    def _refuse_two_texts(self, known: Records) -> None:
        first = first_rows(known["key"])
        if (differs := known["text"] != known["text"][first]).any():
            place = int(differs.argmax())
            what = f"this id has another text on line {known['line'][first[place]]}"
            raise InputError.at(self.path, what, "give every text its own id", line=int(known["line"][place]))

    def _at(self, rows: NDArray[np.uint64]) -> list[str]:
        distinct, places = np.unique(rows, return_inverse=True)
        known = distinct[distinct != _NONE].tolist()
        texts = [*self._texts.at(known), ""]
        return [texts[place] for place in places.tolist()]


def _records(ids: Sequence[str], *, first_row: int) -> Records:
    from kaiwa.nouns.normalise import fingerprint  # as above

    records = np.zeros(len(ids), dtype=_RECORD)
    records["row"] = np.arange(first_row, first_row + len(ids))
    records["key"] = [fingerprint(one) for one in ids]
    return records


LISTS = ("turns", "dialogue", "dialog", "conversation", "conversations", "messages", "utterances")
TEXTS = ("text", "content", "message", "utterance", "value")
_IDS = ("id", "dialogue_id", "dialog_id", "conversation_id")
_ROLES = ("role", "speaker", "from")
_NOT_SAID = ("system", "tool")
_DIALOGUE_SHAPE = f"a dialogue is a list of turns, or an object with the list under {', '.join(LISTS)}"


def is_dialogues(head: Head) -> Match:
    """Whether the first value of a JSON file is a dialogue."""
    if head.is_folder or kind_of(head.path) not in JSONL:
        return Match.NO
    try:
        _, first = next(json_values(head.path), (0, None))
    except InputError:
        return Match.NO
    turns = _turns(first)
    return Match.SURE if turns and all(_text(turn) is not None for turn in turns) else Match.NO


def read_dialogues(path: Path, *, first: int = 1) -> Iterator[Batch]:
    """The pairs of neighbouring turns, batch by batch; ``first`` is the number of the first dialogue."""
    return in_batches(_pairs(path, first))


def dialogue_count(path: Path) -> int:
    """The number of dialogues in a file."""
    return sum(1 for _ in json_values(path))


def _pairs(path: Path, first: int) -> Iterator[Pair]:
    for number, (line, dialogue) in enumerate(json_values(path), start=first):
        turns = _turns(dialogue)
        if turns is None:
            raise InputError.at(path, "is not a dialogue", _DIALOGUE_SHAPE, line=line)
        name = _name(dialogue) or f"{number}"
        said = [(f"{name}-{place}", _said(turn, path, line, place)) for place, turn in enumerate(turns, start=1)]
        kept = [(turn_id, text) for turn_id, text in said if text is not None]
        yield from (Pair(*post, *comment, line=line) for post, comment in pairwise(kept))


def _turns(value: Any) -> list[Any] | None:  # Any: JSON values
    if isinstance(value, dict):
        value = next((value[name] for name in LISTS if isinstance(value.get(name), list)), None)
        return value if isinstance(value, list) else None
    is_flat = isinstance(value, list) and not any(isinstance(turn, list) for turn in value)
    return value if is_flat else None


def _name(dialogue: Any) -> str:  # Any: JSON values
    """The id of the dialogue; empty if it has none that can be part of an id."""
    found = next((dialogue[name] for name in _IDS if name in dialogue), "") if isinstance(dialogue, dict) else ""
    return f"{found}" if isinstance(found, str | int) and is_id(f"{found}") else ""


def _said(turn: Any, path: Path, line: int, place: int) -> str | None:  # Any: JSON values
    """The text of a turn; None for a turn of the system or a tool."""
    if isinstance(turn, dict) and any(turn.get(name) in _NOT_SAID for name in _ROLES):
        return None
    text = _text(turn)
    if text is None:
        what = f"turn {place} has no text"
        raise InputError.at(path, what, f"give a string, or an object with {' or '.join(TEXTS)}", line=line)
    return clean_cell(text)


def _text(turn: Any) -> str | None:  # Any: JSON values
    """The text of a turn: a string, an object with a text, or a list of speaker and text; None if it has none."""
    if isinstance(turn, dict):
        turn = next((turn[name] for name in TEXTS if name in turn), None)
    elif isinstance(turn, list):
        turn = turn[-1] if len(turn) == 2 else None  # noqa: PLR2004  speaker and text
    return turn if isinstance(turn, str) else None


# Tweets as JSONL, with the service's own fields or with short ones: id, text, name, date, reply_to, retweet.


_TWEET_SHAPE = "a tweet has id, text, name, date and, when it is a reply, reply_to"
_SERVICE_DATE = re.compile(r"[A-Z][a-z]{2} ([A-Z][a-z]{2}) ([0-9]{2}) [0-9:]{8} \+0000 ([0-9]{4})")
_MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


@dataclass(frozen=True)
class Tweet:
    """One tweet: its text, its author, its date in UTC ("" if not known), and the id of the tweet that it answers.

    ``reply_to`` is "" for an initial post.
    """

    id: str
    text: str
    name: str
    reply_to: str
    retweet: bool
    date: str = ""


def is_tweets(head: Head) -> Match:
    """Whether the first object of a JSONL file is a tweet, not a pair."""
    found = first_object(head)
    if found is None or "comment_id" in found:
        return Match.NO
    return Match.SURE if "text" in found or "full_text" in found else Match.NO


def read_tweets(path: Path, *, span: Span | None = None) -> Iterator[Tweet]:
    """The tweets of a file or of a span of it, in its order."""
    for block in read_blocks(path, span=span):
        for line, fields in objects(block, path):
            tweet = _tweet(fields)
            if not tweet.id:
                raise InputError.at(path, "tweet without an id", _TWEET_SHAPE, line=line)
            yield tweet


def _tweet(fields: dict[str, Any]) -> Tweet:  # Any: JSON values
    user = fields.get("user")
    return Tweet(
        id=_first(fields, "id_str", "id"),
        text=_first(fields, "full_text", "text"),
        name=_first(user, "screen_name") if isinstance(user, dict) else _first(fields, "name", "screen_name"),
        reply_to=_first(fields, "in_reply_to_status_id_str", "in_reply_to_status_id", "reply_to"),
        retweet=bool(fields.get("retweeted_status") or fields.get("retweet")),
        date=utc_date(_first(fields, "created_at", "date")),
    )


def utc_date(written: str) -> str:
    """The date in UTC of a time in the service's form or in ISO 8601; "" if it is neither.

    >>> utc_date("Wed Aug 27 13:08:45 +0000 2014"), utc_date("2015-01-01T08:00:00+09:00"), utc_date("summer")
    ('2014-08-27', '2014-12-31', '')
    """
    found = _SERVICE_DATE.fullmatch(written)
    if found and found[1] in _MONTHS:
        return f"{found[3]}-{_MONTHS.index(found[1]) + 1:02d}-{found[2]}"
    try:
        moment = datetime.fromisoformat(written)
        return (moment.astimezone(UTC) if moment.tzinfo else moment).date().isoformat()
    except (ValueError, OverflowError):
        return ""


def _first(fields: dict[str, Any], *names: str) -> str:  # Any: JSON values
    for name in names:
        value = fields.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool):
            return clean_cell(str(value))
    return ""


# Posts and comments in files of their own, joined on disk: memory does not grow with the number of texts.


_COMMENTS = re.compile("comment|cmnt|repl|response", re.IGNORECASE)
_POSTS = re.compile("post|question|query", re.IGNORECASE)
_PAIRS = re.compile("pair|link", re.IGNORECASE)
_HEADER = {"id", "post_id", "comment_id"}
_SPLIT_SHAPE = (
    "give posts (id, text) and comments (id, text or id, post id, text), and perhaps pairs (post id, comment id)"
)
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
                raise InputError.at(self.path, what, _SPLIT_SHAPE, line=line)
            yield line, [clean_cell(cells[place]) for place in self.places]


def is_split(head: Head) -> Match:
    """Whether the path is a folder with one file of posts and one of comments."""
    return Match.SURE if head.is_folder and _files_in(head.path) else Match.NO


def read_split(path: Path) -> Iterator[Batch]:
    """The pairs of a folder with a file of posts, one of comments, and perhaps one of pairs."""
    if not path.is_dir():
        raise InputError.at(path, "is not a folder of posts and comments", _SPLIT_SHAPE)
    if not (files := _files_in(path)):
        raise InputError.at(path, "has no file of posts and one of comments", "name them posts.tsv and comments.tsv")
    return read_split_files(files)


def read_split_files(paths: Sequence[Path]) -> Iterator[Batch]:
    """The pairs of files of posts, of comments and perhaps of pairs, in this order."""
    if not _LEAST <= len(paths) <= _MOST:
        raise InputError.at(paths[-1], f"{len(paths)} files of posts and comments", _SPLIT_SHAPE)
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
            raise InputError.at(
                path, f"expected {counted(len(columns), 'column')} between tabs, found {width}", _SPLIT_SHAPE
            )
        chosen = places if len(columns) == len(places) else (places[0], places[-1])
        return _Table(path, "\t", has_header=False, width=width, places=tuple(chosen))
    found = [next((names.index(name) for name in known if name in names), None) for known in columns]
    if None in found:
        missing = " or ".join(columns[found.index(None)])
        raise InputError.at(path, f"no column {missing} in the header {separator.join(names)!r}", _SPLIT_SHAPE)
    return _Table(path, separator, has_header=True, width=len(names), places=tuple(place or 0 for place in found))


def _aligned(posts: _Table, comments: _Table) -> Iterator[Pair]:
    """Pairs of the rows with the same number."""
    for number, (post, comment) in enumerate(zip_longest(posts.rows(), comments.rows()), start=1):
        if post is None or comment is None:
            short, long = (posts, comments) if post is None else (comments, posts)
            what = f"has {counted(number - 1, 'row')}, but {long.path} has more"
            raise InputError.at(short.path, what, "each row belongs to the row of the same number; or " + _SPLIT_SHAPE)
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
        raise InputError.at(path, f"no id of {texts.path} occurs in it", _SPLIT_SHAPE)


def _pair(post: Sequence[str], comment: Sequence[str], path: Path, line: int) -> Pair:
    pair = Pair(*post, *comment, line=line)
    refuse_invalid_ids(pair, path, line)
    return pair
