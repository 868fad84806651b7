"""A format: its noun, and how it is recognised, read and written."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from kaiwa.formats.text.head import Head, Match

T = TypeVar("T")
W = TypeVar("W")
Texts = dict[str, str]
"""Texts by file name; a format of one file has one text, whose name is empty."""


@dataclass(frozen=True)
class Noun(Generic[T, W]):
    """What a file contains: its name, the words for it and its file in a message, and the command that takes the file.

    Reading gives a T and writing takes a W; they differ for scores, which may have gaps when they are read.
    """

    name: str
    wanted: str
    file: str
    use: str


@dataclass(frozen=True)
class Format(Generic[T, W]):
    """One format of one noun.

    ``read`` takes a path and the noun's own options; ``read_together`` takes the paths of files that are only
    understood together. ``texts`` is None if the format is only read. ``shape`` shows a line of the file;
    ``description`` is one line of documentation.
    """

    name: str
    noun: Noun[T, W]
    shape: str
    description: str
    recognise: Callable[[Head], Match]
    read: Callable[..., T]
    texts: Callable[[W], Texts] | None = None
    read_together: Callable[[Sequence[Path]], T] | None = None


def late(module: str, name: str) -> Callable[..., Any]:  # Any: what the function itself takes and returns
    """A function of a module in ``kaiwa.formats``, imported at its first call: a verb loads the formats that it needs.

    >>> late("text.delimited", "is_number")("0.5")
    True
    """

    def call(*arguments: Any, **options: Any) -> Any:  # Any: as above
        return getattr(import_module(f"kaiwa.formats.{module}"), name)(*arguments, **options)

    return call
