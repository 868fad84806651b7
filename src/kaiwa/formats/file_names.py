"""Texts by file name, and names checked for other tools' files: as a field between blanks, or in a file name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable

Texts = dict[str, str]
"""Texts by file name; a format of one file has one text, whose name is empty."""


def word(kind: str, name: str, forbidden: str = "") -> str:
    """The name; an error if it cannot be a field between blanks."""
    if not name or name.startswith("#") or any(sign.isspace() or sign in forbidden for sign in name):
        raise InputError(f"{kind} {name!r} cannot be a field between blanks; rename it")
    return name


def file_name(name: str) -> str:
    """The name; an error if it cannot be part of a file name."""
    if "/" in name or "\\" in name or name.startswith("."):
        raise InputError(f"{name!r} cannot be part of a file name; rename the topic, run or measure")
    return word("name", name)


def lines(names: Iterable[str]) -> str:
    """The names, one per line."""
    return "".join(f"{name}\n" for name in names)
