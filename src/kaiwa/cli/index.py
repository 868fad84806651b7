"""kaiwa index: a repository to an index."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kaiwa.cli.shell.complete import Named
from kaiwa.cli.shell.output import IN_FILE, OUT_FILE, Summary, emit, json_option
from kaiwa.cli.shell.progress import progress
from kaiwa.cli.shell.shared_options import takedown_option
from kaiwa.cli.shell.task_defaults import listed_ids
from kaiwa.errors import counted

if TYPE_CHECKING:
    from pathlib import Path


@click.command("index", epilog="Example: kaiwa index repository -o index --lang zh")
@click.argument("repository", type=IN_FILE)
@click.option("-o", "--output", type=OUT_FILE, required=True, help="The index folder to make.")
@click.option("--lang", type=click.Choice(["zh", "ja", "en"]), help="The language (default: detected).")
@click.option(
    "--tokens",
    type=Named("tokeniser"),
    help="zh, ja, en, bigrams, or both: zh+bigrams (default: zh+bigrams for zh, words for ja and en).",
)
@takedown_option
@json_option
def command(
    *, repository: Path, output: Path, lang: str | None, tokens: str | None, takedown: Path | None, as_json: bool
) -> None:
    """Tokenise and index the posts and comments of a repository.

    An existing index stays in use until the new one is complete.
    """
    from kaiwa.flow.index import index_repository

    with progress("indexing") as tick:
        facts = index_repository(
            repository, output, language=lang, tokens=tokens, progress=tick, takedown=listed_ids(takedown)
        )
    text = (
        f"{output}: {', '.join(counted(facts[f'{noun}s'], noun) for noun in ('post', 'comment', 'pair', 'term'))} "
        f"({facts['tokeniser']})"
    )
    emit(Summary(text, {"index": str(output), **facts}), as_json=as_json)
