"""kaiwa names: the names that settings take."""

from __future__ import annotations

import click

from kaiwa.cli.command import verb
from kaiwa.cli.options import Named
from kaiwa.cli.output import Shown, result_options, show


@verb("names", epilog="Example: kaiwa names systems")
@click.argument("kind", required=False, type=Named("kind"))
@result_options
def names_command(kind: str | None, shown: Shown) -> None:
    """List the names of a KIND, such as measures, systems, features, tests, formats or rules, with what each is.

    Without a KIND the kinds are listed.
    """
    from kaiwa.naming.names import names

    show(names(kind), shown)
