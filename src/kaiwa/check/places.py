"""Problems of a file, at a column, or of a field."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.check.problems import Problem

if TYPE_CHECKING:
    from kaiwa.check.raw_run import RawLine, RawRun


def in_file(run: RawRun, code: str, message: str) -> Problem:
    """A problem of the whole file."""
    return Problem(str(run.path), 0, 0, code, message)


def at_place(run: RawRun, line: RawLine, column: int, code: str, message: str, width: int = 1) -> Problem:  # noqa: PLR0917
    """A problem at a column of a line."""
    return Problem(str(run.path), line.number, column, code, message, width)


def at_field(run: RawRun, line: RawLine, place: int, code: str, message: str) -> Problem:
    """A problem of one field of a line."""
    return Problem(str(run.path), line.number, line.column(place), code, message, len(line.fields[place]))
