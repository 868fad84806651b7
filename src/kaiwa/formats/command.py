"""``kaiwa convert``: its options, and one call of ``kaiwa.convert``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from kaiwa.cli.command import VerbCommand, verb
from kaiwa.cli.options import SCORED_MEASURE, Named, better_options, measures_option
from kaiwa.cli.output import IN_FILE, OUT_FILE, Shown, how, json_option, show


class _WithFormats(VerbCommand):
    """A command whose help lists the formats it writes, from their table."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options, then the formats."""
        from kaiwa.formats.convert import WRITTEN

        super().format_options(ctx, formatter)
        nouns = dict.fromkeys(row.noun.name for row in WRITTEN.values())
        with formatter.section(f"Formats of {', '.join(nouns)}"):
            formatter.write_dl([(name, row.description.replace("`", "")) for name, row in WRITTEN.items()])


@verb("convert", cls=_WithFormats, epilog="Example: kaiwa convert runs/*.txt --format res -o ntcireval")
@click.argument("files", nargs=-1, required=True, type=IN_FILE)
@click.option("--format", metavar="FORMAT", type=Named("written format"), help="One of the formats below.")
@how("--texts", type=IN_FILE, multiple=True, help="Texts of ids: tweets, pairs, topics, ...")
@measures_option("Only this measure of scores; repeatable.", kind=SCORED_MEASURE)
@better_options
@click.option("-o", "--output", type=OUT_FILE, help="A file; a folder for a format of several.")
@json_option
def convert_command(
    files: tuple[Path, ...],
    *,
    output: Path | None,
    as_json: bool,
    **options: Any,  # Any: the arguments of kaiwa.convert
) -> None:
    """Write FILES in the format of another tool.

    FILES may be in any format of one noun, which is detected; --texts gives ids their texts back. Without -o the file
    is printed; with it, what was read is counted.
    """
    from kaiwa.formats.convert import convert

    printed = None if as_json else Path("-")
    show(convert(list(files), **options), Shown("json" if as_json else "text", None, output or printed))
