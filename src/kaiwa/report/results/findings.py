"""The checker's findings as a compiler prints them: place, gravity, what, code, and the line itself."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.model.shown import counted
from kaiwa.report.text_tables import visible, width

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = ["MOST_OF_A_CODE", "counted", "excerpt", "finding", "summary"]

MOST_OF_A_CODE = 10
_SHOWN_COLUMNS = 100


def finding(place: str, severity: str, message: str, code: str, *, style: Callable[[str, str], str]) -> str:
    """One finding on one line.

    >>> finding("r.txt:7:3", "error", "rank 5 after 3", "rank-gap", style=lambda text, _: text)
    'r.txt:7:3: error: rank 5 after 3 [rank-gap]'
    """
    return f"{style(place, 'place')}: {style(severity, severity)}: {visible(message)} [{code}]"


def excerpt(line: str, column: int, size: int) -> str:
    """The faulty line with a mark under the fault.

    >>> print(excerpt("q1 0 c9 5 1.0 R1", 9, 1))
        q1 0 c9 5 1.0 R1
                ^
    """
    start = max(0, column - _SHOWN_COLUMNS // 2)
    shown = line[start : start + _SHOWN_COLUMNS].replace("\t", " ")
    before = visible(shown[: column - 1 - start])
    marks = "^" * max(1, min(size, len(shown) - (column - 1 - start)))
    return f"    {visible(shown)}\n    {' ' * width(before)}{marks}"


def summary(files: int, severities: Sequence[str], mendable: int) -> str:
    """The last line of a check.

    >>> summary(2, ["error", "error", "warning"], 3)
    '2 files: 2 errors, 1 warning; --fix mends all'
    """
    counts = [
        counted(severities.count(severity), severity) for severity in ("error", "warning") if severity in severities
    ]
    tail = f"; --fix mends {'all' if mendable == len(severities) > 1 else mendable}" if mendable else ""
    return f"{counted(files, 'file')}: {', '.join(counts) or 'no problem'}{tail}"
