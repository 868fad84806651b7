"""The systems that make runs, by name: those of the pilot study, and others. SYSTEMS has one row for each."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from kaiwa.errors import InputError, Names
from kaiwa.ranking.dense_source import ENCODER, approximate, comments_of_nearest_posts, nearest_comments
from kaiwa.ranking.random_walk import lexical_walk, random_walk
from kaiwa.ranking.system import (
    FUSIONS,
    System,
    bridged_search,
    by_length,
    by_similarity,
    expanded_search,
    posts_first,
    ranking_of,
    weighted_sum,
)
from kaiwa.retrieval.matching import Matcher

if TYPE_CHECKING:
    from kaiwa.ranking.system import Source


_TFIDF_Q2P, _TFIDF_Q2C, _TFIDF = (Matcher("tfidf", *weights) for weights in ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0)))
_BM25_Q2P, _BM25_Q2C, _BM25 = (Matcher("bm25", *weights) for weights in ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0)))
_TFIDF_FEATURES = ("q2p", "q2c")
_BM25_FEATURES = ("bm25-q2p", "bm25-q2c")
_NGRAMS = ("ngrams-q2p", "ngrams-q2c")
_TOWERS = ("towers-q2p", "towers-q2c")
_ENCODER = ("encoder-q2p", "encoder-q2c")
_TRANSLM, _TOPICWORD = ("translm",), ("topicword-q2p", "topicword-q2c")
_PILOT = "Sakai et al. 2015"
_ROBERTSON = "Robertson and Zaragoza 2009"
_POSTS_FIRST = "uwnlp and picl, NTCIR-12 STC"
_CELLS = "Jégou et al. 2011"
_RERANKED = 200  # candidates of run2 that features reorder
_FUSED = "fusion:"


def _summed(
    description: str,
    searches: tuple[Matcher | Source, ...],
    features: tuple[str, ...],
    *,
    origin: str,
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
        needs=needs,
        weights=weights,
    )


def _reranked(description: str, *added: str, depth: int = _RERANKED, origin: str = _PILOT) -> System:
    """The candidates of run2, ordered by the sum of its features and others, all standardised."""
    return _summed(description, (_TFIDF,), _TFIDF_FEATURES + added, depth=depth, origin=origin)


def _found(description: str, source: Source, origin: str) -> System:
    """The ranking of one source of candidates."""
    return System(description, (source,), _TFIDF_FEATURES, origin=origin)


SYSTEMS = Names(
    "system",
    {
        "run0": System("Q2P: similar posts' comments, tf-idf cosine", (_TFIDF_Q2P,), _TFIDF_FEATURES, origin=_PILOT),
        "run1": System("Q2C: similar comments, tf-idf cosine", (_TFIDF_Q2C,), _TFIDF_FEATURES, origin=_PILOT),
        "run2": System("Q2P + Q2C over all pairs, tf-idf cosine", (_TFIDF,), _TFIDF_FEATURES, origin=_PILOT),
        "run3": _reranked("Q2P + Q2C + TransLM", *_TRANSLM),
        "run4": _reranked("Q2P + Q2C + TopicWord", *_TOPICWORD),
        "run5": _reranked("Q2P + Q2C + TransLM + TopicWord", *_TRANSLM, *_TOPICWORD),
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
        "post-then-comment": _found(
            "the comments of the most similar post by Q2C, then of the next",
            partial(posts_first, order=by_similarity),
            _POSTS_FIRST,
        ),
        "best-comment": _found(
            "the comment nearest to the query of each similar post",
            partial(posts_first, order=by_similarity, each=1),
            _POSTS_FIRST,
        ),
        "longest-comment": _found(
            "the comments of the most similar post, the longest first, then of the next",
            partial(posts_first, order=by_length),
            _POSTS_FIRST,
        ),
        "lda": _reranked(
            "the 200 best of run2, with the similarity of topics, mixed with idf",
            "lda-q2p",
            "lda-q2c",
            origin="KIT15, NTCIR-12 STC",
        ),
        "wtmf": _reranked(
            "the 200 best of run2, with weighted text matrix factorisation",
            "wtmf-q2p",
            "wtmf-q2c",
            origin="Oni, NTCIR-12 STC",
        ),
        "cnn": _reranked(
            "the 200 best of run2, with a small convolutional network", "cnn-q2c", origin="HITSZ, NTCIR-12 STC"
        ),
        "ngrams": _summed(
            "the 500 best of bm25 by a probabilistic model of character n-grams",
            (_BM25,),
            _NGRAMS,
            depth=500,
            origin="OKSAT, NTCIR-12 STC",
        ),
        "random-walk": System(
            "the 200 best of run2 by a random walk over their posts and comments",
            (random_walk,),
            _TFIDF_FEATURES,
            depth=_RERANKED,
            origin="BUPT, NTCIR-12 STC",
        ),
        "lexical-walk": System(
            "the 200 best of run2 by a random walk over the words of their posts and comments",
            (lexical_walk,),
            _TFIDF_FEATURES,
            depth=_RERANKED,
            origin="SLSTC, NTCIR-12 STC",
        ),
        "keyword-expansion": System(
            "run2, and run2 with words that answer the query's words, fused",
            (_TFIDF, expanded_search),
            _TFIDF_FEATURES,
            combine=FUSIONS["rrf"],
            depth=100,
            origin="PolyU, NTCIR-12 STC",
            needs=("translation",),
        ),
        "encoder-decoder": _reranked(
            "the 200 best of run2, with a small encoder-decoder in both directions",
            "decoder-comment",
            "decoder-query",
            origin="USTC, NTCIR-12 STC",
        ),
        "patterns": _reranked(
            "the 200 best of run2, with pairs of patterns by logistic regression",
            "patterns-q2c",
            origin="ITNLP, NTCIR-12 STC",
        ),
        "random-forest": _reranked(
            "the 200 best of run2, with a random forest over tf-idf features", "forest-q2c", origin="Oni, NTCIR-12 STC"
        ),
        "bridge": System(
            "run2, and the comments like the replies that similar posts of other dialogues had, fused",
            (bridged_search, _TFIDF),
            _TFIDF_FEATURES,
            combine=FUSIONS["rrf"],
            depth=100,
            origin="yuila, NTCIR-12 STC",
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
