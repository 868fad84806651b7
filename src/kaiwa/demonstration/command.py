from __future__ import annotations

from pathlib import Path

import click

from kaiwa.cli.command import verb
from kaiwa.cli.output import OUT_FILE, Shown, form_options, seed_option, show
from kaiwa.demonstration.demo import SIZE, SMALLEST, demo


@verb("demo", epilog="Example: kaiwa demo demo")
@click.argument("folder", type=OUT_FILE, default=Path("demo"))
@click.option(
    "--size",
    metavar="N",
    type=click.IntRange(SMALLEST),
    default=SIZE,
    show_default=True,
    help="Number of pairs in the repository.",
)
@click.option("--judge", is_flag=True, help="Stop at the pool, which people judge with kaiwa serve.")
@seed_option
@form_options
def demo_command(folder: Path, *, size: int, judge: bool, seed: int, shown: Shown) -> None:
    """A whole round on a real repository, ending in FOLDER/report.html.

    The conversations are those of the package chitchat-dataset (English, MIT); the systems are real; the
    ASSESSORS ARE SIMULATED, and all output about them repeats this. Every command that is shown can be typed in
    FOLDER. With --judge there are no votes: FOLDER is a task for people, without the systems that need a model.
    Table: commands.
    """
    show(demo(folder, size=size, judge=judge, seed=seed), shown)
