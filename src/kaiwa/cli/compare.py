from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal

import click

from kaiwa.cli.shell.complete import SCORED_MEASURE, SCORED_RUN
from kaiwa.cli.shell.output import IN_FILE, deliver, json_option, out_option, remark, seed_option
from kaiwa.cli.shell.progress import progress
from kaiwa.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path

    from kaiwa.compare.baseline import BaselineComparison
    from kaiwa.compare.comparison import Comparison

ALL_PAIRS = ("hsd", "step-down", "tukey")
PAIRED = ("t", "randomisation", "bootstrap")


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
@click.argument("scores", nargs=-1, required=True, type=IN_FILE)
@click.option("-m", "--measure", type=SCORED_MEASURE, help="Which measure to compare; needed when there are several.")
@click.option(
    "--test", type=click.Choice([*ALL_PAIRS, *PAIRED]), help="Default: hsd, or randomisation with --baseline."
)
@click.option(
    "--baseline",
    type=SCORED_RUN,
    metavar="RUN",
    help="Compare every run with this one only (Holm-corrected paired tests).",
)
@click.option(
    "--trials", default="5000", show_default=True, callback=_trials, help="Shuffles; auto: until none is close."
)
@click.option(
    "--max-trials", type=click.IntRange(1), default=320_000, show_default=True, help="Where --trials auto gives up."
)
@click.option("--alpha", type=float, default=0.05, show_default=True, help="Familywise error rate.")
@click.option(
    "--p-rule",
    type=click.Choice(["plus-one", "share"]),
    default="plus-one",
    show_default=True,
    help="(count+1)/(trials+1), or count/trials for compatibility.",
)
@click.option(
    "--missing",
    type=click.Choice(["error", "drop-topics", "drop-runs", "zero"]),
    default="error",
    show_default=True,
    help="What to do with runs that lack a score on some topic.",
)
@click.option("--pairs", "show_pairs", is_flag=True, help="List every pair too.")
@click.option("--anova", "show_anova", is_flag=True, help="Print the two-way ANOVA table too.")
@click.option("--latex", is_flag=True, help="The leaderboard as a LaTeX tabular (booktabs) instead of text.")
@click.option("--team-pattern", metavar="REGEX", help="Finds the team in a run's name; default: NTCIR's TEAM-C-R1.")
@click.option("--heat-map", type=IN_FILE, metavar="SVG", help="Draw the p-values of all pairs here.")
@click.option("--caterpillar", type=IN_FILE, metavar="SVG", help="Draw the means with intervals here.")
@out_option
@seed_option
@json_option
def command(scores: tuple[Path, ...], **options: Any) -> None:  # Any: the options above, each of its own type
    """Compare runs: randomised Tukey HSD, effect sizes, tied ranks and groups.

    SCORES are score files (tidy CSV or topics x runs matrices) or logs of LLM evaluations
    (lm-evaluation-harness samples, inspect_ai and promptfoo JSON), all runs compared together.
    """
    if options["baseline"] is not None:
        _with_baseline(scores, options)
    else:
        _all_pairs(scores, options)


def _all_pairs(scores: tuple[Path, ...], options: dict[str, Any]) -> None:  # Any: click's options
    import numpy as np

    from kaiwa.flow.compare import compare_files

    test = options["test"] or "hsd"
    if test in PAIRED:
        raise InputError(
            f"--test {test} compares with a baseline; add --baseline RUN, or choose {', '.join(ALL_PAIRS)}"
        )
    with progress("shuffling") as tell:
        compared = compare_files(
            scores,
            **_shared(options),
            test=test,
            trials=options["trials"],
            cap=options["max_trials"],
            rng=np.random.default_rng(options["seed"]),
            threads=os.cpu_count() or 1,
            progress=tell,
        )
    for line in compared.remarks:
        remark(line)
    _draw(compared.result, options)
    text, fields = _report(compared.result, options)
    deliver(text, fields, as_json=options["as_json"], output=options["output"])


def _with_baseline(scores: tuple[Path, ...], options: dict[str, Any]) -> None:  # Any: click's options
    import numpy as np

    from kaiwa.flow.compare import compare_files_with_baseline
    from kaiwa.report.results.leaderboard import baseline_methods, baseline_text

    test = options["test"] or "randomisation"
    if test not in PAIRED:
        raise InputError(f"--test {test} compares all pairs; drop --baseline, or choose {', '.join(PAIRED)}")
    if options["trials"] == "auto":
        raise InputError("--trials auto is for comparing all pairs; give a number with --baseline")
    if options["heat_map"] or options["caterpillar"]:
        raise InputError("figures show all pairs; drop --baseline to draw them")
    with progress("testing"):
        compared = compare_files_with_baseline(
            scores,
            options["baseline"],
            **_shared(options),
            test=test,
            trials=options["trials"],
            rng=np.random.default_rng(options["seed"]),
        )
    for line in compared.remarks:
        remark(line)
    text = f"{baseline_text(compared.result)}\n\n{baseline_methods(compared.result)}"
    fields = baseline_fields(compared.result)
    deliver(text, fields, as_json=options["as_json"], output=options["output"])


def _shared(options: dict[str, Any]) -> dict[str, Any]:  # Any: click's options
    return {name: options[name] for name in ("measure", "missing", "alpha", "p_rule")}


def _draw(result: Comparison, options: dict[str, Any]) -> None:  # Any: click's options
    if not (options["heat_map"] or options["caterpillar"]):
        return
    from kaiwa.disk.atomic_files import write_text
    from kaiwa.report.figures.comparison_figures import caterpillar_svg, heat_map_svg

    for path, draw in ((options["heat_map"], heat_map_svg), (options["caterpillar"], caterpillar_svg)):
        if path:
            write_text(path, draw(result))


def _report(result: Comparison, options: dict[str, Any]) -> tuple[str, dict[str, Any]]:  # Any: JSON values
    from kaiwa.compare.teams import best_of_teams
    from kaiwa.report.results import leaderboard as say

    teams = best_of_teams(result, pattern=options["team_pattern"])
    parts = [say.leaderboard_latex(result).rstrip() if options["latex"] else say.leaderboard_text(result)]
    parts += [say.pairs_text(result)] if options["show_pairs"] else []
    parts += [say.anova_text(result)] if options["show_anova"] else []
    parts += [say.teams_text(teams)] if any(team.beats for team in teams) else []
    parts += [say.close_text(result)] if result.close_pairs else []
    parts += [] if options["latex"] else [say.methods_paragraph(result)]
    return "\n\n".join(parts), {**comparison_fields(result), "teams": [vars(team) for team in teams]}


def comparison_fields(result: Comparison) -> dict[str, Any]:  # Any: JSON values
    """The comparison as JSON fields."""
    from kaiwa.report.results.leaderboard import methods_paragraph

    anova = result.anova
    return {
        "measure": result.measure,
        "test": result.test,
        "alpha": result.alpha,
        "trials": result.trials,
        "topics": result.topics,
        "pairs": [vars(pair) for pair in result.pairs],
        "ranks": result.ranks,
        "leaderboard": [vars(standing) for standing in result.standings],
        "unranked": list(result.unranked),
        "critical_difference": result.critical_difference,
        "discriminative_power": result.discriminative_power,
        "anova": [vars(source) for source in (anova.topics, anova.runs, anova.residual)],
        "methods": methods_paragraph(result),
    }


def baseline_fields(result: BaselineComparison) -> dict[str, Any]:  # Any: JSON values
    """The comparison with a baseline as JSON fields; it ranks nobody, as the others were not compared."""
    fields = {name: value for name, value in vars(result).items() if name != "pairs"}
    return {**fields, "pairs": [vars(pair) for pair in result.pairs], "ranks": {}}
