"""What every verb shares: --json, --seed, -o, --quiet, and how a result is printed."""

from __future__ import annotations

import json
import os
import re
import sys
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TextIO

import click

from kaiwa.errors import in_command
from kaiwa.report.text_tables import visible, wrapped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping


class FilePath(click.Path):
    """A path that is not empty: an empty one, such as an unset variable of a shell, would be the current folder."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # Any: click's own
        """The path."""
        if value == "":
            self.fail("the path is empty; give the name of a file or folder", param, ctx)
        return super().convert(value, param, ctx)


class FiniteRange(click.FloatRange):
    """A number in a range; nan, which no comparison excludes, is in none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # Any: click's own
        """The number."""
        number = super().convert(value, param, ctx)
        return self.fail(f"{value} is not a number", param, ctx) if number != number else number  # noqa: PLR0124  nan


IN_FILE = FilePath()
"""A path to read; existence is checked by the reader, which gives the better message."""
OUT_FILE = FilePath()
"""A path to write: the type tells a verb's outputs from its inputs, over which nothing is written."""

json_option = click.option("--json", "as_json", is_flag=True, help="Print one JSON object, nothing else.")
seed_option = click.option(
    "--seed", metavar="N", type=click.IntRange(0), default=1, show_default=True, help="Seed of everything random."
)
out_option = click.option("-o", "--output", type=OUT_FILE, help="Write here instead of to stdout.")
_WIDEST = 100
"""Columns of a line of sentences on a wide terminal."""
_LONG_FIELD = re.compile(r"(['\"])((?:(?!\1).){60})(?:(?!\1).){60,}\1")
"""A name in quotes that is longer than a reader needs to find it."""
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


class _Listing(click.Option):
    """A flag that prints a table instead of the verb's work; ``--json`` may stand before or after it."""

    def __init__(self, names: list[str], *, view: Callable[[], View], help: str) -> None:  # noqa: A002  click's word
        super().__init__(names, is_flag=True, is_eager=True, expose_value=False, help=help)
        self._view = view

    def handle_parse_result(
        self, ctx: click.Context, opts: Mapping[str, Any], args: list[str]
    ) -> tuple[Any, list[str]]:  # Any: what click parsed
        """Print the table if it is asked for, and end."""
        if self.name in opts and not ctx.resilient_parsing:
            emit(self._view(), as_json="as_json" in opts)
            ctx.exit()
        return super().handle_parse_result(ctx, opts, args)


def list_option(*names: str, view: Callable[[], View], help: str) -> Callable[[Any], Any]:  # noqa: A002  # Any: a command
    """An option that prints a table of names, readable or with ``--json`` as one JSON object, and ends."""
    return click.option(*names, cls=_Listing, view=view, help=help)


def is_quiet() -> bool:
    """Whether the user wants results and errors only."""
    return _QUIET.get()


def emit(view: View, *, as_json: bool, output: Path | None = None, is_coloured: bool = False) -> None:
    """Print the result, readable or as one JSON object; or write it to the file given with -o.

    A text ``is_coloured`` if it has escape sequences of ours, and is made ``visible`` by its view.
    """
    shown = json.dumps(view.fields(), ensure_ascii=False, allow_nan=False) if as_json else in_command(view.text())
    shown = shown.encode(errors="backslashreplace").decode()  # a lone surrogate, as JSON escapes it
    if output is None:
        click.echo(_for_terminal(shown, sys.stdout, is_coloured=is_coloured, is_data=as_json))
        return
    from kaiwa.disk.atomic_files import write_text

    write_text(output, shown + "\n")


def remark(message: str) -> None:
    """Print a remark on stderr, unless --quiet is given."""
    if not is_quiet():
        click.echo(_for_terminal(one_line(in_command(message)), sys.stderr), err=True)


def one_line(message: str) -> str:
    r"""The message on one line: control characters are shown, and a long field in quotes is cut.

    >>> print(one_line("a\x1b[2Jb\nc.txt: unknown run '" + "x" * 500 + "'"))
    a\x1b[2Jb\nc.txt: unknown run 'xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...'
    """
    return _LONG_FIELD.sub(r"\1\2...\1", visible(message))


@contextmanager
def remarks() -> Iterator[Callable[[str], None]]:
    """A function that takes remarks during work that shows its progress; they are printed when the work is over."""
    lines = list[str]()
    yield lines.append
    for line in lines:
        remark(line)


def _for_terminal(text: str, stream: TextIO, *, is_coloured: bool = False, is_data: bool = False) -> str:
    """The text as a terminal shows it: nothing that it would obey, and sentences broken into lines.

    A file or a pipe gets the text as it is.
    """
    if not stream.isatty():
        return text
    from shutil import get_terminal_size

    shown = text if is_coloured else "\n".join(visible(line.replace("\t", "    ")) for line in text.split("\n"))
    return shown if is_data else wrapped(shown, min(get_terminal_size().columns, _WIDEST))


def open_closed_streams() -> None:
    """Give each closed stream a descriptor, so that no file of the user gets its number (``2>&-``).

    Remarks and errors for a closed stderr are dropped: the exit code remains. A result for a closed stdout is an error
    of the system, as in other tools, because its descriptor cannot be written to. A closed stdin has no text.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_WRONLY if number == 2 else os.O_RDONLY)  # noqa: PLR2004  stderr; lowest number is free
    if sys.stdout is None:
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115  as long as the process
    if sys.stderr is None:
        sys.stderr = open(2, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
