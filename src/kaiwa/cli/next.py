from __future__ import annotations

from pathlib import Path

import click

from kaiwa.cli.shell.output import IN_FILE, emit, json_option
from kaiwa.report.text_tables import Cell, table


@click.command("next", epilog="Example: kaiwa next mytask")
@click.argument("task", type=IN_FILE, default=Path())
@json_option
def command(task: Path, as_json: bool) -> None:  # noqa: FBT001
    """How many topics the next round needs, from this round's scores.

    The requirement (systems, min_diff, power, alpha) is that of the task's kaiwa.toml; the largest number over
    the task's measures is the answer, with a paragraph for the proposal.
    """
    from kaiwa.flow.design.answers import design_fields
    from kaiwa.report.results.design_answer import headline, paragraph
    from kaiwa.task.next_design import next_round
    from kaiwa.task.settings import read_task

    found = next_round(read_task(task))
    rows: list[list[Cell]] = [
        [measure, one.raw.variance, one.raw.n, one.std_ab.n] for measure, one in found.by_measure.items()
    ]
    text = "\n\n".join(
        [
            headline(found.largest),
            table(["measure", "V_E", "topics", "topics with std-AB"], rows),
            paragraph(found.largest),
        ]
    )
    fields = {
        **design_fields(found.largest),
        "measure": found.measure,
        "measures": {
            measure: {"n": one.raw.n, "variance": one.raw.variance, "n_std_ab": one.std_ab.n}
            for measure, one in found.by_measure.items()
        },
    }
    emit(text, fields, as_json=as_json)
