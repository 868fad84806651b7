from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kaiwa.cli.shell.output import IN_FILE, OUT_FILE, emit, json_option, remark
from kaiwa.cli.shell.progress import progress
from kaiwa.cli.shell.shared_options import agreement_weight_option, levels_option, scheme_option, votes_top_option
from kaiwa.cli.shell.task_defaults import task_folder
from kaiwa.cli.shell.verb import Made

if TYPE_CHECKING:
    from pathlib import Path


@click.command("gains", epilog="Example: kaiwa gains labels.txt.gz --scheme unanimity --p 0.2 -o gains.txt")
@click.argument("votes", type=IN_FILE)
@scheme_option
@agreement_weight_option
@levels_option("2^level-1, or the level in sums")
@votes_top_option
@click.option("--without", metavar="ASSESSOR", multiple=True, help="Leave out this assessor's votes; repeatable.")
@click.option("-o", "--output", type=OUT_FILE, help="Write the gains here, as TREC qrels.")
@json_option
def command(
    votes: Path,
    *,
    scheme: str,
    p: float,
    levels: str | None,
    top: int | None,
    without: tuple[str, ...],
    output: Path | None,
    as_json: bool,
) -> Made:
    """Turn the VOTES of several assessors into one gain for each item.

    NA votes are counted and ignored; an item with no other vote stays unjudged. Without -o the gains are
    printed as TREC qrels. With --without, in a task folder with runs, the changes of the leaderboard are
    printed instead: rank and mean of each run with all votes and without the assessor's.
    """
    from kaiwa.flow.judging.gains import changes_in_task, gains_file
    from kaiwa.measure.gain_scale import parse_levels
    from kaiwa.report.results.gains_view import GainsView

    by_level = None if levels is None else parse_levels(levels)
    with progress("reading votes"):
        given, made = gains_file(votes, output, scheme=scheme, levels=by_level, p=p, top=top, without=without)
        whole = gains_file(votes, scheme=scheme, levels=by_level, p=p, top=top)[1] if without else made
        changes = changes_in_task(task_folder(), whole.gains, made.gains) if without else []
    view = GainsView(made, given, output, without, changes)
    remark(view.summary())
    if as_json or changes or output is None:
        emit(view, as_json=as_json)
    weight = p if scheme == "unanimity" else None
    return Made(output, {"scheme": scheme, "p": weight, "top": given.top, "gmax": made.gains.top})
