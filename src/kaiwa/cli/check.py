from __future__ import annotations

import sys
from pathlib import Path

import click

from kaiwa.cli.shell.complete import Named
from kaiwa.cli.shell.output import IN_FILE, OUT_FILE, emit, json_option
from kaiwa.cli.shell.progress import progress
from kaiwa.cli.shell.shared_options import runs_argument, takedown_option

_COLOURS = {"error": "red", "warning": "yellow", "place": "bright_white"}


def _list_codes(ctx: click.Context, _: click.Parameter, value: bool) -> None:  # noqa: FBT001
    if not value or ctx.resilient_parsing:
        return
    from kaiwa.check import CODES
    from kaiwa.report.results.check_view import codes_text

    click.echo(codes_text(CODES))
    ctx.exit()


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
@click.option(
    "--codes", is_flag=True, is_eager=True, expose_value=False, callback=_list_codes, help="List the codes and exit."
)
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
    """Validate run files like a compiler.

    Reports every problem with its line, column, severity, code and fix. Exit code 0: all runs are clean (or
    fixed by --fix). 1: problems were found. 2: a file cannot be read.
    """
    from kaiwa.flow.check import check_runs, expectation
    from kaiwa.report.results.check_view import CheckView

    expected = expectation(topics=topics, repository=repo, takedown=takedown, depth=depth)
    with progress("checking") as moved:
        check = check_runs(runs, expected, ignore=ignore, copies=output if fix else None, on_progress=moved)
    emit(CheckView(check, _styled), as_json=as_json)
    if not check.is_clean:
        sys.exit(1)


def _styled(text: str, role: str) -> str:
    return click.style(text, fg=_COLOURS[role], bold=role != "place")
