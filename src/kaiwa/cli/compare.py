from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import click
from click.core import ParameterSource

from kaiwa.cli.shell.complete import SCORED_RUN
from kaiwa.cli.shell.output import OUT_FILE, emit, json_option, out_option, remarks, seed_option
from kaiwa.cli.shell.progress import progress
from kaiwa.cli.shell.shared_options import direction_options, gathered, one_measure_option, scores_argument
from kaiwa.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kaiwa.compare.comparison import Comparison
    from kaiwa.model.direction import Direction
    from kaiwa.report.results.compare_view import BaselineView, ComparisonView
    from kaiwa.stats.p_values import PRule

    Paths = tuple[Path, ...]

ALL_PAIRS = ("hsd", "step-down", "tukey")
PAIRED = ("t", "randomisation", "bootstrap")


@dataclass(frozen=True)
class CompareOptions:
    """How runs are compared, and what is shown."""

    measure: str | None
    directions: Mapping[str, Direction]
    test: str | None
    baseline: str | None
    trials: int | Literal["auto"]
    max_trials: int
    alpha: float
    p_rule: PRule
    missing: str
    show_pairs: bool
    show_anova: bool
    latex: bool
    team_pattern: str | None
    heat_map: Path | None
    caterpillar: Path | None
    seed: int


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


@click.command("compare", epilog="Example: kaiwa compare scores.csv -m nERR@10 --trials auto --caterpillar means.svg")
@scores_argument
@one_measure_option
@direction_options()
@click.option(
    "--test",
    metavar="TEST",
    type=click.Choice([*ALL_PAIRS, *PAIRED]),
    help="hsd, step-down, tukey; with --baseline: randomisation, t, bootstrap.",
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
    help="Shuffles; auto: until no p is near alpha.",
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
    "--p-rule",
    metavar="RULE",
    type=click.Choice(["plus-one", "share"]),
    default="plus-one",
    show_default=True,
    help="(count+1)/(trials+1); or share, which is count/trials.",
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
@click.option("--latex", is_flag=True, help="Every table as a LaTeX tabular (booktabs), and nothing else.")
@click.option("--team-pattern", metavar="REGEX", help="The team in a run's name (default: NTCIR's TEAM-C-R1).")
@click.option("--heat-map", type=OUT_FILE, metavar="SVG", help="Draw the p-values of all pairs here.")
@click.option("--caterpillar", type=OUT_FILE, metavar="SVG", help="Draw the means with intervals here.")
@out_option
@seed_option
@json_option
@gathered(CompareOptions, "options")
def command(scores: Paths, *, options: CompareOptions, output: Path | None, as_json: bool) -> None:
    """Compare runs: randomised Tukey HSD, effect sizes, tied ranks and groups.

    SCORES are score files (tidy CSV or topics x runs matrices) or logs of LLM evaluations, or folders of
    them (lm-evaluation-harness, inspect_ai, promptfoo), all runs compared together.
    """
    from kaiwa.disk.joint_output import together

    with together():
        view = (
            _all_pairs(scores, options)
            if options.baseline is None
            else _with_baseline(scores, options.baseline, options)
        )
        emit(view, as_json=as_json, output=output)


def _all_pairs(scores: Paths, options: CompareOptions) -> ComparisonView:
    import numpy as np

    from kaiwa.compare.teams import best_of_teams
    from kaiwa.flow.compare import compare_files
    from kaiwa.report.results.compare_view import ComparisonView

    test = options.test or "hsd"
    if test in PAIRED:
        raise InputError(
            f"--test {test} compares with a baseline; add --baseline RUN, or choose {', '.join(ALL_PAIRS)}"
        )
    with remarks() as remark, progress("shuffling") as moved:
        compared = compare_files(
            scores,
            measure=options.measure,
            missing=options.missing,
            alpha=options.alpha,
            p_rule=options.p_rule,
            test=test,
            trials=options.trials,
            cap=options.max_trials,
            rng=np.random.default_rng(options.seed),
            threads=os.cpu_count() or 1,
            progress=moved,
            directions=options.directions,
            remark=remark,
        )
    _draw(compared, options)
    teams = best_of_teams(compared, pattern=options.team_pattern)
    return ComparisonView(compared, teams, options.latex, options.show_pairs, options.show_anova)


def _with_baseline(scores: Paths, baseline: str, options: CompareOptions) -> BaselineView:
    import numpy as np

    from kaiwa.flow.compare import compare_files_with_baseline
    from kaiwa.report.results.compare_view import BaselineView

    given = click.get_current_context().get_parameter_source("test") is ParameterSource.COMMANDLINE
    test = (options.test if given else None) or "randomisation"  # the test of kaiwa.toml compares all pairs
    if test not in PAIRED:
        raise InputError(f"--test {test} compares all pairs; leave out --baseline, or choose {', '.join(PAIRED)}")
    if options.trials == "auto":
        raise InputError("--trials auto is for comparing all pairs; give a number with --baseline")
    if options.heat_map or options.caterpillar:
        raise InputError("figures show all pairs; leave out --baseline to draw them")
    with remarks() as remark, progress("testing"):
        compared = compare_files_with_baseline(
            scores,
            baseline,
            measure=options.measure,
            missing=options.missing,
            alpha=options.alpha,
            p_rule=options.p_rule,
            test=test,
            trials=options.trials,
            rng=np.random.default_rng(options.seed),
            directions=options.directions,
            remark=remark,
        )
    return BaselineView(compared, options.latex)


def _draw(result: Comparison, options: CompareOptions) -> None:
    if not (options.heat_map or options.caterpillar):
        return
    from kaiwa.disk.atomic_files import write_text
    from kaiwa.report.figures.comparison_figures import caterpillar_svg, heat_map_svg

    for path, draw in ((options.heat_map, heat_map_svg), (options.caterpillar, caterpillar_svg)):
        if path:
            write_text(path, draw(result))
