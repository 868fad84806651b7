"""Networks of the retrieved posts and comments, or of their words: random walks over them, and clusters.

PageRank with a restart: BUPT and SLSTC at NTCIR-12 STC; Brin and Page 1998; Haveliwala 2002. The graph of similar texts
is that of Erkan and Radev 2004, the network of words that of Mihalcea and Tarau 2004. Clusters of retrieved texts:
Jardine and van Rijsbergen 1971.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.ranking.system import by_keys, ordered
from kaiwa.retrieval.matching import Matcher, comment_similarities, post_similarities
from kaiwa.retrieval.tokenisers import tokeniser

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.ranking.system import Asked
    from kaiwa.retrieval.inverted_index import InvertedIndex
    from kaiwa.retrieval.matching import Candidates

    Network = Any  # Any: an array or a linear operator; both multiply vectors, and can be transposed


DAMPING = 0.85
ALIKE = 0.5
"""The tf-idf cosine from which two comments are of one cluster."""
_CHANGE = 1e-10
_STEPS = 200
_RUN2 = Matcher("tfidf", 1.0, 1.0)


def random_walk(asked: Asked) -> Candidates:
    """The best pairs by Q2P + Q2C, ordered by how often a random walk visits the comment.

    Texts are linked by their tf-idf cosine, a post and its comment by 1 more. The walk starts again, with
    probability 1 - ``DAMPING``, at a text chosen by its similarity to the query.
    """
    found = asked.search(_RUN2)
    if not len(found):
        return found
    posts = np.unique(found.posts)
    starts = np.concatenate(
        (post_similarities(asked.query, "tfidf", posts), comment_similarities(asked.query, "tfidf", found.comments))
    )
    visits = visit_rates(_links(asked.query.index, posts, found.comments), starts)
    return ordered(found, visits[len(posts) :])


def lexical_walk(asked: Asked) -> Candidates:
    """The best pairs by Q2P + Q2C, ordered by how often a random walk over words visits the words of the pair.

    Two words are linked if a retrieved post or comment has both, by the products of their tf-idf weights there. The
    walk starts again at a word of the query, chosen by its tf-idf weight. A post or comment has the sum of its words'
    visits, times their tf-idf weights in it, and a pair has the sum of both.
    """
    from scipy.sparse.linalg import LinearOperator

    found = asked.search(_RUN2)
    if not len(found):
        return found
    index, posts = asked.query.index, np.unique(found.posts)
    vectors = _vectors(index, [asked.query.text, *_texts(index, posts, found.comments)])
    own = vectors[:, np.unique(vectors[1:].indices)].tocsr()
    query, texts = own[0].toarray()[0], own[1:]
    itself = np.asarray(texts.multiply(texts).sum(axis=0))[0]

    def linked(rates: FloatArray) -> FloatArray:
        rates = rates.ravel()
        products: FloatArray = texts.T @ (texts @ rates) - itself * rates
        return products

    network = LinearOperator((len(query),) * 2, matvec=linked, rmatvec=linked, dtype=np.float64)
    visits = texts @ visit_rates(network, query)
    return ordered(found, visits[: len(posts)][np.searchsorted(posts, found.posts)] + visits[len(posts) :])


def comment_clusters(asked: Asked) -> Candidates:
    """The best pairs by Q2P + Q2C in clusters of like comments: the heaviest cluster first, its best comment first.

    Two comments are linked if their tf-idf cosine is at least ``ALIKE``, and a cluster is what links join. Its weight
    is the sum of its scores, so that what many similar posts were answered with comes first.
    """
    found = asked.search(_RUN2)
    if not len(found):
        return found
    vectors = _vectors(asked.query.index, _texts(asked.query.index, found.posts[:0], found.comments))
    own = cluster_of((vectors @ vectors.T).toarray())
    weights: FloatArray = np.bincount(own, weights=found.scores).astype(np.float64)
    return by_keys(found, weights[own], -own.astype(np.float64), found.scores)


def cluster_of(cosines: FloatArray) -> IntArray:
    """The cluster of each text, from the cosines of all ("texts x texts"); numbered by their first texts.

    >>> cluster_of(np.array([[1.0, 0.2, 0.6], [0.2, 1.0, 0.1], [0.6, 0.1, 1.0]])).tolist()
    [0, 1, 0]
    """
    from scipy.sparse.csgraph import connected_components

    labels = connected_components(cosines >= ALIKE, directed=False)[1]
    _, first, places = np.unique(labels, return_index=True, return_inverse=True)
    numbers: IntArray = np.argsort(np.argsort(first))[places]
    return numbers


def visit_rates(weights: Network, starts: FloatArray) -> FloatArray:
    """The share of time at each node of a graph ("nodes x nodes" of weights), started again in proportion to starts.

    From a node without any link the walk starts again.

    >>> visit_rates(np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([1.0, 0.0])).round(4).tolist()
    [0.5405, 0.4595]
    """
    restart = starts / starts.sum()
    totals = weights @ np.ones(len(starts))
    linked = totals > _CHANGE
    shares, transposed = np.where(linked, 1.0 / np.where(linked, totals, 1.0), 0.0), weights.T
    rates: FloatArray = restart
    for _ in range(_STEPS):
        lost = 1 - DAMPING * rates[linked].sum()
        new: FloatArray = DAMPING * (transposed @ (shares * rates)) + lost * restart
        change, rates = float(np.abs(new - rates).sum()), new
        if change < _CHANGE:
            break
    return rates


def _links(index: InvertedIndex, posts: IntArray, comments: IntArray) -> FloatArray:
    """The weights of the graph: cosines of texts, and 1 more for a post and its comment."""
    vectors = _vectors(index, _texts(index, posts, comments))
    weights: FloatArray = (vectors @ vectors.T).toarray()
    place_of = {post: place for place, post in enumerate(posts.tolist())}
    links = index.links
    for place, comment in enumerate(comments.tolist(), start=len(posts)):
        for post in links.comment_posts[links.comment_starts[comment] : links.comment_starts[comment + 1]].tolist():
            if post in place_of:
                weights[place, place_of[post]] += 1.0
                weights[place_of[post], place] += 1.0
    np.fill_diagonal(weights, 0.0)
    return weights


def _texts(index: InvertedIndex, posts: IntArray, comments: IntArray) -> list[str]:
    sides = (index.posts.texts, posts), (index.comments.texts, comments)
    return [texts.text_of(one) for texts, numbers in sides for one in numbers.tolist()]


def _vectors(index: InvertedIndex, texts: Sequence[str]) -> Any:  # Any: a sparse matrix
    """The tf-idf vectors of texts, of length 1 ("texts x terms")."""
    from scipy import sparse

    counts = [Counter(tokeniser(index.tokeniser).terms(text)) for text in texts]
    words = [word for own in counts for word in own]
    values = np.array([count for own in counts for count in own.values()], dtype=np.float64)
    numbers = index.terms.numbers(words)
    rows = np.repeat(np.arange(len(texts)), [len(own) for own in counts])
    known = numbers >= 0
    numbers, values, rows = numbers[known], values[known], rows[known]
    containing = index.posts.documents_with(numbers) + index.comments.documents_with(numbers)
    values *= np.log1p((len(index.posts) + len(index.comments)) / np.maximum(containing, 1))
    lengths = np.sqrt(np.bincount(rows, weights=values**2, minlength=len(texts)))
    return sparse.csr_matrix((values / lengths[rows], (rows, numbers)), shape=(len(texts), len(index.terms)))
