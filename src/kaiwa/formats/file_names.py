"""Names that other tools' files can hold: between blanks, and as part of a file's name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable


def word(kind: str, name: str, never: str = "") -> str:
    """The name, if it can stand between blanks."""
    if not name or name.startswith("#") or any(sign.isspace() or sign in never for sign in name):
        raise InputError(f"{kind} {name!r} cannot be a field between blanks; rename it")
    return name


def file_name(name: str) -> str:
    """The name, if it can be that of a file."""
    if "/" in name or "\\" in name or name.startswith("."):
        raise InputError(f"{name!r} cannot be part of a file's name; rename that topic, run or measure")
    return word("name", name)


def lines(names: Iterable[str]) -> str:
    """The names, one a line."""
    return "".join(f"{name}\n" for name in names)
