"""The format of a file, and the error for a file that does not contain what was asked for."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any, TypeVar

from kaiwa.errors import InputError
from kaiwa.formats.format_table import FORMATS
from kaiwa.formats.text.head import Head, Match

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from kaiwa.formats.format import Format, Noun

T = TypeVar("T")
W = TypeVar("W")


def format_of(path: Path, noun: Noun[T, W], *others: Noun[Any, Any]) -> Format[Any, Any]:  # Any: of any of the nouns
    """The format of a file that should hold one of the nouns; a file that fits another noun better is an error.

    If no format recognises the file, the format is the first noun's default, whose reader reports what is wrong.
    """
    head = Head(path)
    nouns = (noun, *others)
    wanted = [row for each in nouns for row in FORMATS.values() if row.noun is each]
    best, match = _best(head, wanted)
    if match is Match.SURE:
        return best
    other, better = _best(head, [row for row in FORMATS.values() if row.noun not in nouns])
    if better > match:
        raise _wrong_noun(path, other, nouns)
    return best


def _best(head: Head, rows: Iterable[Format[Any, Any]]) -> tuple[Format[Any, Any], Match]:
    """The first row that is sure, else the first possible one, else the first row."""
    found = []
    for row in rows:
        match = row.recognise(head)
        if match is Match.SURE:
            return row, match
        found.append((row, match))
    return max(found, key=lambda pair: pair[1])


def _wrong_noun(path: Path, found: Format[Any, Any], nouns: tuple[Noun[Any, Any], ...]) -> InputError:
    what = f"this is {found.noun.file} ({found.shape}), not {' or '.join(noun.wanted for noun in nouns)}"
    return InputError.at(path, what, found.noun.use.format(path=shlex.quote(str(path))))
