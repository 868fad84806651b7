"""Topic numbers for rows read block by block, and topic files (``id TAB text``)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError
from kaiwa.files.atomic import write_text
from kaiwa.files.inputs import short_digest
from kaiwa.formats.fields import word
from kaiwa.formats.recognition import Match, is_text, partly
from kaiwa.formats.text_files import numbered_lines, read_blocks
from kaiwa.nouns.ids import IdArray, IntArray, unpack

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kaiwa.formats.fields import Texts
    from kaiwa.formats.recognition import Head


_ENDS = re.compile(r"[\x00\t\n\r\ud800-\udfff]")
"""What ends a text, what a reader refuses, and what UTF-8 cannot write."""


class TopicNumbers:
    """Numbers topics in order of first appearance, across blocks.

    >>> numbers = TopicNumbers()
    >>> numbers.of(np.array([b"q7", b"q7", b"q2"])), numbers.of(np.array([b"q2", b"q7"]))
    (array([0, 0, 1]), array([1, 0]))
    """

    def __init__(self) -> None:
        self._known: dict[str, int] = {}

    def of(self, topic_per_row: IdArray) -> IntArray:
        """The number of each row's topic."""
        if not len(topic_per_row):
            return np.zeros(0, dtype=np.int64)
        breaks = np.concatenate(([0], np.flatnonzero(topic_per_row[1:] != topic_per_row[:-1]) + 1))
        numbers = [self._known.setdefault(name, len(self._known)) for name in unpack(topic_per_row[breaks])]
        return np.repeat(numbers, np.diff(breaks, append=len(topic_per_row))).astype(np.int64)

    @property
    def topics(self) -> tuple[str, ...]:
        """The topics in the order of their numbers."""
        return tuple(self._known)


def is_topics(head: Head) -> Match:
    """Whether every line is an id, one tab and a text; surely if some text is more than one word."""
    fitting = [line.strip().count("\t") == 1 for line in head.lines]
    if not fitting or not all(fitting):
        return partly(fitting)
    ids, texts = zip(*(line.strip().split("\t") for line in head.lines), strict=True)
    texts_found = any(len(text.split()) > 1 or not text.isascii() for text in texts)
    return Match.SURE if texts_found and not any(map(is_text, ids)) else Match.POSSIBLE


def read_topic_file(path: Path) -> dict[str, str]:
    """The topics of a task, id to text, from lines ``id TAB text``."""
    topics: dict[str, str] = {}
    lines: dict[str, int] = {}
    for block in read_blocks(path):
        for line, text in numbered_lines(block):
            if not text.strip():
                continue
            topic, post = (part.strip() for part in text.partition("\t")[::2])
            if "\t" not in text or not topic:
                raise InputError.at(path, "no tab between topic id and text", "write: id TAB text", line=line)
            if topic in topics:
                what = f"duplicate topic {topic!r} (first on line {lines[topic]})"
                raise InputError.at(path, what, "remove one", line=line)
            topics[topic], lines[topic] = post, line
    if not topics:
        raise InputError.at(path, "contains no topic", "write one per line: id TAB text")
    return topics


def write_topics(path: Path, topics: Mapping[str, str]) -> None:
    """Write topics as ``id TAB text``, one per line."""
    write_text(path, _text(topics))


def topics_texts(topics: Mapping[str, str]) -> Texts:
    """The text of the file."""
    return {"": _text(topics)}


def topics_digest(topics: Mapping[str, str]) -> str:
    """The hash of topics, whatever file they are in: that of the file that ``write_topics`` writes."""
    return short_digest(_lines(topics).encode())


def _text(topics: Mapping[str, str]) -> str:
    for topic, post in topics.items():
        word("topic", topic, first=True)
        if _ENDS.search(post):
            raise InputError.at(f"topic {topic!r}", "its text contains a tab or a newline", "replace it with a space")
        if not post or post != post.strip():
            what = f"its text {'begins or ends with a blank' if post else 'is empty'}"
            raise InputError.at(f"topic {topic!r}", what, "give the text without outer blanks")
    return _lines(topics)


def _lines(topics: Mapping[str, str]) -> str:
    return "".join(f"{topic}\t{post}\n" for topic, post in topics.items())


# Pool files: the items to judge, ``topic TAB comment``, one per line.


Item = tuple[str, str]
"""A topic and a comment."""


def read_pool(path: Path) -> list[Item]:
    """The items of a pool file, in the order of its lines."""
    lines: dict[Item, int] = {}
    for block in read_blocks(path):
        for line, text in numbered_lines(block):
            if not text.strip():
                continue
            topic, comment = (part.strip() for part in text.partition("\t")[::2])
            if not topic or not comment or "\t" in comment:
                raise InputError.at(path, "is not an item of a pool", "write: topic TAB comment", line=line)
            if first := lines.get((topic, comment)):
                what = f"duplicate item {topic!r} {comment!r} (first on line {first})"
                raise InputError.at(path, what, "remove one", line=line)
            lines[topic, comment] = line
    if not lines:
        raise InputError.at(path, "contains no item", "make it with: kaiwa pool RUN... -o POOL")
    return list(lines)
