"""What every verb shares: --json, --seed, -o, --quiet, and how a result reaches the user."""

from __future__ import annotations

import json
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kaiwa.errors import in_command

if TYPE_CHECKING:
    from collections.abc import Mapping

IN_FILE = click.Path(path_type=Path)
"""A path argument; existence is checked by the reader, which gives the better message."""

json_option = click.option("--json", "as_json", is_flag=True, help="One JSON object on stdout, nothing else there.")
seed_option = click.option(
    "--seed", type=click.IntRange(0), default=1, show_default=True, help="Seed of everything random."
)
out_option = click.option("-o", "--output", type=IN_FILE, help="Write here instead of to stdout.")
_QUIET = ContextVar("quiet", default=False)


def _hush(ctx: click.Context, _: click.Parameter, value: bool) -> None:  # noqa: FBT001  click's signature
    if value:
        before = _QUIET.set(True)
        ctx.call_on_close(lambda: _QUIET.reset(before))


quiet_option = click.option(
    "-q", "--quiet", is_flag=True, expose_value=False, callback=_hush, help="No progress and no remarks on stderr."
)
"""Of the command and of every verb, which get it without asking for it."""


def is_quiet() -> bool:
    """Whether the user wants results and errors only."""
    return _QUIET.get()


def emit(text: str, fields: Mapping[str, Any], *, as_json: bool) -> None:  # Any: JSON values
    """Print the result: readable text, or one JSON object when a machine asked."""
    click.echo(_shown(text, fields, as_json=as_json))


def deliver(text: str, fields: Mapping[str, Any], *, as_json: bool, output: Path | None) -> None:  # Any: JSON values
    """Print the result, or write it whole to the file given with -o."""
    if output is None:
        emit(text, fields, as_json=as_json)
        return
    from kaiwa.disk.atomic_files import write_text

    write_text(output, _shown(text, fields, as_json=as_json) + "\n")


def _shown(text: str, fields: Mapping[str, Any], *, as_json: bool) -> str:  # Any: JSON values
    """The fields as JSON, or the text with its options as the command spells them."""
    return json.dumps(fields, ensure_ascii=False, allow_nan=False) if as_json else in_command(text)


def remark(message: str) -> None:
    """Tell the user something on stderr, unless told to be quiet."""
    if not is_quiet():
        click.echo(message, err=True)
