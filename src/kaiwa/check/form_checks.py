"""Checks of a run file's form: how it was saved, its description, fields and names."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from kaiwa.check.places import at_field, at_place, in_file
from kaiwa.check.problems import Problem
from kaiwa.check.raw_run import FIELDS, RawLine, RawRun, is_description
from kaiwa.errors import counted
from kaiwa.formats.run_files import STC_NAME
from kaiwa.formats.text.columns import MAX_ID_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kaiwa.check.expectation import Expectation

TEMPLATES = ("insert a short description", "write a short description", "your system description", "todo")
_SECOND, _NAME = 1, 5


def saved_badly(run: RawRun, _: Expectation) -> Iterator[Problem]:
    """How the file was saved: byte order mark, line ends, last newline."""
    if run.has_bom:
        yield in_file(run, "byte-order-mark", "starts with a byte order mark; save as UTF-8 without it")
    if run.carriage_returns:
        yield in_file(
            run, "carriage-returns", f"CR at the end of {counted(run.carriage_returns, 'line')}; save with LF line ends"
        )
    if not run.ends_in_newline:
        last = run.lines[-1]
        yield Problem(
            str(run.path),
            last.number,
            len(last.text) + 1,
            "no-last-newline",
            "no newline at the end of the file; add one",
        )


def bad_characters(run: RawRun, _: Expectation) -> Iterator[Problem]:
    """Bytes that are not UTF-8, and invisible characters."""
    for line in run.lines:
        if line.text.isascii() and line.text.isprintable():
            continue
        for place, char in enumerate(line.text, start=1):
            code = fault_of(char)
            if code == "not-utf8":
                yield at_place(
                    run, line, place, code, f"byte 0x{ord(char) & 0xFF:02x} is not UTF-8; save the file as UTF-8"
                )
                break
            if code:
                yield at_place(run, line, place, code, f"invisible character U+{ord(char):04X}; remove it")
                break


def fault_of(char: str) -> str:
    """The code of the problem with a character; empty if there is none."""
    if "\udc80" <= char <= "\udcff":
        return "not-utf8"
    return "control-character" if char != "\t" and unicodedata.category(char) in {"Cc", "Cf", "Zl", "Zp"} else ""


def bad_description(run: RawRun, _: Expectation) -> Iterator[Problem]:
    """The system description of an STC run."""
    if run.is_trec:
        return
    first = run.lines[0]
    if run.description is None:
        yield at_place(
            run, first, 1, "sysdesc-missing", "line 1 is not a system description; start with <SYSDESC>...</SYSDESC>"
        )
    elif not first.text.rstrip().endswith("</SYSDESC>"):
        yield at_place(
            run, first, len(first.text), "sysdesc-missing", "<SYSDESC> is not closed; end line 1 with </SYSDESC>"
        )
    elif _is_template(first.text.strip().removeprefix("<SYSDESC>").removesuffix("</SYSDESC>")):
        yield at_place(
            run, first, 1, "sysdesc-template", "the system description is empty or the template's; describe the system"
        )
    for line in run.lines[1:]:
        if is_description(line):
            yield at_place(run, line, 1, "sysdesc-misplaced", "<SYSDESC> after line 1; remove the line")


def _is_template(text: str) -> bool:
    words = text.strip().strip("[]().").lower()
    return not words or words.startswith(TEMPLATES)


def bad_fields(run: RawRun, _: Expectation) -> Iterator[Problem]:
    """Lines with too few or too many fields, and the second field."""
    for line in run.body:
        count = len(line.fields)
        if count < FIELDS:
            what = f"expected 6 fields, found {count}; a line reads: topic 0 comment rank score run"
            yield at_place(run, line, 1, "missing-fields", what, len(line.text))
        elif count > FIELDS:
            yield at_field(run, line, FIELDS, "extra-fields", f"expected 6 fields, found {count}; drop the others")
        if (place := line.long_field) is not None:
            what = f"field {place + 1} is longer than {MAX_ID_BYTES} bytes; shorten it"
            yield at_field(run, line, place, "long-field", what)
        if count >= FIELDS and line.second not in {"0", "Q0"}:
            yield at_field(run, line, _SECOND, "second-field", f"the second field is {line.second!r}; write 0")


def bad_names(run: RawRun, _: Expectation) -> Iterator[Problem]:
    """The run name: that of the file, or in a TREC run the same on all lines."""
    names = dict[str, list[RawLine]]()
    for line in run.ranked:
        names.setdefault(line.name, []).append(line)
    if run.is_trec:
        for name, lines in list(names.items())[1:]:
            what = f"second run name {name!r} ({counted(len(lines), 'line')}), after {next(iter(names))!r}"
            yield at_field(run, lines[0], _NAME, "mixed-run-names", f"{what}; put each run in its own file")
        return
    if not STC_NAME.fullmatch(run.stem):
        yield in_file(run, "file-name", "the name is not <team>-<C|E|J>-R<1..5>.txt; rename the file")
    for name, lines in names.items():
        if name != run.stem:
            what = f"run name {name!r} ({counted(len(lines), 'line')}) is not the file's name; write {run.stem!r}"
            yield at_field(run, lines[0], _NAME, "run-name", what)
