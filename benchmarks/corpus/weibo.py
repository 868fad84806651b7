"""Raw pairs from folders of posts and comments, the format of the two Weibo collections.

``python -m benchmarks.corpus.weibo FOLDER... -o pairs.tsv`` reads ``posts.tsv.zst`` (id first, text last) and
``comments.tsv.zst`` (id, post id, optionally the id of the comment it answers, text last) of each folder. A comment
that answers another comment makes a pair with that comment as the post.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from kaiwa.files.atomic import atomic_file
from kaiwa.formats.text_files import numbered_lines, read_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

_WITH_PARENT = 4


def main() -> None:
    """Write the pairs of all folders, one per line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("-o", "--output", type=Path, required=True)
    options = parser.parse_args()
    with atomic_file(options.output) as temporary, temporary.open("w", encoding="utf-8") as out:
        written = 0
        for folder in options.folders:
            for pair in _pairs(folder):
                out.write("\t".join(pair) + "\n")
                written += 1
    print(f"{written:,} pairs")


def _pairs(folder: Path) -> Iterator[tuple[str, str, str, str]]:
    posts = {cells[0]: cells[-1] for cells in _rows(folder / "posts.tsv.zst")}
    comments = list(_rows(folder / "comments.tsv.zst"))
    posts |= {cells[0]: cells[-1] for cells in comments}
    for cells in comments:
        parent = cells[2] if len(cells) == _WITH_PARENT else ""
        post = parent if parent in posts else cells[1]
        yield post, posts[post], cells[0], cells[-1]


def _rows(path: Path) -> Iterator[list[str]]:
    for block in read_blocks(path):
        for _, line in numbered_lines(block):
            yield line.split("\t")


if __name__ == "__main__":
    main()
