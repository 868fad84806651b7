from __future__ import annotations

import contextlib
import io
import json
import os
import shlex
from pathlib import Path

import click

from kaiwa.cli.output import IN_FILE, json_option, quiet_option, seed_option

SIMULATED = "SYSTEMS AND ASSESSORS ARE SIMULATED: what follows shows the tools, not a result."
CHECK_FINDS = "kaiwa check runs/*.txt --topics topics.tsv --quiet"
STEPS = (
    "kaiwa check runs/*.txt --topics topics.tsv --fix -o mended",
    "cp mended/*.txt runs/",
    "kaiwa check runs/*.txt --topics topics.tsv",
    "kaiwa pool runs/*.txt --depth 10 -o pool.tsv",
)


@click.command("demo", epilog="Example: kaiwa demo demo")
@click.argument("folder", type=IN_FILE, default=Path("demo"))
@seed_option
@json_option
@quiet_option
def command(folder: Path, seed: int, as_json: bool, quiet: bool) -> None:  # noqa: FBT001
    """A whole round on a small simulated collection, ending in FOLDER/report.html.

    Every step that is printed is a command that works when typed in FOLDER.
    """
