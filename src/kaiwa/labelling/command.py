from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kaiwa.cli.command import Made, task_folder, verb
from kaiwa.cli.options import (
    ASSESSOR,
    agreement_weight_option,
    confidence_option,
    levels_option,
    max_level_option,
    scheme_option,
)
from kaiwa.cli.output import IN_FILE, Shown, result_options, seed_option, show
from kaiwa.labelling.agreement import CONTESTED, MOST_TRIALS, TRIALS, agree
from kaiwa.labelling.voted_qrels import gains

if TYPE_CHECKING:
    from pathlib import Path


@verb("agree", epilog="Example: kaiwa agree labels.txt.gz --merge L1+L2 --json")
@click.argument("votes", type=IN_FILE)
@click.option("--merge", metavar="L1+L2", help="Levels to count as one class.")
@max_level_option
@click.option("--pairs", is_flag=True, help="Cohen's kappa, plain and weighted, of every two assessors.")
@click.option("--assessors", is_flag=True, help="Show each assessor's severity, levels, agreement, confusion.")
@click.option(
    "--contested", type=click.IntRange(0), default=CONTESTED, show_default=True, help="Contested items to list."
)
@confidence_option
@click.option(
    "--trials", type=click.IntRange(2, MOST_TRIALS), default=TRIALS, show_default=True, help="Resamples of topics."
)
@seed_option
@result_options
def agree_command(votes: Path, *, shown: Shown, **options: Any) -> None:  # Any: the arguments of kaiwa.agree
    """Fleiss' kappa, Krippendorff's alpha and raw agreement of VOTES, with intervals over topics; each assessor.

    VOTES is an STC label file (post, comment, labels) or tidy CSV topic,comment,assessor,level. NA votes are
    counted and otherwise ignored. --assessors shows each assessor's quality instead, least agreement first.

    Kappa has a jackknife t interval below 50 topics, none below 5; the others have percentile intervals, which are
    too narrow with few topics (measured: benchmarks/results/audit.md). Tables: statistics, assessors, contested, pairs,
    quality.
    """
    show(agree(votes, **options), shown)


@verb("gains", epilog="Example: kaiwa gains labels.txt.gz --scheme unanimity --p 0.2 -o gains.txt")
@click.argument("votes", type=IN_FILE)
@scheme_option
@agreement_weight_option
@levels_option("2^level-1, or the level in sums")
@max_level_option
@click.option("--without", metavar="NAME", type=ASSESSOR, multiple=True, help="Leave out this assessor's votes.")
@click.option(
    "--task", type=IN_FILE, metavar="FOLDER", help="With --without: the task whose leaderboards change (default: this)."
)
@result_options
def gains_command(
    votes: Path,
    *,
    without: tuple[str, ...],
    task: Path | None,
    shown: Shown,
    **options: Any,  # Any: the arguments of kaiwa.gains
) -> Made:
    """Turn the VOTES of several assessors into one gain for each item.

    NA votes are counted and ignored; an item with no other vote stays unjudged. -o FILE writes the gains as TREC
    qrels, -o - prints them. With --without, in a task folder with runs, the changes of the leaderboard are
    shown too: rank and mean of each run with all votes and without the assessor's. Tables: qrels, gains, leaderboard.
    """
    made = gains(votes, without=without, task=task or (task_folder() if without else None), **options)
    show(made, shown)
    facts = {"scheme": made.scheme, "p": made.p, "max_level": made.max_level, "max_gain": made.max_gain}
    return Made(shown.output, facts)
