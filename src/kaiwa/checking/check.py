"""Check run files: what is wrong with each, line by line, and a fixed copy if one is asked for.

``check`` reads each file as it is, finds its problems, and returns a ``Check``, which shows itself as a compiler does.
"""

from __future__ import annotations

import os
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kaiwa.ambient import progress
from kaiwa.checking import checks
from kaiwa.checking.checks import RunSummary, problems_between, summary_of
from kaiwa.checking.fixes import fixed_run
from kaiwa.checking.problems import CODES, Problem
from kaiwa.checking.raw_run import RawRun, raw_run, read_raw
from kaiwa.errors import InputError, counted, option
from kaiwa.files.atomic import reading, together, write_texts
from kaiwa.formats.readers import format_of
from kaiwa.formats.reading import name_list, path_of, run_files, runs_of, topics_of
from kaiwa.formats.recognition import RUNS
from kaiwa.formats.repository import open_repository
from kaiwa.formats.runs import trec_run_texts
from kaiwa.formats.takedown import given_ids, id_set, read_ids
from kaiwa.show.result import Description, Result, Table
from kaiwa.show.text import visible, width
from kaiwa.task.inputs import takes_task

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence

    from kaiwa.formats.reading import RunInput, TopicsInput


MAX_PER_CODE = 10
"""Problems of one code that are printed of one file; the JSON has all."""
_SHOWN_COLUMNS = 100


@dataclass(frozen=True)
class CheckedFile:
    """One run file: its size, its problems, the text of the faulty lines, and its fixed copy."""

    path: Path
    topics: int
    comments: int
    problems: tuple[Problem, ...]
    lines: dict[int, str]
    copy: Path | None = None
    changes: dict[str, int] = field(default_factory=dict)
    left: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class Check(Result):
    """The result of checking run files; ``clean`` if no file has a problem, or the fixed copies have none.

    >>> import kaiwa
    >>> kaiwa.Check(())
    Check(0 files, 0 problems)
    """

    files: tuple[CheckedFile, ...]

    def __repr__(self) -> str:
        return f"Check({counted(len(self.files), 'file')}, {counted(len(self.problems), 'problem')})"

    @property
    def problems(self) -> list[Problem]:
        """Every problem of every file, in order."""
        return [problem for file in self.files for problem in file.problems]

    @property
    def clean(self) -> bool:
        """Whether the files have no problems, or their fixed copies have none."""
        return all(not (file.left if file.copy else file.problems) for file in self.files)

    def describe(self) -> Description:
        """The problems file by file as a compiler prints them, and a last line that counts them."""
        problems = [_problem_fields(problem) for problem in self.problems]
        files = [_file_fields(file) for file in self.files]
        columns = ["file", "line", "column", "code", "severity", "message", "fixable"]
        rows = [[problem[name] for name in columns] for problem in problems]
        sizes = ["file", "topics", "comments", "problems", "copy"]
        return Description(
            tables=(
                Table("problems", columns, rows),
                Table("files", sizes, [[file[name] for name in sizes] for file in files]),
            ),
            fields={"files": files, "problems": problems, "clean": self.clean},
            text="\n".join(line for file in self.files for line in _file_lines(file)),
            notes=[self._summary()],
        )

    def _summary(self) -> str:
        """How many errors and warnings there are, and how many can be fixed."""
        severities = [problem.severity for problem in self.problems]
        open_files = [file for file in self.files if not file.copy]
        fixable = sum(problem.is_fixable for file in open_files for problem in file.problems)
        counts = [
            counted(severities.count(severity), severity) for severity in ("error", "warning") if severity in severities
        ]
        share = "all" if fixable == len(severities) > 1 else f"{fixable}"
        tail = f"; {share} fixable with {option('fix', 'FOLDER')}" if fixable else ""
        return f"{counted(len(self.files), 'file')}: {', '.join(counts) or 'no problem'}{tail}"


@takes_task
def check(
    runs: RunInput,
    *,
    topics: TopicsInput | None = None,
    repository: Path | str | os.PathLike[str] | Collection[str] | None = None,
    takedown: Path | str | Collection[str] | None = None,
    depth: int | None = None,
    ignore: str | Sequence[str] = (),
    fix: Path | str | None = None,
) -> Check:
    r"""What is wrong with run files, line by line.

    ``topics`` are the task's topics, ``repository`` its repository or the ids of its comments (a file, or a list),
    ``takedown`` the ids that no run may contain (a file, or a list), ``depth`` the most comments that a topic may have:
    by default ten in an STC run. ``ignore`` are codes not to report. Fixed copies of the runs with fixable problems are
    written into the folder ``fix``.

    >>> import kaiwa
    >>> from pathlib import Path
    >>> from tempfile import mkdtemp
    >>> path = Path(mkdtemp(), "T1-C-R1.txt")
    >>> _ = path.write_text("<SYSDESC>plain</SYSDESC>\nq1 0 c9 1 2.0 T1-C-R1\nq1 0 c9 2 1.0 T1-C-R1\n")
    >>> [(problem.line, problem.code) for problem in kaiwa.check(path).problems]
    [(3, 'duplicate-comment')]
    """
    ignored = set(name_list("ignore", ignore))
    for code in ignored:
        CODES[code]  # an unknown code is refused with the nearest known one
    if depth is not None and depth < 1:
        raise InputError(f"{option('depth', str(depth))} allows no comment; give at least 1")
    copies = None if fix is None else path_of("fix", fix)
    expected = _expectation(topics, repository, given_ids(takedown), depth)
    paths, made = _given(runs)
    files, summaries = list[CheckedFile](), list[RunSummary]()
    with reading(paths), together(), progress("checking") as moved:
        for done, each in enumerate(chain(map(_raw_runs, paths), [made])):
            moved(done, len(paths))
            for run in each:
                summaries.append(summary_of(run))
                found = [problem for problem in problems_of(run, expected) if problem.code not in ignored]
                files.append(_checked(run, found, expected, ignored, copies))
    between = [problem for problem in problems_between(summaries) if problem.code not in ignored]
    return Check(tuple(_with(file, between) for file in files))


def _given(runs: RunInput) -> tuple[list[Path], list[RawRun]]:
    """The files, which are checked as they are; and other forms of runs, as the TREC files that they would be."""
    listed: list[Any] = list(runs) if isinstance(runs, list | tuple) else [runs]  # Any: one of the forms of runs
    paths = [path for one in listed if isinstance(one, str | os.PathLike) for path in run_files(one)]
    others = [one for one in listed if not isinstance(one, str | os.PathLike)]
    if listed and not paths and not others:
        raise InputError.at(os.fspath(listed[0]), "holds no file", "give run files, or a folder with them")
    if not listed:
        raise InputError("no run to check; give at least one")
    return paths, _as_trec(Path(), trec_run_texts(runs_of(others))) if others else []


def _expectation(
    topics: TopicsInput | None,
    repository: Path | str | os.PathLike[str] | Collection[str] | None,
    takedown: frozenset[str],
    depth: int | None,
) -> Expectation:
    """What the task allows; a list of the repository adds to the takedown."""
    asked = None if topics is None else tuple(topics_of(topics))
    if repository is None:
        return Expectation(topics=asked, takedown=takedown, depth=depth)
    if not isinstance(repository, str | os.PathLike):
        return Expectation(topics=asked, comments=id_set(list(repository)), takedown=takedown, depth=depth)
    folder = Path(repository)
    if not folder.is_dir():
        return Expectation(topics=asked, comments=id_set(read_ids(folder)), takedown=takedown, depth=depth)
    opened = open_repository(folder, takedown=takedown)
    return Expectation(
        topics=asked,
        comments=id_set([name for ids in opened.column("comments", "comment_id") for name in ids]),
        takedown=takedown | opened.takedown,
        depth=depth,
        merged=opened.merged(),
    )


# Every check of one run, in one table.


CHECKS: tuple[Callable[[RawRun, Expectation], Iterator[Problem]], ...] = (
    checks.saved_badly,
    checks.bad_characters,
    checks.bad_description,
    checks.bad_fields,
    checks.bad_names,
    checks.bad_topics,
    checks.bad_comments,
    checks.bad_ranks,
    checks.bad_scores,
)
"""A new check is added here."""


def problems_of(run: RawRun, expected: Expectation) -> list[Problem]:
    """Every problem of one run, in the order of its lines."""
    found = [problem for check in CHECKS for problem in check(run, expected)]
    return sorted(found, key=lambda problem: (problem.line, problem.column))


@dataclass(frozen=True)
class Expectation:
    """What the task allows: its topics, its comments, and the number of comments per topic.

    ``takedown`` has the ids that no run may contain, those that follow from listed ones among them.
    ``merged`` gives the comment that cleaning kept for each near-duplicate that it removed.
    """

    topics: Sequence[str] | None = None
    comments: Container[str] | None = None
    takedown: Container[str] = field(default_factory=frozenset)
    depth: int | None = None
    merged: Mapping[str, str] = field(default_factory=dict)

    def kept_id(self, comment: str) -> str:
        """The id that the comment has in the repository: another one if cleaning merged it."""
        return self.merged.get(comment, comment)

    def shown_topics(self) -> list[str]:
        """The task's topics without those of the takedown."""
        return [topic for topic in self.topics or () if topic not in self.takedown]

    def depth_for(self, run: RawRun) -> int | None:
        """The maximum number of comments per topic: by default ten in an STC run, unlimited in a TREC run."""
        if self.depth is not None:
            return self.depth
        return None if run.is_trec else 10


# Read each file as it is, find what is wrong, and write a fixed copy when asked.


_LINES = ("ntcir-run", "trec-run")  # formats with a line for each comment


def _raw_runs(path: Path) -> list[RawRun]:
    """The lines of a run file; a run in another format is checked as the TREC file ``kaiwa convert`` would write."""
    found = format_of(path, RUNS)
    if found.name in _LINES:
        return [read_raw(path)]
    return _as_trec(path, trec_run_texts(found.read(path)))


def _as_trec(folder: Path, texts: Mapping[str, str]) -> list[RawRun]:
    return [raw_run(folder / name, text.encode().splitlines(keepends=True)) for name, text in texts.items()]


def _checked(
    run: RawRun, found: list[Problem], expected: Expectation, ignored: set[str], copies: Path | None
) -> CheckedFile:
    faulty = {problem.line for problem in found}
    checked = CheckedFile(
        path=run.path,
        topics=len(run.by_topic),
        comments=len(run.ranked),
        problems=tuple(found),
        lines={line.number: line.text for line in run.lines if line.number in faulty},
    )
    if copies is None or not any(problem.is_fixable for problem in found):
        return checked
    return _fixed(run, checked, expected, ignored, copies)


def _fixed(run: RawRun, checked: CheckedFile, expected: Expectation, ignored: set[str], copies: Path) -> CheckedFile:
    copy = copies / run.path.name
    fixed = fixed_run(run, expected, keep_ties="tied-scores" in ignored)
    if not fixed.text.strip():
        return checked
    write_texts(copies, {copy.name: fixed.text})
    written = raw_run(copy, fixed.text.encode().splitlines(keepends=True))
    left = [problem for problem in problems_of(written, expected) if problem.code not in ignored]
    return replace(checked, copy=copy, changes=fixed.changes, left=tuple(left))


def _with(file: CheckedFile, between: list[Problem]) -> CheckedFile:
    own = tuple(problem for problem in between if problem.file == str(file.path))
    return replace(file, problems=file.problems + own, left=file.left + own) if own else file


# The problems as a compiler prints them: place, severity, message, code, and the line.


def _file_lines(file: CheckedFile) -> list[str]:
    path = visible(str(file.path))
    if not file.problems:
        return [f"{path}: ok: {counted(file.topics, 'topic')}, {counted(file.comments, 'comment')}"]
    lines, shown = list[str](), Counter[str]()
    for problem in file.problems:
        shown[problem.code] += 1
        if shown[problem.code] <= MAX_PER_CODE:
            lines += _problem_lines(problem, file.lines)
    for code, count in shown.items():
        if count > MAX_PER_CODE:
            lines.append(f"{path}: ... and {count - MAX_PER_CODE:,} more of [{code}]; the JSON lists all")
    if file.copy:
        lines.append(f"{path}: fixed copy in {visible(str(file.copy))}")
        lines += [f"    {change}: {count:,}" for change, count in file.changes.items()]
        lines += [f"    not fixed: {visible(problem.message)} [{problem.code}]" for problem in file.left]
    return lines


def _problem_lines(problem: Problem, texts: Mapping[int, str]) -> list[str]:
    place = f"{problem.file}:{problem.line}:{problem.column}" if problem.line else problem.file
    first = f"{visible(place)}: {problem.severity}: {visible(problem.message)} [{problem.code}]"
    return [first, excerpt(texts[problem.line], problem.column, problem.width)] if problem.line in texts else [first]


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
