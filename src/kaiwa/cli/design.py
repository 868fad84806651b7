from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click

from kaiwa.cli.shell.complete import SCORED_MEASURE, Named
from kaiwa.cli.shell.output import IN_FILE, deliver, json_option, out_option, remark, seed_option
from kaiwa.cli.shell.progress import progress

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from kaiwa.flow.design.answers import Told

F = TypeVar("F", bound="Callable[..., Any]")  # Any: click's own type of a callback


class Numbers(click.ParamType[Any]):
    """One number or several with commas between."""

    name = "numbers"

    def __init__(self, kind: type[int | float]) -> None:
        self.kind = kind

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # click's types
        """The numbers, as a tuple."""
        try:
            return tuple(self.kind(part) for part in str(value).split(","))
        except ValueError:
            noun = "whole numbers" if self.kind is int else "numbers"
            self.fail(f"{value!r} is not {noun} with commas between", param, ctx)


REQUIREMENT = [
    click.option("--variance", type=float, help="Score variance within a system (V_E; V_E2 for shared topics)."),
    click.option(
        "--pilot", "pilots", type=IN_FILE, multiple=True, help="Scores to take the variance from; repeatable."
    ),
    click.option("--no-pilot", is_flag=True, help="Take std-AB's highest possible variance."),
    click.option("-m", "--measure", type=SCORED_MEASURE, help="Which measure of the pilot, or of --judged runs."),
    click.option("--pass-rate", type=float, help="Pass or fail on prompts: the worse system's rate."),
    click.option("--systems", type=Numbers(int), help="How many systems; several for --table."),
    click.option(
        "--min-diff", type=Numbers(float), help="The smallest best-worst difference to find; several for --table."
    ),
    click.option("--topics", "n", type=int, help="How many topics, when something else is to be found."),
    click.option("--power", type=float, help="The chance of finding that difference.  [default: 0.8]"),
    click.option("--alpha", type=float, help="The chance of finding one where none is.  [default: 0.05]"),
    click.option(
        "--test",
        type=Named("design"),
        default="anova",
        show_default=True,
        help="anova, two-way, paired-t, two-sample-t, hsd, hsd-paired, interval.",
    ),
    click.option(
        "--method",
        type=Named("method"),
        default="exact",
        show_default=True,
        help="exact, or sakai for the published tables.",
    ),
    click.option(
        "--paired-correlation", "correlation", type=float, default=0.0, help="Of two systems' scores on one topic."
    ),
    click.option("--scale", type=float, default=1.0, show_default=True, help="The range of the scores."),
    click.option("--solve", help="n, min_diff, power, systems or alpha; by default the one left out."),
]
PARTS = [
    click.option("--table", "as_table", is_flag=True, help="Sizes over a grid of systems and differences."),
    click.option("--format", "style", type=click.Choice(["text", "csv", "latex"]), default="text", help="Of --table."),
    click.option("--power-curve", type=IN_FILE, help="Draw power against topics into this SVG file."),
    click.option("--diff-curve", type=IN_FILE, help="Draw the smallest difference against topics into this SVG file."),
    click.option(
        "--simulate",
        type=Named("simulated test"),
        metavar="TEST",
        help="Simulate from the pilot: a --test, or randomised-hsd.",
    ),
    click.option(
        "--trials", type=click.IntRange(500), default=20_000, show_default=True, help="Most data sets to draw."
    ),
    click.option("--decide", type=click.Choice(["top", "tau", "discriminative"]), help="Design for a decision."),
    click.option("--target", type=float, default=0.9, show_default=True, help="Of --decide."),
    click.option("--top-k", "k", type=int, default=1, show_default=True, help="Of --decide top."),
    click.option("--rounds", type=Numbers(int), help="Topics after each batch, as in 30,60,91."),
    click.option(
        "--spending",
        type=Named("spending"),
        default="obrien-fleming",
        show_default=True,
        help="Of --rounds: or pocock.",
    ),
    click.option("--budget", "hours", type=float, help="Assessors' hours to split."),
    click.option("--cost", is_flag=True, help="What the design costs in assessors' hours."),
    click.option("--pool-depth", "depths", type=Numbers(int), default="10", show_default=True, help="One or several."),
    click.option("--runs", type=int, default=10, show_default=True, help="Runs pooled."),
    click.option("--overlap", type=float, default=0.5, show_default=True, help="Shared share of two runs' tops."),
    click.option(
        "--assessors", type=Numbers(int), default="3", show_default=True, help="Assessors an item; one or several."
    ),
    click.option("--seconds", type=float, default=15.0, show_default=True, help="Seconds a label."),
    click.option(
        "--judged", type=IN_FILE, multiple=True, help="Runs that show what depth does; with --qrels or --votes."
    ),
    click.option("--qrels", type=IN_FILE, help="Judgements of the --judged runs."),
    click.option("--votes", type=IN_FILE, help="Votes on their items: show what fewer assessors do, too."),
]


def all_of(options: Sequence[Callable[[F], F]]) -> Callable[[F], F]:
    """One decorator for many options, shown in their order."""

    def decorate(function: F) -> F:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


@click.command("design", epilog="Example: kaiwa design --variance 0.0643 --systems 10 --min-diff 0.15")
@all_of(REQUIREMENT)
@all_of(PARTS)
@out_option
@seed_option
@json_option
def command(*, output: Path | None, seed: int, as_json: bool, **options: Any) -> None:  # click's types
    """How many topics or prompts: from a score variance, a pilot or a pass rate, and a statistical requirement.

    Leave out the quantity to be found: n, --min-diff, --power, --systems or --alpha.
    """
    from kaiwa.flow.design.dispatch import answer
    from kaiwa.flow.design.options import Question

    with progress("simulating") as moved:
        told = answer(Question(**options, seed=seed), progress=moved)
    _draw(told, options)
    deliver(told.text, told.fields, as_json=as_json, output=output)


def _draw(told: Told, options: dict[str, Any]) -> None:  # Any: click's types
    if told.answer is None or not (options["power_curve"] or options["diff_curve"]):
        return
    from kaiwa.disk.atomic_files import write_text
    from kaiwa.report.figures.power_curves import difference_curve_svg, power_curve_svg

    for path, draw in ((options["power_curve"], power_curve_svg), (options["diff_curve"], difference_curve_svg)):
        if path is not None:
            write_text(path, draw(told.answer))
            remark(f"wrote {path}")
