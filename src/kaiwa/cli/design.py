from __future__ import annotations

import click

from kaiwa.cli.output import emit, json_option


@click.command("design", epilog="Example: kaiwa design --variance 0.0643 --systems 10 --min-diff 0.15")
@click.option("--variance", type=float, help="Score variance within a system (V_E; V_E2 for shared topics).")
@click.option("--systems", type=int, help="How many systems will be compared.")
@click.option("--min-diff", type=float, help="The smallest best-worst difference that must be found; interval: width.")
@click.option("--topics", "n", type=int, help="How many topics there are, when something else is to be found.")
@click.option("--power", type=float, help="The chance of finding that difference.  [default: 0.8]")
@click.option("--alpha", type=float, help="The chance of finding a difference where none is.  [default: 0.05]")
@click.option("--test", default="anova", show_default=True, help="anova, two-way, paired-t, two-sample-t, hsd, ...")
@click.option("--method", default="exact", show_default=True, help="exact, or sakai for the published tables' number.")
@click.option("--paired-correlation", "correlation", type=float, default=0.0, help="Between two systems on a topic.")
@click.option("--scale", type=float, default=1.0, show_default=True, help="The range of the scores.")
@click.option("--solve", help="n, min_diff, power, systems or alpha; by default the one left out.")
@json_option
def command(*, variance: float | None, as_json: bool, **asked: object) -> None:
    """How many topics: from a score variance and a statistical requirement."""
    from kaiwa.design import design
    from kaiwa.errors import InputError
    from kaiwa.flow.design import design_fields
    from kaiwa.report.design_text import answer_text

    if variance is None:
        raise InputError.at("variance", "is missing", "give --variance V")
    answer = design(variance=variance, **asked)  # type: ignore[arg-type]  # click has typed the options
    emit(answer_text(answer), design_fields(answer), as_json=as_json)
