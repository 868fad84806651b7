"""Check run files: read each as it is, find what is wrong, and write fixed copies when asked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kaiwa.check import (
    CODES,
    Expectation,
    Problem,
    RawRun,
    RunSummary,
    fixed_run,
    problems_between,
    problems_of,
    raw_run,
    read_raw,
    summary_of,
)
from kaiwa.check.checked_files import Check, CheckedFile
from kaiwa.disk.atomic_files import write_texts
from kaiwa.disk.joint_output import together
from kaiwa.disk.protected_inputs import reading
from kaiwa.formats.collection.id_lists import id_set, read_ids
from kaiwa.formats.collection.repository import open_repository
from kaiwa.formats.format import RUNS
from kaiwa.formats.readers import format_of, read_topics
from kaiwa.formats.run_files import trec_run_texts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

_LINES = ("ntcir-run", "trec-run")  # formats with a line for each comment


def expectation(
    *,
    topics: Path | None = None,
    repository: Path | None = None,
    takedown: frozenset[str] = frozenset(),
    depth: int | None = None,
) -> Expectation:
    """What the task allows, from its files; a list of the repository adds to the takedown."""
    asked = tuple(read_topics(topics)) if topics else None
    if repository is None or not repository.is_dir():
        known = id_set(read_ids(repository)) if repository else None
        return Expectation(topics=asked, comments=known, takedown=takedown, depth=depth)
    opened = open_repository(repository, takedown=takedown)
    return Expectation(
        topics=asked,
        comments=id_set([name for ids in opened.column("comments", "comment_id") for name in ids]),
        takedown=takedown | opened.takedown,
        depth=depth,
        merged=opened.merged(),
    )


def check_runs(
    paths: Sequence[Path],
    expected: Expectation,
    *,
    ignore: Iterable[str] = (),
    copies: Path | None = None,
    on_progress: Callable[[int, int], None] = lambda _done, _total: None,
) -> Check:
    """Check the files; with ``copies``, write a fixed copy of each faulty one into that folder."""
    ignored = set(ignore)
    for code in ignored:
        CODES[code]  # an unknown code is refused with the nearest known one
    files, summaries = list[CheckedFile](), list[RunSummary]()
    with reading(paths), together():
        for done, path in enumerate(paths):
            on_progress(done, len(paths))
            for run in _raw_runs(path):
                summaries.append(summary_of(run))
                found = [problem for problem in problems_of(run, expected) if problem.code not in ignored]
                files.append(_checked(run, found, expected, ignored, copies))
    between = [problem for problem in problems_between(summaries) if problem.code not in ignored]
    return Check(tuple(_with(file, between) for file in files))


def _raw_runs(path: Path) -> list[RawRun]:
    """The lines of a run file; a run in another format is checked as the TREC file ``kaiwa convert`` would write."""
    found = format_of(path, RUNS)
    if found.name in _LINES:
        return [read_raw(path)]
    texts = trec_run_texts(found.read(path))
    return [raw_run(path / name, text.encode().splitlines(keepends=True)) for name, text in texts.items()]


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
