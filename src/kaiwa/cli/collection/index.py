"""kaiwa index: a repository to an index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kaiwa.cli.shell.complete import Named
from kaiwa.cli.shell.output import IN_FILE, OUT_FILE, Summary, emit, json_option
from kaiwa.cli.shell.progress import progress
from kaiwa.cli.shell.shared_options import engine_option, takedown_option
from kaiwa.cli.shell.task_defaults import listed_ids
from kaiwa.errors import counted

if TYPE_CHECKING:
    from collections.abc import Mapping
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
@click.option("--shards", type=int, metavar="K", help="Split the index into K shards (answers are the same).")
@engine_option
@takedown_option
@json_option
def command(
    *,
    repository: Path,
    output: Path,
    lang: str | None,
    tokens: str | None,
    shards: int | None,
    engine: str,
    takedown: Path | None,
    as_json: bool,
) -> None:
    """Tokenise and index the posts and comments of a repository.

    An existing index stays in use until the new one is complete.
    """
    from kaiwa.flow.collection.index import index_repository

    with progress("indexing") as tick:
        facts = index_repository(
            repository,
            output,
            language=lang,
            tokens=tokens,
            progress=tick,
            takedown=listed_ids(takedown),
            shards=shards,
            engine=engine,
        )
    text = (
        f"{output}: {', '.join(counted(facts[f'{noun}s'], noun) for noun in ('post', 'comment', 'pair', 'term'))} "
        f"({facts['tokeniser']}){_in_shards(facts)}"
    )
    emit(Summary(text, {"index": str(output), **facts}), as_json=as_json)


def _in_shards(facts: Mapping[str, Any]) -> str:  # Any: JSON values
    """The number of shards, and how many of them have a comment on average; empty without shards."""
    if "shards" not in facts:
        return ""
    copies = sum(facts["shard_comments"]) / max(facts["comments"], 1)
    return f" in {counted(facts['shards'], 'shard')}, {copies:.2f} copies of a comment"
