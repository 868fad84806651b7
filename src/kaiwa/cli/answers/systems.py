"""kaiwa systems: what each system ranks by, the models that it needs, and who described it."""

from __future__ import annotations

import click

from kaiwa.cli.shell.output import Summary, emit, json_option


@click.command("systems", epilog="Example: kaiwa systems")
@json_option
def command(*, as_json: bool) -> None:
    """List the systems that answer posts (--system), with the models that they need (kaiwa models)."""
    from kaiwa.rank.system_table import SYSTEMS
    from kaiwa.report.text_tables import table

    rows = [(name, one.description, ", ".join(one.models) or "index", one.origin) for name, one in SYSTEMS.items()]
    listed = [
        {"name": name, "description": one.description, "needs": one.models, "origin": one.origin}
        for name, one in SYSTEMS.items()
    ]
    emit(Summary(table(("system", "ranks by", "needs", "family of"), rows), {"systems": listed}), as_json=as_json)
