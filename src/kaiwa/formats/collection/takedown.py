"""Takedown lists: ids of posts and comments that must no longer be shown, one per line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.formats.text.blocks import bare_name, numbered_lines, read_blocks

if TYPE_CHECKING:
    from pathlib import Path

NAME = "takedown.txt"
"""A list of this name in an index or a repository is always applied."""


def read_takedown(path: Path) -> frozenset[str]:
    """The ids in the list; blank lines and text after a # are ignored."""
    if path.is_file() and not path.stat().st_size and bare_name(path) == path.name:  # an empty .gz was cut short
        return frozenset()
    lines = (text.partition("#")[0].strip() for block in read_blocks(path) for _, text in numbered_lines(block))
    return frozenset(line for line in lines if line)
