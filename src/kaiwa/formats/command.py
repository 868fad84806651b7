from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kaiwa.cli.command import VerbCommand, verb
from kaiwa.cli.options import Named, direction_options
from kaiwa.cli.output import IN_FILE, OUT_FILE, Summary, emit, json_option, remark
from kaiwa.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kaiwa.nouns.direction import Direction


class _WithFormats(VerbCommand):
    """A command whose help lists the formats it writes, from their table."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The options, then the formats."""
        from kaiwa.formats.convert import WRITTEN

        super().format_options(ctx, formatter)
        nouns = dict.fromkeys(row.noun.name for row in WRITTEN.values())
        with formatter.section(f"Formats of {', '.join(nouns)}"):
            formatter.write_dl([(name, row.description.replace("`", "")) for name, row in WRITTEN.items()])


@verb("convert", cls=_WithFormats, epilog="Example: kaiwa convert runs/*.txt --to res -o ntcireval")
@click.argument("files", nargs=-1, required=True, type=IN_FILE)
@click.option(
    "--to", "name", required=True, metavar="FORMAT", type=Named("written format"), help="One of the formats below."
)
@click.option("-m", "--measures", multiple=True, help="Only these measures of scores.")
@direction_options()
@click.option("-o", "--output", type=OUT_FILE, help="A file, or a folder if the format has several files.")
@json_option
def convert_command(
    files: tuple[Path, ...],
    *,
    name: str,
    measures: tuple[str, ...],
    directions: Mapping[str, Direction],
    output: Path | None,
    as_json: bool,
) -> None:
    """Write FILES in the format of another tool.

    FILES may be in any format of the same noun; their format is detected.
    """
    from kaiwa.errors import counted
    from kaiwa.formats.convert import converted, write_converted

    texts = converted(files, name, measures=measures, directions=directions, remark=remark)
    if output is not None:
        write_converted(output, texts)
        remark(f"{output}: {counted(len(texts), 'file')} written as {name}")
    elif "" not in texts:
        raise InputError(f"{name} is {counted(len(texts), 'file')}; give a folder with -o")
    fields = {"form": name, "files": sorted(texts), "output": None if output is None else str(output)}
    if as_json or output is None:
        emit(Summary("" if as_json else texts[""].rstrip("\n"), fields), as_json=as_json)
