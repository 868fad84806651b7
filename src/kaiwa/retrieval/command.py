"""kaiwa index: a repository to an index."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kaiwa.cli.command import listed_ids, verb
from kaiwa.cli.options import Named, engine_option, takedown_option
from kaiwa.cli.output import IN_FILE, OUT_FILE, Shown, form_options, show

if TYPE_CHECKING:
    from pathlib import Path


@verb("index", epilog="Example: kaiwa index repository -o index --language zh")
@click.argument("repository", type=IN_FILE)
@click.option("-o", "--output", metavar="FOLDER", type=OUT_FILE, required=True, help="The index folder to make.")
@click.option("--language", type=click.Choice(["zh", "ja", "en"]), help="The language (default: detected).")
@click.option(
    "--tokens",
    type=Named("tokeniser"),
    help="zh, ja, en, bigrams, or both: zh+bigrams (default: zh+bigrams for zh, words for ja and en).",
)
@click.option("--shards", type=int, metavar="K", help="Split the index into K shards (answers are the same).")
@engine_option
@takedown_option
@form_options
def index_command(repository: Path, takedown: Path | None, shown: Shown, **options: Any) -> None:  # Any: of index
    """Tokenise and index the posts and comments of a repository.

    An existing index stays in use until the new one is complete.
    """
    from kaiwa.retrieval.index import index

    show(index(repository, takedown=listed_ids(takedown), **options), shown)
