"""What written files can hold: texts by file name, and names that read back as a field, a CSV cell or a file name.

A writer gives every name that it writes to one of these functions, so that a name which its reader would split, change
or skip is an error before anything is written (docs/decisions/files.md).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kaiwa.errors import InputError
from kaiwa.formats.fields import MAX_ID_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterable


Texts = dict[str, str]
"""Texts by file name; a format of one file has one text, whose name is empty."""

_SPLITS = re.compile(r"[\s\x00-\x1f\ud800-\udfff]")
"""What separates fields, what a reader refuses in a field, and what UTF-8 cannot write."""
_BREAKS = re.compile(r"[\x00-\x08\x0a-\x1f\x85\u2028\u2029\ud800-\udfff]")
"""What ends a line for some reader or editor, what a reader refuses in a line, and what UTF-8 cannot write."""
_SKIPPED = re.compile("#|\ufeff|<SYSDESC>")
"""A line that begins so is a comment, the description of a run, or the mark at the beginning of a file."""
_LONGEST_CELL = 100_000
_LONGEST_FILE_NAME = 255
_SHOWN = 60


def word(kind: str, name: str, *, first: bool = False, forbidden: str = "") -> str:
    r"""The name; an error if it cannot be a field between blanks, or with ``first`` the first field of a line.

    >>> word("comment", "#7"), word("topic", "会話-1", first=True)
    ('#7', '会話-1')
    >>> word("run", "my run")
    Traceback (most recent call last):
    kaiwa.errors.InputError: run 'my run': contains a blank or a control character, which ends a field; rename it
    """
    if not name:
        raise _refused(kind, name, "is empty")
    if _SPLITS.search(name):
        raise _refused(kind, name, "contains a blank or a control character, which ends a field")
    if len(name) * 4 > MAX_ID_BYTES and len(name.encode()) > MAX_ID_BYTES:
        raise _refused(kind, name, f"is longer than {MAX_ID_BYTES} bytes")
    if first and (begin := _SKIPPED.match(name)):
        raise _refused(kind, name, f"begins with {begin[0]!r}, and readers skip such a line")
    if sign := next((sign for sign in forbidden if sign in name), ""):
        raise _refused(kind, name, f"contains {sign!r}, which ends a name in this format")
    return name


def cell(kind: str, name: str, *, first: bool = False) -> str:
    r"""The name; an error if it cannot be a cell of a CSV file or of a line between tabs.

    >>> cell("run", "BM25, k1=0.9"), cell("topic", "#1")
    ('BM25, k1=0.9', '#1')
    >>> cell("topic", " q1")
    Traceback (most recent call last):
    kaiwa.errors.InputError: topic ' q1': begins or ends with a blank, which readers remove; rename it
    """
    if _BREAKS.search(name):
        raise _refused(kind, name, "contains a line end or a control character")
    if name != name.strip():
        raise _refused(kind, name, "begins or ends with a blank, which readers remove")
    if len(name) > _LONGEST_CELL:
        raise _refused(kind, name, f"is longer than {_LONGEST_CELL:,} characters")
    if first and (begin := _SKIPPED.match(name)):
        raise _refused(kind, name, f"begins with {begin[0]!r}, and readers skip such a line")
    return name


def file_name(name: str) -> str:
    """The name of a file or folder that is made of the name of a topic, run or measure; an error if it cannot be one.

    >>> file_name("T1-C-R1.txt")
    'T1-C-R1.txt'
    """
    if "/" in name or "\\" in name or name.startswith("."):
        raise _refused("file name", name, "contains a slash or begins with a point", "rename the topic, run or measure")
    if len(name.encode(errors="replace")) > _LONGEST_FILE_NAME:
        what = f"is longer than {_LONGEST_FILE_NAME} bytes"
        raise _refused("file name", name, what, "rename the topic, run or measure")
    return word("file name", name, first=True)


def lines(kind: str, names: Iterable[str]) -> str:
    """The names, one per line."""
    return "".join(f"{word(kind, name, first=True)}\n" for name in names)


def _refused(kind: str, name: str, what: str, fix: str = "rename it") -> InputError:
    shown = name if len(name) <= _SHOWN else f"{name[:_SHOWN]}..."
    return InputError.at(f"{kind} {shown!r}", what, fix)
