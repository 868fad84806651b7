"""The systems that make runs, by name: those of the pilot study, and others. SYSTEMS has one row for each."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from kaiwa.errors import InputError, Names
from kaiwa.ranking.dense_source import ENCODER, approximate, comments_of_nearest_posts, nearest_comments
from kaiwa.ranking.system import (
    FUSIONS,
    System,
    answering_words,
    bridged_search,
    by_length,
    by_similarity,
    expanded_search,
    in_turn,
    like_words,
    nearest_pairs,
    posts_first,
    ranking_of,
    weighted_sum,
)
from kaiwa.ranking.text_networks import comment_clusters, lexical_walk, random_walk
from kaiwa.ranking.word_rules import at_its_time, short_agreements
from kaiwa.retrieval.matching import Matcher

if TYPE_CHECKING:
    from kaiwa.ranking.system import Source, Strengths


_TFIDF_Q2P, _TFIDF_Q2C, _TFIDF = (Matcher("tfidf", *weights) for weights in ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0)))
_BM25_Q2P, _BM25_Q2C, _BM25 = (Matcher("bm25", *weights) for weights in ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0)))
_TFIDF_FEATURES = ("q2p", "q2c")
_BM25_FEATURES = ("bm25-q2p", "bm25-q2c")
_NGRAMS = ("ngrams-q2p", "ngrams-q2c")
_TOWERS = ("towers-q2p", "towers-q2c")
_ENCODER = ("encoder-q2p", "encoder-q2c")
_VECTORS = ("vectors-q2p", "vectors-q2c")
_TOPICS = ("lda-q2p", "lda-q2c")
_TRANSLM, _TOPICWORD = ("translm",), ("topicword-q2p", "topicword-q2c")
_PILOT = "Sakai et al. 2015"
_ROBERTSON = "Robertson and Zaragoza 2009"
_POSTS_FIRST = "uwnlp and picl, NTCIR-12 STC"
_CELLS = "Jégou et al. 2011"
_KIT15 = "KIT15, NTCIR-12 STC"
_POLYU = "PolyU, NTCIR-12 STC"
_SIX_TO_FOUR = dict.fromkeys(_TFIDF_FEATURES, 0.6) | dict.fromkeys(_TOPICS, 0.4)
_EQUAL = "equal weights; the pilot learned them from labels, as kaiwa train --features run3 does"
_RERANKED = 200  # candidates of run2 that features reorder
_FUSED = "fusion:"


def _summed(
    description: str,
    searches: tuple[Matcher | Source, ...],
    features: tuple[str, ...],
    *,
    origin: str,
    guess: str = "",
    depth: int = _RERANKED,
    needs: tuple[str, ...] = (),
) -> System:
    """The candidates of some searches, ordered by the sum of features, all standardised."""
    weights = dict.fromkeys(features, 1.0)
    return System(
        description,
        searches,
        features,
        combine=weighted_sum(weights),
        depth=depth,
        origin=origin,
        guess=guess,
        needs=needs,
        weights=weights,
    )


def _reranked(description: str, *added: str, depth: int = _RERANKED, origin: str = _PILOT, guess: str = "") -> System:
    """The candidates of run2, ordered by the sum of its features and others, all standardised."""
    return _summed(description, (_TFIDF,), _TFIDF_FEATURES + added, depth=depth, origin=origin, guess=guess)


def _post_first(description: str, **how: Any) -> System:  # Any: of posts_first
    """The ranking by posts, then by their comments."""
    guess = "the similarity, which is the tf-idf cosine, and what happens after the first post"
    return System(description, (partial(posts_first, **how),), _TFIDF_FEATURES, origin=_POSTS_FIRST, guess=guess)


def _expanded(description: str, strengths_of: Strengths, model: str, *, guess: str) -> System:
    """Run2, fused with run2 for the query and its further words."""
    return System(
        description,
        (_TFIDF, partial(expanded_search, strengths_of=strengths_of)),
        _TFIDF_FEATURES,
        combine=FUSIONS["rrf"],
        depth=100,
        origin=_POLYU,
        guess=guess,
        needs=(model,),
    )


SYSTEMS = Names(
    "system",
    {
        "run0": System("Q2P: similar posts' comments, tf-idf cosine", (_TFIDF_Q2P,), _TFIDF_FEATURES, origin=_PILOT),
        "run1": System("Q2C: similar comments, tf-idf cosine", (_TFIDF_Q2C,), _TFIDF_FEATURES, origin=_PILOT),
        "run2": System("Q2P + Q2C over all pairs, tf-idf cosine", (_TFIDF,), _TFIDF_FEATURES, origin=_PILOT),
        "run3": _reranked("Q2P + Q2C + TransLM", *_TRANSLM, guess=_EQUAL),
        "run4": _reranked("Q2P + Q2C + TopicWord", *_TOPICWORD, guess=_EQUAL),
        "run5": _reranked("Q2P + Q2C + TransLM + TopicWord", *_TRANSLM, *_TOPICWORD, guess=_EQUAL),
        "bm25": System("Q2P + Q2C over all pairs, BM25", (_BM25,), _BM25_FEATURES, origin=_ROBERTSON),
        "bm25-q2p": System("Q2P: similar posts' comments, BM25", (_BM25_Q2P,), _BM25_FEATURES, origin=_ROBERTSON),
        "bm25-q2c": System("Q2C: similar comments, BM25", (_BM25_Q2C,), _BM25_FEATURES, origin=_ROBERTSON),
        "fusion": System(
            "run0, run1 and bm25, fused",
            (_TFIDF_Q2P, _TFIDF_Q2C, _BM25),
            _TFIDF_FEATURES + _BM25_FEATURES,
            combine=FUSIONS["rrf"],
            depth=100,
            origin="Cormack et al. 2009",
        ),
        "language-model": _reranked(
            "the 500 best of run2 and a language model of the pair",
            "language-comment",
            "language-pair",
            depth=500,
            origin="sss, NTCIR-12 STC",
            guess="that run2 finds the candidates, and a bigram model in place of recurrent networks by cluster",
        ),
        "towers": System(
            "the comments nearest to the query by two trained encoders, among all",
            (nearest_comments,),
            _TOWERS,
            origin="Shen et al. 2014",
            needs=("dense",),
        ),
        "hybrid": _summed(
            "the best of run2 and the nearest comments and posts by the encoders, by all similarities",
            (_TFIDF, nearest_comments, comments_of_nearest_posts),
            _TFIDF_FEATURES + _TOWERS,
            origin="Karpukhin et al. 2020",
            needs=("dense",),
        ),
        "post-then-comment": _post_first(
            "the comments of the most similar post by Q2C, then of the next", order=by_similarity
        ),
        "best-comment": _post_first(
            "the comment nearest to the query of each similar post", order=by_similarity, each=1
        ),
        "longest-comment": _post_first(
            "the comments of the most similar post, the longest first, then of the next", order=by_length
        ),
        "word-vectors": System(
            "Q2P + Q2C over all pairs by the cosines of word vectors alone",
            (partial(nearest_pairs, model="vectors"),),
            _VECTORS,
            origin="NTTCS R1 and Oni R4, NTCIR-12 STC",
            guess="that post and comment count the same, and how the vectors of words are trained and weighted",
            needs=("vectors",),
        ),
        "lda": _reranked(
            "the 200 best of run2, with the similarity of topics, mixed with idf",
            *_TOPICS,
            origin=_KIT15,
            guess="the number of topics, and that all features count the same",
        ),
        "lda-alone": System(
            "Q2P + Q2C over all pairs by the cosines of topics alone",
            (partial(nearest_pairs, model="topics"),),
            _TOPICS,
            origin=_KIT15,
            guess="that post and comment count the same, the number of topics, and that words count by their rarity",
            needs=("topics",),
        ),
        "lda-mixed": replace(
            _reranked("the 200 best of run2, by 6 parts of tf-idf and 4 of topics", *_TOPICS, origin=_KIT15),
            combine=weighted_sum(_SIX_TO_FOUR),
            weights=_SIX_TO_FOUR,
            guess="which of the two has 6 parts, and that both are standardised before they are mixed",
        ),
        "wtmf": _reranked(
            "the 200 best of run2, with weighted text matrix factorisation",
            "wtmf-q2p",
            "wtmf-q2c",
            origin="Oni, NTCIR-12 STC",
            guess="that run2 finds the candidates, and that all features count the same",
        ),
        "cnn": _reranked(
            "the 200 best of run2, with a small convolutional network",
            "cnn-q2c",
            origin="HITSZ, NTCIR-12 STC",
            guess="the layers, the loss, and that run2 finds the candidates",
        ),
        "ngrams": _summed(
            "the 500 best of bm25 by a probabilistic model of character n-grams",
            (_BM25,),
            _NGRAMS,
            depth=500,
            origin="OKSAT, NTCIR-12 STC",
            guess="the probabilistic model, which is BM25, and one query in place of several that are merged",
        ),
        "random-walk": System(
            "the 200 best of run2 by a random walk over their posts and comments",
            (random_walk,),
            _TFIDF_FEATURES,
            depth=_RERANKED,
            origin="BUPT, NTCIR-12 STC",
            guess="what links two texts, and how strongly",
        ),
        "lexical-walk": System(
            "the 200 best of run2 by a random walk over the words of their posts and comments",
            (lexical_walk,),
            _TFIDF_FEATURES,
            depth=_RERANKED,
            origin="SLSTC, NTCIR-12 STC",
            guess="what links two words, and how the visits of words become a score",
        ),
        "time-rule": System(
            "random-walk, with comments that name another time than the query after the others",
            (partial(at_its_time, source=random_walk),),
            _TFIDF_FEATURES,
            depth=_RERANKED,
            origin="BUPT R4, NTCIR-12 STC",
            guess="that the rule reads words (morning, Sunday, winter), because the pairs of the task have no dates",
        ),
        "comment-clusters": System(
            "the 200 best of run2 in clusters of like comments, the heaviest first",
            (comment_clusters,),
            _TFIDF_FEATURES,
            depth=_RERANKED,
            origin="NTCIR-12 STC",
            guess="how comments are clustered (single links from a cosine of .5), and that large clusters come first",
        ),
        "short-agreements": System(
            "short comments of agreement, those of similar posts first, then run2",
            (short_agreements, _TFIDF),
            _TFIDF_FEATURES,
            combine=in_turn,
            depth=_RERANKED,
            origin="OKSAT-J R5, NTCIR-12 STC",
            guess="the list of phrases, how short is short, and the order of the comments",
        ),
        "keyword-expansion": _expanded(
            "run2, and run2 with words that answer the query's words, fused",
            answering_words,
            "translation",
            guess="where the further words come from, and how many there are",
        ),
        "vector-expansion": _expanded(
            "run2, and run2 with words near the query by word vectors, fused",
            like_words,
            "vectors",
            guess="that the second expansion takes words that are like the query's, and how many",
        ),
        "encoder-decoder": _reranked(
            "the 200 best of run2, with a small encoder-decoder in both directions",
            "decoder-comment",
            "decoder-query",
            origin="USTC, NTCIR-12 STC",
            guess="the network, which is small here, and the sum of both directions with run2",
        ),
        "patterns": _reranked(
            "the 200 best of run2, with pairs of patterns by logistic regression",
            "patterns-q2c",
            origin="ITNLP, NTCIR-12 STC",
            guess="what a pattern is: here two neighbouring words",
        ),
        "random-forest": _reranked(
            "the 200 best of run2, with a random forest over tf-idf features",
            "forest-q2c",
            origin="Oni, NTCIR-12 STC",
            guess="the features of the forest, and that it learns from pairs, not from labels",
        ),
        "bridge": System(
            "run2, and the comments like the replies that similar posts of other dialogues had, fused",
            (bridged_search, _TFIDF),
            _TFIDF_FEATURES,
            combine=FUSIONS["rrf"],
            depth=100,
            origin="yuila, NTCIR-12 STC",
            guess="the other dialogues, how many replies lead on, and the fusion with run2",
            needs=("bridge",),
        ),
        "towers-approximate": System(
            "towers, among the vectors of the nearest cells",
            (partial(nearest_comments, near=approximate),),
            _TOWERS,
            origin=_CELLS,
            needs=("dense", "cells"),
        ),
        "hybrid-approximate": _summed(
            "hybrid, with the vectors of the nearest cells",
            (_TFIDF, *(partial(source, near=approximate) for source in (nearest_comments, comments_of_nearest_posts))),
            _TFIDF_FEATURES + _TOWERS,
            origin=_CELLS,
            needs=("dense", "cells"),
        ),
        "encoder": _summed(
            "the nearest comments and posts by an encoder given as a file, by both cosines",
            tuple(partial(source, space=ENCODER) for source in (nearest_comments, comments_of_nearest_posts)),
            _ENCODER,
            origin="Reimers and Gurevych 2019",
        ),
    },
)
"""Feature sets of run0 to run5: Sakai et al. 2015, Table 2."""


def system_named(name: str, *, fusion: str = "rrf") -> System:
    """The system of that name, with ``fusion`` if it combines rankings; ``fusion:A,B`` fuses the systems A and B.

    >>> system_named("run2").description
    'Q2P + Q2C over all pairs, tf-idf cosine'
    >>> system_named("fusion", fusion="combsum").description
    'run0, run1 and bm25, fused (combsum)'
    >>> system_named("fusion:run3,towers").models
    ('translation', 'towers', 'dense')
    """
    system = _fused(name.removeprefix(_FUSED)) if name.startswith(_FUSED) else SYSTEMS[name]
    combine = FUSIONS[fusion]
    if system.combine not in FUSIONS.values():
        return system
    return replace(system, combine=combine, description=f"{system.description} ({fusion})")


def fuses(name: str) -> bool:
    """Whether the system fuses rankings, so that the method of fusion changes it.

    >>> fuses("fusion"), fuses("run2")
    (True, False)
    """
    return name.startswith(_FUSED) or SYSTEMS[name].combine in FUSIONS.values()


def _fused(listed: str) -> System:
    """The rankings of some systems, to be fused."""
    names = [name.strip() for name in listed.split(",")]
    parts = [SYSTEMS[name] for name in names]
    if len(set(names)) < max(len(names), 2):
        raise InputError(f"{_FUSED}{listed} names fewer than two different systems; try fusion:run2,bm25")
    return replace(
        SYSTEMS["fusion"],
        description=f"{', '.join(names[:-1])} and {names[-1]}, fused",
        searches=tuple(partial(ranking_of, system=part) for part in parts),
        features=tuple(dict.fromkeys(feature for part in parts for feature in part.features)),
        needs=tuple(dict.fromkeys(model for part in parts for model in part.models)),
    )
