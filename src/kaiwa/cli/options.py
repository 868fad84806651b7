"""The options that several verbs share, each in one wording."""

from __future__ import annotations

import csv
import os
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem, split_arg_string

from kaiwa.cli.completion_names import NAMES
from kaiwa.cli.output import IN_FILE, FiniteRange, runs_by, works_on

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]  # Any: click's own type of a callback


# What the shell offers after a TAB: names of the tables, measures and runs of the score files typed before.


VARIABLE = "_KAIWA_COMPLETE"
"""The variable that the shell's script sets."""
_COLUMNS = ["measure", "topic", "run", "score"]
_MAX_BYTES = 20_000_000


class Known(click.types.StringParamType):
    """A name that only the verb knows, by what it reads; of several with commas it tries the whole first."""

    name = "name"


class Named(click.types.StringParamType):
    """Text for which the names of one table are offered; the verb decides whether it is one of them.

    >>> [item.value for item in Named("scheme").shell_complete(None, None, "me")]
    ['mean', 'median']
    """

    name = "name"

    def __init__(self, kind: str, *more: str) -> None:
        self.known = (*more, *NAMES[kind])

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002  click's signature
        """The names that start with the text."""
        return _offered(self.known, incomplete)


class MeasureName(Known):
    """The name of a measure, which may have parameters with commas; those of the table are offered."""

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002  click's signature
        """The measures that start with the text."""
        return _offered(NAMES["measure"], incomplete)


class Scored(Known):
    """Text for which a column of the tidy score files typed before it is offered."""

    def __init__(self, column: str) -> None:
        self._column = column

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:  # noqa: ARG002  click's signature
        """The values of the column that start with the text."""
        typed = split_arg_string(os.environ.get("COMP_WORDS", ""))  # an option without its value hides the arguments
        return _offered((name for word in typed for name in _column(Path(word), self._column)), incomplete)


class Numbers(click.ParamType[tuple[float, ...]]):
    """Numbers with commas, for an option that is a list; one number alone is given as it is, unless ``several``."""

    name = "numbers"

    def __init__(self, kind: type[int | float], *, several: bool = False) -> None:
        self.kind = kind
        self.several = several

    def convert(
        self,
        value: Any,
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> tuple[float, ...]:  # Any: click's own
        """The numbers."""
        try:
            return tuple(self.kind(part) for part in str(value).split(","))
        except ValueError:
            noun = "whole numbers" if self.kind is int else "numbers"
            self.fail(f"{value!r} is not {noun} separated by commas", param, ctx)


MEASURE = MeasureName()
ASSESSOR = Known()
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


task_argument = click.argument("task", type=IN_FILE, default=Path())
store_option = works_on(
    "--store",
    metavar="URL",
    envvar="KAIWA_STORE",
    help="A PostgreSQL database, postgresql://...; default: votes.db in the task folder.",
)
scores_argument = click.argument("scores", nargs=-1, required=True, type=IN_FILE)
runs_argument = click.argument("runs", nargs=-1, required=True, type=IN_FILE)
order_option = click.option(
    "--order",
    metavar="ORDER",
    type=click.Choice(["file", "score", "rank"]),
    help="Ranks come from: file, score or rank (default: by format).",
)
max_level_option = click.option(
    "--max-level",
    metavar="LEVEL",
    type=click.IntRange(1),
    help="The scale's highest level (default: 2 in an STC label file).",
)
scheme_option = click.option(
    "--scheme",
    metavar="NAME",
    type=SCHEME,
    default="mean",
    show_default=True,
    help="levels, mean, sum, unanimity, weighted, majority or median.",
)
agreement_weight_option = click.option(
    "--p", metavar="P", type=float, default=0.2, show_default=True, help="Weight of agreement in the unanimity scheme."
)
takedown_option = click.option("--takedown", type=IN_FILE, help="Ids that must not be shown, one per line.")
ENGINES = "local, local[N] or a Spark URL."
engine_option = runs_by("--engine", metavar="ENGINE", default="local", show_default=True, help=ENGINES)
confidence_option = click.option(
    "--confidence",
    metavar="P",
    type=FiniteRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Confidence level of the interval.",
)


def better_options(function: Callable[..., Any]) -> Callable[..., Any]:  # Any: click's own type of a callback
    """--lower-is-better and --higher-is-better."""
    name = partial(click.option, metavar="NAME", type=SCORED_MEASURE, multiple=True)
    lower = name("--lower-is-better", help="Lower scores are better.")
    higher = name("--higher-is-better", help="Higher are, where a log or name says lower.")
    return lower(higher(function))


def measures_option(help_text: str, *, kind: click.ParamType[str] = MEASURE) -> Decorator:
    """-m, a list."""
    return click.option("-m", "--measures", metavar="NAME", type=kind, multiple=True, help=help_text)


def levels_option(default: str) -> Decorator:
    """--levels with the default that the verb has."""
    return click.option("--levels", metavar="L1=1,L2=3", help=f"The gain of each level (default: {default}).")


def trials_option(default: int, help_text: str) -> Decorator:
    """--trials, at least 100."""
    return click.option(
        "--trials", metavar="N", type=click.IntRange(100), default=default, show_default=True, help=help_text
    )
