"""Compile the kernels that answering needs, so that a process of the image starts warm.

Run where Kaiwa is installed, by a user who may write there: a small index is made and asked by every system. With
``--models``, the kernels of models and of the systems that need them are compiled too.
"""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import kaiwa
from kaiwa.ranking.warm_bot import BotSource, opened_bot

POSTS = ("the first day in Hawaii", "my cat sleeps all day", "rain again this morning", "who won last night")
COMMENTS = ("enjoy the beaches of Hawaii", "cats need their sleep", "take an umbrella", "the home team won")


def main() -> None:
    """Compile, and print how many systems have answered."""
    with TemporaryDirectory() as folder:
        index = small_index(Path(folder))
        models = Path(folder) / "models" if "--models" in sys.argv[1:] else None
        if models:
            kaiwa.models(index, models)
        systems = opened_bot(BotSource(index, models)).systems
    sys.stdout.write(f"{len(systems)} systems have answered\n")


def small_index(folder: Path) -> Path:
    """An index of sixteen pairs."""
    rows = [
        f"p{place}{turn}\t{post} {turn}\tc{place}{turn}\t{comment} {turn}\n"
        for turn in range(4)
        for place, (post, comment) in enumerate(zip(POSTS, COMMENTS, strict=True))
    ]
    (folder / "pairs.tsv").write_text("".join(rows), encoding="utf-8")
    kaiwa.clean(folder / "pairs.tsv", folder / "repository")
    kaiwa.index(folder / "repository", folder / "index", language="en")
    return folder / "index"


if __name__ == "__main__":
    main()
