from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from kaiwa.cli.shell.comparing import ALL_PAIRS, CROSSED, PAIRED, CompareOptions, comparison_view
from kaiwa.cli.shell.complete import SCORED_MEASURE, SCORED_RUN
from kaiwa.cli.shell.output import OUT_FILE, emit, json_option, out_option, seed_option
from kaiwa.cli.shell.shared_options import direction_options, engine_option, gathered, scores_argument

if TYPE_CHECKING:
    from pathlib import Path

    Paths = tuple[Path, ...]


def _trials(_: click.Context, __: click.Parameter, value: str) -> int | Literal["auto"]:
    if value == "auto":
        return "auto"
    try:
        number = int(value.replace(",", ""))
    except ValueError:
        number = 0
    if number < 1:
        raise click.BadParameter(f"{value!r} is neither a positive whole number nor 'auto'")
    return number


@click.command("compare", epilog="Example: kaiwa compare scores.csv -m nERR@10 --test robust")
@scores_argument
@click.option(
    "-m",
    "--measure",
    "measures",
    metavar="NAME",
    type=SCORED_MEASURE,
    multiple=True,
    help="Which measure; required if a file holds several. Repeatable with --family.",
)
@click.option("--family", is_flag=True, help="Several measures as one family of pairs.")
@direction_options()
@click.option(
    "--test",
    metavar="TEST",
    type=click.Choice([*ALL_PAIRS, CROSSED, *PAIRED]),
    help="robust (for real runs), robust-step-down, hsd (default), step-down, tukey, crossed; with --baseline: "
    "randomisation, t, bootstrap.",
)
@click.option(
    "--baseline",
    type=SCORED_RUN,
    metavar="RUN",
    help="Compare every run with this one only (Holm-corrected paired tests).",
)
@click.option(
    "--trials",
    metavar="N",
    default="5000",
    show_default=True,
    callback=_trials,
    help="Number of trials; auto: until no p is near alpha.",
)
@click.option(
    "--max-trials",
    metavar="N",
    type=click.IntRange(1),
    default=320_000,
    show_default=True,
    help="Where --trials auto stops.",
)
@click.option("--alpha", metavar="P", type=float, default=0.05, show_default=True, help="Familywise error rate.")
@click.option(
    "--margin",
    metavar="D",
    type=float,
    help="Smallest difference that matters; adds verdicts.",
)
@click.option(
    "--p-rule",
    metavar="RULE",
    type=click.Choice(["plus-one", "share"]),
    default="plus-one",
    show_default=True,
    help="p is (count+1)/(trials+1); with share it is count/trials.",
)
@click.option(
    "--missing",
    metavar="RULE",
    type=click.Choice(["error", "drop-topics", "drop-runs", "zero"]),
    default="error",
    show_default=True,
    help="A run without a score on a topic: error, drop-topics, drop-runs or zero.",
)
@click.option("--pairs", "show_pairs", is_flag=True, help="Also list every pair.")
@click.option("--anova", "show_anova", is_flag=True, help="Also print the two-way ANOVA table.")
@click.option("--latex", is_flag=True, help="Every table as LaTeX (booktabs), nothing else.")
@click.option("--team-pattern", metavar="REGEX", help="The team in a run's name (default: TEAM-C-R1).")
@click.option("--heat-map", type=OUT_FILE, metavar="SVG", help="Draw the p-values of all pairs here.")
@click.option("--caterpillar", type=OUT_FILE, metavar="SVG", help="Draw the means with intervals here.")
@out_option
@seed_option
@engine_option
@json_option
@gathered(CompareOptions, "options")
def command(scores: Paths, *, options: CompareOptions, output: Path | None, as_json: bool) -> None:
    """Compare runs: all pairs tested, effect sizes, tied ranks and groups.

    SCORES are score files (tidy CSV or topics x runs matrices) or logs of LLM evaluations, or folders of
    them (lm-evaluation-harness, inspect_ai, promptfoo), all runs compared together.
    """
    from kaiwa.disk.joint_output import together

    with together():
        emit(comparison_view(scores, options), as_json=as_json, output=output)
