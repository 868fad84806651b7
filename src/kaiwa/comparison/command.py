"""The commands of comparison: their options, and one call of the public function each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import click

from kaiwa.cli.command import verb
from kaiwa.cli.options import (
    MEASURE,
    SCORED_MEASURE,
    SCORED_RUN,
    Named,
    Numbers,
    better_options,
    confidence_option,
    engine_option,
    measures_option,
    order_option,
    runs_argument,
    scores_argument,
    trials_option,
)
from kaiwa.cli.output import IN_FILE, OUT_FILE, Shown, result_options, seed_option, show
from kaiwa.comparison.allpairs import AUTO_CAP
from kaiwa.comparison.baseline import BASELINE_TESTS, ROBUST
from kaiwa.comparison.comparison import MISSING, TESTS, compare
from kaiwa.comparison.standardisation_study import LEFT_OUT, MIN_DIFFS, SYSTEMS, standardisation
from kaiwa.comparison.standardise import METHODS, A, B, standardise
from kaiwa.comparison.tau import INTERVALS, TIES, tau
from kaiwa.comparison.tau import TRIALS as TAU_TRIALS
from kaiwa.comparison.unanimity import MEASURES as STUDIED
from kaiwa.comparison.unanimity import TRIALS as STUDY_TRIALS
from kaiwa.comparison.unanimity import unanimity
from kaiwa.comparison.variance import TRIALS as VARIANCE_TRIALS
from kaiwa.comparison.variance import variance
from kaiwa.labelling.gains import CONFUSABILITY

if TYPE_CHECKING:
    from pathlib import Path

    Paths = tuple[Path, ...]


def _trials(_: click.Context, __: click.Parameter, value: str | None) -> int | Literal["auto"] | None:
    if value is None:
        return None
    if value == "auto":
        return "auto"
    try:
        number = int(value.replace(",", ""))
    except ValueError:
        number = 0
    if number < 1:
        raise click.BadParameter(f"{value!r} is neither a positive whole number nor 'auto'")
    return number


@verb("compare", epilog="Example: kaiwa compare scores.csv -m nERR@10 --table pairs")
@scores_argument
@measures_option("By default all of the files.", kind=SCORED_MEASURE)
@click.option(
    "--qrels",
    type=IN_FILE,
    metavar="FILE",
    help="SCORES are runs: score them by these first.",
)
@click.option("--family", is_flag=True, help="Limit the error over all measures together.")
@better_options
@click.option(
    "--test",
    metavar="TEST",
    type=click.Choice([*TESTS, *(name for name in BASELINE_TESTS if name not in TESTS)]),
    default=ROBUST,
    show_default=True,
    help="robust, robust-step-down, hsd, step-down, tukey, crossed; with --baseline: robust, randomisation, t, "
    "bootstrap. docs/compare.md has their measured errors.",
)
@click.option("--baseline", type=SCORED_RUN, metavar="RUN", help="Compare every run with this one only.")
@click.option(
    "--trials",
    metavar="N",
    callback=_trials,
    help="Draws (default: 5,000; of a paired test as many as needed); auto: until no p is near alpha.",
)
@click.option(
    "--max-trials",
    metavar="N",
    type=click.IntRange(1),
    default=AUTO_CAP,
    show_default=True,
    help="Where --trials auto stops.",
)
@click.option("--alpha", metavar="P", type=float, default=0.05, show_default=True, help="Nominal familywise error.")
@click.option("--margin", metavar="D", type=float, help="Smallest difference that matters; adds verdicts.")
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
    type=click.Choice(MISSING),
    default="error",
    show_default=True,
    help="A run without a score on a topic: error, drop-topics, drop-runs or zero.",
)
@click.option("--team-pattern", metavar="REGEX", help="The team in a run's name (default: TEAM-C-R1).")
@seed_option
@engine_option
@result_options
def compare_command(scores: Paths, shown: Shown, **options: Any) -> None:  # Any: the arguments of kaiwa.compare
    """Compare runs: all pairs tested, effect sizes, tied ranks and groups.

    SCORES are score files (tidy CSV or topics x runs matrices) or logs of LLM evaluations, or folders of
    them (lm-evaluation-harness, inspect_ai, promptfoo), all runs compared together; or runs, with --qrels.
    Tables: leaderboard, pairs, anova. Figures: -o means.svg, and of the table pairs -o p.svg.
    """
    show(compare(list(scores), **options), shown)


@verb("tau", epilog="Example: kaiwa tau scores.csv -m nG@1 -m nERR@10")
@scores_argument
@click.option("--other", type=IN_FILE, metavar="FILE", help="Scores of the same runs on the other side.")
@measures_option("Two measures; with --other one of both sides, or one of each.", kind=SCORED_MEASURE)
@better_options
@click.option(
    "--interval",
    metavar="NAME",
    type=click.Choice(INTERVALS),
    default="hwc",
    show_default=True,
    help="hwc: Hollander-Wolfe-Chicken; null: the standard error under no relation; bootstrap: runs drawn with "
    "replacement.",
)
@click.option(
    "--ties",
    metavar="RULE",
    type=click.Choice(TIES),
    default="tau-b",
    show_default=True,
    help="tau-b: correct for ties; listed: break them by the order in which the runs are listed.",
)
@confidence_option
@trials_option(TAU_TRIALS, "Bootstrap draws.")
@click.option("--persistence", type=float, default=0.9, show_default=True, help="Persistence of rank-biased overlap.")
@seed_option
@engine_option
@result_options
def tau_command(scores: Paths, shown: Shown, **options: Any) -> None:  # Any: the arguments of kaiwa.tau
    """Rank correlation between two measures or two sets of scores: Kendall's tau with an interval.

    SCORES are read together. Also tau_ap, rank-biased overlap and the overlap of the first 1, 3, 5 and 10 runs. The
    limits with as many other topics held another tau in .92 to .97 of draws of 10 real runs, and in .93 to .97 of 25
    (benchmarks/results/calibration/cited.md).
    """
    show(tau(list(scores), **options), shown)


@verb("variance", epilog="Example: kaiwa variance pilot1.csv pilot2.csv -m nERR@10")
@scores_argument
@measures_option("Which measure; required if a file holds several.", kind=SCORED_MEASURE)
@better_options
@click.option(
    "--crossed",
    is_flag=True,
    help="Model topic, run, assessor and repeat, with missing scores; all files together.",
)
@confidence_option
@trials_option(VARIANCE_TRIALS, "Bootstrap draws of topics.")
@seed_option
@engine_option
@result_options
def variance_command(scores: Paths, shown: Shown, **options: Any) -> None:  # Any: the arguments of kaiwa.variance
    """V_E, V_E2 and variance components of scores, for designing the next round.

    Several files are pooled by their degrees of freedom; limits are bootstrap limits over topics. With --crossed:
    components of a mixed model, the leniency of assessors, and the effect of one more topic, assessor or repeat; SCORES
    may also be a file of votes.
    """
    show(variance(list(scores), **options), shown)


@verb(
    "standardise", epilog="Example: kaiwa standardise scores.csv --method std-ab --save-factors factors.csv -o std.csv"
)
@scores_argument
@measures_option("Only these measures; by default all.", kind=SCORED_MEASURE)
@better_options
@click.option(
    "--method",
    metavar="NAME",
    type=click.Choice([*METHODS]),
    default="std-ab",
    show_default=True,
    help="std, std-cdf or std-ab.",
)
@click.option("--a", metavar="A", type=float, default=A, show_default=True, help="Slope of std-AB.")
@click.option("--b", metavar="B", type=float, default=B, show_default=True, help="Middle of std-AB.")
@click.option(
    "--factors", type=IN_FILE, metavar="FILE", help="Standardise by these factors, saved from an earlier round."
)
@click.option(
    "--save-factors", type=OUT_FILE, metavar="FILE", help="Save each topic's mean and standard deviation here."
)
@result_options
def standardise_command(scores: Paths, shown: Shown, **options: Any) -> None:  # Any: the arguments of the function
    """Make scores comparable across topics: std, std-CDF, std-AB.

    Each score minus its topic's mean over the runs is divided by the topic's standard deviation. A topic on which
    all runs tie gets the middle value: B, or 0 under std. Where lower scores are better, lower standardised scores
    are better too. Several files are standardised together. -o writes the scores as CSV measure,topic,run,score.
    """
    show(standardise(list(scores), **options), shown)


@verb("standardisation", epilog="Example: kaiwa standardisation scores.csv -m nERR@10 --systems 2,10 -o topics.svg")
@scores_argument
@measures_option("Only this measure; repeatable.", kind=SCORED_MEASURE)
@better_options
@click.option("--a", metavar="A", type=float, default=A, show_default=True, help="Slope of std-AB.")
@click.option("--b", metavar="B", type=float, default=B, show_default=True, help="Middle of std-AB.")
@click.option(
    "--systems",
    metavar="M",
    type=Numbers(int, several=True),
    multiple=True,
    default=SYSTEMS,
    show_default="2,10,50",
    help="How many systems.",
)
@click.option(
    "--min-diff",
    metavar="D",
    type=Numbers(float, several=True),
    multiple=True,
    default=MIN_DIFFS,
    show_default="0.05,0.1,0.2",
    help="Smallest best-worst differences to find; of std-AB as shares of its scale.",
)
@click.option("--power", metavar="P", type=float, default=0.8, show_default=True, help="Power to find D.")
@click.option("--alpha", metavar="P", type=float, default=0.05, show_default=True, help="The significance level.")
@click.option(
    "--test",
    metavar="TEST",
    type=Named("design"),
    default=ROBUST,
    show_default=True,
    help="One of kaiwa names designs.",
)
@click.option(
    "--method",
    metavar="M",
    type=Named("method"),
    default="exact",
    show_default=True,
    help="exact, or sakai (published; of --test anova).",
)
@click.option(
    "--leave-out",
    metavar="NAME",
    type=click.Choice(LEFT_OUT),
    help="Factors without each of the teams; or by earlier years, each file of SCORES one.",
)
@click.option("--team-pattern", metavar="REGEX", help="The team in a run's name (default: TEAM-C-R1).")
@click.option("--marked", metavar="RUN", type=SCORED_RUN, multiple=True, help="Runs in colour; repeatable.")
@result_options
def standardisation_command(scores: Paths, shown: Shown, **options: Any) -> None:  # Any: the function's arguments
    """What standardisation changes: variances, topic set sizes, and the scores of runs that had no part in it.

    The study of Sakai (AIRS 2016) on any score files, also of measures that are not normalised. Tables: variances,
    sizes, held, unknown_runs, topics. -o topics.svg draws every run on every topic, raw and std-AB.
    """
    show(standardisation(list(scores), **options), shown)


@verb("unanimity", epilog="Example: kaiwa unanimity runs/*.txt --qrels qrels.txt --levels 2,4,8 --sizes 5,10,20,40,80")
@runs_argument
@click.option("--votes", type=IN_FILE, metavar="FILE", help="Read the ratings from this vote file.")
@click.option(
    "--qrels", type=IN_FILE, metavar="FILE", help="Draw ratings for the relevant items of these judgements instead."
)
@click.option(
    "--levels", metavar="LEVEL", type=Numbers(int), multiple=True, help="The highest drawn rating (default: 3)."
)
@click.option("--sizes", metavar="N", type=Numbers(int), multiple=True, help="Drawn ratings per item (default: 5).")
@click.option(
    "--p",
    metavar="P",
    type=Numbers(float),
    multiple=True,
    default=(0.2,),
    show_default="0.2",
    help="Weight of agreement.",
)
@click.option(
    "--confusability",
    metavar="NAME",
    type=click.Choice([*CONFUSABILITY]),
    default="range",
    show_default=True,
    help="How disagreement is measured: range, trimmed-range, deviation or entropy.",
)
@click.option("--max-gain", metavar="topic", help="topic: gmax is each topic's highest gain, as in NTCIREVAL.")
@click.option(
    "-m",
    "--measures",
    metavar="NAME",
    type=MEASURE,
    multiple=True,
    default=STUDIED,
    show_default=", ".join(STUDIED),
    help="Measures to study.",
)
@click.option("--best-of-teams", is_flag=True, help="Compare the best run of each team only.")
@click.option("--team-pattern", metavar="REGEX", help="The team in a run's name (default: TEAM-C-R1).")
@click.option("--max-level", metavar="LEVEL", type=click.IntRange(1), help="The highest level of the --votes.")
@order_option
@click.option("--alpha", metavar="P", type=float, default=0.05, show_default=True, help="Familywise error.")
@trials_option(STUDY_TRIALS, "Trials of the HSD test.")
@seed_option
@result_options
def unanimity_command(runs: Paths, shown: Shown, **options: Any) -> None:  # Any: the arguments of kaiwa.unanimity
    """Score RUNS by raw sums of ratings and by unanimity-aware gains, and show what changes.

    The study of Sakai (EVIA 2017): Kendall's tau between the two rankings of the runs, and the pairs of runs whose
    difference is significant (randomised Tukey HSD) under one kind of gain and not the other. --levels, --sizes and --p
    take several numbers: every combination is studied.
    """
    show(unanimity(runs=list(runs), **options), shown)
