"""What every verb shares: --json, --seed, -o, --quiet, and how a result is printed."""

from __future__ import annotations

import json
import sys
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TextIO

import click

from kaiwa.errors import in_command

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

IN_FILE = click.Path(path_type=Path)
"""A path to read; existence is checked by the reader, which gives the better message."""
OUT_FILE = click.Path(path_type=Path)
"""A path to write: the type tells a verb's outputs from its inputs, over which nothing is written."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object, nothing else.")
seed_option = click.option(
    "--seed", metavar="N", type=click.IntRange(0), default=1, show_default=True, help="Seed of everything random."
)
out_option = click.option("-o", "--output", type=OUT_FILE, help="Write here instead of to stdout.")
_WIDEST = 100
"""Columns of a line of sentences on a wide terminal."""
_QUIET = ContextVar("quiet", default=False)


class View(Protocol):
    """A result that can be shown as text and as JSON fields; only the one asked for is computed."""

    def text(self) -> str:
        """The result for people."""

    def fields(self) -> Mapping[str, Any]:  # Any: JSON values
        """The result for programs."""


@dataclass(frozen=True)
class Summary:
    """A result of a line or two, with its JSON fields."""

    line: str
    values: Mapping[str, Any]  # Any: JSON values

    def text(self) -> str:
        """The line."""
        return self.line

    def fields(self) -> Mapping[str, Any]:  # Any: JSON values
        """The fields."""
        return self.values


def _set_quiet(ctx: click.Context, _: click.Parameter, value: bool) -> None:  # noqa: FBT001  click's signature
    if value:
        before = _QUIET.set(True)
        ctx.call_on_close(lambda: _QUIET.reset(before))


quiet_option = click.option(
    "-q", "--quiet", is_flag=True, expose_value=False, callback=_set_quiet, help="No progress and no remarks on stderr."
)
"""An option of the command and of every verb; verbs do not declare it."""


def is_quiet() -> bool:
    """Whether the user wants results and errors only."""
    return _QUIET.get()


def emit(view: View, *, as_json: bool, output: Path | None = None) -> None:
    """Print the result, readable or as one JSON object; or write it to the file given with -o."""
    shown = json.dumps(view.fields(), ensure_ascii=False, allow_nan=False) if as_json else in_command(view.text())
    if output is None:
        click.echo(shown if as_json else _for_terminal(shown, sys.stdout))
        return
    from kaiwa.disk.atomic_files import write_text

    write_text(output, shown + "\n")


def remark(message: str) -> None:
    """Print a remark on stderr, unless --quiet is given."""
    if not is_quiet():
        click.echo(_for_terminal(in_command(message), sys.stderr), err=True)


@contextmanager
def remarks() -> Iterator[Callable[[str], None]]:
    """A function that takes remarks during work that shows its progress; they are printed when the work is over."""
    lines = list[str]()
    yield lines.append
    for line in lines:
        remark(line)


def _for_terminal(text: str, stream: TextIO) -> str:
    """The text with its sentences broken into lines that a terminal shows; a file or a pipe gets them whole."""
    if not stream.isatty():
        return text
    from shutil import get_terminal_size

    from kaiwa.report.text_tables import wrapped

    return wrapped(text, min(get_terminal_size().columns, _WIDEST))
