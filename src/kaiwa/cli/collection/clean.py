"""kaiwa clean: raw pairs to a repository."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from kaiwa.cli.shell.complete import Named
from kaiwa.cli.shell.output import IN_FILE, OUT_FILE, emit, json_option, seed_option
from kaiwa.cli.shell.progress import progress
from kaiwa.cli.shell.shared_options import engine_option, takedown_option
from kaiwa.cli.shell.task_defaults import listed_ids

if TYPE_CHECKING:
    from pathlib import Path


@click.command("clean", epilog="Example: kaiwa clean pairs.tsv.gz -o repository --rules weibo")
@click.argument("pairs", type=IN_FILE, nargs=-1)
@click.option("-o", "--output", type=OUT_FILE, help="The repository folder to make.")
@click.option(
    "--rules",
    type=Named("rule set", "list"),
    default="plain",
    show_default=True,
    help="The name of a rule set, a TOML file, or 'list'.",
)
@click.option("--keep-first", is_flag=True, help="Accept ids with several texts; the first text of each is kept.")
@click.option("--sample", type=click.IntRange(min=1), help="Keep this many pairs, drawn with the seed.")
@takedown_option
@engine_option
@json_option
@seed_option
def command(
    *,
    pairs: tuple[Path, ...],
    output: Path | None,
    rules: str,
    keep_first: bool,
    sample: int | None,
    takedown: Path | None,
    engine: str,
    as_json: bool,
    seed: int,
) -> None:
    """Clean raw post-comment pairs (TSV, CSV, JSONL or Parquet; .gz, .zst) into a repository.

    PAIRS is a file of pairs, of dialogues or of tweets, which are paired by reply id. Several files of one of these
    kinds, or a folder with them (read by name), are cleaned as one file with all their rows. PAIRS may also be a file
    of posts and one of comments (and perhaps one of the pairs of their ids), or a folder with them. Reports what each
    rule removed, with examples.
    """
    from kaiwa.flow.collection.clean import clean_pairs
    from kaiwa.report.results.clean_view import CleanView, RulesView

    if rules == "list":
        from kaiwa.formats.collection.rule_files import known_rules

        emit(RulesView(known_rules()), as_json=as_json)
        return
    if not pairs or output is None:
        raise click.UsageError("give files of pairs, and -o for the repository to make")
    with progress("cleaning") as tick:
        cleaned = clean_pairs(
            pairs,
            output,
            rules=rules,
            sample=sample,
            seed=seed,
            keep_first=keep_first,
            takedown=listed_ids(takedown),
            engine=engine,
            progress=tick,
        )
    emit(CleanView(cleaned, output), as_json=as_json)
