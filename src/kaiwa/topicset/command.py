"""kaiwa design: how many topics; its commands simulate, decide, cost, rounds, review and pass-rate."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import click

from kaiwa.cli.command import GroupArgument, VerbGroup, task_folder
from kaiwa.cli.options import SCORED_MEASURE, Named, Numbers, better_options, engine_option, measures_option
from kaiwa.cli.output import IN_FILE, Shown, result_options, seed_option, show
from kaiwa.topicset.design import design

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]  # Any: click's own type of a callback
    Paths = tuple[Path, ...]


class VarianceType(click.ParamType[Any]):
    """A number, or the name of a variance."""

    name = "variance"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:  # noqa: ARG002
        """The number; a name is left to the function."""
        try:
            return float(value)
        except ValueError:
            return str(value)


def together(*options: Decorator) -> Decorator:
    """One decorator for several options, in their order."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:  # Any: click's own type of a callback
        for one in reversed(options):
            function = one(function)
        return function

    return decorate


option = partial(click.option, show_default=True)
SCORES = click.argument("scores", nargs=-1, type=IN_FILE)
MEASURES = measures_option("Of the scores; by default all.", kind=SCORED_MEASURE)
ONE_MEASURE = measures_option("Which measure of the scores.", kind=SCORED_MEASURE)
VARIANCE = option(
    "--variance", metavar="V", type=VarianceType(), help="Instead of scores: V_E; or std-ab, its highest."
)
SYSTEMS = option("--systems", metavar="M", type=int, help="How many systems.")
MIN_DIFF = option("--min-diff", metavar="D", type=float, help="The smallest best-worst difference to find.")
TOPICS = option("--topics", metavar="N", type=int, help="Number of topics, to find another quantity.")
POWER = option("--power", metavar="P", type=float, help="Power to find D.  [default: 0.8]")
ALPHA = option("--alpha", metavar="P", type=float, help="The significance level.  [default: 0.05]")
TEST = option(
    "--test",
    metavar="TEST",
    type=Named("design"),
    help="One of kaiwa names designs.  [default: robust; with a number as --variance anova]",
)
METHOD = option("--method", metavar="M", type=Named("method"), default="exact", help="exact or sakai (published).")
CORRELATION = option("--correlation", metavar="R", type=float, default=0.0, help="Of two systems on a topic.")
SCALE = option("--scale", metavar="X", type=float, default=1.0, help="The range of the scores.")
SOLVE = option("--solve", metavar="NAME", help="Find topics, min_diff, power, systems or alpha.")
QUANTITIES = together(SYSTEMS, MIN_DIFF, TOPICS, POWER, ALPHA)
REQUIREMENT = together(SCORES, MEASURES, VARIANCE, QUANTITIES, TEST, METHOD, CORRELATION, SCALE, SOLVE)


def _given(
    scores: Paths,
    options: dict[str, Any],  # Any: the arguments of a function
    *,
    instead: str = "variance",
) -> dict[str, Any]:  # Any: as above
    """The arguments as the function takes them; without scores, and what stands ``instead``, of the task folder."""
    folder = task_folder() if options.get(instead) is None else None
    given = list(scores) or ([folder] if folder else None)
    return {"scores": given, "measures": options.pop("measures") or None, **options}


@click.group(
    "design",
    cls=VerbGroup,
    invoke_without_command=True,
    subcommand_metavar="| COMMAND",
    epilog="Example: kaiwa design --variance 0.0643 --systems 10 --min-diff 0.15",
)
@click.argument("scores", cls=GroupArgument, nargs=-1, type=IN_FILE)
@MEASURES
@VARIANCE
@option("--systems", metavar="M", type=Numbers(int), multiple=True, help="How many systems; several make a grid.")
@option(
    "--min-diff", metavar="D", type=Numbers(float), multiple=True, help="The smallest best-worst difference to find."
)
@TOPICS
@POWER
@ALPHA
@TEST
@METHOD
@CORRELATION
@SCALE
@SOLVE
@better_options
@result_options
def design_command(scores: Paths, *, shown: Shown, **options: Any) -> None:  # Any: the arguments of kaiwa.design
    """How many topics: from SCORES or a variance, and a requirement.

    Leave out the quantity to find: topics, difference, power, systems or alpha. In a task folder without SCORES: how
    many topics the next round needs, by its scores and kaiwa.toml.
    Tables: nearby, differences, scores, measures, grid. Figures: -o power.svg; -o diff.svg --table differences.
    """
    show(design(**_given(scores, options)), shown)


@design_command.command(
    "simulate",
    short_help="Check a design by drawing data sets from scores.",
    epilog="Example: kaiwa design simulate pilot1.csv --test two-way -m nERR@10 --systems 3 --min-diff 0.2",
)
@SCORES
@ONE_MEASURE
@QUANTITIES
@option(
    "--test",
    metavar="TEST",
    type=Named("simulated test"),
    default="robust",
    help="The test to simulate: one of kaiwa design, but not interval.",
)
@option(
    "--designed-test",
    metavar="TEST",
    type=Named("design"),
    help="The test whose number of topics is tried first.  [default: that of --test]",
)
@METHOD
@SCALE
@SOLVE
@option("--trials", metavar="N", type=click.IntRange(500), default=20_000, help="Maximum data sets to draw.")
@seed_option
@engine_option
@result_options
def simulate(scores: Paths, *, shown: Shown, **options: Any) -> None:  # Any: the arguments of the function
    """Check a design by simulation: draw data sets from scores, and count how often a test finds the difference."""
    from kaiwa.topicset.design_simulation import design_simulate

    show(design_simulate(**_given(scores, options)), shown)


@design_command.command(
    "decide",
    short_help="Topics to find the best systems, or their order.",
    epilog="Example: kaiwa design decide pilot1.csv --goal tau -m nERR@10 --target 0.5",
)
@SCORES
@ONE_MEASURE
@option(
    "--goal",
    type=click.Choice(["top", "tau", "discriminative"]),
    default="top",
    help="The best systems on top, the order, or the pairs that differ.",
)
@option("--target", metavar="P", type=float, default=0.9, help="The share or tau to reach.")
@option("--best", metavar="K", type=int, default=1, help="Number of best systems, for top.")
@option("--alpha", metavar="P", type=float, default=0.05, help="The significance level, for discriminative.")
@better_options
@seed_option
@engine_option
@result_options
def decide(scores: Paths, *, shown: Shown, **options: Any) -> None:  # Any: the arguments of the function
    """How many topics a right decision needs, by resampling scores.

    The goal is top (the true best systems are on top in a share --target of topic sets), tau (the order agrees with
    the true one by --target), or discriminative (Tukey's HSD distinguishes a share --target of all pairs).
    """
    from kaiwa.topicset.design_decision import design_decide

    show(design_decide(**_given(scores, options)), shown)


@design_command.command(
    "cost",
    short_help="What a design costs in assessors' hours.",
    epilog="Example: kaiwa design cost --variance 0.0643 --systems 10 --min-diff 0.15 --depth 5,10",
)
@REQUIREMENT
@option("--hours", metavar="H", type=float, help="Assessor hours to spend.  [default: find the cheapest]")
@option(
    "--depth",
    metavar="N",
    type=Numbers(int),
    multiple=True,
    default=(10,),
    show_default="10",
    help="Pool depths.",
)
@option(
    "--votes-per-item",
    metavar="N",
    type=Numbers(int),
    multiple=True,
    default=(3,),
    show_default="3",
    help="Votes per item.",
)
@option("--seconds", metavar="S", type=float, default=15.0, help="Seconds per label.")
@option("--pooled", metavar="N", type=click.IntRange(1), help="Runs pooled.  [default: those of --runs, or 10]")
@option("--overlap", metavar="P", type=float, default=0.5, help="Share of answers that two runs have in common.")
@click.option("--runs", metavar="RUN", type=IN_FILE, multiple=True, help="Runs to measure pools on.")
@click.option("--qrels", metavar="FILE", type=IN_FILE, help="Judgements of the --runs: measure the effect of depth.")
@click.option("--votes", metavar="FILE", type=IN_FILE, help="Or votes on their items: measure fewer votes too.")
@click.option("--max-level", metavar="LEVEL", type=click.IntRange(1), help="The highest level of the --votes.")
@seed_option
@result_options
def cost(scores: Paths, *, shown: Shown, runs: Paths, **options: Any) -> None:  # Any: the arguments of the function
    """What a design costs in assessors' hours, or the best use of --hours."""
    from kaiwa.topicset.design_cost import design_cost

    show(design_cost(**_given(scores, options), runs=list(runs) or None), shown)


@design_command.command(
    "rounds",
    short_help="Significance levels of tests after each batch of topics.",
    epilog="Example: kaiwa design rounds --looks 30,60,91 --variance 0.0643 --systems 10 --min-diff 0.15",
)
@REQUIREMENT
@click.option(
    "--looks",
    metavar="N",
    type=Numbers(int, several=True),
    multiple=True,
    required=True,
    help="The topics so far at each test, as in 30,60,91.",
)
@option(
    "--spending", metavar="NAME", type=Named("spending"), default="obrien-fleming", help="obrien-fleming or pocock."
)
@click.option(
    "--so-far",
    metavar="FILE",
    type=IN_FILE,
    multiple=True,
    help="The scores at a look that is done: estimate the variance again; repeatable.",
)
@seed_option
@engine_option
@result_options
def rounds(scores: Paths, *, shown: Shown, so_far: Paths, **options: Any) -> None:  # Any: its arguments
    """The level of each test, if runs are tested after each batch of topics with a total error of alpha.

    With --so-far the last look moves to the number of topics that the variance of the scores so far asks for.
    """
    from kaiwa.topicset.design_rounds import design_rounds

    show(design_rounds(**_given(scores, options), so_far=list(so_far) or None), shown)


@design_command.command(
    "review",
    short_help="The variance of a round beside the one assumed, the next size.",
    epilog="Example: kaiwa design review scores.csv --pilot pilot1.csv -m nERR@10 --systems 10 --min-diff 0.15",
)
@SCORES
@MEASURES
@click.option("--pilot", metavar="FILE", type=IN_FILE, multiple=True, help="Scores of the design's pilot; repeatable.")
@click.option("--variance", metavar="V", type=float, help="Or the variance that was assumed: V_E, or V_E2 by --test.")
@SYSTEMS
@MIN_DIFF
@POWER
@ALPHA
@TEST
@SCALE
@result_options
def review(scores: Paths, *, shown: Shown, pilot: Paths, **options: Any) -> None:  # Any: the arguments of the function
    """Was the design right? The variance of a round beside the one that was assumed, and the next number of topics.

    SCORES are those of the round; in a task folder its own by default, with the requirement of kaiwa.toml.
    """
    from kaiwa.topicset.design_review import design_review

    show(design_review(**_given(scores, options, instead="scores"), pilot=list(pilot) or None), shown)


@design_command.command(
    "pass-rate",
    short_help="How many prompts, when answers pass or fail.",
    epilog="Example: kaiwa design pass-rate 0.62 --min-diff 0.03 --correlation 0.5",
)
@click.argument("pass_rate", metavar="RATE", type=float)
@click.option("--min-diff", metavar="D", type=float, required=True, help="The smallest difference to find.")
@option("--systems", metavar="M", type=int, default=2, help="How many systems.")
@option("--power", metavar="P", type=float, default=0.8, help="Power to find D.")
@option("--alpha", metavar="P", type=float, default=0.05, help="The significance level.")
@option("--correlation", metavar="R", type=float, default=0.0, help="Correlation of two systems' verdicts on a prompt.")
@result_options
def pass_rate(pass_rate: float, *, shown: Shown, **options: Any) -> None:  # Any: the arguments of the function
    """How many prompts, when each system passes or fails every prompt; RATE is the pass rate of the worse system.

    Two systems (the default) are compared by McNemar's test, more by two-way ANOVA.
    """
    from kaiwa.topicset.design_pass_rate import design_pass_rate

    show(design_pass_rate(pass_rate, **options), shown)
