"""The problems of run files: codes, their severity, and what --fix does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kaiwa.errors import Names
from kaiwa.formats.fields import MAX_ID_BYTES

if TYPE_CHECKING:
    from kaiwa.checking.raw_run import RawLine, RawRun


ERROR, WARNING = "error", "warning"


@dataclass(frozen=True)
class Code:
    """A kind of problem: its severity, its meaning, and what --fix does (empty if it cannot fix it)."""

    severity: str
    meaning: str
    fix: str = ""


CODES = Names(
    "check code",
    {
        "byte-order-mark": Code(WARNING, "the file starts with a byte order mark", "the mark is dropped"),
        "carriage-returns": Code(WARNING, "lines end in CRLF or CR instead of LF", "lines end in LF"),
        "no-last-newline": Code(WARNING, "the last line has no newline", "a newline is added"),
        "not-utf8": Code(ERROR, "a byte is not UTF-8", "the line is dropped"),
        "control-character": Code(ERROR, "a line contains a control or bidirectional character", "it is removed"),
        "file-name": Code(WARNING, "the file is not named <team>-<C|E|J>-R<1..5>.txt"),
        "sysdesc-missing": Code(ERROR, "line 1 is not <SYSDESC>...</SYSDESC>"),
        "sysdesc-template": Code(ERROR, "the system description is empty or is the template's"),
        "sysdesc-misplaced": Code(ERROR, "a <SYSDESC> line after line 1", "the line is dropped"),
        "missing-fields": Code(ERROR, "a line has fewer than six fields", "the line is dropped"),
        "extra-fields": Code(ERROR, "a line has more than six fields", "fields after the sixth are dropped"),
        "long-field": Code(ERROR, f"a field is longer than {MAX_ID_BYTES} bytes", "the line is dropped"),
        "second-field": Code(WARNING, "the second field is neither 0 nor Q0", "it becomes 0"),
        "bad-rank": Code(ERROR, "a rank is not a whole number from 1", "ranks are renumbered"),
        "rank-order": Code(ERROR, "the ranks do not rise with the lines", "lines are sorted by rank"),
        "rank-gap": Code(ERROR, "the ranks of a topic are not 1, 2, 3, ...", "ranks are renumbered"),
        "bad-score": Code(ERROR, "a score is not a finite number", "the topic's scores become n, n-1, ..., 1"),
        "rising-scores": Code(
            ERROR, "a score is higher than the one before", "the topic's scores become n, n-1, ..., 1"
        ),
        "tied-scores": Code(WARNING, "two scores of a topic are equal", "the topic's scores become n, n-1, ..., 1"),
        "unknown-topic": Code(ERROR, "a topic is not a topic of the task", "the line is dropped"),
        "missing-topic": Code(ERROR, "a topic of the task has no comment"),
        "split-topic": Code(WARNING, "the lines of a topic are not together", "they are moved together"),
        "unknown-comment": Code(ERROR, "a comment is not in the repository", "the line is dropped"),
        "merged-comment": Code(
            ERROR, "cleaning merged the comment into a near-duplicate", "the id of the near-duplicate is written"
        ),
        "takedown": Code(ERROR, "a topic or comment is on the takedown list", "the line is dropped"),
        "duplicate-comment": Code(ERROR, "a duplicate comment of a topic", "the first is kept"),
        "too-many": Code(ERROR, "a topic has more comments than allowed", "the list is cut"),
        "run-name": Code(ERROR, "the run name is not the file's name", "the file's name is used"),
        "mixed-run-names": Code(ERROR, "a file has several run names"),
        "same-run-name": Code(ERROR, "two files have runs of the same name"),
        "twin-runs": Code(WARNING, "two runs of one team are nearly identical"),
    },
)


@dataclass(frozen=True)
class Problem:
    """One problem: its place (line and column from 1; line 0 is the file), its code and the message."""

    file: str
    line: int
    column: int
    code: str
    message: str
    width: int = 1

    @property
    def severity(self) -> str:
        """``error`` or ``warning``."""
        return CODES[self.code].severity

    @property
    def is_fixable(self) -> bool:
        """Whether ``--fix`` fixes it."""
        return bool(CODES[self.code].fix)


# Problems of a file, at a column, or of a field.


def in_file(run: RawRun, code: str, message: str) -> Problem:
    """A problem of the whole file."""
    return Problem(str(run.path), 0, 0, code, message)


def at_place(run: RawRun, line: RawLine, column: int, code: str, message: str, width: int = 1) -> Problem:  # noqa: PLR0917
    """A problem at a column of a line."""
    return Problem(str(run.path), line.number, column, code, message, width)


def at_field(run: RawRun, line: RawLine, place: int, code: str, message: str) -> Problem:
    """A problem of one field of a line."""
    return Problem(str(run.path), line.number, line.column(place), code, message, len(line.fields[place]))
