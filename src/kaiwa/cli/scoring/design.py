"""kaiwa design: how many topics; its subcommands simulate, decide, cost, rounds and pass-rate."""

from __future__ import annotations

from dataclasses import replace
from os.path import relpath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from kaiwa.cli.shell.complete import Named
from kaiwa.cli.shell.design_options import (
    ALPHA,
    CORRELATION,
    COST,
    DECIDE,
    ENGINE,
    FIGURES,
    KINDS,
    MEASURE,
    MIN_DIFF,
    PILOT,
    POWER,
    QUANTITIES,
    REQUIREMENT,
    ROUNDS,
    SIMULATE,
    SYSTEMS,
    TABLE,
    TEST,
    Numbers,
    all_of,
)
from kaiwa.cli.shell.output import emit, json_option, out_option, remark, remarks, seed_option
from kaiwa.cli.shell.progress import progress
from kaiwa.cli.shell.shared_options import direction_options, gathered
from kaiwa.cli.shell.task_defaults import task_folder
from kaiwa.cli.shell.verb import VerbGroup
from kaiwa.flow.scoring.design.options import Question
from kaiwa.task.folder_search import CONFIG

if TYPE_CHECKING:
    from collections.abc import Callable

    from kaiwa.report.results.design_view import DesignView


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
@all_of(*REQUIREMENT, *TABLE, *FIGURES)
@direction_options(hidden=True)
@all_of(*KINDS, *SIMULATE, *DECIDE, *ROUNDS, *COST, ENGINE, hidden=True)
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
@all_of(PILOT, MEASURE, *QUANTITIES, *TEST, *SIMULATE, ENGINE)
@direction_options()
@_asked
def simulate(*, question: Question, output: Path | None, as_json: bool) -> None:
    """Check a design by simulation: draw data sets from a pilot, and count how often TEST finds the difference.

    TEST is one of the tests of --test, but not interval. --test is the test whose number of topics is tried first.
    """
    _answer(question, output, as_json=as_json)


@command.command(
    "decide",
    short_help="Topics to find the best systems, or their order.",
    epilog="Example: kaiwa design decide tau --pilot pilot1.csv -m nERR@10 --target 0.5",
)
@click.argument("decide", metavar="GOAL", type=click.Choice(["top", "tau", "discriminative"]))
@all_of(PILOT, MEASURE, *DECIDE, ALPHA, ENGINE)
@direction_options()
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
@all_of(*REQUIREMENT, *COST)
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
@all_of(*REQUIREMENT, *ROUNDS, ENGINE)
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
@all_of(MIN_DIFF, SYSTEMS, POWER, ALPHA, CORRELATION)
@_asked
def pass_rate(*, question: Question, output: Path | None, as_json: bool) -> None:
    """How many prompts, when each system passes or fails every prompt; RATE is the pass rate of the worse system.

    Two systems (the default) are compared by McNemar's test, more by two-way ANOVA.
    """
    _answer(question, output, as_json=as_json)


def _answer(question: Question, output: Path | None, *, as_json: bool) -> None:
    from kaiwa.disk.joint_output import together
    from kaiwa.flow.scoring.design.dispatch import answer
    from kaiwa.report.results.design_view import DesignView

    asked = _as_compared(question)
    with remarks() as heard, progress("simulating") as moved:
        view = answer(asked, progress=moved, remark=heard)
    with together():
        if isinstance(view, DesignView):
            _draw(view, question)
        emit(view, as_json=as_json, output=output)
    if asked.designed_test != question.designed_test:
        remark(f"from {relpath((task_folder() or Path()) / CONFIG)}: designed for the test {asked.compared_with}")


def _as_compared(question: Question) -> Question:
    """The question with the test that compares the runs of its task folder, if it has a pilot there."""
    folder = task_folder()
    if folder is None or not question.pilots or question.test is not None:
        return question
    from kaiwa.task.task_folder import read_task

    return replace(question, compared_with=read_task(folder).settings.test)


def _draw(view: DesignView, question: Question) -> None:
    if not (question.power_curve or question.diff_curve):
        return
    from kaiwa.disk.atomic_files import write_text
    from kaiwa.report.figures.power_curves import difference_curve_svg, power_curve_svg

    for path, draw in ((question.power_curve, power_curve_svg), (question.diff_curve, difference_curve_svg)):
        if path is not None:
            write_text(path, draw(view.design))
            remark(f"wrote {path}")
