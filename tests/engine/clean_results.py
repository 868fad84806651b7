"""What a cleaning made and told, as values that tests compare; and the lines of files of pairs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import kaiwa
from kaiwa.formats.repository import open_repository

if TYPE_CHECKING:
    from pathlib import Path

Pairs = list[tuple[str, str, str, str]]
NAMES = ("post_id", "post", "comment_id", "comment")


def content(path: Path) -> dict[str, Any]:
    """All rows of a repository in their order, and its manifest without the files."""
    opened = open_repository(path)
    rows = {
        name: [row for batch in opened.whole_table(name) for row in zip(*batch, strict=True)]
        for name in ("posts", "comments", "pairs")
    }
    manifest = {name: value for name, value in vars(opened.manifest).items() if name != "crc32"}
    takedown = (path / "takedown.txt").read_text(encoding="utf-8") if (path / "takedown.txt").exists() else ""
    merged = list(opened.merged().items())
    return {"rows": rows, "manifest": manifest, "merged": merged, "takedown": takedown}


def cleaned(source: Any, target: Path, engine: str, **options: Any) -> dict[str, Any]:
    """What cleaning made, and what it told."""
    done = kaiwa.clean(source, target, engine=engine, **options)
    told = {
        "read": done.pairs_read,
        "merged": done.merged,
        "removed": list(done.removed.items()),
        "examples": done.examples,
        "lengths": done.lengths,
    }
    return content(target) | {"told": told, "conflicting": done.conflicting_ids}


def tsv(pairs: Pairs) -> list[str]:
    """The lines of pairs, with columns in another order."""
    return ["\t".join((*NAMES[2:], *NAMES[:2])), *("\t".join((*pair[2:], *pair[:2])) for pair in pairs)]


def jsonl(pairs: Pairs) -> list[str]:
    """The lines of pairs as JSON objects."""
    return [json.dumps(dict(zip(NAMES, pair, strict=True)), ensure_ascii=False) for pair in pairs]


def csv(pairs: Pairs) -> list[str]:
    """The lines of pairs as CSV, each cell over two lines."""
    return [",".join(NAMES), *(",".join(f'"{cell}\n"' for cell in pair) for pair in pairs)]


def part_count(repository: Path) -> int:
    """The number of part files of the comments; 0 if they are one file."""
    table = repository / "comments.parquet"
    return len(list(table.iterdir())) if table.is_dir() else 0
