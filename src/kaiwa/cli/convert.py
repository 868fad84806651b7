from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kaiwa.cli.shell.output import IN_FILE, Summary, emit, json_option, remark
from kaiwa.errors import InputError

if TYPE_CHECKING:
    from pathlib import Path


@click.command("convert", epilog="Example: kaiwa convert runs/*.txt --to res -o ntcireval")
@click.argument("files", nargs=-1, required=True, type=IN_FILE)
@click.option("--to", "form", required=True, metavar="FORM", help="One of the forms above.")
@click.option("-m", "--measure", "measures", multiple=True, help="Only this measure of scores; repeatable.")
@click.option("-o", "--output", type=IN_FILE, help="The file to write, or the folder where a form is several files.")
@json_option
def command(
    files: tuple[Path, ...],
    *,
    form: str,
    measures: tuple[str, ...],
    output: Path | None,
    as_json: bool,
) -> None:
    """Write FILES in the form of another tool.

    Runs become trec-run, ntcir-run or res; judgements trec-qrels, ntcir-qrels, beir-qrels or rel; scores csv, matrix,
    discpower, nev or trec-eval. FILES may be in any form that Kaiwa reads: for res and rel, NTCIREVAL's folder.
    """
    from kaiwa.flow.convert import converted, write_converted
    from kaiwa.report.text_tables import counted

    texts = converted(files, form, measures=measures)
    if output is not None:
        write_converted(output, texts)
        remark(f"{output}: {counted(len(texts), 'file')} written as {form}")
    elif "" not in texts:
        raise InputError(f"{form} is {counted(len(texts), 'file')}; name a folder with -o")
    fields = {"form": form, "files": sorted(texts), "output": None if output is None else str(output)}
    if as_json or output is None:
        emit(Summary("" if as_json else texts[""].rstrip("\n"), fields), as_json=as_json)
