from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kaiwa.cli.shell.complete import MEASURE
from kaiwa.cli.shell.output import IN_FILE, emit, json_option, remark, seed_option
from kaiwa.cli.shell.progress import progress
from kaiwa.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from kaiwa.report.text_tables import Cell
    from kaiwa.studies.unanimity_effect import Changed, UnanimityStudy


@click.command("unanimity", epilog="Example: kaiwa unanimity runs/*.txt --qrels qrels.txt -m nDCG@10 -n 10 --dmax 2")
@click.argument("runs", nargs=-1, required=True, type=IN_FILE)
@click.option("--qrels", type=IN_FILE, help="Draw ratings for the relevant items of these judgements.")
@click.option("--votes", type=IN_FILE, help="Take the real ratings of a vote file instead.")
@click.option(
    "-m",
    "--measure",
    "measures",
    type=MEASURE,
    multiple=True,
    help="Measures to study (default: nDCG@10, Q@10, nERR@10).",
)
@click.option(
    "-n", "--assessors", type=click.IntRange(1, 1000), default=5, show_default=True, help="Drawn ratings an item."
)
@click.option("--dmax", type=click.IntRange(1, 100), default=3, show_default=True, help="The highest drawn rating.")
@click.option("--p", type=click.FloatRange(0, 100), default=0.2, show_default=True, help="Weight of agreement.")
@click.option("--trials", type=click.IntRange(100), default=5000, show_default=True, help="Trials of the HSD test.")
@click.option("--order", type=click.Choice(["file", "score", "rank"]), help="What ranks a run (default: its format).")
@seed_option
@json_option
def command(  # noqa: PLR0917  click passes by name
    runs: tuple[Path, ...],
    qrels: Path | None,
    votes: Path | None,
    measures: tuple[str, ...],
    assessors: int,
    dmax: int,
    p: float,
    trials: int,
    order: str | None,
    seed: int,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Score RUNS by raw sums of ratings and by unanimity-aware gains, and show what changes.

    The study of Sakai (EVIA 2017): Kendall's tau between the two rankings of the runs, and the pairs of runs whose
    difference is significant (randomised Tukey HSD, alpha .05) under one kind of gain and not the other.
    """
    from kaiwa.flow.unanimity import real_ratings, simulated_ratings, unanimity_study

    if qrels is not None and votes is None:
        ratings = simulated_ratings(qrels, assessors=assessors, top=dmax, seed=seed)
        remark(f"{assessors} ratings in 0..{dmax} drawn for each relevant item, seed {seed}")
    elif votes is not None and qrels is None:
        ratings = real_ratings(votes)
    else:
        raise InputError("ratings come from one source; give --qrels to draw them, or --votes to read them")
    names = measures or ("nDCG@10", "Q@10", "nERR@10")
    with progress("comparing") as moved:
        studies = unanimity_study(runs, ratings, names, p=p, seed=seed, trials=trials, order=order, on_progress=moved)
    emit(_text(studies), _fields(studies, p), as_json=as_json)


def _text(studies: Sequence[UnanimityStudy]) -> str:
    from kaiwa.report.text_tables import table

    rows: list[list[Cell]] = [
        [
            study.measure,
            study.tau.tau,
            study.tau.low,
            study.tau.high,
            len(study.raw.pairs),
            study.raw.significant_pairs,
            study.unanimity.significant_pairs,
            len(study.gained),
            len(study.lost),
        ]
        for study in studies
    ]
    header = ["measure", "tau", "95% low", "high", "pairs", "sig RawG", "sig UG", "gained", "lost"]
    changed: list[list[Cell]] = [
        [study.measure, f"{pair.a} - {pair.b}", pair.p_raw, pair.p_unanimity]
        for study in studies
        for pair in (*study.gained, *study.lost)
    ]
    below = table(["measure", "pair whose significance changes", "p RawG", "p UG"], changed) if changed else ""
    return "\n\n".join(filter(None, [table(header, rows), below]))


def _fields(studies: Sequence[UnanimityStudy], p: float) -> dict[str, Any]:  # Any: JSON values
    return {
        "p": p,
        "measures": {
            study.measure: {
                "tau": study.tau.tau,
                "low": study.tau.low,
                "high": study.tau.high,
                "pairs": len(study.raw.pairs),
                "significant_raw": study.raw.significant_pairs,
                "significant_unanimity": study.unanimity.significant_pairs,
                "gained": _pairs(study.gained),
                "lost": _pairs(study.lost),
            }
            for study in studies
        },
    }


def _pairs(changed: Sequence[Changed]) -> list[dict[str, str | float]]:
    return [{"a": one.a, "b": one.b, "p_raw": one.p_raw, "p_unanimity": one.p_unanimity} for one in changed]
