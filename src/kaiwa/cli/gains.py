from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kaiwa.cli.shell.complete import SCHEME
from kaiwa.cli.shell.output import IN_FILE, emit, json_option, remark
from kaiwa.cli.shell.progress import progress

if TYPE_CHECKING:
    from pathlib import Path


@click.command("gains", epilog="Example: kaiwa gains labels.txt.gz --scheme unanimity --p 0.2 -o gains.txt")
@click.argument("votes", type=IN_FILE)
@click.option(
    "--scheme",
    type=SCHEME,
    default="mean",
    show_default=True,
    help="levels, mean, sum, unanimity, weighted, majority or median.",
)
@click.option("--p", type=float, default=0.2, show_default=True, help="Weight of agreement in the unanimity scheme.")
@click.option(
    "--levels", metavar="L1=1,L2=3", help="What each level is worth (default: 2^level-1, or the level in sums)."
)
@click.option("--top", type=click.IntRange(1), help="The scale's highest level (default: 2 in an STC label file).")
@click.option("-o", "--output", type=IN_FILE, help="Write the gains here, as TREC qrels.")
@json_option
def command(  # noqa: PLR0917  click passes by name
    votes: Path,
    scheme: str,
    p: float,
    levels: str | None,
    top: int | None,
    output: Path | None,
    as_json: bool,  # noqa: FBT001
) -> None:
    """Turn the VOTES of several assessors into one gain for each item.

    NA votes are counted and passed over; an item with no other vote stays unjudged. Without -o the gains are
    printed as TREC qrels.
    """
    from kaiwa.flow.gains import gains_file
    from kaiwa.formats.qrels_files import qrels_text
    from kaiwa.measure.gain_scale import parse_levels

    by_level = None if levels is None else parse_levels(levels)
    with progress("reading votes"):
        given, made = gains_file(votes, output, scheme=scheme, levels=by_level, p=p, top=top)
    gains = made.gains
    said = (
        f"{len(gains):,} gains of {len(gains.topics):,} topics by {scheme}, gmax {gains.top:g}; "
        f"{given.missing:,} NA votes passed over, {made.without_votes:,} items without a vote left unjudged"
    )
    remark(said)
    fields = {
        "scheme": scheme,
        "gmax": gains.top,
        "topics": len(gains.topics),
        "items": len(gains),
        "missing": given.missing,
        "without_votes": made.without_votes,
        "output": None if output is None else str(output),
    }
    if as_json or output is None:
        emit("" if as_json else qrels_text(gains).rstrip("\n"), fields, as_json=as_json)
