"""Similarities of the query and the two texts of a pair: Q2P and Q2C, by tf-idf cosine and by BM25."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.ranking.features.feature import Feature
from kaiwa.ranking.models.dense_codes import coded, products
from kaiwa.ranking.models.text_factors import factor_cosines, text_factors
from kaiwa.ranking.models.topic_words import pi_cosines, topic_weights
from kaiwa.ranking.models.towers import SIDES
from kaiwa.ranking.models.word_vectors import text_vectors, vector_cosines
from kaiwa.ranking.texts import TokenLists
from kaiwa.ranking.words import LENGTHS
from kaiwa.retrieval.matching import comment_similarities, post_similarities, term_similarities
from kaiwa.retrieval.query import SIMILARITIES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

    from kaiwa.nouns.ids import FloatArray
    from kaiwa.ranking.features.batch import Batch
    from kaiwa.ranking.models.dense_codes import Coded, DenseCodes
    from kaiwa.ranking.models.onnx_encoder import EncoderCodes
    from kaiwa.ranking.models.towers import Towers
    from kaiwa.ranking.words import LocalWords

    Arrays = Mapping[str, Any]  # Any: arrays
    Encoder = Callable[[TokenLists, Arrays], FloatArray]
    Cosines = Callable[[LocalWords, FloatArray, Arrays, NDArray[Any] | None], FloatArray]  # of one vector


def q2p(batch: Batch, *, similarity: str) -> FloatArray:
    """The similarity of the query and the post of each pair."""
    return batch.once(_POSTS[similarity])


def q2c(batch: Batch, *, similarity: str) -> FloatArray:
    """The similarity of the query and the comment of each pair."""
    return batch.once(_COMMENTS[similarity])


def _post_values(batch: Batch, *, similarity: str) -> FloatArray:
    return post_similarities(batch.query, similarity, batch.candidates.posts)


def _comment_values(batch: Batch, *, similarity: str) -> FloatArray:
    return comment_similarities(batch.query, similarity, batch.candidates.comments)


_POSTS = {similarity: partial(_post_values, similarity=similarity) for similarity in SIMILARITIES}
_COMMENTS = {similarity: partial(_comment_values, similarity=similarity) for similarity in SIMILARITIES}


def q2p_by_term(batch: Batch, *, similarity: str) -> FloatArray:
    """What each term of the query adds to the similarity of the query and the post."""
    return term_similarities(batch.query, batch.query.index.posts, similarity, batch.candidates.posts)


def q2c_by_term(batch: Batch, *, similarity: str) -> FloatArray:
    """What each term of the query adds to the similarity of the query and the comment."""
    return term_similarities(batch.query, batch.query.index.comments, similarity, batch.candidates.comments)


def _q2p(similarity: str, name: str) -> Feature:
    terms = partial(q2p_by_term, similarity=similarity)
    return Feature(partial(q2p, similarity=similarity), f"{name} of the query and the post", by_term=terms)


def _q2c(similarity: str, name: str) -> Feature:
    terms = partial(q2c_by_term, similarity=similarity)
    return Feature(partial(q2c, similarity=similarity), f"{name} of the query and the comment", by_term=terms)


SIMILARITY_FEATURES = {
    "q2p": _q2p("tfidf", "tf-idf cosine"),
    "q2c": _q2c("tfidf", "tf-idf cosine"),
    "bm25-q2p": _q2p("bm25", "BM25"),
    "bm25-q2c": _q2c("bm25", "BM25"),
}


# An encoder given as a file: the cosine of the query and the post or comment of each pair, by stored vectors.


def encoder_cosine(batch: Batch, *, side: str) -> FloatArray:
    """The cosine of the encoded query and the stored comment, or the mean over its posts."""
    model: EncoderCodes = batch.models.opened("encoder")
    stored: Coded = getattr(model, side)
    numbers = batch.candidates.comments if side == "comments" else batch.numbered_posts[0]
    found = products(stored.of(numbers), model.encoder.query(batch.query.text))
    return found if side == "comments" else batch.mean_of_posts(found)


ENCODER_FEATURES = {
    f"encoder-{short}": Feature(
        partial(encoder_cosine, side=side),
        f"cosine of the query and the {noun} by an encoder given as a file",
        ("encoder",),
    )
    for short, side, noun in (("q2p", "posts", "post"), ("q2c", "comments", "comment"))
}


# TopicWord: the cosine of the query and the post or comment, their words weighted by what the text is about.


def topic_word_cosine(batch: Batch, *, side: str) -> FloatArray:
    """The cosine of the pi-weighted words of query and comment, or the mean over its posts; 0 without a shared word."""
    model = batch.models.opened("topicword")
    query, own = topic_weights(TokenLists(np.array([0, len(batch.words)]), batch.words), model)
    weights = np.zeros(len(model.word_odds))
    weights[query.tokens] = own / max(float(np.sqrt(own @ own)), np.finfo(np.float64).tiny)
    if side == "comments":
        return pi_cosines(batch.comments, model, weights)
    return batch.mean_of_posts(pi_cosines(batch.distinct_posts, model, weights))


TOPIC_WORD_FEATURES = {
    f"topicword-{short}": Feature(
        partial(topic_word_cosine, side=side), f"cosine of the topic words of the query and the {noun}", ("topicword",)
    )
    for short, side, noun in (("q2p", "posts", "post"), ("q2c", "comments", "comment"))
}


# Two towers: the cosine of the query, encoded as a post, and the post or comment of each pair.


def tower_cosine(batch: Batch, *, side: str) -> FloatArray:
    """The cosine of the encoded query and the stored comment, or the mean over its posts."""
    towers: Towers = batch.models.opened("towers")
    query = towers.encoded(TokenLists(np.array([0, len(batch.words)]), batch.words), 0)
    stored: DenseCodes = batch.models.opened("dense")
    own: Coded = getattr(stored, side)
    if batch.is_stored(side, own.codes):
        numbers = batch.candidates.comments if side == "comments" else batch.numbered_posts[0]
        found = products(own.of(numbers), coded(query))
    else:
        texts = batch.comments if side == "comments" else batch.distinct_posts
        found = (towers.encoded(texts, SIDES.index(side)) @ query[0]).astype(np.float64)
    return found if side == "comments" else batch.mean_of_posts(found)


TOWER_FEATURES = {
    f"towers-{short}": Feature(
        partial(tower_cosine, side=side),
        f"cosine of the query and the {noun} by two trained encoders",
        ("towers", "dense"),
    )
    for short, side, noun in (("q2p", "posts", "post"), ("q2c", "comments", "comment"))
}


# Cosines of the query's and the text's vectors: of words, of topics, and of matrix factors.


def vector_cosine(
    batch: Batch, *, side: str, model: str, encoder: Encoder, cosines: Cosines, stored: str
) -> FloatArray:
    """The cosine of the vectors of the query and of the comment, or the mean over its posts.

    ``stored`` is the array of what the model has of each text of that side.
    """
    arrays = batch.models.opened(model)
    query = encoder(TokenLists(np.array([0, len(batch.words)]), batch.words), arrays)[0]
    texts = batch.local_comments if side == "comments" else batch.local_posts
    found = cosines(texts, query, arrays, batch.stored(side, arrays[stored]))
    return found if side == "comments" else batch.mean_of_posts(found)


_WHOLE = {side: side for side in LENGTHS}
_KINDS = (
    ("vectors", "vectors", text_vectors, vector_cosines, LENGTHS, "word vectors"),
    ("lda", "topics", text_vectors, vector_cosines, LENGTHS, "topics, by idf,"),
    ("wtmf", "factors", text_factors, factor_cosines, _WHOLE, "matrix factors"),
)

VECTOR_FEATURES = {
    f"{name}-{short}": Feature(
        partial(vector_cosine, side=side, model=model, encoder=encoder, cosines=cosines, stored=stored[side]),
        f"cosine of the {what} of the query and the {noun}",
        (model,),
    )
    for name, model, encoder, cosines, stored, what in _KINDS
    for short, side, noun in (("q2p", "posts", "post"), ("q2c", "comments", "comment"))
}
