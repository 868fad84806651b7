"""The checker's problems as a compiler prints them: place, severity, message, code, and the line."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from kaiwa.errors import counted
from kaiwa.report.text_tables import table, visible, width

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kaiwa.check.checked_files import Check, CheckedFile
    from kaiwa.check.problems import Code, Problem

    Style = Callable[[str, str], str]
    """A text and its role (place, error, warning) to the same text, coloured."""

MAX_PER_CODE = 10
_SHOWN_COLUMNS = 100


@dataclass(frozen=True)
class CheckView:
    """The result of a check of run files."""

    check: Check
    style: Style

    def text(self) -> str:
        """The problems file by file, and a last line that counts them."""
        lines = [line for file in self.check.files for line in _file_lines(file, self.style)]
        open_files = [file for file in self.check.files if file.problems and not file.copy]
        fixable = sum(problem.is_fixable for file in open_files for problem in file.problems)
        severities = [problem.severity for problem in self.check.problems]
        return "\n".join([*lines, summary(len(self.check.files), severities, fixable)])

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """Every file and every problem as JSON fields."""
        return {
            "files": [_file_fields(file) for file in self.check.files],
            "problems": [_problem_fields(problem) for problem in self.check.problems],
            "clean": self.check.is_clean,
        }


@dataclass(frozen=True)
class CodesView:
    """The table of the checker's codes."""

    codes: Mapping[str, Code]

    def text(self) -> str:
        """A row per code."""
        rows = [[name, code.severity, code.meaning, code.fix or "-"] for name, code in self.codes.items()]
        return table(["code", "severity", "meaning", "--fix"], rows)

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """An object per code."""
        return {"codes": [{"code": name, **asdict(code)} for name, code in self.codes.items()]}


def finding(place: str, severity: str, message: str, code: str, *, style: Style) -> str:
    """One problem on one line.

    >>> finding("r.txt:7:3", "error", "rank 5 after 3", "rank-gap", style=lambda text, _: text)
    'r.txt:7:3: error: rank 5 after 3 [rank-gap]'
    """
    return f"{style(visible(place), 'place')}: {style(severity, severity)}: {visible(message)} [{code}]"


def excerpt(line: str, column: int, size: int) -> str:
    """The line with a mark under the problem.

    >>> print(excerpt("q1 0 c9 5 1.0 R1", 9, 1))
        q1 0 c9 5 1.0 R1
                ^
    """
    start = max(0, column - _SHOWN_COLUMNS // 2)
    shown = line[start : start + _SHOWN_COLUMNS].replace("\t", " ")
    before = visible(shown[: column - 1 - start])
    marks = "^" * max(1, min(size, len(shown) - (column - 1 - start)))
    return f"    {visible(shown)}\n    {' ' * width(before)}{marks}"


def summary(files: int, severities: Sequence[str], fixable: int) -> str:
    """The last line of a check.

    >>> summary(2, ["error", "error", "warning"], 3)
    '2 files: 2 errors, 1 warning; all fixable with --fix'
    """
    counts = [
        counted(severities.count(severity), severity) for severity in ("error", "warning") if severity in severities
    ]
    tail = f"; {'all' if fixable == len(severities) > 1 else fixable} fixable with --fix" if fixable else ""
    return f"{counted(files, 'file')}: {', '.join(counts) or 'no problem'}{tail}"


def _file_lines(file: CheckedFile, style: Style) -> list[str]:
    path = visible(str(file.path))
    if not file.problems:
        return [f"{path}: ok: {counted(file.topics, 'topic')}, {counted(file.comments, 'comment')}"]
    lines, shown = list[str](), Counter[str]()
    for problem in file.problems:
        shown[problem.code] += 1
        if shown[problem.code] <= MAX_PER_CODE:
            lines += _problem_lines(problem, file.lines, style)
    for code, count in shown.items():
        if count > MAX_PER_CODE:
            lines.append(f"{path}: ... and {count - MAX_PER_CODE:,} more of [{code}]; --json lists all")
    if file.copy:
        lines.append(f"{path}: fixed copy in {visible(str(file.copy))}")
        lines += [f"    {change}: {count:,}" for change, count in file.changes.items()]
        lines += [f"    not fixed: {visible(problem.message)} [{problem.code}]" for problem in file.left]
    return lines


def _problem_lines(problem: Problem, texts: Mapping[int, str], style: Style) -> list[str]:
    place = f"{problem.file}:{problem.line}:{problem.column}" if problem.line else problem.file
    first = finding(place, problem.severity, problem.message, problem.code, style=style)
    return [first, excerpt(texts[problem.line], problem.column, problem.width)] if problem.line in texts else [first]


def _file_fields(file: CheckedFile) -> dict[str, Any]:  # Any: JSON values
    return {
        "file": str(file.path),
        "topics": file.topics,
        "comments": file.comments,
        "problems": len(file.problems),
        "copy": str(file.copy) if file.copy else None,
        "changes": file.changes,
    }


def _problem_fields(problem: Problem) -> dict[str, Any]:  # Any: JSON values
    return {
        "file": problem.file,
        "line": problem.line,
        "column": problem.column,
        "code": problem.code,
        "severity": problem.severity,
        "message": problem.message,
        "fixable": problem.is_fixable,
    }
