"""The votes that a page judged without a server gives: its log, with every vote, undo and skip.

The fields of a vote are those that the labelling server takes, with topic and comment instead of an item of a store.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kaiwa.errors import InputError
from kaiwa.formats.exports.tool_records import identity, json_records
from kaiwa.formats.exports.vote_rows import VoteRow, votes_of
from kaiwa.formats.text.head import Head, Match

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from kaiwa.model.votes import Votes

FORMAT = "kaiwa-votes"
VERSION = 1
_MARK = re.compile(rf'\s*\{{\s*"format"\s*:\s*"{FORMAT}"')
_FIX = "download it from the page again"


@dataclass(frozen=True)
class PageVote:
    """One line of the log: who, on what, which answer; ``level`` is empty for an undo and a skip."""

    place: str
    assessor: str
    topic: str
    comment: str
    level: str
    key: str
    undo_of: str
    skip: bool
    fields: Mapping[str, Any]  # Any: JSON values


def is_page_votes(head: Head) -> Match:
    """Whether it is the log of a page."""
    return Match.SURE if _MARK.match(head.start.removeprefix("\ufeff")) else Match.NO


def page_log(path: Path) -> list[PageVote]:
    """Every line of the log, in order; a line with a known key is the same line again."""
    found: dict[str, PageVote] = {}
    for _, record in json_records(path):
        assessor, votes = identity(record.get("assessor")), record.get("votes")
        if record.get("format") != FORMAT or not assessor or not isinstance(votes, list):
            raise InputError.at(path, "is not a file of votes of a page", _FIX)
        if record.get("version") != VERSION:
            what = f"is of version {record.get('version')!r}, not {VERSION}"
            raise InputError.at(path, what, "update Kaiwa, or make the page again")
        for number, one in enumerate(votes, start=1):
            vote = _line(f"{path}, vote {number}", assessor, one)
            found.setdefault(vote.key, vote)
    return list(found.values())


def read_page_votes(path: Path, *, top: int | None = None) -> Votes:
    """The votes that count: an undo takes back the vote that it names, and a later vote replaces an earlier one."""
    return votes_of(path, _counted(page_log(path)), top=top)


def _line(place: str, assessor: str, one: object) -> PageVote:
    if not isinstance(one, dict) or not (key := identity(one.get("key"))):
        raise InputError.at(place, "is not a vote", _FIX)
    topic, comment = identity(one.get("topic")), identity(one.get("comment"))
    level = one.get("level")
    is_level = level is None or isinstance(level, str | int)
    if not topic or not comment or not is_level or isinstance(level, bool):
        raise InputError.at(place, "is not a vote", _FIX)
    given = "" if level is None else str(level)
    undone = identity(one.get("undo_of"))
    return PageVote(place, assessor, topic, comment, given, key, undone, one.get("skip") is True, one)


def _counted(log: list[PageVote]) -> Iterator[VoteRow]:
    undone = {vote.undo_of for vote in log if vote.undo_of}
    last: dict[tuple[str, str], PageVote] = {}
    for vote in log:
        if vote.level and not vote.skip and vote.key not in undone:
            last[vote.topic, vote.comment] = vote
    for vote in last.values():
        yield VoteRow(vote.place, vote.topic, vote.comment, vote.assessor, vote.level, f"page:{vote.key}")
