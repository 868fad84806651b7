"""A random forest over tf-idf features of a post and a comment: how likely they are a true pair.

In the family of Oni at NTCIR-12 STC, whose forest learned from labels; this one learns from the pairs of the index,
true ones against posts with the comment of another pair. It is small: at most 40,000 pairs are read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kaiwa.ranking.models.topic_words import word_rarity
from kaiwa.ranking.trees import Trees, grown_forest
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.ranking.texts import Corpus, TokenLists, Tokens


MOST_PAIRS = 40_000
TFIDF_FEATURES = (
    "cosine",
    "share of the post's weight that is shared",
    "share of the comment's weight that is shared",
    "largest idf of a shared word",
    "tokens of the comment that are shared",
    "log length of the post",
    "log length of the comment",
    "mean idf of the comment",
    "largest idf of the comment",
)


class PairForest(NamedTuple):
    """The trees, and the idf of each word."""

    trees: Trees
    rarity: NDArray[np.float32]


def trained_pair_forest(corpus: Corpus, *, seed: int) -> dict[str, Any]:  # Any: arrays
    """The arrays of the model, trained on pairs of a corpus."""
    rng = np.random.default_rng(seed)
    rarity = word_rarity(corpus).astype(np.float32)
    pairs = corpus.bitext
    chosen = rng.permutation(len(pairs.source_of))[:MOST_PAIRS]
    posts, comments = pairs.source_of[chosen].astype(np.int64), pairs.target_of[chosen].astype(np.int64)
    true, false = (
        tfidf_rows(corpus.posts.of(posts), corpus.comments.of(own), rarity) for own in (comments, np.roll(comments, 1))
    )
    labels = np.repeat((1.0, 0.0), len(chosen))
    trees = grown_forest(np.concatenate((true, false)), labels, rng)
    return {**trees._asdict(), "rarity": rarity}


def opened_pair_forest(arrays: Mapping[str, Any]) -> PairForest:  # Any: arrays
    """The model, from its arrays."""
    return PairForest(Trees(*(arrays[part] for part in Trees._fields)), arrays["rarity"])


def pair_chances(query: TokenLists, comments: TokenLists, model: PairForest) -> FloatArray:
    """The mean over the trees of the share of true pairs, for one query and each comment."""
    return model.trees.scores(tfidf_rows(query, comments, model.rarity))


def tfidf_rows(posts: TokenLists, comments: TokenLists, rarity: NDArray[np.float32]) -> NDArray[np.float32]:
    """The features of each pair ("pairs x TFIDF_FEATURES"); one post stands for all if there is only one."""
    rows = np.zeros((len(comments), len(TFIDF_FEATURES)), dtype=np.float32)
    fill_rows(*posts, *comments, rarity, np.zeros(len(rarity)), np.zeros(len(rarity)), rows)
    return rows


@kernel
def fill_rows(
    post_starts: IntArray, posts: Tokens, comment_starts: IntArray, comments: Tokens, rarity: NDArray[np.float32],
    in_post: FloatArray, in_comment: FloatArray, rows: NDArray[np.float32],
) -> None:  # fmt: skip
    """Compute the features of each pair; ``in_post`` and ``in_comment`` are 0 for every word, before and after."""
    for pair in range(len(rows)):
        post = min(pair, len(post_starts) - 2)
        own = posts[post_starts[post] : post_starts[post + 1]]
        text = comments[comment_starts[pair] : comment_starts[pair + 1]]
        for word in own:
            in_post[word] += rarity[word]
        for word in text:
            in_comment[word] += rarity[word]
        fill_row(own, text, in_post, in_comment, rarity, rows[pair])
        for word in own:
            in_post[word] = 0.0
        for word in text:
            in_comment[word] = 0.0


@kernel
def fill_row(
    own: Tokens, text: Tokens, in_post: FloatArray, in_comment: FloatArray, rarity: NDArray[np.float32],
    row: NDArray[np.float32],
) -> None:  # fmt: skip
    """Compute the features of one pair; the weights of its words are given by word, and 0 for all others."""
    post_square, post_weight, post_shared = 0.0, 0.0, 0.0
    for word in own:  # each token stands for its part of tf x idf, so that a word counts once
        post_square += in_post[word] * rarity[word]
        post_weight += rarity[word]
        if in_comment[word] > 0:
            post_shared += rarity[word]
    square, weight, shared, product, tokens, rarest, rarest_shared = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    for word in text:
        square += in_comment[word] * rarity[word]
        weight += rarity[word]
        product += in_post[word] * rarity[word]
        rarest = max(rarest, rarity[word])
        if in_post[word] > 0:
            shared += rarity[word]
            tokens += 1
            rarest_shared = max(rarest_shared, rarity[word])
    row[0] = product / max(np.sqrt(post_square * square), 1e-12)
    row[1], row[2] = post_shared / max(post_weight, 1e-12), shared / max(weight, 1e-12)
    row[3], row[4] = rarest_shared, tokens
    row[5], row[6] = np.log1p(len(own)), np.log1p(len(text))
    row[7], row[8] = weight / max(len(text), 1), rarest
