from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kaiwa.cli.shell.output import IN_FILE, FiniteRange, emit, json_option, remark, seed_option
from kaiwa.cli.shell.progress import progress
from kaiwa.cli.shell.shared_options import (
    measures_option,
    order_option,
    runs_argument,
    trials_option,
    votes_top_option,
)
from kaiwa.errors import InputError, counted

if TYPE_CHECKING:
    from pathlib import Path


@click.command("unanimity", epilog="Example: kaiwa unanimity runs/*.txt --qrels qrels.txt -m nDCG@10 -n 10 --dmax 2")
@runs_argument
@click.option("--qrels", type=IN_FILE, help="Draw ratings for the relevant items of these judgements.")
@click.option("--votes", type=IN_FILE, help="Read the ratings from a vote file instead.")
@votes_top_option
@measures_option("Measures to study (default: nDCG@10, Q@10, nERR@10).")
@click.option(
    "-n", "--assessors", type=click.IntRange(1, 1000), default=5, show_default=True, help="Drawn ratings per item."
)
@click.option("--dmax", type=click.IntRange(1, 100), default=3, show_default=True, help="The highest drawn rating.")
@click.option("--p", type=FiniteRange(0, 100), default=0.2, show_default=True, help="Weight of agreement.")
@trials_option(5000, "Trials of the HSD test.")
@order_option
@seed_option
@json_option
def command(
    runs: tuple[Path, ...],
    *,
    qrels: Path | None,
    votes: Path | None,
    top: int | None,
    measures: tuple[str, ...],
    assessors: int,
    dmax: int,
    p: float,
    trials: int,
    order: str | None,
    seed: int,
    as_json: bool,
) -> None:
    """Score RUNS by raw sums of ratings and by unanimity-aware gains, and show what changes.

    The study of Sakai (EVIA 2017): Kendall's tau between the two rankings of the runs, and the pairs of runs whose
    difference is significant (randomised Tukey HSD, alpha .05) under one kind of gain and not the other.
    """
    from kaiwa.flow.judging.unanimity import real_ratings, simulated_ratings, unanimity_of_files
    from kaiwa.report.results.unanimity_view import UnanimityView

    if qrels is not None and votes is None:
        ratings = simulated_ratings(qrels, assessors=assessors, top=dmax, seed=seed)
        remark(f"{counted(assessors, 'rating')} in 0..{dmax} drawn for each relevant item, seed {seed}")
    elif votes is not None and qrels is None:
        ratings = real_ratings(votes, top=top)
    else:
        raise InputError("ratings come from one source; give --qrels to draw them, or --votes to read them")
    names = measures or ("nDCG@10", "Q@10", "nERR@10")
    with progress("comparing") as moved:
        studies = unanimity_of_files(
            runs, ratings, names, p=p, seed=seed, trials=trials, order=order, on_progress=moved
        )
    emit(UnanimityView(studies, p), as_json=as_json)
