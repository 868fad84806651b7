from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kaiwa.cli.shell.complete import Named
from kaiwa.cli.shell.output import IN_FILE, emit, json_option
from kaiwa.cli.shell.progress import progress
from kaiwa.model.plurals import counted
from kaiwa.report.results.findings import MOST_OF_A_CODE, excerpt, finding, summary

if TYPE_CHECKING:
    from kaiwa.check import Problem
    from kaiwa.flow.check import Check, CheckedFile

_COLOURS = {"error": "red", "warning": "yellow", "place": "bright_white"}


def _list_codes(ctx: click.Context, _: click.Parameter, value: bool) -> None:  # noqa: FBT001
    if not value or ctx.resilient_parsing:
        return
    from kaiwa.check import CODES
    from kaiwa.report.text_tables import table

    rows = [[name, code.severity, code.meaning, code.fix or "-"] for name, code in CODES.items()]
    click.echo(table(["code", "severity", "meaning", "--fix"], rows))
    ctx.exit()


@click.command("check", epilog="Example: kaiwa check runs/*.txt --topics topics.tsv --fix -o mended/")
@click.argument("runs", nargs=-1, required=True, type=IN_FILE)
@click.option("--topics", type=IN_FILE, help="The task's topics (id TAB text): finds unknown and missing ones.")
@click.option("--repo", type=IN_FILE, help="The repository, or a list of its comment ids: finds foreign comments.")
@click.option("--takedown", type=IN_FILE, help="Comment ids that may no longer appear, one a line.")
@click.option("-k", "--depth", type=click.IntRange(1), help="Most comments a topic (default: 10 in an STC run).")
@click.option(
    "--ignore",
    type=Named("check code"),
    multiple=True,
    metavar="CODE",
    help="A code not to report; repeatable. See --codes.",
)
@click.option("--fix", is_flag=True, help="Write a corrected copy of everything mendable, and say what changed.")
@click.option("-o", "--output", type=IN_FILE, default=Path("fixed"), show_default=True, help="Folder of the copies.")
@click.option(
    "--codes", is_flag=True, is_eager=True, expose_value=False, callback=_list_codes, help="List the codes and exit."
)
@json_option
def command(  # noqa: PLR0917  click passes by name
    runs: tuple[Path, ...],
    topics: Path | None,
    repo: Path | None,
    takedown: Path | None,
    depth: int | None,
    ignore: tuple[str, ...],
    fix: bool,  # noqa: FBT001
    output: Path,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Validate run files like a compiler.

    Reports every fault with its line, column, gravity, code and repair. Exit code 0 when all runs are
    clean (or mended by --fix), 1 when there are findings, 2 when a file cannot be read at all.
    """
    from kaiwa.flow.check import check_runs, expectation

    expected = expectation(topics=topics, repository=repo, takedown=takedown, depth=depth)
    with progress("checking") as moved:
        check = check_runs(runs, expected, ignore=ignore, copies=output if fix else None, on_progress=moved)
    emit(_text(check), _fields(check), as_json=as_json)
    if not check.is_clean:
        sys.exit(1)


def _text(check: Check) -> str:
    lines = [line for file in check.files for line in _file_lines(file)]
    found = check.problems
    unmended = [file for file in check.files if file.problems and not file.copy]
    mendable = sum(problem.is_fixable for file in unmended for problem in file.problems)
    return "\n".join([*lines, summary(len(check.files), [problem.severity for problem in found], mendable)])


def _file_lines(file: CheckedFile) -> list[str]:
    if not file.problems:
        return [f"{file.path}: ok: {counted(file.topics, 'topic')}, {counted(file.comments, 'comment')}"]
    lines, shown = list[str](), Counter[str]()
    for problem in file.problems:
        shown[problem.code] += 1
        if shown[problem.code] <= MOST_OF_A_CODE:
            lines += _problem_lines(problem, file.lines)
    for code, count in shown.items():
        if count > MOST_OF_A_CODE:
            lines.append(f"{file.path}: ... and {count - MOST_OF_A_CODE:,} more of [{code}]; --json lists all")
    if file.copy:
        lines.append(f"{file.path}: mended copy in {file.copy}")
        lines += [f"    {change}: {count:,}" for change, count in file.changes.items()]
        lines += [f"    left for you: {problem.message} [{problem.code}]" for problem in file.left]
    return lines


def _problem_lines(problem: Problem, texts: dict[int, str]) -> list[str]:
    place = f"{problem.file}:{problem.line}:{problem.column}" if problem.line else problem.file
    first = finding(place, problem.severity, problem.message, problem.code, style=_styled)
    return [first, excerpt(texts[problem.line], problem.column, problem.width)] if problem.line in texts else [first]


def _styled(text: str, role: str) -> str:
    return click.style(text, fg=_COLOURS[role], bold=role != "place")


def _fields(check: Check) -> dict[str, Any]:  # Any: JSON values
    return {
        "files": [
            {
                "file": str(file.path),
                "topics": file.topics,
                "comments": file.comments,
                "problems": len(file.problems),
                "copy": str(file.copy) if file.copy else None,
                "changes": file.changes,
            }
            for file in check.files
        ],
        "problems": [
            {
                "file": problem.file,
                "line": problem.line,
                "column": problem.column,
                "code": problem.code,
                "severity": problem.severity,
                "message": problem.message,
                "mendable": problem.is_fixable,
            }
            for problem in check.problems
        ],
        "clean": check.is_clean,
    }
