"""Recall of true replies by each system: reply provenance, not human judgement.

``python -m benchmarks.corpus.recall REPOSITORY`` holds out posts with ``kaiwa topics --rest`` (and near-duplicates),
and uses each of them as a query. Its true replies are its comments that also belong to other posts, and are therefore
still in the rest. Recall@k is the share of them among the first k, averaged over the held-out posts that have any. A
comment of another post may be an equally good answer; it is counted as wrong.

Replies that are still in the rest are popular texts: to answer every post with the comments of the most posts finds
more of them than most systems. That row is printed first; ``benchmarks.ranking.provenance`` has forms in which
popularity finds nothing.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

import kaiwa
from kaiwa.formats.repository import open_repository
from kaiwa.ranking.answering import Bot
from kaiwa.ranking.system import ranked
from kaiwa.ranking.system_table import SYSTEMS
from kaiwa.retrieval.build import build_index
from kaiwa.retrieval.matching import query_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.nouns.ids import FloatArray

DEPTHS = (10, 100)


@dataclass(frozen=True)
class Sought:
    """A query, the comments that should be found, and those that are not counted."""

    text: str
    wanted: frozenset[str]
    excluded: frozenset[str] = frozenset()


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path)
    parser.add_argument("--topics", type=int, default=2000)
    parser.add_argument("--tokens", default="zh,bigrams,zh+bigrams")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        rest = Path(folder) / "rest"
        drawn = kaiwa.topics(options.repository, n=options.topics, rest=rest, seed=1)
        truth = true_replies(options.repository, rest, set(drawn.topics))
        posts = open_repository(rest).manifest.posts
        replies = sum(map(len, truth.values()))
        print(f"{posts:,} posts left; {len(truth)} of {options.topics} held-out posts have {replies} true replies.\n")
        print("| tokens | system | recall@10 | recall@100 |\n|---|---|---:|---:|")
        sought = [Sought(drawn.topics[topic], frozenset(wanted)) for topic, wanted in truth.items()]
        found = _shares(most_popular(rest, max(DEPTHS)), sought).mean(axis=0)
        print(f"| | popularity: number of posts | {found[0]:.4f} | {found[1]:.4f} |", flush=True)
        for tokens in options.tokens.split(","):
            build_index(rest, Path(folder) / "index", language=None, tokens=tokens, progress=lambda _done, _total: None)
            bot = Bot(Path(folder) / "index")
            for system in bot.system_names():
                found = recalls(bot, system, sought, DEPTHS).mean(axis=0)
                print(f"| {tokens} | {system} | {found[0]:.4f} | {found[1]:.4f} |", flush=True)


def true_replies(source: Path, rest: Path, topics: set[str]) -> dict[str, set[str]]:
    """Per held-out post, its comments that are still in the rest."""
    left = {name for batch in open_repository(rest).comments() for name in batch[0]}
    truth: dict[str, set[str]] = {}
    for batch in open_repository(source).table("pairs"):
        for post, comment in zip(*batch, strict=True):
            if post in topics and comment in left:
                truth.setdefault(post, set()).add(comment)
    return truth


def most_popular(repository: Path, count: int) -> list[str]:
    """The comments with the most posts; ties by their ids."""
    posts = Counter(comment for batch in open_repository(repository).table("pairs") for comment in batch[1])
    return sorted(posts, key=lambda comment: (-posts[comment], comment))[:count]


def _shares(ranking: Sequence[str], sought: Sequence[Sought]) -> FloatArray:
    """The share of the wanted comments among the first k of one ranking ("queries x depths")."""
    return np.array(
        [[len(one.wanted.intersection(ranking[:depth])) / len(one.wanted) for depth in DEPTHS] for one in sought]
    )


def recalls(bot: Bot, system: str, sought: Sequence[Sought], depths: tuple[int, ...]) -> FloatArray:
    """The share of the wanted comments among the first k ("queries x depths"), before any filter."""
    shares = np.zeros((len(sought), len(depths)))
    for row, one in enumerate(sought):
        found = ranked(query_of(bot.index, one.text), SYSTEMS[system], k=max(depths) + len(one.excluded))
        ids = map(bot.index.comments.texts.id_of, found.comments.tolist())
        kept = [name for name in ids if name not in one.excluded]
        shares[row] = [len(one.wanted.intersection(kept[:depth])) / len(one.wanted) for depth in depths]
    return shares


if __name__ == "__main__":
    main()
