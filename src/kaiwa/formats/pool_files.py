"""Pool files: the items to judge, ``topic TAB comment``, one per line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.errors import InputError
from kaiwa.formats.text.blocks import numbered_lines, read_blocks

if TYPE_CHECKING:
    from pathlib import Path

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
