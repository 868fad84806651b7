"""Names that a caller gives: one of a few, or a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.errors import UnknownName

if TYPE_CHECKING:
    from collections.abc import Sequence


def one_of(kind: str, value: str, known: Sequence[str]) -> None:
    """Refuse an unknown value."""
    if value not in known:
        raise UnknownName.among(kind, value, known)


def name_list(names: str | Sequence[str]) -> list[str]:
    """The names; a text is one name.

    >>> name_list("nG@1"), name_list(("nG@1", "P+"))
    (['nG@1'], ['nG@1', 'P+'])
    """
    return [names] if isinstance(names, str) else list(names)
