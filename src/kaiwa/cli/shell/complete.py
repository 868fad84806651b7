"""What the shell offers after a TAB: names of the tables, measures and runs of the score files typed before."""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.shell_completion import CompletionItem, split_arg_string

from kaiwa.cli.shell.completion_names import NAMES

if TYPE_CHECKING:
    from collections.abc import Iterable

VARIABLE = "_KAIWA_COMPLETE"
"""The variable that the shell's script sets."""
_COLUMNS = ["measure", "topic", "run", "score"]
_MAX_BYTES = 20_000_000


class Named(click.types.StringParamType):
    """Text for which the names of one table are offered; the verb decides whether it is one of them.

    >>> [item.value for item in Named("scheme").shell_complete(None, None, "me")]
    ['mean', 'median']
    """

    def __init__(self, kind: str, *more: str) -> None:
        self._known = (*more, *NAMES[kind])

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002  click's signature
        """The names that start with the text."""
        return _offered(self._known, incomplete)


class Scored(click.types.StringParamType):
    """Text for which a column of the tidy score files typed before it is offered."""

    def __init__(self, column: str) -> None:
        self._column = column

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002  click's signature
        """The values of the column that start with the text."""
        typed = split_arg_string(os.environ.get("COMP_WORDS", ""))  # an option without its value hides the arguments
        return _offered((name for word in typed for name in _column(Path(word), self._column)), incomplete)


MEASURE = Named("measure")
SCHEME = Named("scheme")
SCORED_MEASURE = Scored("measure")
SCORED_RUN = Scored("run")


def _offered(known: Iterable[str], start: str) -> list[CompletionItem]:
    return [CompletionItem(name) for name in dict.fromkeys(known) if name.startswith(start)]


def _column(path: Path, column: str) -> list[str]:
    """The distinct values of a column; none if the path is not a small tidy file."""
    try:
        if not path.is_file() or path.stat().st_size > _MAX_BYTES:
            return []
        with path.open(encoding="utf-8", newline="") as source:
            rows = csv.DictReader(source)
            if rows.fieldnames != _COLUMNS:
                return []
            return list(dict.fromkeys(row[column] for row in rows if row[column] is not None))  # None: a short row
    except (OSError, UnicodeDecodeError, csv.Error):
        return []
