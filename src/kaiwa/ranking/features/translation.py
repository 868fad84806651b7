"""TransLM and its parts: how likely the query is given a pair, and a comment given the query, by word translation.

Xue, Jeon and Croft 2008, "Retrieval models for question and answer archives"; Ji, Lu and Li 2014, section 4.1.2. The
translation rows of the query's words are scattered once for each query, among the words of the candidates, so that a
candidate costs one lookup per token.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kaiwa.ranking.features.feature import Feature
from kaiwa.ranking.words import column_shares, list_means, local_words, row_means, scatter_rows
from kaiwa.retrieval.tokenisers import is_function_word, is_word
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.ranking.features.batch import Batch
    from kaiwa.ranking.features.feature import WordPairs
    from kaiwa.ranking.models.translation import Translation
    from kaiwa.ranking.texts import Tokens
    from kaiwa.ranking.words import LocalWords


class Weights(NamedTuple):
    """The weights of the mixture: post and comment, each by its words and by translation; and of the collection.

    ``own`` is the share of a word's translation probability that is kept for the word itself.
    """

    post: float = 0.2
    post_translated: float = 0.3
    comment: float = 0.2
    comment_translated: float = 0.3
    collection: float = 0.2
    own: float = 0.3


WEIGHTS = Weights()


def translm(batch: Batch, *, weights: Weights = WEIGHTS) -> FloatArray:
    """The log-probability of the query given the comment, by query word; the probability is the mean over its posts."""
    posts, comments = batch.once(_posts_given), batch.once(_comments_given)
    by_post = posts.mixed(weights.post, weights.post_translated, weights.own)
    by_comment = comments.mixed(weights.comment, weights.comment_translated, weights.own)
    return mean_logs(by_post, batch.numbered_posts[1], batch.every_post[1], by_comment, *_collection(batch, weights))


def query_given_comment(batch: Batch, *, weights: Weights = WEIGHTS) -> FloatArray:
    """The mean log-probability of a query word as a translation of the comment."""
    mixed = batch.once(_comments_given).translated
    places = np.arange(len(mixed))
    return mean_logs(np.zeros_like(mixed), places, places, mixed, *_collection(batch, weights))


def comment_given_query(batch: Batch, *, weights: Weights = WEIGHTS) -> FloatArray:
    """The mean log-probability of a comment word as a translation of the query (IBM Model 1)."""
    local = batch.local_comments
    usual = batch.models.corpus.shares[local.words]
    return list_means(*local.texts, np.log(np.maximum(_answer_shares(batch, weights, usual), _TINY)))


def comment_lift(batch: Batch, *, weights: Weights = WEIGHTS) -> FloatArray:
    """The mean log of how much more probable a comment word is as a translation of the query than in all comments.

    Popular words are probable after any query. This is the mutual information of query and word, not their probability.
    """
    local = batch.local_comments
    usual = batch.models.corpus.comment_shares[local.words]
    shares = _answer_shares(batch, weights, usual)
    return list_means(*local.texts, np.log(np.maximum(shares, _TINY) / np.maximum(usual, _TINY)))


def _answer_shares(batch: Batch, weights: Weights, usual: FloatArray) -> FloatArray:
    """P(word | query) of the comments' words, by translation and, for a small part, by their usual share of tokens."""
    translated = batch.once(_translated_query)
    return translated * (1 - weights.collection) / (len(batch.words) + 1) + weights.collection * usual


def _translated_query(batch: Batch) -> FloatArray:
    """The sum over the query's words and the empty word of T(word | query word), for the comments' words."""
    model: Translation = batch.models.opened("translation").to_comments
    words = batch.local_comments.words
    total = np.zeros(len(batch.models.corpus.counts))
    add_rows(model.starts, model.targets, model.probabilities, batch.words, total)
    known = words[words < len(model.empty)]
    total[known] += model.empty[known]
    translated: FloatArray = total[words]
    return translated


def strongest_translations(batch: Batch, *, weights: Weights = WEIGHTS) -> list[WordPairs]:
    """Query words that a pair lacks, with the words of the pair that explain them: at most three, the strongest first.

    The strength is the probability that comes from the translation, over that of the word in the collection. Pairs with
    a function word or a punctuation mark are left out, unless there are no others.
    """
    model, corpus = batch.models.opened("translation"), batch.models.corpus
    words = np.unique(batch.words)
    sides = []
    for texts, rows, share in (
        (batch.posts, model.to_comments_by_target, weights.post_translated),
        (batch.comments, model.to_posts_by_target, weights.comment_translated),
    ):
        local = local_words(texts, len(corpus.counts))
        strengths = _columns(rows, words, local).astype(np.float64) * share / np.maximum(corpus.shares[words], _TINY)
        sides.append((local, strengths))
    found = []
    for place in range(len(batch.candidates)):
        own = [(local.words, local.texts.list_of(place), table) for local, table in sides]
        pairs = [(corpus.words.text_of(one), corpus.words.text_of(other)) for one, other in _strongest(words, own)]
        content = [pair for pair in pairs if all(_has_content(word, corpus.language) for word in pair)]
        found.append(tuple((content or pairs)[:_SHOWN]))
    return found


def _has_content(word: str, language: str) -> bool:
    return is_word(word) and not is_function_word(word, language)


def _strongest(words: Tokens, texts: list[tuple[Tokens, Tokens, FloatArray]]) -> list[tuple[int, int]]:
    """The query words that no text has, with the words of the texts, by the mean over a text's tokens of a table.

    A text is the numbers of local words, their places in the text, and their table ("local words x query words").
    """
    lacking = ~np.isin(words, np.concatenate([numbers[places] for numbers, places, _ in texts]))
    strengths: dict[tuple[int, int], float] = {}
    for numbers, places, table in texts:
        for at, column in zip(*np.nonzero(table[places] * lacking), strict=True):
            key = int(words[column]), int(numbers[places[at]])
            strengths[key] = strengths.get(key, 0.0) + float(table[places[at], column]) / len(places)
    return sorted(strengths, key=lambda key: (-strengths[key], key))


_TINY = 1e-12
_SMALL = 1e-280  # a product that one more probability of at least _TINY does not bring to 0
_SHOWN = 3


class Given(NamedTuple):
    """P(w | text) for the query's distinct words ("texts x words"): by the text's own words, and by their translations.

    A text gives a word by its own words to the share of them that are this word.
    """

    own: FloatArray
    translated: FloatArray

    def mixed(self, by_words: float, by_translation: float, own: float) -> FloatArray:
        """The weighted sum; ``own`` is the share of a word's translation that is kept for the word itself."""
        return (by_words + by_translation * own) * self.own + by_translation * (1 - own) * self.translated


def _comments_given(batch: Batch) -> Given:
    model = batch.models.opened("translation").to_posts_by_target
    return _given(batch.local_comments, _query_words(batch)[0], model)


def _posts_given(batch: Batch) -> Given:
    model = batch.models.opened("translation").to_comments_by_target
    return _given(batch.local_posts, _query_words(batch)[0], model)


def _given(local: LocalWords, words: Tokens, model: Translation) -> Given:
    column_of, places = np.full(len(local.words), -1, dtype=np.int32), local.place_of[words]
    column_of[places[places > 0] - 1] = np.flatnonzero(places > 0)
    own = column_shares(*local.texts, column_of, len(words))
    return Given(own, row_means(*local.texts, _columns(model, words, local)))


def _columns(model: Translation, words: Tokens, local: LocalWords) -> NDArray[np.float32]:
    """T(word | source) for some target words ("local words x words")."""
    table = np.zeros((len(local.words), len(words)), dtype=np.float32)
    scatter_rows(model.starts, model.targets, model.probabilities, words, local.place_of, table)
    return table


def _query_words(batch: Batch) -> tuple[Tokens, IntArray]:
    """The query's distinct words, ascending, and how often it has each."""
    words, counts = np.unique(batch.words, return_counts=True)
    return words, counts


def _collection(batch: Batch, weights: Weights) -> tuple[FloatArray, IntArray, float]:
    """The share of each distinct word of the query in the collection, its count, and the weight of the collection."""
    words, counts = _query_words(batch)
    return batch.models.corpus.shares[words], counts, weights.collection


@kernel
def mean_logs(
    by_post: FloatArray, posts: IntArray, starts: IntArray, by_comment: FloatArray, shares: FloatArray,
    counts: IntArray, collection: float,
) -> FloatArray:  # fmt: skip
    """The logarithm of the mean, over the posts of each comment, of the probability of the query, by query token.

    That of a word is (1 - l) P(w | pair) + l P(w | collection). Probabilities are multiplied before the logarithm is
    taken.
    """
    found, logs, whole = np.zeros(len(starts)), np.empty(len(posts)), max(counts.sum(), 1)
    for comment in range(len(starts)):
        low, high = starts[comment], starts[comment + 1] if comment + 1 < len(starts) else len(posts)
        for at in range(low, high):
            product, total = 1.0, 0.0
            for word in range(len(shares)):
                mixed = by_post[posts[at], word] + by_comment[comment, word]
                probability = max((1 - collection) * mixed + collection * shares[word], _TINY)
                for _ in range(counts[word]):
                    product *= probability
                    if product < _SMALL:
                        total += np.log(product)
                        product = 1.0
            logs[at] = total + np.log(product)
        largest = logs[low:high].max()
        found[comment] = (largest + np.log(np.exp(logs[low:high] - largest).mean())) / whole
    return found


@kernel
def add_rows(
    starts: IntArray, targets: Tokens, probabilities: NDArray[np.float32], words: Tokens, total: FloatArray
) -> None:
    """Add up the rows of some source words."""
    for word in words:
        if word + 1 < len(starts):
            for at in range(starts[word], starts[word + 1]):
                total[targets[at]] += probabilities[at]


TRANSLATION_FEATURES = {
    "translm": Feature(
        translm,
        "log-probability of the query given the pair, by word translation",
        ("translation",),
        word_pairs=strongest_translations,
    ),
    "query-given-comment": Feature(
        query_given_comment, "log-probability of the query as a translation of the comment", ("translation",)
    ),
    "comment-given-query": Feature(
        comment_given_query, "log-probability of the comment as a translation of the query", ("translation",)
    ),
    "comment-lift": Feature(
        comment_lift, "log of how much likelier the query makes the comment's words, by translation", ("translation",)
    ),
}
