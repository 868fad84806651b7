from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kaiwa.cli.shell.complete import Named
from kaiwa.cli.shell.output import IN_FILE, OUT_FILE, emit, json_option, list_option
from kaiwa.cli.shell.progress import progress
from kaiwa.cli.shell.shared_options import runs_argument, takedown_option
from kaiwa.cli.shell.task_defaults import takedown_of_task

if TYPE_CHECKING:
    from kaiwa.cli.shell.output import View

_COLOURS = {"error": "red", "warning": "yellow", "place": "bright_white"}


def _codes() -> View:
    from kaiwa.check import CODES
    from kaiwa.report.results.check_view import CodesView

    return CodesView(CODES)


@click.command("check", epilog="Example: kaiwa check runs/*.txt --topics topics.tsv --fix -o fixed/")
@runs_argument
@click.option("--topics", type=IN_FILE, help="The task's topics (id TAB text): finds unknown and missing ones.")
@click.option("--repo", type=IN_FILE, help="The repository, or a list of its comment ids: finds unknown comments.")
@takedown_option
@click.option("-k", "--depth", type=click.IntRange(1), help="Maximum comments per topic (default: 10 in an STC run).")
@click.option(
    "--ignore",
    type=Named("check code"),
    multiple=True,
    metavar="CODE",
    help="A code not to report; repeatable. See --codes.",
)
@click.option("--fix", is_flag=True, help="Write fixed copies of the runs with fixable problems; list the changes.")
@click.option("-o", "--output", type=OUT_FILE, default=Path("fixed"), show_default=True, help="Folder of the copies.")
@list_option("--codes", view=_codes, help="List the codes and exit.")
@json_option
def command(
    runs: tuple[Path, ...],
    *,
    topics: Path | None,
    repo: Path | None,
    takedown: Path | None,
    depth: int | None,
    ignore: tuple[str, ...],
    fix: bool,
    output: Path,
    as_json: bool,
) -> None:
    """Validate run files, problem by problem with its line.

    Reports every problem with its line, column, severity, code and fix. Exit code 0: all runs are clean (or
    fixed by --fix). 1: problems were found. 2: a file cannot be read.
    """
    from kaiwa.flow.judging.check import check_runs, expectation
    from kaiwa.report.results.check_view import CheckView

    expected = expectation(topics=topics, repository=repo, takedown=takedown_of_task(takedown), depth=depth)
    with progress("checking") as moved:
        check = check_runs(runs, expected, ignore=ignore, copies=output if fix else None, on_progress=moved)
    emit(CheckView(check, _styled), as_json=as_json, is_coloured=True)
    if not check.is_clean:
        click.get_current_context().exit(1)


def _styled(text: str, role: str) -> str:
    return click.style(text, fg=_COLOURS[role], bold=role != "place")
