"""``kaiwa score``: its options, and one call of ``kaiwa.score``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kaiwa.cli.command import Made, verb
from kaiwa.cli.options import (
    MEASURE,
    agreement_weight_option,
    levels_option,
    order_option,
    runs_argument,
    scheme_option,
)
from kaiwa.cli.output import IN_FILE, Shown, result_options, seed_option, show
from kaiwa.measures.score import DEFAULT, NO_RELEVANT, UNCERTAINTIES, score
from kaiwa.measures.vote_resampling import SAMPLES

if TYPE_CHECKING:
    from pathlib import Path


@verb("score", epilog="Example: kaiwa score runs/*.txt --qrels qrels.txt --levels L1=1,L2=3 -m P+")
@runs_argument
@click.option("--qrels", type=IN_FILE, metavar="FILE", help="Judgements: TREC, NTCIR or BEIR.")
@click.option("--votes", type=IN_FILE, metavar="FILE", help="Votes instead, which Acc(L2)@5 needs.")
@click.option("--intents", type=IN_FILE, metavar="FILE", help="Instead by intent: topic intent comment grade.")
@click.option(
    "--chances", type=IN_FILE, metavar="FILE", help="Probability of each intent: topic intent chance [inf|nav]."
)
@click.option(
    "-m",
    "--measures",
    metavar="NAME",
    type=MEASURE,
    multiple=True,
    default=DEFAULT,
    show_default=", ".join(DEFAULT),
    help="nERR@10, RBP(p=0.8), ...; kaiwa names measures.",
)
@levels_option("the grade itself")
@click.option("--max-gain", metavar="GAIN|topic", help="gmax, the scale's highest gain; or each topic's own.")
@click.option("--max-level", metavar="LEVEL", type=click.IntRange(1), help="The highest level of the --votes.")
@scheme_option
@agreement_weight_option
@order_option
@click.option("--depth", metavar="RANK", type=click.IntRange(1), help="Cut every list at this rank first.")
@click.option("--condensed", is_flag=True, help="Remove unjudged items from every list first.")
@click.option(
    "--no-relevant",
    metavar="RULE",
    type=click.Choice(NO_RELEVANT),
    default="leave-out",
    show_default=True,
    help="A topic without a relevant item: leave-out or zero.",
)
@click.option(
    "--uncertainty",
    metavar="votes",
    type=click.Choice(UNCERTAINTIES),
    help="Add 95% intervals of the means over panels of assessors.",
)
@click.option(
    "--trials", metavar="N", type=click.IntRange(2, 100_000), default=SAMPLES, show_default=True, help="Vote resamples."
)
@seed_option
@result_options
def score_command(runs: tuple[Path, ...], shown: Shown, **options: Any) -> Made:  # Any: the arguments of kaiwa.score
    """Score RUNS by graded measures, per topic and on average.

    Without -m the official measures of the STC task. Topics without a relevant item, unanswered topics (they score 0)
    and topics that were never judged are reported. -o writes all scores as CSV measure,topic,run,score; tables:
    means, scores (every topic), and matrix (topics x runs, of one measure).
    """
    scores = score(list(runs), **options)
    show(scores, shown)
    return Made(shown.output, {"measures": list(scores), "gmax": scores.gmax, "no_relevant": options["no_relevant"]})
