"""kaiwa retrieve: a run file for a file of topics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kaiwa.cli.shell.answering import Answering, answering_options
from kaiwa.cli.shell.output import IN_FILE, OUT_FILE, Summary, emit, json_option, remark
from kaiwa.cli.shell.progress import progress
from kaiwa.errors import counted

if TYPE_CHECKING:
    from pathlib import Path


@click.command("retrieve", epilog="Example: kaiwa retrieve index topics.tsv -o KAIWA-C-R1.txt --system run2")
@click.argument("index", type=IN_FILE)
@click.argument("topics", type=IN_FILE)
@click.option("-o", "--output", type=OUT_FILE, required=True, help="The run file to write.")
@click.option("--name", help="The run's name (default: the file's name without extension).")
@answering_options
@json_option
def command(*, index: Path, topics: Path, output: Path, name: str | None, how: Answering, as_json: bool) -> None:
    """Answer every topic (lines of: id TAB text) and write a run file that kaiwa check accepts."""
    from kaiwa.flow.retrieve import Bot
    from kaiwa.formats.readers import read_topics
    from kaiwa.formats.run_files import write_run

    asked = read_topics(topics)
    bot = Bot(index, takedown=how.takedown)
    title = name or output.name.partition(".")[0]
    with progress("retrieving") as tick:
        run = bot.run(
            asked, name=title, k=how.k, system=how.system, filters=how.filters, fusion=how.fusion, progress=tick
        )
    write_run(output, run)
    if left_out := len(asked) - len(run.topics):
        remark(f"kaiwa: {counted(left_out, 'topic')} of the takedown list left out")
    unanswered = [topic for topic in run.topics if not run.ranking(topic)]
    if unanswered:
        remark(f"kaiwa: no comment shares a word with {counted(len(unanswered), 'topic')}, first {unanswered[0]}")
    fields = {
        "run": str(output),
        "name": title,
        "topics": len(run.topics),
        "comments": len(run),
        "unanswered": unanswered,
    }
    text = f"{output}: {counted(len(run), 'comment')} for {counted(len(run.topics), 'topic')} by {how.system}"
    emit(Summary(text, fields), as_json=as_json)
