"""Exactness: every search agrees with one that scores all pairs in plain Python."""

from __future__ import annotations

import math
import tempfile
from collections import Counter
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kaiwa.formats.repository import Manifest, writing_repository
from kaiwa.nouns.run import distinct_scores
from kaiwa.ranking.replies import NO_FILTERS, answers, replies
from kaiwa.ranking.system_table import SYSTEMS
from kaiwa.retrieval.build import build_index
from kaiwa.retrieval.inverted_index import open_index
from kaiwa.retrieval.matching import Matcher, comment_similarities, post_similarities, query_of, search
from kaiwa.retrieval.takedown_ids import takedown_of

if TYPE_CHECKING:
    from kaiwa.retrieval.inverted_index import InvertedIndex

WORDS = [f"w{at}x" for at in range(12)]
TEXT = st.lists(st.sampled_from(WORDS), min_size=0, max_size=7).map(" ".join)
MATCHERS = [
    Matcher(similarity, q2p, q2c)
    for similarity in ("bm25", "tfidf")
    for q2p, q2c in ((1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (0.3, 1.7))
]

Pairs = list[tuple[int, int]]


def indexed(folder: Path, posts: list[str], comments: list[str], pairs: Pairs) -> InvertedIndex:
    """An index of these texts; ids in an order other than that of the rows."""
    with writing_repository(folder / "repo") as writer:
        writer.add("posts", [f"p{99999 - at}" for at in range(len(posts))], posts)
        writer.add("comments", [f"c{99999 - at}" for at in range(len(comments))], comments)
        writer.add("pairs", [f"p{99999 - post}" for post, _ in pairs], [f"c{99999 - at}" for _, at in pairs])
        writer.finish(Manifest())
    build_index(folder / "repo", folder / "index", language="en", tokens=None, progress=lambda _done, _total: None)
    return open_index(folder / "index")


@lru_cache(maxsize=4)
def plain_scores(texts: tuple[str, ...], query: str, similarity: str) -> list[float]:
    """The similarity of each text to the query, straight from the formula; kept for matchers that only weight it."""
    docs = [Counter(text.split()) for text in texts]
    with_term = Counter(word for doc in docs for word in doc)
    asked = {word: often for word, often in Counter(query.split()).items() if word in with_term}
    if similarity == "bm25":
        mean = sum(sum(doc.values()) for doc in docs) / len(docs)
        idf = {w: math.log(1 + (len(docs) - with_term[w] + 0.5) / (with_term[w] + 0.5)) for w in asked}
        return [
            sum(
                often * idf[w] * doc[w] * 2.2 / (doc[w] + 1.2 * (0.25 + 0.75 * sum(doc.values()) / mean))
                for w, often in asked.items()
                if doc[w]
            )
            for doc in docs
        ]
    idf = {w: math.log(1 + len(docs) / n) for w, n in with_term.items()}
    size = math.sqrt(sum((often * idf[w]) ** 2 for w, often in asked.items()))
    norms = [math.sqrt(sum((often * idf[w]) ** 2 for w, often in doc.items())) for doc in docs]
    return [
        sum(often * idf[w] * doc[w] * idf[w] for w, often in asked.items()) / (size * norm) if norm and size else 0.0
        for doc, norm in zip(docs, norms, strict=True)
    ]


def plain_search(posts: list[str], comments: list[str], pairs: Pairs, query: str, matcher: Matcher) -> dict[str, float]:
    """The best pair's score of every comment that scores at all."""
    on_posts = plain_scores(tuple(posts), query, matcher.similarity)
    on_comments = plain_scores(tuple(comments), query, matcher.similarity)
    best: dict[str, float] = {}
    for post, comment in pairs:
        score = matcher.q2p * on_posts[post] + matcher.q2c * on_comments[comment]
        name = f"c{99999 - comment}"
        if score > 0:
            best[name] = max(best.get(name, 0.0), score)
    return best


@settings(max_examples=40, deadline=None)
@given(
    st.lists(TEXT, min_size=1, max_size=8),
    st.lists(st.tuples(st.integers(0, 7), TEXT), min_size=1, max_size=25),
    st.lists(st.tuples(st.integers(0, 7), st.integers(0, 24)), max_size=12),
    st.lists(st.sampled_from([*WORDS, "zzz"]), max_size=6).map(" ".join),
    st.integers(1, 12),
)
def test_every_search_is_the_plain_search(
    posts: list[str], under: list[tuple[int, str]], more: Pairs, query: str, k: int
) -> None:
    """Scores, ranks and ties of Q2P, Q2C and their sum, by BM25 and tf-idf, over all pairs."""
    comments = [text for _, text in under]
    pairs = [(post % len(posts), at) for at, (post, _) in enumerate(under)]
    pairs += [(post % len(posts), at % len(comments)) for post, at in more]
    with tempfile.TemporaryDirectory() as folder:
        index = indexed(Path(folder), posts, comments, pairs)
        asked = query_of(index, query)
        for matcher in MATCHERS:
            expected = plain_search(posts, comments, pairs, query, matcher)
            everything = search(asked, matcher, k=1000)
            found = search(asked, matcher, k=k)
            names = [index.comments.texts.id_of(number) for number in everything.comments.tolist()]
            assert set(names) == set(expected)
            assert everything.scores.tolist() == pytest.approx([expected[name] for name in names], abs=2e-6)
            ranks = list(zip((-everything.scores).tolist(), names, strict=True))
            assert ranks == sorted(ranks)
            assert found.comments.tolist() == everything.comments.tolist()[:k]
            assert found.scores.tolist() == everything.scores.tolist()[:k]
            q2p = post_similarities(asked, matcher.similarity, found.posts)
            q2c = comment_similarities(asked, matcher.similarity, found.comments)
            weighted = matcher.q2p * q2p + matcher.q2c * q2c
            assert weighted.tolist() == pytest.approx(found.scores.tolist(), abs=2e-6)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(TEXT, min_size=1, max_size=6),
    st.lists(st.tuples(st.integers(0, 5), TEXT), min_size=1, max_size=25),
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 24)), max_size=12),
    st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join),
    st.sets(st.sampled_from([f"p{99999 - at}" for at in range(6)] + [f"c{99999 - at}" for at in range(30)])),
)
def test_a_takedown_is_in_no_answer_and_nothing_else_is_missing(
    posts: list[str], under: list[tuple[int, str]], more: Pairs, query: str, listed: set[str]
) -> None:
    """The answers are those of the pairs whose post and comment are allowed, however many are not."""
    comments = [text for _, text in under]
    pairs = [(post % len(posts), at) for at, (post, _) in enumerate(under)]
    pairs += [(post % len(posts), at % len(comments)) for post, at in more]
    allowed = [(post, at) for post, at in pairs if not {f"p{99999 - post}", f"c{99999 - at}"} & listed]
    with tempfile.TemporaryDirectory() as folder, patch("kaiwa.ranking.replies._EXTRA", 0):
        index = indexed(Path(folder), posts, comments, pairs)
        takedown = takedown_of(index, frozenset(listed | {"unknown"}))
        asked = query_of(index, query)
        for system in (SYSTEMS["run0"], SYSTEMS["run1"], SYSTEMS["run2"], SYSTEMS["bm25"]):
            expected = plain_search(posts, comments, allowed, query, system.searches[0])
            best = sorted(expected.values(), reverse=True)
            for k in (1, 3, 100):
                chosen = answers(asked, system, k=k, filters=NO_FILTERS, takedown=takedown)
                found = replies(asked, system, chosen)
                assert [reply.score for reply in found] == pytest.approx(best[:k], abs=2e-6)
                assert [expected[reply.comment] for reply in found] == pytest.approx(best[:k], abs=2e-6)
                assert not {reply.post for reply in found} & listed


SPOKEN = ["yes", "exactly", "morning", "tonight", "sunday", "winter"]
"""Words that rules of systems read."""
SAID = st.lists(st.sampled_from([*WORDS[:5], *SPOKEN]), max_size=5).map(" ".join)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(SAID, min_size=1, max_size=5),
    st.lists(st.tuples(st.integers(0, 4), SAID), min_size=1, max_size=20),
    SAID,
    st.sets(st.sampled_from([f"p{99999 - at}" for at in range(5)]), max_size=3),
)
def test_every_system_without_models_answers_with_each_comment_once_through_allowed_posts(
    posts: list[str], under: list[tuple[int, str]], query: str, listed: set[str]
) -> None:
    """Scores are finite and never rise; each pair is one of the repository; fewer are the first of more."""
    pairs = [(post % len(posts), at) for at, (post, _) in enumerate(under)]
    known = {(f"p{99999 - post}", f"c{99999 - at}") for post, at in pairs}
    with tempfile.TemporaryDirectory() as folder:
        index = indexed(Path(folder), posts, [text for _, text in under], pairs)
        takedown = takedown_of(index, frozenset(listed))
        asked = query_of(index, query)
        for name, system in SYSTEMS.items():
            if system.models:
                continue
            found, few = (answers(asked, system, k=k, filters=NO_FILTERS, takedown=takedown) for k in (100, 3))
            ids = [(index.posts.texts.id_of(post), index.comments.texts.id_of(comment))
                   for post, comment in zip(found.posts.tolist(), found.comments.tolist(), strict=True)]  # fmt: skip
            assert set(ids) <= known, name
            assert len({comment for _, comment in ids}) == len(ids), name
            assert np.isfinite(found.scores).all(), name
            assert (np.diff(found.scores) <= 0).all(), name
            assert not {post for post, _ in ids} & listed, name
            assert few.comments.tolist() == found.comments.tolist()[:3], name


def test_a_search_over_many_windows_finds_what_a_full_scan_finds(tmp_path: Path) -> None:
    """Forty thousand comments, common and rare words: pruning changes nothing."""
    rng = np.random.default_rng(6)
    vocabulary = np.array([f"v{at}q" for at in range(3000)])
    chance = 1 / np.arange(1, 3001)
    texts = [" ".join(rng.choice(vocabulary, size=6, p=chance / chance.sum())) for _ in range(42_000)]
    posts, comments = texts[:2000], texts[2000:]
    pairs = [(int(rng.integers(2000)), at) for at in range(len(comments))]
    index = indexed(tmp_path, posts, comments, pairs)
    for query in ("v0q v1q v2q v3q", "v0q v7q v150q v1999q", "v0q v0q v900q", texts[5], texts[30_000]):
        for matcher in MATCHERS:
            expected = plain_search(posts, comments, pairs, query, matcher)
            best = sorted(expected.values(), reverse=True)
            for k in (1, 10, 100, 2000):
                found = search(query_of(index, query), matcher, k=k)
                assert found.scores.tolist() == pytest.approx(best[:k], abs=2e-6)
                ids = [index.comments.texts.id_of(number) for number in found.comments.tolist()]
                assert [expected[name] for name in ids] == pytest.approx(found.scores.tolist(), abs=2e-6)


def test_one_word_many_times_costs_no_more_than_its_text(tmp_path: Path) -> None:
    """Shapes are kept by those that occur: a text of 20,000 equal words beside texts of 200 lengths."""
    comments = ["spam " * 20_000, *("word " * size for size in range(1, 201))]
    index = indexed(tmp_path, ["a post"], comments, [(0, at) for at in range(len(comments))])
    shapes = index.shards[0].comments.postings
    assert shapes.shapes.dtype == np.uint16
    assert max(zip(shapes.frequency.tolist(), shapes.length.tolist(), strict=True)) == (20_000, 20_000)
    found = search(query_of(index, "word"), Matcher("tfidf", 0.0, 1.0), k=500)
    assert len(found) == 200


@given(st.lists(st.floats(-1e6, 1e6), max_size=50).map(lambda scores: sorted(scores, reverse=True)))
def test_distinct_scores_fall_even_in_single_precision(scores: list[float]) -> None:
    """No tool that sorts by score can change the order, and no score rises."""
    distinct = [score for _, score in distinct_scores([(f"c{place}", score) for place, score in enumerate(scores)])]
    assert (np.diff(np.array(distinct, dtype=np.float32)) < 0).all()
    assert all(now <= given_score for now, given_score in zip(distinct, scores, strict=True))
