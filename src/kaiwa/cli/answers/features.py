"""kaiwa features: what the features of candidate pairs are, and the models that they need."""

from __future__ import annotations

import click

from kaiwa.cli.shell.output import Summary, emit, json_option


@click.command("features", epilog="Example: kaiwa features")
@json_option
def command(*, as_json: bool) -> None:
    """List the features that order candidates, with the models that they need (kaiwa models)."""
    from kaiwa.rank.features.feature_table import FEATURES
    from kaiwa.report.text_tables import table

    rows = [(name, one.description, ", ".join(one.needs) or "index") for name, one in FEATURES.items()]
    listed = [{"name": name, "description": one.description, "needs": one.needs} for name, one in FEATURES.items()]
    emit(Summary(table(("feature", "value", "needs"), rows), {"features": listed}), as_json=as_json)
