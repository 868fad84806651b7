"""A system: candidates, features, and a way to combine them.

Each search finds its exact top candidates, ranked; a feature is a number for each candidate; a combination makes one
ranking from the rankings of the searches and the features.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.errors import InputError, Names
from kaiwa.nouns.ids import FloatArray
from kaiwa.ranking.features.batch import FIRST_DEPTH, Batch, needed_models
from kaiwa.ranking.features.table import FEATURES, feature_values
from kaiwa.ranking.fusion import FORMULAS
from kaiwa.ranking.models.bridge_dialogues import nearest_replies
from kaiwa.ranking.models.word_vectors import text_vectors
from kaiwa.ranking.texts import TokenLists
from kaiwa.ranking.words import LENGTHS, cosines, list_sums, word_products
from kaiwa.retrieval.matching import (
    Candidates,
    Matcher,
    comment_similarities,
    post_similarities,
    query_from,
    search,
    similar_posts,
)
from kaiwa.retrieval.tokenisers import tokeniser

if TYPE_CHECKING:
    from kaiwa.nouns.ids import IntArray
    from kaiwa.ranking.fusion import Formula
    from kaiwa.ranking.models.table import OpenModels
    from kaiwa.ranking.models.translation import Translation
    from kaiwa.ranking.texts import Tokens
    from kaiwa.retrieval.matching import Query

    Order = Callable[[Query, IntArray], FloatArray]
    Strengths = Callable[["Asked"], FloatArray]  # of each word as a further word of the query


@dataclass(frozen=True, eq=False)
class Asked:
    """A query, the number of candidates wanted, the posts through which none may be found, and the models."""

    query: Query
    k: int
    takedown_posts: IntArray | None = None
    given: OpenModels | None = None

    @property
    def models(self) -> OpenModels:
        """The models; an error if none were given."""
        return needed_models(self.given)

    def search(self, matcher: Matcher) -> Candidates:
        """The best pairs by a matcher."""
        return search(self.query, matcher, k=self.k, takedown_posts=self.takedown_posts)


Source = Callable[[Asked], Candidates]


def ordered(candidates: Candidates, scores: FloatArray) -> Candidates:
    """The candidates with new scores, best first; ties by comment id.

    >>> found = ordered(Candidates(np.array([4, 2]), np.array([0, 1]), np.zeros(2)), np.array([0.5, 0.5]))
    >>> found.comments.tolist(), found.posts.tolist()
    ([2, 4], [1, 0])
    """
    order = np.lexsort((candidates.comments, -scores))
    return Candidates(candidates.comments[order], candidates.posts[order], scores[order])


def by_keys(candidates: Candidates, *keys: FloatArray) -> Candidates:
    """The candidates by several keys, the highest first key first; ties by comment id.

    The score is 1 / rank, because the keys have no common scale.

    >>> found = Candidates(np.array([4, 2, 9]), np.array([0, 1, 2]), np.zeros(3))
    >>> by_keys(found, np.array([1.0, 1.0, 0.0]), np.array([0.2, 0.3, 0.9])).comments.tolist()
    [2, 4, 9]
    """
    order = np.lexsort((candidates.comments, *(-key for key in reversed(keys))))
    return Candidates(candidates.comments[order], candidates.posts[order], 1.0 / np.arange(1, len(order) + 1))


def best_posts(query: Query, comments: IntArray, *, takedown_posts: IntArray | None = None) -> IntArray:
    """The post of each comment that is most similar to the query (q2p); the lowest number if several are.

    A post of the takedown list comes after all others.
    """
    links = query.index.links
    starts = links.comment_starts[comments].astype(np.int64)
    sizes = links.comment_starts[comments + 1].astype(np.int64) - starts
    if not sizes.all():
        lonely = query.index.comments.texts.id_of(int(comments[sizes == 0][0]))
        raise InputError(f"comment {lonely!r} has no post in the index; build the index again")
    ends = np.cumsum(sizes)
    places = np.arange(sizes.sum()) - np.repeat(ends - sizes - starts, sizes)
    posts = links.comment_posts[places].astype(np.int64)
    scores = post_similarities(query, "tfidf", posts)
    if takedown_posts is not None:
        scores[np.isin(posts, takedown_posts)] = -1.0
    owner = np.repeat(np.arange(len(comments)), sizes)
    order = np.lexsort((posts, -scores, owner))
    best: IntArray = posts[order][ends - sizes]
    return best


# A bridge of dialogues: the comments most similar to the replies that posts like the query had elsewhere.


REPLIES = 5


def bridged_search(asked: Asked) -> Candidates:
    """The best comments by Q2C for the words of the nearest replies together."""
    corpus, index = asked.models.corpus, asked.query.index
    replies = nearest_replies(corpus.numbers(asked.query.text), asked.models.opened("bridge"), REPLIES)
    terms = tokeniser(index.tokeniser).terms
    words = [term for reply in replies for word in reply.tolist() for term in terms(corpus.words.text_of(word))]
    query = query_from(index, words, asked.query.text)
    found = search(query, Matcher("tfidf", 0.0, 1.0), k=asked.k, takedown_posts=asked.takedown_posts)
    return replace(found, posts=best_posts(asked.query, found.comments, takedown_posts=asked.takedown_posts))


# Keyword expansion: the search with further words, which answer the words of the query or are like them.


FURTHER = 5
_REPEATED = 2  # how often each term of the query itself counts beside one further word


def expanded_search(asked: Asked, *, strengths_of: Strengths) -> Candidates:
    """The best pairs by Q2P + Q2C for the query and its further words."""
    query = expanded_query(asked, strengths_of)
    return search(query, Matcher("tfidf", 1.0, 1.0), k=asked.k, takedown_posts=asked.takedown_posts)


def expanded_query(asked: Asked, strengths_of: Strengths) -> Query:
    """The query with its further words."""
    index = asked.query.index
    own = tokeniser(index.tokeniser).terms(asked.query.text.encode(errors="replace").decode())
    return query_from(index, [*(list(own) * _REPEATED), *further_terms(asked, strengths_of)], asked.query.text)


def further_terms(asked: Asked, strengths_of: Strengths, *, count: int = FURTHER) -> list[str]:
    """The terms of the strongest further words that the index's tokeniser keeps, and that the query does not have."""
    corpus, chosen = asked.models.corpus, tokeniser(asked.query.index.tokeniser)
    strengths = strengths_of(asked)
    known, further = set(asked.query.words), list[str]()
    for word in np.argsort(-strengths, kind="stable")[: 20 * count].tolist():
        if strengths[word] <= 0 or len(further) >= count:
            break
        further += [term for term in chosen.terms(corpus.words.text_of(word)) if term not in known.union(further)]
    return further[:count]


def answering_words(asked: Asked) -> FloatArray:
    """Per word how strongly it answers the query's words, by the translation from posts to comments."""
    corpus = asked.models.corpus
    return word_strengths(
        corpus.numbers(asked.query.text), asked.models.opened("translation").to_comments, corpus.shares
    )


def like_words(asked: Asked) -> FloatArray:
    """Per word the cosine of its vector and the query's, where it is positive (Kuzi, Shtok and Kurland 2016, Cent)."""
    corpus, model = asked.models.corpus, asked.models.opened("vectors")
    words = corpus.numbers(asked.query.text)
    vectors = model["vectors"].astype(np.float64)
    lengths = np.sqrt((vectors**2).sum(axis=1))
    query = text_vectors(TokenLists(np.array([0, len(words)]), words), model)[0]
    strengths = np.zeros(len(corpus.counts))
    strengths[: len(vectors)] = np.maximum((vectors * query).sum(axis=1) / np.where(lengths > 0, lengths, 1.0), 0.0)
    return strengths


def word_strengths(words: Tokens, model: Translation, shares: FloatArray) -> FloatArray:
    """Per word e the sum over the given words w of T(e | w) log(T(e | w) / P(e)), where it is positive."""
    strengths = np.zeros(len(shares))
    for word in words[words + 1 < len(model.starts)].tolist():
        row = slice(model.starts[word], model.starts[word + 1])
        targets, chances = model.targets[row], model.probabilities[row].astype(np.float64)
        strengths[targets] += np.maximum(chances * np.log(chances / shares[targets]), 0.0)
    return strengths


# All pairs by the vectors of their texts alone: no word of the query need be in the pair.


_NO_COSINE = 1e-6  # what rounding leaves of 0


def nearest_pairs(asked: Asked, *, model: str) -> Candidates:
    """The best pairs by the cosines of the query and the post, and of the query and the comment, added up.

    Exact over all pairs; each comment once, with its best post, and only if the sum is positive. ``model`` has vectors
    of words, whose weighted means are those of texts.
    """
    arrays, corpus, links = asked.models.opened(model), asked.models.corpus, asked.query.index.links
    words = corpus.numbers(asked.query.text)
    query = text_vectors(TokenLists(np.array([0, len(words)]), words), arrays)[0].astype(np.float32)
    every = np.arange(len(corpus.counts), dtype=np.int32)
    by_word = word_products(every, arrays["vectors"], arrays["rarity"], query)
    posts, comments = (
        cosines(list_sums(*corpus.all_of(side), by_word), arrays[LENGTHS[side]]) for side in ("posts", "comments")
    )
    if asked.takedown_posts is not None:
        posts[asked.takedown_posts] = -np.inf
    sizes = np.diff(links.comment_starts)
    owner, linked = np.repeat(np.arange(len(comments)), sizes), sizes > 0
    scores, peaks = posts[links.comment_posts] + comments[owner], np.zeros(len(comments))
    peaks[linked] = np.maximum.reduceat(scores, links.comment_starts[:-1][linked]) if linked.any() else 0.0
    best = np.flatnonzero(scores == peaks[owner])
    best = best[np.flatnonzero(np.diff(owner[best], prepend=-1))]
    best = best[scores[best] > _NO_COSINE]
    if len(best) > asked.k:
        best = best[scores[best] >= np.partition(scores[best], -asked.k)[-asked.k]]
    found = Candidates(owner[best], links.comment_posts[best].astype(np.int64), scores[best])
    return ordered(found, found.scores)[: asked.k]


# Posts first, then their comments: the posts by their similarity to the query, the comments of each by a second
# order.


_POSTS = 64


def by_similarity(query: Query, comments: IntArray) -> FloatArray:
    """The tf-idf cosine of the query and each comment."""
    return comment_similarities(query, "tfidf", comments)


def by_length(query: Query, comments: IntArray) -> FloatArray:
    """The number of characters of each comment."""
    return np.array([len(query.index.comments.texts.text_of(one)) for one in comments.tolist()], dtype=np.float64)


def posts_first(asked: Asked, *, order: Order, each: int | None = None) -> Candidates:
    """The comments of the most similar post in an order, then those of the next; of each post at most ``each``.

    The score is 1 / rank, because the two orders have no common scale.
    """
    count = _POSTS
    while True:
        posts = similar_posts(asked.query, "tfidf", k=count, takedown_posts=asked.takedown_posts)
        found = _comments_of(asked, posts, order, each)
        if len(found) >= asked.k or len(posts) < count:
            places = np.array(list(found.items()), dtype=np.int64).reshape(-1, 2)[: asked.k]
            return Candidates(places[:, 0], places[:, 1], 1.0 / np.arange(1, len(places) + 1))
        count *= 4


def _comments_of(asked: Asked, posts: IntArray, order: Order, each: int | None) -> dict[int, int]:
    """The post of each comment, in rank order; a comment of several posts has the first."""
    links = asked.query.index.links
    found: dict[int, int] = {}
    for post in posts.tolist():
        comments = links.post_comments[links.post_starts[post] : links.post_starts[post + 1]].astype(np.int64)
        own = np.array([one for one in comments.tolist() if one not in found], dtype=np.int64)
        best = own[np.lexsort((own, -order(asked.query, own)))]
        found |= dict.fromkeys(best[:each].tolist(), post)
        if len(found) >= asked.k:
            break
    return found


_DEEPER = 4
_PARTS = tuple(one.name for one in fields(Candidates))


def first_ranking(rankings: Sequence[Candidates], _features: Features) -> Candidates:
    """The ranking of the first search: its scores are already the sum of its features."""
    return rankings[0]


@dataclass(frozen=True)
class System:
    """A named way to rank comments; ``depth`` is the number of candidates of each search, 0 for k.

    ``features`` are names of FEATURES: those that the combination may use, and that a reply shows. ``origin`` is the
    team or the paper that described the system, and ``guess`` what that description leaves open. ``needs`` are the
    models of its sources. ``weights`` are those of the standardised features, if it orders by their sum.
    """

    description: str
    searches: tuple[Matcher | Source, ...]
    features: tuple[str, ...]
    combine: Combination = first_ranking
    depth: int = 0
    origin: str = ""
    guess: str = ""
    needs: tuple[str, ...] = ()
    weights: Mapping[str, float] | None = None

    @property
    def models(self) -> tuple[str, ...]:
        """The models that its features and its sources need."""
        by_features = (need for name in self.features for need in FEATURES[name].needs)
        return tuple(dict.fromkeys((*by_features, *self.needs)))


def ranked(
    query: Query, system: System, *, k: int, takedown_posts: IntArray | None = None, models: OpenModels | None = None
) -> Candidates:
    """The k best comments as the system ranks them, before any filter.

    The searches find ``depth`` candidates each. If these are fewer than k, candidates of deeper searches follow them,
    in their own order: what is among the first k does not depend on k.
    """
    depth = system.depth or k
    found = _ranked_at(Asked(query, depth, takedown_posts, models), system)
    while system.depth > 0 and depth <= len(found) < k:  # fewer than the depth: the searches have no more
        depth *= _DEEPER
        deeper = _ranked_at(Asked(query, depth, takedown_posts, models), system)
        further = deeper[np.flatnonzero(~np.isin(deeper.comments, found.comments))]
        if not len(further):
            break
        found = _followed_by(found, further)
    return found[:k]


def ranking_of(asked: Asked, *, system: System) -> Candidates:
    """The ranking of a system, as a source of candidates of another one."""
    return ranked(asked.query, system, k=asked.k, takedown_posts=asked.takedown_posts, models=asked.given)


def _ranked_at(asked: Asked, system: System) -> Candidates:
    """All candidates of searches of one depth, as the system ranks them."""

    def features(candidates: Candidates) -> Mapping[str, FloatArray]:
        batch = Batch(asked.query, candidates, asked.given, asked.takedown_posts, searched)
        return feature_values(batch, system.features)

    rankings = [asked.search(one) if isinstance(one, Matcher) else one(asked) for one in system.searches]
    done = zip(system.searches, rankings, strict=True) if asked.k >= FIRST_DEPTH else ()
    searched = {one: found for one, found in done if isinstance(one, Matcher)}
    return system.combine(rankings, features)


def _followed_by(found: Candidates, further: Candidates) -> Candidates:
    """One ranking after another, whose scores are lowered by a constant to be below."""
    if not len(found):
        return further
    last = found.scores[-1]
    lowered = np.minimum(further.scores + min(0.0, last - further.scores[0]), last)
    parts = (found, replace(further, scores=lowered))
    return Candidates(*(np.concatenate([getattr(one, part) for one in parts]) for part in _PARTS))


# Several rankings combined into one.


Features = Callable[[Candidates], Mapping[str, FloatArray]]  # computes a system's features for any candidates
Combination = Callable[[Sequence[Candidates], Features], Candidates]


def fused(
    rankings: Sequence[Candidates],
    _features: Features,
    *,
    formula: Formula[int],
) -> Candidates:
    """The candidates of all rankings, each comment once, ordered by a formula; ties by comment id."""
    scores = formula([list(zip(one.comments.tolist(), one.scores.tolist(), strict=True)) for one in rankings])
    order = sorted(scores, key=lambda comment: (-scores[comment], comment))
    posts = dict(pair for one in rankings for pair in zip(one.comments.tolist(), one.posts.tolist(), strict=True))
    return Candidates(
        comments=np.array(order, dtype=np.int64),
        posts=np.array([posts[comment] for comment in order], dtype=np.int64),
        scores=np.array([scores[comment] for comment in order], dtype=np.float64),
    )


FUSIONS: Names[Combination] = Names(
    "fusion", {name: partial(fused, formula=formula) for name, formula in FORMULAS.items()}
)


def in_turn(rankings: Sequence[Candidates], _features: Features) -> Candidates:
    """The candidates of the first ranking, then those that only the next one has; the score is 1 / rank."""
    candidates = united(rankings)
    return replace(candidates, scores=1.0 / np.arange(1, len(candidates) + 1))


# Candidates ordered by a weighted sum of standardised features.


def weighted_sum(weights: Mapping[str, float]) -> Combination:
    """The combination that orders the candidates of all searches by a weighted sum of their features."""
    return partial(summed, weights=weights)


def summed(rankings: Sequence[Candidates], features: Features, *, weights: Mapping[str, float]) -> Candidates:
    """The candidates by the weighted sum of their features, each standardised over the candidates; ties by id."""
    candidates = united(rankings)
    values = features(candidates)
    scores = np.zeros(len(candidates))
    for name, weight in weights.items():
        scores += weight * standardised(values[name])
    return ordered(candidates, scores)


def united(rankings: Sequence[Candidates]) -> Candidates:
    """The candidates of all rankings, each comment once, as the first ranking that has it.

    >>> one, two = (Candidates(np.array(numbers), np.zeros(2), np.ones(2)) for numbers in ([5, 3], [4, 5]))
    >>> united([one, two]).comments.tolist()
    [5, 3, 4]
    """
    comments = np.concatenate([one.comments for one in rankings])
    first = np.sort(np.unique(comments, return_index=True)[1])
    posts, scores = (np.concatenate([getattr(one, part) for one in rankings]) for part in ("posts", "scores"))
    return Candidates(comments[first], posts[first], scores[first])


def standardised(values: FloatArray) -> FloatArray:
    """Values with mean 0 and standard deviation 1; all 0 if they are equal.

    >>> standardised(np.array([1.0, 3.0])).tolist(), standardised(np.array([2.0, 2.0])).tolist()
    ([-1.0, 1.0], [0.0, 0.0])
    """
    if not len(values):
        return values
    spread = values.std()
    return (values - values.mean()) / spread if spread > 0 else np.zeros(len(values))
