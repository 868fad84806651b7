"""Tweets as JSONL, with the service's own fields or with short ones: id, text, name, reply_to, retweet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kaiwa.errors import InputError
from kaiwa.formats.collection.pair_files import clean_cell, first_object, objects
from kaiwa.formats.text.blocks import read_blocks
from kaiwa.formats.text.head import Match

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kaiwa.formats.text.blocks import Span
    from kaiwa.formats.text.head import Head

_SHAPE = "a tweet has id, text, name and, when it is a reply, reply_to"


@dataclass(frozen=True)
class Tweet:
    """One tweet: its text, its author, and the id of the tweet it answers ("" for an initial post)."""

    id: str
    text: str
    name: str
    reply_to: str
    retweet: bool


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
                raise InputError.at(path, "tweet without an id", _SHAPE, line=line)
            yield tweet


def _tweet(fields: dict[str, Any]) -> Tweet:  # Any: JSON values
    user = fields.get("user")
    return Tweet(
        id=_first(fields, "id_str", "id"),
        text=_first(fields, "full_text", "text"),
        name=_first(user, "screen_name") if isinstance(user, dict) else _first(fields, "name", "screen_name"),
        reply_to=_first(fields, "in_reply_to_status_id_str", "in_reply_to_status_id", "reply_to"),
        retweet=bool(fields.get("retweeted_status") or fields.get("retweet")),
    )


def _first(fields: dict[str, Any], *names: str) -> str:  # Any: JSON values
    for name in names:
        value = fields.get(name)
        if isinstance(value, str | int) and not isinstance(value, bool):
            return clean_cell(str(value))
    return ""
