"""The options of ``kaiwa design`` and of its subcommands, in groups; an option is written once."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from kaiwa.cli.shell.complete import SCORED_MEASURE, Named
from kaiwa.cli.shell.output import IN_FILE, OUT_FILE
from kaiwa.cli.shell.shared_options import ENGINES

if TYPE_CHECKING:
    from collections.abc import Callable

    Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]  # Any: click's own type of a callback
    Option = Callable[..., Decorator]


class Numbers(click.ParamType[Any]):
    """One number, or several separated by commas."""

    name = "numbers"

    def __init__(self, kind: type[int | float]) -> None:
        self.kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # click's types
        """The numbers, as a tuple."""
        try:
            return tuple(self.kind(part) for part in str(value).split(","))
        except ValueError:
            noun = "whole numbers" if self.kind is int else "numbers"
            self.fail(f"{value!r} is not {noun} separated by commas", param, ctx)


def _option(*names: str, help: str, **settings: Any) -> Option:  # noqa: A002  # Any: click's own settings
    """An option that a command shows, or hides with ``hidden=True``."""
    shown = "default" in settings
    return partial(click.option, *names, help=help, show_default=shown, **settings)


PILOT = _option(
    "--pilot",
    "pilots",
    metavar="SCORES",
    type=IN_FILE,
    multiple=True,
    help="Scores of a pilot, to design from; repeatable.",
)
MEASURE = _option(
    "-m", "--measure", metavar="NAME", type=SCORED_MEASURE, help="Which measure of the pilot (or of --judged runs)."
)
SYSTEMS = _option("--systems", metavar="M", type=Numbers(int), help="How many systems.")
MIN_DIFF = _option("--min-diff", metavar="D", type=Numbers(float), help="The smallest best-worst difference to find.")
POWER = _option("--power", metavar="P", type=float, help="Probability of finding D.  [default: 0.8]")
ALPHA = _option("--alpha", metavar="P", type=float, help="The significance level.  [default: 0.05]")
CORRELATION = _option(
    "--paired-correlation",
    "correlation",
    metavar="R",
    type=float,
    default=0.0,
    help="Correlation of scores on a topic.",
)
SOURCE = (
    _option("--variance", metavar="V", type=float, help="Score variance within a system (V_E), or V_E2."),
    PILOT,
    _option("--no-pilot", is_flag=True, help="Use std-AB's highest possible variance."),
    MEASURE,
)
QUANTITIES = (
    SYSTEMS,
    MIN_DIFF,
    _option("--topics", "n", metavar="N", type=int, help="Number of topics, to find another quantity."),
    POWER,
    ALPHA,
)
TEST = (
    _option(
        "--test",
        metavar="TEST",
        type=Named("design"),
        help="anova, two-way, paired-t, two-sample-t, hsd, hsd-paired, robust, randomised-hsd, interval.",
    ),
    _option("--method", metavar="M", type=Named("method"), default="exact", help="exact, or sakai (as published)."),
    CORRELATION,
    _option("--scale", metavar="X", type=float, default=1.0, help="The range of the scores."),
    _option("--solve", metavar="NAME", help="The unknown: n, min_diff, power, systems or alpha."),
)
REQUIREMENT = (*SOURCE, *QUANTITIES, *TEST)
TABLE = (
    _option("--table", "as_table", is_flag=True, help="A grid: --systems 2,5 --min-diff .1,.2."),
    _option(
        "--format",
        "style",
        metavar="FORM",
        type=click.Choice(["text", "csv", "latex"]),
        default="text",
        help="For --table: text, csv or latex.",
    ),
)
FIGURES = (
    _option("--power-curve", metavar="SVG", type=OUT_FILE, help="Draw power against topics here."),
    _option("--diff-curve", metavar="SVG", type=OUT_FILE, help="Draw the detectable difference against topics here."),
)
ENGINE = _option("--engine", metavar="ENGINE", default="local", help=ENGINES)
SIMULATE = (
    _option("--trials", metavar="N", type=click.IntRange(500), default=20_000, help="Maximum data sets to draw."),
)
DECIDE = (
    _option("--target", metavar="P", type=float, default=0.9, help="The share or tau to reach."),
    _option("--top-k", "k", metavar="K", type=int, default=1, help="Number of best systems, for top."),
)
ROUNDS = (
    _option(
        "--spending", metavar="NAME", type=Named("spending"), default="obrien-fleming", help="obrien-fleming or pocock."
    ),
)
COST = (
    _option("--budget", "hours", metavar="H", type=float, help="Assessor hours to spend (default: find the cheapest)."),
    _option(
        "--pool-depth", "depths", metavar="N,...", type=Numbers(int), default="10", help="Pool depths; one or several."
    ),
    _option("--runs", metavar="N", type=click.IntRange(1), help="Runs pooled.  [default: those of --judged, or 10]"),
    _option("--overlap", metavar="P", type=float, default=0.5, help="Share of answers that two runs have in common."),
    _option("--assessors", metavar="N,...", type=Numbers(int), default="3", help="Assessors per item; one or several."),
    _option("--seconds", metavar="S", type=float, default=15.0, help="Seconds per label."),
    _option(
        "--judged",
        metavar="RUN",
        type=IN_FILE,
        multiple=True,
        help="Runs to measure pools on and, if judged, the effect of depth; repeatable.",
    ),
    _option("--qrels", metavar="FILE", type=IN_FILE, help="Judgements of the --judged runs."),
    _option("--votes", metavar="FILE", type=IN_FILE, help="Or votes on their items: measure fewer assessors too."),
    _option("--votes-top", metavar="LEVEL", type=click.IntRange(1), help="The highest level of the --votes."),
)
KINDS = (
    _option("--pass-rate", type=float, help="As kaiwa design pass-rate."),
    _option("--simulate", type=Named("simulated test"), metavar="TEST", help="As kaiwa design simulate."),
    _option("--decide", type=click.Choice(["top", "tau", "discriminative"]), help="As kaiwa design decide."),
    _option("--rounds", type=Numbers(int), help="As kaiwa design rounds."),
    _option("--cost", is_flag=True, help="As kaiwa design cost."),
)
"""The subcommands as options, which can be combined."""


def all_of(*options: Option, hidden: bool = False) -> Decorator:
    """One decorator for many options, shown in their order."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:  # Any: click's own type of a callback
        for option in reversed(options):
            function = option(hidden=hidden)(function)
        return function

    return decorate
