"""Cheap signals: lengths, marks, popularity of words, character overlap, and what the first stage says."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.ranking.features.batch import FIRST_DEPTH, FIRST_STAGE
from kaiwa.ranking.features.characters import QUESTION, bigram_overlaps, contains, letter_counts, mark_overlaps
from kaiwa.ranking.features.cosines import q2c, q2p
from kaiwa.ranking.features.feature import Feature
from kaiwa.ranking.words import list_means
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.ranking.features.batch import Batch
    from kaiwa.ranking.texts import Tokens


_FAMILY = "signals"


def length(batch: Batch) -> FloatArray:
    """The log of the number of letters of the comment."""
    return batch.once(_log_lengths)


def _log_lengths(batch: Batch) -> FloatArray:
    logs: FloatArray = np.log1p(letter_counts(*batch.comment_characters))
    return logs


def length_difference(batch: Batch) -> FloatArray:
    """The absolute difference of the log lengths of the query and the comment."""
    differences: FloatArray = np.abs(length(batch) - np.log1p(letter_counts(*batch.characters)[0]))
    return differences


def question_match(batch: Batch) -> FloatArray:
    """1 if both the query and the comment have a question mark, or neither; else 0."""
    own = contains(*batch.characters, QUESTION)[0]
    matches: FloatArray = (contains(*batch.comment_characters, QUESTION) == own).astype(np.float64)
    return matches


def punctuation_match(batch: Batch) -> FloatArray:
    """The overlap of the marks of the query and the comment."""
    return mark_overlaps(*batch.comment_characters, batch.characters.tokens)


def bigrams(batch: Batch, *, side: str) -> FloatArray:
    """The overlap of the character bigrams of the query and one text of each pair."""
    if side == "comment":
        return bigram_overlaps(*batch.comment_characters, batch.characters.tokens)
    texts, places = batch.post_characters
    return bigram_overlaps(*texts, batch.characters.tokens)[places]


def popularity(batch: Batch) -> FloatArray:
    """The mean log of the share of comment tokens that each word of the comment has."""
    return list_means(*batch.comments, batch.models.corpus.log_comment_shares)


def unigram(batch: Batch) -> FloatArray:
    """The log-probability of the whole comment by the shares of its words in all texts."""
    lengths = np.diff(batch.comments.starts)
    return list_means(*batch.comments, batch.models.corpus.log_shares) * lengths


def first_score(batch: Batch) -> FloatArray:
    """The score of run2: the sum of q2p and q2c."""
    return q2p(batch, similarity=FIRST_STAGE.similarity) + q2c(batch, similarity=FIRST_STAGE.similarity)


def first_rank(batch: Batch) -> FloatArray:
    """The log of 1 / rank of the comment in run2, to a depth; one rank more for a comment below it."""
    found = batch.first_found.comments
    order = np.argsort(found)
    places = np.searchsorted(found, batch.candidates.comments, sorter=order)
    nearest = np.append(order, -1)[places]
    is_there = np.append(found, -1)[nearest] == batch.candidates.comments
    return -np.log(np.where(is_there, nearest + 1.0, FIRST_DEPTH + 1.0))


def number_of_posts(batch: Batch) -> FloatArray:
    """The log of the number of posts that the comment was written for."""
    starts, comments = batch.query.index.links.comment_starts, batch.candidates.comments
    return np.log(np.maximum(starts[comments + 1].astype(np.float64) - starts[comments], 1.0))


_signal = partial(Feature, family=_FAMILY)

SIGNAL_FEATURES = {
    "length": _signal(length, "log of the number of letters of the comment"),
    "length-difference": _signal(length_difference, "difference of the log lengths of the query and the comment"),
    "question-match": _signal(question_match, "1 if both the query and the comment have a question mark, or neither"),
    "punctuation-match": _signal(punctuation_match, "overlap of the punctuation marks of the query and the comment"),
    "bigrams-q2p": _signal(partial(bigrams, side="post"), "overlap of the character bigrams of the query and the post"),
    "bigrams-q2c": _signal(
        partial(bigrams, side="comment"), "overlap of the character bigrams of the query and the comment"
    ),
    "popularity": _signal(popularity, "mean log share of the comment's words among all comments", ("tokens",)),
    "unigram": _signal(unigram, "log-probability of the comment by the shares of its words in all texts", ("tokens",)),
    "first-score": _signal(first_score, "score of `run2`"),
    "first-rank": _signal(first_rank, "log of 1 / rank in `run2`, to rank 200"),
    "posts": _signal(number_of_posts, "log of the number of posts that the comment was written for"),
}


# The words that the query and the comment share: how many, how rare, and how close together.


_COLUMNS = {
    "shared-count": "number of different words that the query and the comment share",
    "shared-rarity": "sum of the rarities of these words",
    "shared-rarest": "rarity of the rarest of these words",
    "shared-part": "share of the comment's rarity that its words of the query have",
    "shared-stretch": "largest sum of rarities of neighbouring words of the comment that the query has",
}


def shared_word(batch: Batch, *, column: int) -> FloatArray:
    """One of the numbers about shared words."""
    return batch.once(_all_numbers)[:, column]


def _all_numbers(batch: Batch) -> FloatArray:
    corpus = batch.models.corpus
    is_asked = np.zeros(len(corpus.counts), dtype=np.bool_)
    is_asked[batch.words] = True
    last_text = np.full(len(corpus.counts), -1, dtype=np.int64)
    return shared_numbers(*batch.comments, is_asked, corpus.log_shares, last_text)


@kernel
def shared_numbers(
    starts: IntArray, tokens: Tokens, is_asked: NDArray[np.bool_], log_shares: FloatArray, last_text: IntArray
) -> FloatArray:
    """The numbers of each text ("texts x numbers"); ``last_text`` is -1 for every word."""
    found = np.zeros((len(starts) - 1, 5))
    for text in range(len(starts) - 1):
        of_all, of_asked, stretch = 0.0, 0.0, 0.0
        for place in range(starts[text], starts[text + 1]):
            word = tokens[place]
            rarity = -log_shares[word]
            of_all += rarity
            if not is_asked[word]:
                stretch = 0.0
                continue
            of_asked += rarity
            stretch += rarity
            found[text, 4] = max(found[text, 4], stretch)
            if last_text[word] != text:
                last_text[word] = text
                found[text, 0] += 1.0
                found[text, 1] += rarity
                found[text, 2] = max(found[text, 2], rarity)
        if of_all > 0.0:
            found[text, 3] = of_asked / of_all
    return found


SHARED_FEATURES = {
    name: Feature(partial(shared_word, column=column), description, ("tokens",), family="shared")
    for column, (name, description) in enumerate(_COLUMNS.items())
}
