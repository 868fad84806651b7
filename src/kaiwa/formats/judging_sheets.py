"""Sheets to judge in a spreadsheet: a row per item with its texts, and an empty column for each assessor.

A cell that a spreadsheet would compute follows an apostrophe; ids read back as they were. The file begins with a byte
order mark, because spreadsheets read Chinese and Japanese text as UTF-8 only then.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kaiwa.errors import InputError
from kaiwa.formats.fields import cell, plain_csv_text, split_header, stream_csv
from kaiwa.formats.recognition import Head, Match
from kaiwa.formats.votes import VoteRow, votes_of
from kaiwa.nouns.ids import unpack
from kaiwa.nouns.votes import NA

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from kaiwa.nouns.criteria import TaskItem
    from kaiwa.nouns.votes import Votes


COLUMNS = ["topic", "post", "comment_id", "comment"]
_COMPUTED = re.compile(r"'*[=+\-@＝＋－＠\t\r]")
"""What a spreadsheet may take for a formula, and what is marked as such a text."""
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\x85\u2028\u2029\ud800-\udfff]")
_LONGEST_TEXT = 32_000
"""Characters of a text in a cell: spreadsheets cut a cell at 32,767."""


def sheet_text(items: Iterable[TaskItem], assessors: Sequence[str]) -> str:
    """The sheet of the items, with an empty column for each assessor."""
    header = [*COLUMNS, *(_marked(cell("assessor", name)) for name in assessors)]
    rows = [[*_texts(one.topic, one.post, one.comment, one.text), *([""] * len(assessors))] for one in items]
    return "\ufeff" + plain_csv_text([header, *rows])


def voted_sheet_text(votes: Votes, posts: Mapping[str, str], comments: Mapping[str, str]) -> str:
    """The sheet of votes that were given, for the items whose texts are known.

    Of several votes of an assessor on an item the last counts; without one the cell is empty.
    """
    if votes.criteria:
        what = f"the votes have other criteria ({', '.join(votes.criteria)}), which a sheet cannot have"
        raise InputError(f"{what}; give votes with levels only")
    given: list[dict[int, str]] = [{} for _ in range(votes.items)]
    for item, assessor, level in zip(votes.item.tolist(), votes.assessor.tolist(), votes.level.tolist(), strict=True):
        given[item][assessor] = "NA" if level == NA else str(level)
    rows = [
        [
            *_texts(topic, posts[topic], comment, comments[comment]),
            *(own.get(one, "") for one in range(len(votes.assessors))),
        ]
        for topic, comment, own in zip(unpack(votes.topics), unpack(votes.comments), given, strict=True)
        if topic in posts and comment in comments
    ]
    return "\ufeff" + plain_csv_text(
        [[*COLUMNS, *(_marked(cell("assessor", name)) for name in votes.assessors)], *rows]
    )


def _texts(topic: str, post: str, comment: str, text: str) -> list[str]:
    """The first cells of an item."""
    named = _marked(cell("topic", topic, first=True)), _marked(cell("comment", comment))
    return [named[0], _marked(_shown(post)), named[1], _marked(_shown(text))]


def is_sheet(head: Head) -> Match:
    """Whether the header is that of a sheet."""
    if not head.lines:
        return Match.NO
    _, names = split_header(head.lines[0].removeprefix("\ufeff"))
    is_header = names[: len(COLUMNS)] == COLUMNS
    return Match.SURE if is_header and len(names) > len(COLUMNS) else Match.POSSIBLE if is_header else Match.NO


def read_sheet(path: Path, *, top: int | None = None) -> Votes:
    """The votes of a sheet that was filled in; an empty cell is no vote."""
    return votes_of(path, _rows(path), top=top)


def _rows(path: Path) -> Iterator[VoteRow]:
    separator, _ = split_header((Head(path).lines or [""])[0])
    assessors: list[str] | None = None
    lines: dict[tuple[str, str], int] = {}
    for line, written in stream_csv(path, separator=separator):
        cells = [_unmarked(one) for one in written]
        if assessors is None:
            assessors = _assessors(path, line, cells)
            continue
        topic, comment, votes = cells[0], cells[2] if len(cells) > len(COLUMNS) else "", cells[len(COLUMNS) :]
        if len(votes) != len(assessors):
            what = f"expected {len(COLUMNS) + len(assessors)} cells, found {len(cells)}"
            raise InputError.at(path, what, "keep every column of the sheet", line=line)
        if first := lines.get((topic, comment)):
            what = f"duplicate item {topic!r} {comment!r} (first on line {first})"
            raise InputError.at(path, what, "keep one", line=line)
        lines[topic, comment] = line
        for name, vote in zip(assessors, votes, strict=True):
            if vote:
                yield VoteRow(f"{path}:{line}", topic, comment, name, vote)


def _assessors(path: Path, line: int, header: list[str]) -> list[str]:
    names = header[len(COLUMNS) :]
    while names and not names[-1]:
        names.pop()
    if not names or "" in names:
        what = "an assessor's column has no name" if names else "has no column of an assessor"
        raise InputError.at(path, what, "write the assessor's name into the header", line=line)
    if same := next((name for place, name in enumerate(names) if name in names[:place]), ""):
        raise InputError.at(path, f"duplicate assessor {same!r}", "give each column its own name", line=line)
    return names


def _shown(text: str) -> str:
    """The text as it can stand in a cell; what no CSV file can hold becomes U+FFFD."""
    plain = _CONTROLS.sub("\ufffd", text.replace("\r\n", "\n"))
    return plain if len(plain) <= _LONGEST_TEXT else f"{plain[:_LONGEST_TEXT]} ..."


def _marked(text: str) -> str:
    return f"'{text}" if _COMPUTED.match(text) else text


def _unmarked(text: str) -> str:
    return text[1:] if text.startswith("'") and _COMPUTED.match(text) else text
