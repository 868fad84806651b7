from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kaiwa.cli.shell.complete import MEASURE, SCHEME
from kaiwa.cli.shell.output import IN_FILE, emit, json_option, remark, seed_option
from kaiwa.cli.shell.progress import progress
from kaiwa.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kaiwa.measure.scoring import Scored
    from kaiwa.measure.vote_resampling import VoteIntervals
    from kaiwa.studies.judging import Judged

    Bounds = Mapping[str, Mapping[str, tuple[float, float]]]


def _list_measures(ctx: click.Context, _: click.Parameter, value: bool) -> None:  # noqa: FBT001
    if not value or ctx.resilient_parsing:
        return
    from kaiwa.measure import MEASURES
    from kaiwa.report.text_tables import table

    rows = [[name, measure.says, ", ".join(measure.options)] for name, measure in MEASURES.items()]
    click.echo(table(["measure", "what it is", "options"], rows))
    click.echo("Any of them takes @k; D-, D#-, DIN-, DIN#- and IA- go before one, with --intents.")
    ctx.exit()


@click.command("score", epilog="Example: kaiwa score runs/*.txt --qrels qrels.txt --levels L1=1,L2=3 -m nG@1 -m P+")
@click.argument("runs", nargs=-1, required=True, type=IN_FILE)
@click.option("--qrels", type=IN_FILE, help="Judgements: TREC, NTCIR or BEIR.")
@click.option("--votes", type=IN_FILE, help="Votes of several assessors instead; needed for Acc(L2)@5.")
@click.option("--intents", type=IN_FILE, help="Judgements by intent instead: topic intent comment grade.")
@click.option("--chances", type=IN_FILE, help="How likely each intent is: topic intent chance [inf|nav].")
@click.option("-m", "--measure", "measures", type=MEASURE, multiple=True, help="nERR@10, RBP(p=0.8), ...; repeatable.")
@click.option("--levels", metavar="L1=1,L2=3", help="The gain of each level (default: the grade itself).")
@click.option("--top", metavar="GAIN|topic", help="gmax, the scale's top gain; or each topic's own highest.")
@click.option(
    "--scheme", type=SCHEME, default="mean", show_default=True, help="How votes become gains; see kaiwa gains."
)
@click.option("--p", type=float, default=0.2, show_default=True, help="Weight of agreement in the unanimity scheme.")
@click.option("--order", type=click.Choice(["file", "score", "rank"]), help="What ranks a run (default: its format).")
@click.option("--condensed", is_flag=True, help="Take unjudged items out of every list first.")
@click.option("--truncate", type=click.IntRange(1), help="Cut every list at this rank first.")
@click.option(
    "--no-relevant",
    type=click.Choice(["leave-out", "zero"]),
    default="leave-out",
    show_default=True,
    help="What to do with a topic without a relevant item.",
)
@click.option("--per-topic", is_flag=True, help="A row for each topic and run instead of means.")
@click.option(
    "--uncertainty",
    type=click.Choice(["votes"]),
    help="Add where 95% of other panels of assessors would put each mean.",
)
@click.option("--samples", type=click.IntRange(2, 100_000), default=200, show_default=True, help="Vote resamples.")
@click.option("--format", "form", type=click.Choice(["table", "csv", "latex"]), default="table", show_default=True)
@click.option("-o", "--output", type=IN_FILE, help="Write all scores here as CSV measure,topic,run,score.")
@click.option("--matrix", is_flag=True, help="Make -o a topics x runs matrix of the one measure instead.")
@click.option(
    "--measures",
    "listed",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_list_measures,
    help="List the measures.",
)
@seed_option
@json_option
def command(runs: tuple[Path, ...], **options: Any) -> None:  # Any: the options above, each of its own type
    """Score RUNS by graded measures, per topic and on average.

    Without -m the official measures of the STC task: nG@1, nERR@10 and P+. Topics without a relevant item, topics
    a run leaves unanswered (they score 0), and topics that were never judged are all reported.
    """
    from kaiwa.flow.score import score_files, write_scored

    judged = _judged(options)
    asked = _asked(options)
    if options["matrix"] and len(asked["measures"]) != 1:
        raise InputError(f"--matrix holds one measure, and {len(asked['measures'])} were asked for; give one -m")
    with progress("scoring") as moved:
        scored = score_files(runs, judged.judgements, **asked, on_progress=moved)
    bounds = _vote_bounds(runs, judged, scored, asked, options) if options["uncertainty"] else {}
    if options["output"] is not None:
        write_scored(options["output"], scored, matrix=options["matrix"])
    for line in _remarks(scored, judged, zero=asked["reading"].zero):
        remark(line)
    text = _text(scored, bounds, per_topic=options["per_topic"], form=options["form"])
    emit(text, _fields(scored, bounds, judged), as_json=options["as_json"])


def _judged(options: dict[str, Any]) -> Judged:  # Any: click's options
    """The judgements, from whichever kind of file was given."""
    from kaiwa.flow.judgement_sources import judgements_from
    from kaiwa.measure.gain_scale import parse_scale

    files = (options[name] for name in ("qrels", "votes", "intents"))
    how = {name: options[name] for name in ("chances", "scheme", "p")}
    return judgements_from(*files, scale=parse_scale(options["levels"], options["top"]), **how)


def _asked(options: dict[str, Any]) -> dict[str, Any]:  # Any: click's options in, named arguments out
    """What is scored, and how lists are read."""
    from kaiwa.flow.score import OFFICIAL
    from kaiwa.measure.scoring import Reading

    zero = options["no_relevant"] == "zero"
    reading = Reading(condensed=options["condensed"], truncate=options["truncate"], zero=zero)
    return {"measures": options["measures"] or OFFICIAL, "reading": reading, "order": options["order"]}


def _vote_bounds(
    runs: tuple[Path, ...], judged: Judged, scored: Scored, asked: dict[str, Any], options: dict[str, Any]
) -> Bounds:  # Any: as above
    """Where other panels of assessors would put the means."""
    from kaiwa.flow.vote_intervals import vote_intervals_of_files

    drawn = {name: options[name] for name in ("seed", "samples")}
    with progress("resampling votes") as moved:
        return _bounds(scored, vote_intervals_of_files(runs, judged, **asked, **drawn, on_progress=moved))


def _bounds(scored: Scored, found: VoteIntervals) -> Bounds:
    runs = next(iter(scored.values())).runs
    return {
        run: {name: (float(found.low[row, column]), float(found.high[row, column])) for row, name in enumerate(scored)}
        for column, run in enumerate(runs)
    }


def _remarks(scored: Scored, judged: Judged, *, zero: bool) -> list[str]:
    """What the reader of the scores must know, a line each."""
    from kaiwa.report.results.score_tables import few

    orders = sorted(set(scored.orders.values()))
    lines = [f"gmax {judged.gmax}; runs ranked by {' and '.join(orders)}"]
    if scored.undefined:
        fate = "counted 0" if zero else "left out (--no-relevant zero counts them 0)"
        lines.append(f"{len(scored.undefined)} topics have no relevant item and were {fate}: {few(scored.undefined)}")
    lines += [
        f"{run}: no answer for {len(topics)} judged topics, scored 0: {few(topics)}"
        for run, topics in scored.unanswered.items()
    ]
    lines += [
        f"{run}: {len(topics)} topics were never judged and are not scored: {few(topics)}"
        for run, topics in scored.unknown.items()
    ]
    return lines


def _text(scored: Scored, bounds: Bounds, *, per_topic: bool, form: str) -> str:
    from kaiwa.formats.text.delimited import csv_text
    from kaiwa.report.results.score_tables import mean_rows, topic_rows
    from kaiwa.report.text_tables import latex_table, table

    made = topic_rows(scored) if per_topic else mean_rows(scored, bounds)
    if form == "csv":
        return csv_text(made.header, made.rows).rstrip("\n")
    return latex_table(made.header, made.rows).rstrip("\n") if form == "latex" else table(made.header, made.rows)


def _fields(scored: Scored, bounds: Bounds, judged: Judged) -> dict[str, Any]:  # Any: JSON values
    from kaiwa.report.results.score_tables import by_topic, means, standard_errors

    errors = {name: dict(zip(table.runs, standard_errors(table), strict=True)) for name, table in scored.items()}
    found = means(scored)
    fields: dict[str, Any] = {
        "means": found,
        "standard_errors": {run: {name: errors[name][run] for name in scored} for run in found},
        "topics": by_topic(scored),
        "no_relevant": list(scored.undefined),
        "unanswered": scored.unanswered,
        "never_judged": scored.unknown,
        "orders": scored.orders,
        "gmax": judged.gmax,
    }
    if bounds:
        fields["intervals"] = {
            run: {name: {"low": low, "high": high} for name, (low, high) in own.items()} for run, own in bounds.items()
        }
    return fields
