from __future__ import annotations

import click


@click.command("check")
def command() -> None:
    """Validate run files like a compiler."""
