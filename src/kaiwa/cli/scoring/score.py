from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from kaiwa.cli.shell.output import IN_FILE, OUT_FILE, emit, json_option, list_option, remark, seed_option
from kaiwa.cli.shell.progress import progress
from kaiwa.cli.shell.shared_options import (
    agreement_weight_option,
    gathered,
    levels_option,
    measures_option,
    order_option,
    runs_argument,
    scheme_option,
)
from kaiwa.cli.shell.verb import Made
from kaiwa.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kaiwa.cli.shell.output import View
    from kaiwa.measure.scoring import Reading
    from kaiwa.measure.vote_resampling import VoteIntervals
    from kaiwa.studies.judging import Judged


@dataclass(frozen=True)
class JudgementOptions:
    """What runs are scored against."""

    qrels: Path | None
    votes: Path | None
    intents: Path | None
    chances: Path | None
    levels: str | None
    top: str | None
    votes_top: int | None
    scheme: str
    p: float


@dataclass(frozen=True)
class ScoreOptions:
    """How runs are scored, and what is shown."""

    measures: tuple[str, ...]
    order: str | None
    condensed: bool
    truncate: int | None
    no_relevant: str
    per_topic: bool
    uncertainty: str | None
    samples: int
    form: str
    matrix: bool
    seed: int


def _measures() -> View:
    from kaiwa.measure import MEASURES
    from kaiwa.report.results.score_view import MeasuresView

    return MeasuresView(MEASURES)


@click.command("score", epilog="Example: kaiwa score runs/*.txt --qrels qrels.txt --levels L1=1,L2=3 -m P+")
@runs_argument
@click.option("--qrels", type=IN_FILE, help="Judgements: TREC, NTCIR or BEIR.")
@click.option("--votes", type=IN_FILE, help="Votes of several assessors instead; needed for Acc(L2)@5.")
@click.option("--intents", type=IN_FILE, help="Judgements by intent instead: topic intent comment grade.")
@click.option("--chances", type=IN_FILE, help="Probability of each intent: topic intent chance [inf|nav].")
@measures_option("nERR@10, RBP(p=0.8), ...; repeatable.")
@levels_option("the grade itself")
@click.option("--top", metavar="GAIN|topic", help="gmax, the scale's highest gain; or each topic's own.")
@click.option("--votes-top", metavar="LEVEL", type=click.IntRange(1), help="The highest level of the --votes.")
@scheme_option
@agreement_weight_option
@order_option
@click.option("--condensed", is_flag=True, help="Remove unjudged items from every list first.")
@click.option("--truncate", metavar="RANK", type=click.IntRange(1), help="Cut every list at this rank first.")
@click.option(
    "--no-relevant",
    metavar="RULE",
    type=click.Choice(["leave-out", "zero"]),
    default="leave-out",
    show_default=True,
    help="A topic without a relevant item: leave-out or zero.",
)
@click.option("--per-topic", is_flag=True, help="A row per topic and run instead of means.")
@click.option(
    "--uncertainty",
    metavar="votes",
    type=click.Choice(["votes"]),
    help="Add 95% intervals of the means over panels of assessors.",
)
@click.option(
    "--samples", metavar="N", type=click.IntRange(2, 100_000), default=200, show_default=True, help="Vote resamples."
)
@click.option(
    "--format",
    "form",
    metavar="FORM",
    type=click.Choice(["table", "csv", "latex"]),
    default="table",
    show_default=True,
    help="table, csv or latex.",
)
@click.option("-o", "--output", type=OUT_FILE, help="Write all scores here as CSV measure,topic,run,score.")
@click.option("--matrix", is_flag=True, help="Make -o a topics x runs matrix of the one measure instead.")
@list_option("--measures", "listed", view=_measures, help="List the measures.")
@seed_option
@json_option
@gathered(JudgementOptions, "given")
@gathered(ScoreOptions, "options")
def command(
    runs: tuple[Path, ...], *, given: JudgementOptions, options: ScoreOptions, output: Path | None, as_json: bool
) -> Made:
    """Score RUNS by graded measures, per topic and on average.

    Without -m the official measures of the STC task: nG@1, nERR@10 and P+. Topics without a relevant item,
    unanswered topics (they score 0) and topics that were never judged are reported.
    """
    from kaiwa.flow.scoring.score import OFFICIAL, score_files, write_scored
    from kaiwa.measure.scoring import Reading
    from kaiwa.report.results.score_view import ScoreView

    judged = _judged(given)
    reading = Reading(condensed=options.condensed, truncate=options.truncate, zero=options.no_relevant == "zero")
    measures = options.measures or OFFICIAL
    if options.matrix and len(measures) != 1:
        raise InputError(f"--matrix writes one measure, but {len(measures)} are given; give one -m")
    with progress("scoring") as moved:
        scored = score_files(runs, judged.judgements, measures, reading=reading, order=options.order, on_progress=moved)
    intervals = _intervals(runs, judged, measures, reading, options) if options.uncertainty else None
    if output is not None:
        write_scored(output, scored, matrix=options.matrix)
    view = ScoreView(scored, judged.gmax, reading.zero, intervals, options.per_topic, options.form)
    for line in view.remarks():
        remark(line)
    emit(view, as_json=as_json)
    how = judged.weighing
    voted = {"scheme": how.scheme if how else None, "p": how.p if how and how.scheme == "unanimity" else None}
    known = {"measures": measures, "gmax": judged.judgements.gains.top, "no_relevant": options.no_relevant}
    return Made(output, {**known, **voted})


def _judged(given: JudgementOptions) -> Judged:
    """The judgements, from the kind of file that was given."""
    from kaiwa.flow.scoring.score import judgements_from
    from kaiwa.measure.gain_scale import parse_scale

    return judgements_from(
        given.qrels,
        given.votes,
        given.intents,
        scale=parse_scale(given.levels, given.top),
        chances=given.chances,
        scheme=given.scheme,
        p=given.p,
        votes_top=given.votes_top,
    )


def _intervals(
    runs: tuple[Path, ...], judged: Judged, measures: Sequence[str], reading: Reading, options: ScoreOptions
) -> VoteIntervals:
    """Intervals of the means over other panels of assessors."""
    from kaiwa.flow.scoring.score import vote_intervals_of_files

    with progress("resampling votes") as moved:
        return vote_intervals_of_files(
            runs,
            judged,
            measures=measures,
            reading=reading,
            order=options.order,
            seed=options.seed,
            samples=options.samples,
            on_progress=moved,
        )
