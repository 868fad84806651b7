"""Held-out posts and their true replies, and models that have seen neither, for benchmarks.ranking.provenance."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

import kaiwa
from kaiwa.ambient import no_progress
from kaiwa.formats.repository import open_repository
from kaiwa.ranking.model_folder import TOKENS, model_arrays
from kaiwa.ranking.models.dense_codes import made_dense_codes
from kaiwa.ranking.models.table import MODELS, OpenModels
from kaiwa.ranking.texts import TokenLists, corpus_from
from kaiwa.retrieval.build import build_index
from kaiwa.retrieval.inverted_index import open_index

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from kaiwa.ranking.texts import Corpus
    from kaiwa.retrieval.inverted_index import InvertedIndex

TRAINED = (
    "translation", "towers", "vectors", "ngrams", "forest", "patterns", "convolution", "topics", "factors", "topicword",
)  # fmt: skip
PUT_BACK = "put-back"
"""The post of all comments that are put back; its text has no word."""
MEASURED, LEARNED = "measured", "learned"
"""The folders of the posts that are measured, and of those that rankers learn from."""
_HELD_OUT = "held_out.json"


@dataclass(frozen=True)
class HeldOut:
    """The held-out posts, id to text; their comments that the rest still has; and of each one that it lacks."""

    topics: dict[str, str]
    kept: dict[str, list[str]]
    put_back: dict[str, str]

    @property
    def first_kept(self) -> dict[str, str]:
        """One comment of each post that the rest still has."""
        return {topic: comments[0] for topic, comments in self.kept.items()}


def prepared(repository: Path, larger: Path, folder: Path, *, counts: Mapping[str, int]) -> dict[str, HeldOut]:
    """The posts that are measured and those that rankers learn from; neither is among the pairs that models learn from.

    Each part has a folder with the rest, and a pool: the rest with one comment of each post put back. The second part
    is drawn from the rest of the first. What the folder has already is kept.
    """
    parts = {
        MEASURED: _held_out(repository, folder / MEASURED, count=counts[MEASURED], seed=1),
        LEARNED: _held_out(folder / MEASURED / "rest", folder / LEARNED, count=counts[LEARNED], seed=2),
    }
    if not (folder / "training-index").is_dir():
        posts = {name for name, _ in _rows(folder / LEARNED / "rest", "posts")}
        _write_index(_pairs(larger, posts), folder / "training")
    kaiwa.models(folder / "training-index", folder / "models", names=TRAINED)
    return parts


def _held_out(repository: Path, folder: Path, *, count: int, seed: int) -> HeldOut:
    """Posts held out with their near-duplicates, and the index of the rest with one comment of each put back."""
    stored = folder / _HELD_OUT
    if not stored.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        rng = np.random.default_rng(seed)
        drawn = kaiwa.topics(repository, n=count, rest=folder / "rest", seed=seed)
        held_out = _with_replies(drawn.topics, repository, folder / "rest", rng)
        texts = dict(_rows(repository, "comments"))
        back = [(PUT_BACK, "。", comment, texts[comment]) for comment in held_out.put_back.values()]
        posts = {name for name, _ in _rows(folder / "rest", "posts")}
        _write_index([*_pairs(folder / "rest", posts), *back], folder / "pool")
        stored.write_text(json.dumps(asdict(held_out), ensure_ascii=False), encoding="utf-8")
    return HeldOut(**json.loads(stored.read_text(encoding="utf-8")))


def _with_replies(topics: dict[str, str], repository: Path, rest: Path, rng: np.random.Generator) -> HeldOut:
    left = {name for name, _ in _rows(rest, "comments")}
    own: dict[str, list[str]] = {}
    for post, comment in _rows(repository, "pairs"):
        if post in topics:
            own.setdefault(post, []).append(comment)
    kept = {post: sorted(left.intersection(comments)) for post, comments in own.items()}
    back: dict[str, str] = {}
    for post in topics:
        lacking = sorted(set(own.get(post, [])) - left - set(back.values()))
        if lacking:
            back[post] = lacking[rng.integers(len(lacking))]
    return HeldOut(topics, {post: comments for post, comments in kept.items() if comments}, back)


def _rows(repository: Path, table: str) -> Iterator[tuple[str, str]]:
    for batch in open_repository(repository).table(table):
        yield from zip(*batch, strict=True)


def _pairs(repository: Path, posts: set[str]) -> Iterator[tuple[str, str, str, str]]:
    """The pairs of some posts, with their texts."""
    post_texts, comment_texts = dict(_rows(repository, "posts")), dict(_rows(repository, "comments"))
    for post, comment in _rows(repository, "pairs"):
        if post in posts:
            yield post, post_texts[post], comment, comment_texts[comment]


def _write_index(pairs: Iterable[Sequence[str]], target: Path) -> None:
    """An index of pairs that are already clean, beside their repository."""
    lines = target.with_suffix(".tsv")
    with lines.open("w", encoding="utf-8") as out:
        out.writelines("\t".join(pair) + "\n" for pair in pairs)
    kaiwa.clean(lines, target, rules="none")
    lines.unlink()
    index = target.with_name(f"{target.name}-index")
    build_index(target, index, language="zh", tokens=None, progress=no_progress)


def pool_models(folder: Path, part: str, pool: InvertedIndex) -> OpenModels:
    """The models of the training pairs, with the posts and comments of a part's pool as their corpus."""
    training = open_index(folder / "training-index")

    @cache
    def arrays_of(name: str) -> Mapping[str, Any]:  # Any: arrays
        if name == "dense":
            return made_dense_codes(corpus, MODELS["towers"].opened(arrays_of("towers")))
        return model_arrays(folder / "models", name, training)

    own = corpus_from(arrays_of(TOKENS), training.links, training.language)
    posts, comments = _token_lists(own, pool, folder / part / "pool_tokens.npz")
    corpus = replace(own, posts=posts, comments=comments, links=pool.links)
    return OpenModels(corpus, arrays_of)


def _token_lists(corpus: Corpus, pool: InvertedIndex, stored: Path) -> list[TokenLists]:
    """The posts and comments of the pool by the words of a corpus, stored in a file."""
    if not stored.is_file():
        arrays = {}
        for side in (pool.posts, pool.comments):
            numbers = [corpus.numbers(side.texts.text_of(place)) for place in range(len(side.texts))]
            arrays[f"{side.name}_starts"] = np.cumsum([0, *map(len, numbers)], dtype=np.int64)
            arrays[f"{side.name}_tokens"] = np.concatenate(numbers)
        np.savez(stored, **arrays)
    with np.load(stored) as arrays:
        return [TokenLists(arrays[f"{side}_starts"], arrays[f"{side}_tokens"]) for side in ("posts", "comments")]
