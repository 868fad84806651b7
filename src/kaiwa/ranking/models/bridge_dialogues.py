"""Dialogues that lead from a query to the comments of an index: posts like the query, and the replies to them.

In the family of yuila at NTCIR-12 STC. The dialogues are those of another repository, as words of this index; without
one, the pairs of the index itself. It is small: at most 100,000 dialogues, all of which are compared with the query.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from kaiwa.ranking.models.topic_words import word_rarity
from kaiwa.ranking.texts import TokenLists, token_lists
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.ranking.texts import Corpus, Tokens


MOST_DIALOGUES = 100_000


class Dialogues(NamedTuple):
    """The posts and their replies, one by one, and the idf of each word."""

    posts: TokenLists
    replies: TokenLists
    rarity: FloatArray


def made_dialogues(
    corpus: Corpus, given: Sequence[tuple[str, str]] | None, *, seed: int
) -> dict[str, Any]:  # Any: arrays
    """The arrays of the model: given posts with their replies, or those of the corpus."""
    if given is None:
        pairs = corpus.bitext
        chosen = np.sort(np.random.default_rng(seed).permutation(len(pairs.source_of))[:MOST_DIALOGUES])
        posts = corpus.posts.of(pairs.source_of[chosen].astype(np.int64))
        replies = corpus.comments.of(pairs.target_of[chosen].astype(np.int64))
    else:
        posts, replies = (token_lists([corpus.numbers(pair[side]).tolist() for pair in given]) for side in range(2))
    return {
        "posts.starts": posts.starts,
        "posts.tokens": posts.tokens,
        "replies.starts": replies.starts,
        "replies.tokens": replies.tokens,
        "rarity": word_rarity(corpus),
    }


def opened_dialogues(arrays: Mapping[str, Any]) -> Dialogues:  # Any: arrays
    """The model, from its arrays."""
    posts, replies = (TokenLists(arrays[f"{side}.starts"], arrays[f"{side}.tokens"]) for side in ("posts", "replies"))
    return Dialogues(posts, replies, arrays["rarity"])


def nearest_replies(query: Tokens, model: Dialogues, count: int) -> list[Tokens]:
    """The replies to the posts most similar to the query by tf-idf cosine; only posts that share a word with it."""
    weights = np.zeros(len(model.rarity))
    np.add.at(weights, query, model.rarity[query])
    similar = cosines_with(*model.posts, model.rarity, weights)
    best = np.lexsort((np.arange(len(similar)), -similar))[:count]
    starts, tokens = model.replies
    return [tokens[starts[one] : starts[one + 1]] for one in best.tolist() if similar[one] > 0]


@kernel
def cosines_with(starts: IntArray, tokens: Tokens, rarity: FloatArray, weights: FloatArray) -> FloatArray:
    """The product of each text's tf-idf vector, of length 1, and the weights of words."""
    found, counts = np.zeros(len(starts) - 1), np.zeros(len(rarity))
    for text in range(len(found)):
        own = tokens[starts[text] : starts[text + 1]]
        product, square = 0.0, 0.0
        for word in own:
            counts[word] += rarity[word]
        for word in own:
            product += rarity[word] * weights[word]
            square += rarity[word] * counts[word]
        for word in own:
            counts[word] = 0.0
        if square > 0:
            found[text] = product / np.sqrt(square)
    return found
