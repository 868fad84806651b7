"""kaiwa clean: raw pairs to a repository; kaiwa topics: the topics of a round."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from kaiwa.cli.command import listed_ids, verb
from kaiwa.cli.options import Named, engine_option, takedown_option
from kaiwa.cli.output import IN_FILE, OUT_FILE, Shown, form_options, result_options, seed_option, show

if TYPE_CHECKING:
    from pathlib import Path


@verb("clean", epilog="Example: kaiwa clean pairs.tsv.gz -o repository --rules weibo")
@click.argument("pairs", type=IN_FILE, nargs=-1, required=True)
@click.option("-o", "--output", metavar="FOLDER", type=OUT_FILE, required=True, help="The repository folder to make.")
@click.option(
    "--rules",
    type=Named("rule set"),
    default="plain",
    show_default=True,
    help="The name of a rule set (kaiwa names rules), or a TOML file.",
)
@click.option("--keep-first", is_flag=True, help="Accept ids with several texts; the first text of each is kept.")
@click.option("--sample", type=click.IntRange(min=1), help="Keep this many pairs, drawn with the seed.")
@takedown_option
@engine_option
@seed_option
@form_options
def clean_command(
    pairs: tuple[Path, ...], takedown: Path | None, shown: Shown, **options: Any
) -> None:  # Any: of clean
    """Clean raw post-comment pairs (TSV, CSV, JSONL or Parquet; .gz, .zst) into a repository.

    PAIRS is a file of pairs, of dialogues or of tweets, which are paired by reply id. Several files of one of these
    kinds, or a folder with them (read by name), are cleaned as one file with all their rows. PAIRS may also be a file
    of posts and one of comments (and perhaps one of the pairs of their ids), or a folder with them. Reports what each
    rule removed, with examples.
    """
    from kaiwa.corpus.repository import clean

    show(clean(pairs, takedown=listed_ids(takedown), **options), shown)


@verb("topics", epilog="Example: kaiwa topics repository -n 100 -o topics.tsv --rest without-topics")
@click.argument("repository", type=IN_FILE)
@click.option("-n", "n", type=click.IntRange(min=1), default=100, show_default=True, help="How many topics.")
@click.option("--source", type=IN_FILE, help="Draw from these posts (pairs, or id TAB text) instead.")
@click.option("--rest", type=OUT_FILE, help="Write here the repository without the topics and their near-duplicates.")
@click.option(
    "--exclude",
    type=IN_FILE,
    multiple=True,
    help="Do not draw posts of this file (topics or pairs), nor their near-duplicates; repeatable.",
)
@click.option(
    "--hold-out",
    type=IN_FILE,
    multiple=True,
    help="Draw nothing: --rest is without the posts of this file (topics or pairs); repeatable.",
)
@takedown_option
@seed_option
@result_options
def topics_command(repository: Path, takedown: Path | None, shown: Shown, **options: Any) -> None:  # Any: of topics
    """Sample topics that pass the repository's rules, balanced by length, without near-duplicates.

    With --source, no topic is a near-duplicate of a post of the repository. Without it, the topics are posts of
    the repository, and --rest writes the repository without them. -o writes them as lines of id TAB text.
    """
    from kaiwa.corpus.topics import topics

    show(topics(repository, takedown=listed_ids(takedown), **options), shown)
