from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kaiwa.cli.shell.output import IN_FILE, emit, json_option, remark, seed_option
from kaiwa.cli.shell.progress import progress
from kaiwa.cli.shell.shared_options import votes_top_option
from kaiwa.errors import InputError, counted

if TYPE_CHECKING:
    from pathlib import Path


@click.command("agree", epilog="Example: kaiwa agree labels.txt.gz --merge L1+L2 --json")
@click.argument("votes", type=IN_FILE)
@click.option("--merge", metavar="L1+L2", help="Levels to count as one class.")
@votes_top_option
@click.option("--pairs", is_flag=True, help="Cohen's kappa, plain and weighted, of every two assessors.")
@click.option("--assessors", is_flag=True, help="A line per assessor only: severity, levels, agreement, confusion.")
@click.option(
    "-n", "--contested", type=click.IntRange(0), default=5, show_default=True, help="Number of contested items to list."
)
@click.option(
    "--samples", type=click.IntRange(2, 100_000), default=1000, show_default=True, help="Resamples of topics."
)
@seed_option
@json_option
def command(
    votes: Path,
    *,
    merge: str | None,
    top: int | None,
    pairs: bool,
    assessors: bool,
    contested: int,
    samples: int,
    seed: int,
    as_json: bool,
) -> None:
    """Fleiss' kappa, Krippendorff's alpha and raw agreement of VOTES, with intervals over topics; each assessor.

    VOTES is an STC label file (post, comment, labels) or tidy CSV topic,comment,assessor,level. NA votes are
    counted and otherwise ignored. --assessors prints each assessor's quality instead, least agreement first.
    """
    from kaiwa.flow.judging.agree import agree_file, assessors_of_file
    from kaiwa.report.results.agree_view import AgreementView
    from kaiwa.report.results.assessors_view import AssessorsView

    if assessors:
        if merge or pairs:
            raise InputError(f"--assessors cannot be used with {'--merge' if merge else '--pairs'}; leave one out")
        with progress("resampling topics"):
            panel = assessors_of_file(votes, seed=seed, top=top, samples=samples)
        emit(AssessorsView(panel), as_json=as_json)
        return

    with progress("resampling topics"):
        found = agree_file(votes, seed=seed, top=top, merge=merge, samples=samples, number=contested, pairs=pairs)
    if found.agreement.missing:
        remark(f"{counted(found.agreement.missing, 'NA vote')} ignored")
    emit(AgreementView(found.agreement, found.contested, found.pairs, found.simulated), as_json=as_json)
