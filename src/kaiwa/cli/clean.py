"""kaiwa clean: raw pairs to a repository."""

from __future__ import annotations

from textwrap import shorten
from typing import TYPE_CHECKING

import click

from kaiwa.cli.shell.complete import Named
from kaiwa.cli.shell.output import IN_FILE, emit, json_option, seed_option
from kaiwa.cli.shell.progress import progress

if TYPE_CHECKING:
    from pathlib import Path

    from kaiwa.build.repository.cleaning import Cleaned
    from kaiwa.report.text_tables import Cell

_WIDTH = 60  # of the examples in a table; --json has them whole


@click.command("clean", epilog="Example: kaiwa clean pairs.tsv.gz -o repository --rules weibo")
@click.argument("pairs", type=IN_FILE, required=False)
@click.option("-o", "--output", type=IN_FILE, help="The repository folder to make.")
@click.option(
    "--rules",
    type=Named("rule set", "list"),
    default="plain",
    show_default=True,
    help="A rule set, a TOML file of one, or 'list'.",
)
@click.option("--sample", type=click.IntRange(min=1), help="Keep this many pairs, drawn with the seed.")
@json_option
@seed_option
def command(
    *, pairs: Path | None, output: Path | None, rules: str, sample: int | None, as_json: bool, seed: int
) -> None:
    """Clean raw post-comment pairs (TSV, JSONL or Parquet; .gz, .zst) into a repository.

    Says what each rule removed, with examples. JSONL of tweets is paired by reply id.
    """
    from kaiwa.flow.clean import clean_pairs

    if rules == "list":
        _list_rules(as_json=as_json)
        return
    if pairs is None or output is None:
        raise click.UsageError("give a file of pairs, and -o for the repository to make")
    with progress("cleaning") as tick:
        cleaned = clean_pairs(pairs, output, rules=rules, sample=sample, seed=seed, progress=tick)
    emit(_text(cleaned, output), _fields(cleaned, output), as_json=as_json)


def _list_rules(*, as_json: bool) -> None:
    from dataclasses import asdict

    from kaiwa.formats.collection.rule_files import known_rules

    sets = known_rules()
    lines = []
    for chosen in sets.values():
        lines += [
            f"{chosen.name}: {chosen.source}",
            *(f"  {rule.name} ({rule.side}): {rule.says}" for rule in chosen.rules),
        ]
        lines += [f"  first {chosen.first_comments} comments of a post"] if chosen.first_comments else []
        lines += ["  near-duplicate comments merged"] if chosen.merge else []
    fields = {name: {"source": one.source, "rules": [asdict(rule) for rule in one.rules]} for name, one in sets.items()}
    emit("\n".join(lines), {"rule_sets": fields}, as_json=as_json)


def _fields(cleaned: Cleaned, output: Path) -> dict[str, object]:
    made = cleaned.manifest
    return {
        "repository": str(output),
        "rules": made.rules,
        "pairs_read": cleaned.pairs_read,
        "posts": made.posts,
        "comments": made.comments,
        "pairs": made.pairs,
        "merged": cleaned.merged,
        "removed": cleaned.removed,
        "examples": cleaned.examples,
    }


def _text(cleaned: Cleaned, output: Path) -> str:
    from kaiwa.report.text_tables import table

    made = cleaned.manifest
    kept = f"{made.posts:,} posts, {made.comments:,} comments, {made.pairs:,} pairs of {cleaned.pairs_read:,} read"
    lines = [f"{output}: {kept}; {cleaned.merged:,} comments merged into near-duplicates"]
    if cleaned.removed:
        shown = {
            why: shorten(" | ".join(cleaned.examples.get(why, [])), _WIDTH, placeholder=" ...")
            for why in cleaned.removed
        }
        rows: list[list[Cell]] = [[why, count, shown[why]] for why, count in cleaned.removed.items()]
        lines += ["", table(["removed", "pairs", "for example"], rows)]
    return "\n".join(lines)
