"""The options that several verbs share, each in one wording."""

from __future__ import annotations

import csv
import os
from collections.abc import Sequence
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem, split_arg_string

from kaiwa.cli.completion_names import NAMES
from kaiwa.cli.output import IN_FILE, FiniteRange
from kaiwa.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]  # Any: click's own type of a callback


# What the shell offers after a TAB: names of the tables, measures and runs of the score files typed before.


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


class Numbers(click.ParamType[Any]):
    """One number, or several separated by commas."""

    name = "numbers"

    def __init__(self, kind: type[int | float], *, several: bool = False) -> None:
        self.kind = kind
        self.several = several

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # click's types
        """The number; several as a tuple, and where several are meant also one."""
        if isinstance(value, Sequence) and not isinstance(value, str):
            return value
        try:
            numbers = tuple(self.kind(part) for part in str(value).split(","))
        except ValueError:
            noun = "whole numbers" if self.kind is int else "numbers"
            self.fail(f"{value!r} is not {noun} separated by commas", param, ctx)
        return numbers if self.several or len(numbers) > 1 else numbers[0]


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


task_argument = click.argument("task", type=IN_FILE, default=Path())
store_option = click.option(
    "--store",
    metavar="URL",
    envvar="KAIWA_STORE",
    help="A PostgreSQL database, postgresql://...; default: votes.db in the task folder.",
)
scores_argument = click.argument("scores", nargs=-1, required=True, type=IN_FILE)
runs_argument = click.argument("runs", nargs=-1, required=True, type=IN_FILE)
one_measure_option = click.option(
    "-m", "--measure", metavar="NAME", type=SCORED_MEASURE, help="Which measure; required if a file holds several."
)
order_option = click.option(
    "--order",
    metavar="ORDER",
    type=click.Choice(["file", "score", "rank"]),
    help="Ranks come from: file, score or rank (default: by format).",
)
votes_top_option = click.option(
    "--top",
    metavar="LEVEL",
    type=click.IntRange(1),
    help="The scale's highest level (default: 2 in an STC label file).",
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
takedown_option = click.option(
    "--takedown", type=IN_FILE, help="Ids of posts and comments that must not be shown, one per line."
)
ENGINES = "local, local[N] or a Spark URL."
engine_option = click.option("--engine", metavar="ENGINE", default="local", show_default=True, help=ENGINES)
confidence_option = click.option(
    "--confidence",
    metavar="P",
    type=FiniteRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Confidence level of the interval.",
)


def direction_options(*, hidden: bool = False) -> Decorator:
    """--lower-is-better and --higher-is-better, given to the command as ``directions``."""
    name = partial(click.option, metavar="MEASURE", type=SCORED_MEASURE, multiple=True, hidden=hidden)
    lower_option = name("--lower-is-better", "lower", help="Lower scores are better; repeatable.")
    higher_option = name("--higher-is-better", "higher", help="Higher are, where a log or name says lower.")

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(function)
        def call(*, lower: tuple[str, ...], higher: tuple[str, ...], **values: Any) -> Any:  # Any: as in ``gathered``
            if both := set(lower) & set(higher):
                raise InputError(f"--lower-is-better and --higher-is-better both name {min(both)!r}; give one of them")
            directions = dict.fromkeys(lower, "lower") | dict.fromkeys(higher, "higher")
            return function(**values, directions=directions)

        return lower_option(higher_option(call))

    return decorate


def better_options(function: Callable[..., Any]) -> Callable[..., Any]:  # Any: click's own type of a callback
    """--lower-is-better and --higher-is-better."""
    name = partial(click.option, metavar="MEASURE", type=SCORED_MEASURE, multiple=True)
    lower = name("--lower-is-better", help="Lower scores are better; repeatable.")
    higher = name("--higher-is-better", help="Higher are, where a log or name says lower.")
    return lower(higher(function))


def measures_option(help_text: str, *, kind: click.ParamType[str] = MEASURE) -> Decorator:
    """-m, repeatable or with commas."""
    return click.option("-m", "--measures", metavar="NAME", type=kind, multiple=True, help=help_text)


def levels_option(default: str) -> Decorator:
    """--levels with the default that the verb has."""
    return click.option("--levels", metavar="L1=1,L2=3", help=f"The gain of each level (default: {default}).")


def trials_option(default: int, help_text: str) -> Decorator:
    """--trials, at least 100."""
    return click.option(
        "--trials", metavar="N", type=click.IntRange(100), default=default, show_default=True, help=help_text
    )
