from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import click

from kaiwa.checking.check import check
from kaiwa.cli.command import takedown_of_task, verb
from kaiwa.cli.options import Named, runs_argument, takedown_option
from kaiwa.cli.output import IN_FILE, OUT_FILE, Shown, result_options, show

if TYPE_CHECKING:
    from pathlib import Path


_FINDING = re.compile(r"(?m)^(\S.*?): (error|warning): ")
_COLOURS = {"error": "red", "warning": "yellow"}


@verb("check", epilog="Example: kaiwa check runs/*.txt --topics topics.tsv --fix fixed/")
@runs_argument
@click.option("--topics", type=IN_FILE, help="The task's topics (id TAB text): finds unknown and missing ones.")
@click.option("--repository", type=IN_FILE, help="The repository, or a list of its comment ids: finds unknown ones.")
@takedown_option
@click.option("--depth", type=click.IntRange(1), help="Maximum comments per topic (default: 10 in an STC run).")
@click.option(
    "--ignore",
    type=Named("check code"),
    multiple=True,
    metavar="CODE",
    help="A code not to report; see: kaiwa names codes.",
)
@click.option(
    "--fix", type=OUT_FILE, metavar="FOLDER", help="Write fixed copies of the runs with fixable problems here."
)
@result_options
def check_command(
    runs: tuple[Path, ...],
    *,
    takedown: Path | None,
    shown: Shown,
    **options: Any,  # Any: the arguments of kaiwa.check
) -> None:
    """Validate run files, problem by problem with its line.

    Reports every problem with its line, column, severity, code and fix. Exit code 0: all runs are clean (or
    fixed by --fix). 1: problems were found. 2: a file cannot be read. Tables: problems, files.
    """
    found = check(list(runs), takedown=takedown_of_task(takedown), **options)
    show(found, shown, coloured=_coloured)
    if not found.clean:
        click.get_current_context().exit(1)


def _coloured(text: str) -> str:
    """The text with the place and the severity of each problem in colour."""

    def styled(match: re.Match[str]) -> str:
        severity = click.style(match[2], fg=_COLOURS[match[2]], bold=True)
        return f"{click.style(match[1], fg='bright_white')}: {severity}: "

    return _FINDING.sub(styled, text)
