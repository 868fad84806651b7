"""A repository of the task's size made from a real one: the beginning of one real text joined to the end of another.

``python -m benchmarks.corpus.enlarge REPOSITORY -o BIG --comments 5000000`` keeps every real post, comment and pair
and adds new ones. A text is cut after the clause that ends nearest its middle, or in the middle if it has one clause;
the halves of two random texts make a new one. Words, their frequencies and the lengths of texts are therefore those of
real text, and no comment is duplicate. The same seed gives the same repository.
"""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from kaiwa.formats.repository import Manifest, RepositoryWriter, open_repository, writing_repository
from kaiwa.nouns.normalise import fingerprint

_CLAUSE_END = re.compile(r"[，。！？；、,.!?;~…\s]+")
_BATCH = 65_536


@dataclass(frozen=True)
class Texts:
    """Real texts with their ids, and where each is cut."""

    ids: list[str]
    texts: list[str]
    cuts: list[int]

    def joined(self, one: int, other: int) -> str:
        """The beginning of one text and the end of another."""
        return self.texts[one][: self.cuts[one]] + self.texts[other][self.cuts[other] :]


def main() -> None:
    """Write the large repository."""
    options = _options()
    rng = np.random.default_rng(options.seed)
    source = open_repository(options.repository)
    sizes = {"posts": options.posts, "comments": options.comments}
    with writing_repository(options.output) as writer:
        made = {}
        for name, size in sizes.items():
            ids, texts = _table(source.table(name))
            real = Texts(ids, texts, [cut_of(text) for text in texts])
            made[name] = _write_texts(writer, name, real, size, rng)
        _write_pairs(
            writer, _table(source.table("pairs")), made, real_comments=len(real.ids), size=options.pairs, rng=rng
        )
        manifest = writer.finish(Manifest(rules=source.manifest.rules, seed=options.seed))
    print(f"{manifest.posts:,} posts, {manifest.comments:,} comments, {manifest.pairs:,} pairs")


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("repository", type=Path)
    parser.add_argument("-o", "--output", type=Path, required=True)
    parser.add_argument("--posts", type=int, default=196_495)
    parser.add_argument("--comments", type=int, default=5_000_000)
    parser.add_argument("--pairs", type=int, default=5_648_128)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


def cut_of(text: str) -> int:
    """Where the clause ends that ends nearest the middle; the middle if there is one clause.

    >>> cut_of("好的，明天见面吧"), cut_of("今天天气")
    (3, 2)
    """
    ends = [match.end() for match in _CLAUSE_END.finditer(text) if match.start() > 0 and match.end() < len(text)]
    return min(ends, key=lambda end: abs(2 * end - len(text)), default=len(text) // 2)


def _table(batches: object) -> tuple[list[str], list[str]]:
    first: list[str] = []
    second: list[str] = []
    for batch in batches:  # type: ignore[attr-defined]  # an iterator of pairs of columns
        first.extend(batch[0])
        second.extend(batch[1])
    return first, second


def _write_texts(writer: RepositoryWriter, name: str, real: Texts, size: int, rng: np.random.Generator) -> list[str]:
    """Write the real texts and new ones up to ``size``; all their ids."""
    writer.add(name, real.ids, real.texts)
    ids = list(real.ids)
    seen = {fingerprint(text) for text in real.texts}
    while len(ids) < size:
        drawn = rng.integers(len(real.ids), size=(_BATCH, 2)).tolist()
        fresh_ids, fresh_texts = [], []
        for text in (real.joined(one, other) for one, other in drawn):
            key = fingerprint(text)
            if key in seen or not text.strip() or len(ids) + len(fresh_ids) == size:
                continue
            seen.add(key)
            fresh_ids.append(f"made-{name}-{len(ids) + len(fresh_ids):07d}")
            fresh_texts.append(text)
        writer.add(name, fresh_ids, fresh_texts)
        ids += fresh_ids
    return ids


def _write_pairs(
    writer: RepositoryWriter,
    real: tuple[list[str], list[str]],
    made: dict[str, list[str]],
    *,
    real_comments: int,
    size: int,
    rng: np.random.Generator,
) -> None:
    """Write the real pairs, one pair for each new comment, and random pairs up to ``size``."""
    writer.add("pairs", *real)
    fresh = made["comments"][real_comments:]
    more = max(size - len(real[0]) - len(fresh), 0)
    drawn = rng.integers(len(made["comments"]), size=more).tolist()
    comments = fresh + [made["comments"][at] for at in drawn]
    posts = rng.integers(len(made["posts"]), size=len(comments)).tolist()
    for low in range(0, len(comments), _BATCH):
        high = low + _BATCH
        writer.add("pairs", [made["posts"][at] for at in posts[low:high]], comments[low:high])


if __name__ == "__main__":
    main()
