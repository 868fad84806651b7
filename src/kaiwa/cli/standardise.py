from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kaiwa.cli.shell.output import IN_FILE, deliver, json_option, out_option, remark
from kaiwa.cli.shell.progress import progress

if TYPE_CHECKING:
    from pathlib import Path


@click.command(
    "standardise", epilog="Example: kaiwa standardise scores.csv --method std-ab --save-factors factors.csv -o std.csv"
)
@click.argument("scores", type=IN_FILE)
@click.option("--method", type=click.Choice(["std", "std-cdf", "std-ab"]), default="std-ab", show_default=True)
@click.option("-A", "a", type=float, default=0.15, show_default=True, help="Slope of std-AB.")
@click.option("-B", "b", type=float, default=0.5, show_default=True, help="Middle of std-AB.")
@click.option("--factors", type=IN_FILE, help="Standardise by these factors, saved from an earlier round.")
@click.option("--save-factors", type=IN_FILE, help="Save each topic's mean and standard deviation here.")
@out_option
@json_option
def command(
    scores: Path,
    *,
    method: str,
    a: float,
    b: float,
    factors: Path | None,
    save_factors: Path | None,
    output: Path | None,
    as_json: bool,
) -> None:
    """Make scores comparable across topics: std, std-CDF, std-AB.

    Each topic's mean and standard deviation over the runs are taken out. A topic on which all runs tie
    gets the middle value: B, or 0 under std.
    """
    from kaiwa.flow.standardise import standardise_file
    from kaiwa.formats.scores.score_tables import scores_text
    from kaiwa.model.plurals import counted

    with progress("standardising"):
        result = standardise_file(scores, method=method, a=a, b=b, factors=factors, save_factors=save_factors)
    for measure, topics in result.tied_topics.items():
        if topics:
            remark(f"{measure}: all runs tie on {counted(len(topics), 'topic')}; the middle value is given there")
    fields = {
        "method": method,
        "means": {measure: table.means() for measure, table in result.scores.items()},
        "topics": {measure: len(table.topics) for measure, table in result.scores.items()},
        "tied_topics": {measure: list(topics) for measure, topics in result.tied_topics.items()},
    }
    if as_json and output:
        from kaiwa.disk.atomic_files import write_text

        write_text(output, scores_text(result.scores))
        output = None
    deliver(scores_text(result.scores).rstrip("\n"), fields, as_json=as_json, output=output)
