"""kaiwa design: how many topics; its subcommands simulate, decide, cost, rounds and pass-rate."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from kaiwa.cli.shell.complete import SCORED_MEASURE, Named
from kaiwa.cli.shell.output import IN_FILE, emit, json_option, out_option, remark, seed_option
from kaiwa.cli.shell.progress import progress
from kaiwa.cli.shell.shared_options import gathered
from kaiwa.cli.shell.verb import VerbGroup
from kaiwa.flow.design.options import Question

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kaiwa.report.results.design_view import DesignView

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
    help="Estimate V_E from these scores; repeatable.",
)
MEASURE = _option(
    "-m", "--measure", metavar="NAME", type=SCORED_MEASURE, help="Which measure of the pilot (or of --judged runs)."
)
SYSTEMS = _option("--systems", metavar="M", type=Numbers(int), help="How many systems.")
MIN_DIFF = _option("--min-diff", metavar="D", type=Numbers(float), help="The smallest best-worst difference to find.")
POWER = _option("--power", metavar="P", type=float, help="The probability of finding it.  [default: 0.8]")
ALPHA = _option("--alpha", metavar="P", type=float, help="The significance level.  [default: 0.05]")
CORRELATION = _option(
    "--paired-correlation",
    "correlation",
    metavar="R",
    type=float,
    default=0.0,
    help="Of two systems' scores on a topic.",
)
SOURCE = (
    _option("--variance", metavar="V", type=float, help="Score variance in a system (V_E; or V_E2)."),
    PILOT,
    _option("--no-pilot", is_flag=True, help="Use std-AB's highest possible variance."),
    MEASURE,
)
QUANTITIES = (
    SYSTEMS,
    MIN_DIFF,
    _option("--topics", "n", metavar="N", type=int, help="Topics, to find another quantity."),
    POWER,
    ALPHA,
)
TEST = (
    _option(
        "--test",
        metavar="TEST",
        type=Named("design"),
        default="anova",
        help="anova, two-way, paired-t, two-sample-t, hsd, hsd-paired or interval.",
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
    _option("--power-curve", metavar="SVG", type=IN_FILE, help="Draw power against topics here."),
    _option("--diff-curve", metavar="SVG", type=IN_FILE, help="Draw the detectable difference against topics here."),
)
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
    _option("--runs", metavar="N", type=int, default=10, help="Number of runs pooled."),
    _option("--overlap", metavar="P", type=float, default=0.5, help="Share of answers that two runs have in common."),
    _option("--assessors", metavar="N,...", type=Numbers(int), default="3", help="Assessors per item; one or several."),
    _option("--seconds", metavar="S", type=float, default=15.0, help="Seconds per label."),
    _option(
        "--judged",
        metavar="RUN",
        type=IN_FILE,
        multiple=True,
        help="Judged runs, to measure the effect of depth; repeatable.",
    ),
    _option("--qrels", metavar="FILE", type=IN_FILE, help="Judgements of the --judged runs."),
    _option("--votes", metavar="FILE", type=IN_FILE, help="Or votes on their items: measure fewer assessors too."),
)
KINDS = (
    _option("--pass-rate", type=float, help="As kaiwa design pass-rate."),
    _option("--simulate", type=Named("simulated test"), metavar="TEST", help="As kaiwa design simulate."),
    _option("--decide", type=click.Choice(["top", "tau", "discriminative"]), help="As kaiwa design decide."),
    _option("--rounds", type=Numbers(int), help="As kaiwa design rounds."),
    _option("--cost", is_flag=True, help="As kaiwa design cost."),
)
"""The subcommands as options, which can be combined."""


def _all_of(*options: Option, hidden: bool = False) -> Decorator:
    """One decorator for many options, shown in their order."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:  # Any: click's own type of a callback
        for option in reversed(options):
            function = option(hidden=hidden)(function)
        return function

    return decorate


def _asked(function: Callable[..., None]) -> Callable[..., Any]:  # Any: click's own type of a callback
    """The command with -o, --seed and --json, its options gathered into a question."""
    for decorate in (gathered(Question, "question"), json_option, seed_option, out_option):
        function = decorate(function)
    return function


@click.group(
    "design",
    cls=VerbGroup,
    invoke_without_command=True,
    subcommand_metavar="[COMMAND]",
    epilog="Example: kaiwa design --variance 0.0643 --systems 10 --min-diff 0.15",
)
@_all_of(*REQUIREMENT, *TABLE, *FIGURES)
@_all_of(*KINDS, *SIMULATE, *DECIDE, *ROUNDS, *COST, hidden=True)
@_asked
@click.pass_context
def command(ctx: click.Context, *, question: Question, output: Path | None, as_json: bool) -> None:
    """How many topics: from a score variance or a pilot, and a requirement.

    Leave out the quantity to find: topics, difference, power, systems or alpha.
    """
    if ctx.invoked_subcommand is None:
        _answer(question, output, as_json=as_json)
        return
    given = [one for one in ctx.params if ctx.get_parameter_source(one) is ParameterSource.COMMANDLINE]
    if given:
        raise click.UsageError(f"options go after the command: kaiwa design {ctx.invoked_subcommand} ...", ctx)


@command.command(
    "simulate",
    short_help="Check a design by drawing data sets from a pilot.",
    epilog="Example: kaiwa design simulate two-way --pilot pilot1.csv -m nERR@10 --systems 3 --min-diff 0.2",
)
@click.argument("simulate", metavar="TEST", type=Named("simulated test"))
@_all_of(PILOT, MEASURE, *QUANTITIES, *TEST, *SIMULATE)
@_asked
def simulate(*, question: Question, output: Path | None, as_json: bool) -> None:
    """Check a design by simulation: draw data sets from a pilot, and count how often TEST finds the difference.

    TEST is randomised-hsd or a test of --test. --test gives the number of topics to start from.
    """
    _answer(question, output, as_json=as_json)


@command.command(
    "decide",
    short_help="Topics to find the best systems, or their order.",
    epilog="Example: kaiwa design decide tau --pilot pilot1.csv -m nERR@10 --target 0.5",
)
@click.argument("decide", metavar="GOAL", type=click.Choice(["top", "tau", "discriminative"]))
@_all_of(PILOT, MEASURE, *DECIDE, ALPHA)
@_asked
def decide(*, question: Question, output: Path | None, as_json: bool) -> None:
    """How many topics a right decision needs, by resampling a pilot.

    GOAL is top (the true best systems are on top in a share --target of topic sets), tau (the order agrees with
    the true one by --target), or discriminative (Tukey's HSD distinguishes a share --target of all pairs).
    """
    _answer(question, output, as_json=as_json)


@command.command(
    "cost",
    short_help="What a design costs in assessors' hours.",
    epilog="Example: kaiwa design cost --variance 0.0643 --systems 10 --min-diff 0.15 --pool-depth 5,10",
)
@_all_of(*REQUIREMENT, *COST)
@_asked
def cost(*, question: Question, output: Path | None, as_json: bool) -> None:
    """What a design costs in assessors' hours, or the best use of --budget hours."""
    _answer(replace(question, cost=True), output, as_json=as_json)


@command.command(
    "rounds",
    short_help="Significance levels of tests after each batch of topics.",
    epilog="Example: kaiwa design rounds 30,60,91 --variance 0.0643 --systems 10 --min-diff 0.15",
)
@click.argument("rounds", metavar="TOPICS", type=Numbers(int))
@_all_of(*REQUIREMENT, *ROUNDS)
@_asked
def rounds(*, question: Question, output: Path | None, as_json: bool) -> None:
    """The level of each test, if runs are tested after each batch of topics with a total error of alpha.

    TOPICS is the number of topics so far at each test, as in 30,60,91.
    """
    _answer(question, output, as_json=as_json)


@command.command(
    "pass-rate",
    short_help="How many prompts, when answers pass or fail.",
    epilog="Example: kaiwa design pass-rate 0.62 --min-diff 0.03 --paired-correlation 0.5",
)
@click.argument("pass_rate", metavar="RATE", type=float)
@_all_of(MIN_DIFF, SYSTEMS, POWER, ALPHA, CORRELATION)
@_asked
def pass_rate(*, question: Question, output: Path | None, as_json: bool) -> None:
    """How many prompts, when each system passes or fails every prompt; RATE is the pass rate of the worse system.

    Two systems (the default) are compared by McNemar's test, more by two-way ANOVA.
    """
    _answer(question, output, as_json=as_json)


def _answer(question: Question, output: Path | None, *, as_json: bool) -> None:
    from kaiwa.flow.design.dispatch import answer
    from kaiwa.report.results.design_view import DesignView

    with progress("simulating") as moved:
        view = answer(question, progress=moved)
    if isinstance(view, DesignView):
        _draw(view, question)
    emit(view, as_json=as_json, output=output)


def _draw(view: DesignView, question: Question) -> None:
    if not (question.power_curve or question.diff_curve):
        return
    from kaiwa.disk.atomic_files import write_text
    from kaiwa.report.figures.power_curves import difference_curve_svg, power_curve_svg

    for path, draw in ((question.power_curve, power_curve_svg), (question.diff_curve, difference_curve_svg)):
        if path is not None:
            write_text(path, draw(view.design))
            remark(f"wrote {path}")
