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

    from kaiwa.nouns.matrix import Direction


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
@click.option("--to", "name", metavar="FORMAT", type=Named("written format"), help="One of the formats below.")
@click.option(
    "--texts",
    type=IN_FILE,
    multiple=True,
    help="Put the texts of this file back to ids of pairs or labels: tweets, pairs, topics, a repository; repeatable.",
)
@click.option("-m", "--measure", "measures", multiple=True, help="Only this measure of scores; repeatable.")
@direction_options()
@click.option("-o", "--output", type=OUT_FILE, help="A file, or a folder if the format has several files.")
@json_option
def convert_command(
    files: tuple[Path, ...],
    *,
    name: str | None,
    texts: tuple[Path, ...],
    measures: tuple[str, ...],
    directions: Mapping[str, Direction],
    output: Path | None,
    as_json: bool,
) -> None:
    """Write FILES in the format of another tool.

    FILES may be in any format of the same noun; their format is detected. With --texts, FILES is one file of ids of
    pairs, which become pairs with texts, or of labels, which become a sheet with texts.
    """
    from kaiwa.errors import counted
    from kaiwa.formats.convert import converted, write_converted
    from kaiwa.formats.pair_ids import texts_put_back

    if bool(texts) is bool(name):
        raise InputError("give the format to write with --to, or the texts of ids with --texts, not both")
    if name is None:
        if len(files) > 1 or measures or directions:
            raise InputError("--texts takes one file of ids, and neither measures nor directions")
        done = texts_put_back(files[0], texts)
        remark(str(done))
        written, name = {"": done.text}, done.form
    else:
        written = converted(files, name, measures=measures, directions=directions, remark=remark)
    if output is not None:
        write_converted(output, written)
        remark(f"{output}: {counted(len(written), 'file')} written as {name}")
    elif "" not in written:
        raise InputError(f"{name} is {counted(len(written), 'file')}; give a folder with -o")
    fields = {"form": name, "files": sorted(written), "output": None if output is None else str(output)}
    if as_json or output is None:
        emit(Summary("" if as_json else written[""].rstrip("\n"), fields), as_json=as_json)
