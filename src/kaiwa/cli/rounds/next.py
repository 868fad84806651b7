from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kaiwa.cli.shell.output import emit, json_option
from kaiwa.cli.shell.shared_options import task_argument

if TYPE_CHECKING:
    from pathlib import Path


@click.command("next", epilog="Example: kaiwa next mytask")
@task_argument
@json_option
def command(task: Path, *, as_json: bool) -> None:
    """How many topics the next round needs, from the scores in a task folder (default: this one).

    The requirement (systems, min_diff, power, alpha) comes from kaiwa.toml. The largest number over
    the task's measures is the answer, with a paragraph for the proposal.
    """
    from kaiwa.flow.rounds.next import next_round_of
    from kaiwa.report.results.round_view import NextView

    emit(NextView(next_round_of(task)), as_json=as_json)
