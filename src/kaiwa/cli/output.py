"""What every verb shares: --json, --seed, -o, --quiet, and how a result reaches the user."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

IN_FILE = click.Path(path_type=Path)
"""A path argument; existence is checked by the reader, which gives the better message."""

json_option = click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout, nothing else there.")
seed_option = click.option(
    "--seed", type=click.IntRange(0), default=1, show_default=True, help="Seed of everything random."
)
out_option = click.option("-o", "--output", type=IN_FILE, help="Write here instead of to stdout.")
quiet_option = click.option("-q", "--quiet", is_flag=True, help="No progress and no remarks on stderr.")


def emit(text: str, fields: Mapping[str, Any], *, as_json: bool) -> None:  # Any: JSON values
    """Print the result: readable text, or one JSON object when a machine asked."""
    click.echo(json.dumps(fields, ensure_ascii=False, allow_nan=False) if as_json else text)


def deliver(text: str, fields: Mapping[str, Any], *, as_json: bool, output: Path | None) -> None:  # Any: JSON values
    """Print the result, or write it whole to the file given with -o."""
    if output is None:
        emit(text, fields, as_json=as_json)
        return
    from kaiwa.files.writing import write_text

    write_text(output, (json.dumps(fields, ensure_ascii=False, allow_nan=False) if as_json else text) + "\n")


def remark(message: str, *, quiet: bool = False) -> None:
    """Tell the user something on stderr, unless told to be quiet."""
    if not quiet:
        click.echo(message, err=True)


@contextmanager
def progress(label: str, *, quiet: bool = False, stream: IO[str] | None = None) -> Iterator[Callable[[int, int], None]]:
    """A function ``(done, total)`` that moves a bar on stderr, silent when stderr is no terminal."""
    target = stream or sys.stderr
    if quiet or not target.isatty():
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.percentage:>3.0f}%"))
    with Progress(*columns, TimeRemainingColumn(), console=Console(file=target), transient=True) as bar:
        task = bar.add_task(label, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)
