"""The grammar of every verb: one value per option, lists with commas, ``-`` for stdin, help in groups."""

from __future__ import annotations

import re
import sys
from collections import Counter
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import click

from kaiwa.cli.options import Known, Named, Numbers
from kaiwa.cli.output import GROUPS, HOW, IN_FILE, OUT_FILE, RUNS, SHOWN, SPOOLED, WORKS_ON, SharedOption
from kaiwa.errors import InputError, KaiwaError, in_command, option
from kaiwa.files.inputs import MAX_PIPE_BYTES, STDIN_NAME

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

STDIN = Path("-")
STDOUT = Path("-")


def refuse_second_values(command: click.Command, ctx: click.Context, words: Sequence[str]) -> None:
    """Refuse a second value of an option that has one; click would take the last."""
    _, _, order = command.make_parser(ctx).parse_args(list(words))
    given = Counter(one for one in order if isinstance(one, click.Option) and not (one.multiple or one.count))
    for one, times in given.items():
        if times > 1 and (not one.is_flag or one.secondary_opts):
            raise click.UsageError(f"{typed_name(one)} is given {times} times; give it once", ctx)


def split_lists(command: click.Command, ctx: click.Context) -> None:
    """Take the names of each list apart that has commas; names that only the verb knows are left to it."""
    for one in command.params:
        value = ctx.params.get(str(one.name))
        if isinstance(value, tuple) and (one.nargs == -1 or getattr(one, "multiple", False)):
            parts = tuple(part for each in value for part in _apart(one, each))
            ctx.params[str(one.name)] = _number_or_more(one.type, parts) if isinstance(one.type, Numbers) else parts


def _number_or_more(kind: Numbers, numbers: tuple[float, ...]) -> float | tuple[float, ...] | None:
    """Numbers as a function takes them: none, one or several."""
    return (numbers if kind.several or len(numbers) > 1 else numbers[0]) if numbers else None


def _apart(parameter: click.Parameter, value: Any) -> list[Any]:  # Any: what click parsed
    """The parts of one value of a list.

    A name of a table, and a file, may have a comma itself: it is tried whole first. A word that is an argument is a
    list only if it is a name of a table.
    """
    if isinstance(value, tuple):
        return list(value)
    kind, is_option = parameter.type, isinstance(parameter, click.Option)
    if isinstance(value, Path):
        parts = str(value).split(",")
        whole = not is_option or value.exists() or not all(Path(part).exists() or "*" in part for part in parts)
        return [value] if whole else [Path(part) for part in parts]
    if not isinstance(value, str) or isinstance(kind, Known) or not (is_option or isinstance(kind, Named)):
        return [value]
    known = kind.known if isinstance(kind, Named) else ()
    return [value] if value in known else [part.strip() for part in value.split(",")]


def typed_name(parameter: click.Parameter) -> str:
    """The parameter as a user types it: an option, or the argument in capitals."""
    if isinstance(parameter, click.Option):
        return in_command(option(str(parameter.name))) if len(parameter.opts) > 1 else parameter.opts[0]
    return parameter.make_metavar(click.get_current_context()).strip("[].")


# ``-``: stdin for one input, stdout for the file of the result.


_BLOCK_BYTES = 1 << 20
_PACKED = {b"\x1f\x8b": ".gz", b"\x28\xb5": ".zst"}
"""The first bytes of a compressed file, and its ending."""


@contextmanager
def dashes_resolved(command: click.Command, ctx: click.Context) -> Iterator[None]:
    """Give the verb a file with what stdin holds where ``-`` is an input; the file is removed at the end."""
    _refuse_stdout(command, ctx)
    asked = [one for one in command.params if one.type is IN_FILE for path in _values(ctx, one) if path == STDIN]
    if len(asked) > 1:
        names = " and ".join(dict.fromkeys(map(typed_name, asked)))
        raise click.UsageError(f"- is stdin, which is one input; it is given {len(asked)} times ({names})", ctx)
    if not asked:
        yield
        return
    name, value = str(asked[0].name), ctx.params[str(asked[0].name)]
    with TemporaryDirectory(prefix="kaiwa-") as folder:
        path = _spooled(Path(folder))
        ctx.meta[SPOOLED] = path
        ctx.params[name] = tuple(path if one == STDIN else one for one in value) if isinstance(value, tuple) else path
        try:
            yield
        except KaiwaError as fault:
            raise type(fault)(fault.marked.replace(str(path), STDIN_NAME)) from fault


def _spooled(folder: Path) -> Path:
    """A file with all of stdin."""
    if sys.stdin is None:
        raise InputError("stdin is closed; give the name of a file")
    path = folder / STDIN_NAME
    with path.open("wb") as file:
        while block := sys.stdin.buffer.read(_BLOCK_BYTES):
            file.write(block)
            if file.tell() > MAX_PIPE_BYTES:
                raise InputError(f"stdin: more than {MAX_PIPE_BYTES:,} bytes; give the name of a file")
    with path.open("rb") as file:
        ending = _PACKED.get(file.read(2), "")
    return path.rename(path.with_suffix(ending)) if ending else path


def _refuse_stdout(command: click.Command, ctx: click.Context) -> None:
    for one in command.params:
        if one.type is OUT_FILE and STDOUT in _values(ctx, one) and not getattr(one, "takes_stdout", False):
            raise click.UsageError(f"{typed_name(one)} does not write to stdout; give a name", ctx)


def _values(ctx: click.Context, parameter: click.Parameter) -> tuple[Any, ...]:  # Any: what click parsed
    value = ctx.params.get(str(parameter.name))
    return value if isinstance(value, tuple) else (value,)


# Help: the options in groups, in one column of names.


_WIDEST = 28
"""Columns of the names of options; a longer one has its text below."""
_TYPES = {"INTEGER RANGE": "N", "INTEGER": "N", "FLOAT RANGE": "X", "FLOAT": "X"}
_LEAST = re.compile(r"; x>=\d+(?=\])|  \[x>=\d+\]")
"""A lower bound, which the error of a smaller number says."""


_LISTED = re.compile(r"\[default: \((.*)\)\]")
"""The default of a list, as click shows it."""


def group_of(one: click.Option) -> str:
    """The group of an option in ``--help``: its own, else that of its type."""
    if isinstance(one, SharedOption):
        return one.group
    if "--help" in one.opts:
        return RUNS
    return WORKS_ON if one.type is IN_FILE else SHOWN if one.type is OUT_FILE else HOW


def write_options(command: click.Command, ctx: click.Context, formatter: click.HelpFormatter) -> None:
    """The options of a command in their groups."""
    groups: dict[str, list[tuple[str, str]]] = {name: [] for name in GROUPS}
    for one in command.get_params(ctx):
        if isinstance(one, click.Option) and (record := _record(one, ctx)):
            groups[group_of(one)].append(record)
    width = min(max((len(words) for rows in groups.values() for words, _ in rows), default=0), _WIDEST)
    for name, rows in groups.items():
        if rows:
            with formatter.section(name):
                formatter.write_dl([(f"{words:{width}}", text) for words, text in rows], col_max=_WIDEST)


def _record(one: click.Option, ctx: click.Context) -> tuple[str, str] | None:
    """An option's names and its text."""
    if (record := one.get_help_record(ctx)) is None:
        return None
    words, text = record
    for long, short in _TYPES.items():
        words = words.removesuffix(long) + short if words.endswith(long) else words
    words = f"{words},..." if one.multiple and not words.endswith("...") else words
    return words, _LISTED.sub(r"[default: \1]", _LEAST.sub("", text))
