"""What every verb shares: --json, --seed, -o, --quiet, and how a result is printed."""

from __future__ import annotations

import os
import re
import signal
import sys
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from threading import Event, Thread
from time import monotonic
from typing import IO, TYPE_CHECKING, Any, TextIO

import click
from click.core import ParameterSource

from kaiwa import ambient
from kaiwa.errors import InputError, in_command, in_python
from kaiwa.files.inputs import STDIN_NAME
from kaiwa.show.result import FORMATS
from kaiwa.show.text import visible, wrapped

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kaiwa.show.result import Description, Result

    Tick = Callable[[int, int], None]


class FilePath(click.Path):
    """A path that is not empty: an empty one, such as an unset variable of a shell, would be the current folder."""

    def __init__(self) -> None:
        super().__init__(path_type=Path)
        self.name = "file"

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

WORKS_ON, HOW, SHOWN, RUNS = GROUPS = ("What it works on", "How", "What is shown", "How it runs")
"""The groups in which ``--help`` lists options; an option without a group is placed by its type."""


class SharedOption(click.Option):
    """An option that several verbs have, with its group in ``--help``; ``takes_stdout``: its file may be ``-``."""

    def __init__(self, *words: Any, group: str, takes_stdout: bool = False, **settings: Any) -> None:  # Any: click's
        super().__init__(*words, **settings)
        self.group = group
        self.takes_stdout = takes_stdout


works_on = partial(click.option, cls=SharedOption, group=WORKS_ON)
how = partial(click.option, cls=SharedOption, group=HOW)
shown_by_option = partial(click.option, cls=SharedOption, group=SHOWN)
runs_by = partial(click.option, cls=SharedOption, group=RUNS)

json_option = shown_by_option("--json", "as_json", is_flag=True, help="Print one JSON object, nothing else.")
table_option = shown_by_option("--table", metavar="NAME", help="Only this table; an unknown name lists them.")
form_option = shown_by_option(
    "--format", "form", metavar="FORM", type=click.Choice(FORMATS), help=f"{', '.join(FORMATS)}."
)
out_option = shown_by_option(
    "-o", "--output", type=OUT_FILE, takes_stdout=True, help="Write here, as its ending says; - is stdout."
)
seed_option = runs_by(
    "--seed", metavar="N", type=click.IntRange(0), default=1, show_default=True, help="Seed of everything random."
)
_WIDEST = 100
"""Columns of a line of sentences on a wide terminal."""
_LONG_FIELD = re.compile(r"(['\"])((?:(?!\1).){60})(?:(?!\1).){60,}\1")
"""A name in quotes that is longer than a reader needs to find it."""
_QUIET = ContextVar("quiet", default=False)


def _set_quiet(ctx: click.Context, _: click.Parameter, value: bool) -> None:  # noqa: FBT001  click's signature
    if value:
        before = _QUIET.set(True)
        ctx.call_on_close(lambda: _QUIET.reset(before))


quiet_option = runs_by(
    "-q", "--quiet", is_flag=True, expose_value=False, callback=_set_quiet, help="No progress and no remarks on stderr."
)
"""An option of the command and of every verb; verbs do not declare it."""


def is_quiet() -> bool:
    """Whether the user wants results and errors only."""
    return _QUIET.get()


SETTINGS, SPOOLED = "kaiwa.settings", "kaiwa.stdin"


def spooled_stdin() -> Path | None:
    """The file that has what stdin held, while a verb works on it."""
    context = click.get_current_context(silent=True)
    return None if context is None else context.meta.get(SPOOLED)


@dataclass(frozen=True)
class Shown:
    """How a result is shown: in which form, of which table, and where it is written."""

    form: str
    table: str | None
    output: Path | None


def result_options(function: Callable[..., Any]) -> Callable[..., Any]:  # Any: click's own type of a callback
    """--format, --json, --table and -o, given to the command as ``shown``."""

    @wraps(function)
    def call(*, form: str | None, as_json: bool, table: str | None, output: Path | None, **values: Any) -> Any:
        return function(**values, shown=_shown(form, as_json, table, output))

    return out_option(form_option(table_option(json_option(call))))


def form_options(function: Callable[..., Any]) -> Callable[..., Any]:  # Any: click's own type of a callback
    """--format, --json and --table, given to the command as ``shown``, of a verb whose -o is a folder that it makes."""

    @wraps(function)
    def call(*, form: str | None, as_json: bool, table: str | None, **values: Any) -> Any:
        return function(**values, shown=_shown(form, as_json, table, None))

    return form_option(table_option(json_option(call)))


def _shown(form: str | None, as_json: bool, table: str | None, output: Path | None) -> Shown:  # noqa: FBT001  as parsed
    if as_json and form not in {None, "json"}:
        raise InputError(f"--json and --format {form} contradict each other; give one of them")
    return Shown(form or ("json" if as_json else "text"), table, output)


def show(result: Result, shown: Shown, *, coloured: Callable[[str], str] | None = None) -> None:
    """Print a result, and write it to the file given with -o; with ``-o -`` print what the file would hold.

    ``coloured`` adds escape sequences of ours to the text that a terminal shows. In a task folder the result names the
    settings of its ``kaiwa.toml`` that were taken.
    """
    result = result.with_settings(settings_taken())
    description = result.describe().worded(in_command)
    if shown.form == "json" and shown.table is None:
        text = result.to_json()
    else:
        text = description.form(shown.form, shown.table)
    if str(shown.output) == "-":
        text = result.own_form(shown.table) if shown.form == "text" else text
    elif shown.output is not None:
        result.write(shown.output, table=shown.table)
        ambient.remark(f"wrote {shown.output}")
    if shown.form == "csv" or (shown.form == "text" and str(shown.output) == "-"):
        _remark_notes(description, text)
    text = text.rstrip("\n").encode(errors="backslashreplace").decode()  # a lone surrogate, as JSON escapes it
    is_coloured = coloured is not None and shown.form == "text" and sys.stdout.isatty()
    if coloured and is_coloured:
        text = coloured(_obeyed_by_none(text))
    click.echo(_for_terminal(text, sys.stdout, is_coloured=is_coloured, is_data=shown.form != "text"))


def _remark_notes(description: Description, text: str) -> None:
    """Print the notes on stderr that rows alone have no place for."""
    for note in description.notes:
        if visible(note) not in text and visible(in_python(note)) not in text:
            remark(f"note: {note}")


def settings_taken() -> dict[str, Any]:  # Any: values of the options
    """The options of the running command that have a value of ``kaiwa.toml`` which is not their own default."""
    context = click.get_current_context(silent=True)
    if context is None:  # a server tells from a thread of its own that it is ready
        return {}
    options = {one.name: one for one in context.command.params}
    return {
        name: value
        for name, value in context.meta.get(SETTINGS, {}).items()
        if name in options
        and context.get_parameter_source(name) is ParameterSource.DEFAULT_MAP
        and options[name].default not in {value, (value,)}
    }


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
    if (spooled := spooled_stdin()) is not None:
        text = text.replace(str(spooled), STDIN_NAME)
    if not stream.isatty():
        return text
    from shutil import get_terminal_size

    shown = text if is_coloured else _obeyed_by_none(text)
    return shown if is_data else wrapped(shown, min(get_terminal_size().columns, _WIDEST))


def _obeyed_by_none(text: str) -> str:
    """The text without what a terminal would obey."""
    return "\n".join(visible(line.replace("\t", "    ")) for line in text.split("\n"))


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


# Progress of long work: one line on the terminal after two seconds, removed when the work is done.


DELAY = 2.0
"""Seconds of silence: shorter work shows nothing."""
_EVERY = 0.25
_CLEAR = "\r\x1b[K"
_MINUTE, _HOUR = 60, 3600


@contextmanager
def progress(label: str, *, stream: IO[str] | None = None, delay: float = DELAY) -> Iterator[Tick]:
    """A function ``(done, total)`` that moves the line on stderr, silent without a terminal or with --quiet.

    Work that cannot count itself need not call it: the line then shows the time so far.
    """
    target = stream or sys.stderr
    if is_quiet() or not target.isatty():
        yield lambda _done, _total: None
        return
    line = _Line(label, target, delay)
    line.start()
    try:
        yield line.moved
    finally:
        line.finish()


class Terminal:
    """Shows the progress and the remarks of work on stderr; remarks wait until the progress line is gone."""

    def __init__(self) -> None:
        self._waiting = list[str]()
        self._at_work = 0

    def remark(self, line: str) -> None:
        """Show a line, now or when the current work is over."""
        if self._at_work:
            self._waiting.append(line)
        else:
            remark(line)

    @contextmanager
    def progress(self, label: str) -> Iterator[Tick]:
        """A block of work with its line."""
        self._at_work += 1
        try:
            with progress(label) as moved:
                yield moved
        finally:
            self._at_work -= 1
            if not self._at_work:
                lines, self._waiting = self._waiting, []
                for line in lines:
                    remark(line)


class _Line(Thread):
    """Draws the line four times a second, from a thread of its own, so that long steps do not freeze it."""

    def __init__(self, label: str, target: IO[str], delay: float) -> None:
        super().__init__(daemon=True)
        self._label, self._target, self._delay = label, target, delay
        self._over = Event()
        self._begin = monotonic()
        self._at = (0, 0)

    def moved(self, done: int, total: int) -> None:
        """Remember how far the work is."""
        self._at = (done, total)

    def run(self) -> None:
        """Wait, then draw until the work is over."""
        if self._over.wait(self._delay):
            return
        while True:
            self._target.write(_CLEAR + progress_line(self._label, *self._at, elapsed=monotonic() - self._begin))
            self._target.flush()
            if self._over.wait(_EVERY):
                break
        self._target.write(_CLEAR)
        self._target.flush()

    def finish(self) -> None:
        """Clear the line."""
        self._over.set()
        self.join()


def progress_line(label: str, done: int, total: int, *, elapsed: float) -> str:
    """The share done and the time left at this pace, or the time so far if neither is known.

    >>> progress_line("indexing", 25, 100, elapsed=10)
    'indexing: 25%, 30 s left'
    >>> progress_line("indexing", 100, 100, elapsed=10)
    'indexing: finishing, 10 s so far'
    >>> progress_line("resampling", 0, 0, elapsed=200)
    'resampling: 3:20 so far'
    """
    if not 0 < done <= total:
        return f"{label}: {_time(elapsed)} so far"
    if done == total:
        return f"{label}: finishing, {_time(elapsed)} so far"
    return f"{label}: {100 * done // total}%, {_time(elapsed * (total - done) / done)} left"


def _time(seconds: float) -> str:
    whole = round(seconds)
    if whole < _MINUTE:
        return f"{whole} s"
    if whole < _HOUR:
        return f"{whole // _MINUTE}:{whole % _MINUTE:02}"
    return f"{whole // _HOUR}:{whole % _HOUR // _MINUTE:02}:{whole % _MINUTE:02}"


# Lines typed at a terminal, with line editing and a history where Python has readline.


_KEPT_LINES = 1000
_STATE = Path(".local", "state")
_INTERRUPTED = 128 + signal.SIGINT


def typed_lines(prompt: str, *, history: str) -> Iterator[str]:
    """The lines that are typed, until an empty one, Ctrl-D or Ctrl-C; the up arrow recalls those of earlier sessions.

    Where the history cannot be read or written, there is none.
    """
    with suppress(ImportError, OSError, RuntimeError):
        _recall(_history_file(history))
    before = ""
    while line := _typed(prompt):
        if line != before:
            with suppress(OSError, RuntimeError):
                _append(_history_file(history), line)
        before = line
        yield line


def _history_file(name: str) -> Path:
    """Where a history is kept by the XDG base directory specification; a RuntimeError if the user has no home."""
    state = Path(os.environ.get("XDG_STATE_HOME", ""))
    return (state if state.is_absolute() else Path.home() / _STATE) / "kaiwa" / name


def _typed(prompt: str) -> str:
    """One line without the spaces around it; empty if there are no more."""
    try:
        if sys.stdout.isatty():
            return input(prompt).strip()
        click.echo(prompt, nl=False, err=True)  # stdout is a file, which gets the answers alone
        return input().strip()
    except EOFError:
        click.echo(err=True)
    except KeyboardInterrupt as stop:
        if getattr(stop, "exit_code", _INTERRUPTED) != _INTERRUPTED:  # a kill or a closed terminal, not Ctrl-C
            raise
        click.echo(err=True)
    return ""


def _recall(file: Path) -> None:
    """Give the lines of the history to readline, which then edits what is typed."""
    import readline

    if not file.is_file():
        return
    lines = [line for line in file.read_text(encoding="utf-8", errors="replace").split("\n") if line]
    for line in lines[-_KEPT_LINES:]:
        readline.add_history(line.replace("\0", ""))
    if len(lines) > 2 * _KEPT_LINES:
        _write(file, "".join(f"{line}\n" for line in lines[-_KEPT_LINES:]), os.O_TRUNC)


def _append(file: Path, line: str) -> None:
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    _write(file, f"{line}\n", os.O_APPEND)


def _write(file: Path, text: str, how: int) -> None:
    """Write to a file; one that is new can be read by its owner only."""
    number = os.open(file, os.O_WRONLY | os.O_CREAT | how, 0o600)
    with os.fdopen(number, "w", encoding="utf-8", errors="replace") as opened:
        opened.write(text)
