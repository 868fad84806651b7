"""What features know about words: how common they are in pairs, what they share with a query, and their vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kaiwa.ranking.features.batch import Batch
from kaiwa.ranking.features.translation import WEIGHTS, Weights, comment_lift, translm
from kaiwa.ranking.models.word_vectors import without_common
from kaiwa.ranking.system import best_posts
from kaiwa.retrieval.matching import Candidates, Matcher, query_of, search

if TYPE_CHECKING:
    from kaiwa.nouns.ids import FloatArray
    from kaiwa.ranking.models.table import OpenModels
    from kaiwa.ranking.texts import Corpus
    from kaiwa.retrieval.inverted_index import InvertedIndex


def plain_comment_shares(corpus: Corpus) -> FloatArray:
    """The share of each word among the tokens of the comments of all pairs, pair by pair."""
    counts = np.zeros(len(corpus.words))
    for comment in corpus.bitext.target_of.tolist():
        low, high = corpus.comments.starts[comment : comment + 2].tolist()
        for token in corpus.comments.tokens[low:high].tolist():
            counts[token] += 1
    return counts / counts.sum()


def test_a_comment_of_several_posts_counts_for_each_of_them(models: OpenModels) -> None:
    """A repository has a popular comment once; its words are popular all the same."""
    corpus = models.corpus
    assert np.diff(corpus.links.comment_starts).max() > 1
    assert corpus.comment_shares.tolist() == pytest.approx(plain_comment_shares(corpus).tolist())


def test_the_lift_is_the_mean_log_of_the_ratio_of_two_probabilities(opened: InvertedIndex, models: OpenModels) -> None:
    """P(word | query) by translation and the empty word, over P(word in comments), for each word of the comment."""
    query = query_of(opened, "明天 考试 海 Hawaii")
    batch = Batch(query, search(query, Matcher("tfidf", 1.0, 1.0), k=5), models)
    table, usual = models.opened("translation").to_comments, models.corpus.comment_shares
    expected = []
    for place in range(len(batch.candidates)):
        low, high = batch.comments.starts[place : place + 2].tolist()
        logs = []
        for word in batch.comments.tokens[low:high].tolist():
            total = float(table.empty[word])
            for source in batch.words.tolist():
                row = slice(table.starts[source], table.starts[source + 1])
                total += float(table.probabilities[row][table.targets[row] == word].sum())
            share = total / (len(batch.words) + 1)
            logs.append(np.log((1 - WEIGHTS.collection) * share / usual[word] + WEIGHTS.collection))
        expected.append(np.mean(logs))
    assert np.ptp(expected) > 0.01
    assert comment_lift(batch).tolist() == pytest.approx(expected, rel=1e-5)


def test_the_directions_that_texts_share_are_removed_and_no_other() -> None:
    """Texts that all point one way: without it, vectors keep their other coordinates."""
    rng = np.random.default_rng(3)
    vectors = rng.standard_normal((30, 8)).astype(np.float32)
    texts = rng.standard_normal((200, 8)) * 0.1 + np.array([3.0, 4.0, *[0.0] * 6])
    made = without_common(vectors, texts, 1)
    shared = np.array([0.6, 0.8])
    assert np.abs(made[:, :2] @ shared).max() < 0.1
    assert made[:, 2:] == pytest.approx(vectors[:, 2:], abs=0.15)
    assert np.array_equal(without_common(vectors, texts, 0), vectors)


def test_common_words_hardly_count_in_a_text_vector(models: OpenModels) -> None:
    """The words of the vectors are weighted by a / (a + share), so that the commonest hardly count."""
    weights, shares = models.opened("vectors")["rarity"], models.corpus.shares
    assert weights == pytest.approx(1e-3 / (1e-3 + shares), rel=1e-5)
    assert weights[0] == weights.min()


def plain_translm(query: list[int], post: list[int], comment: list[int], models: OpenModels) -> float:
    """The mixture of Xue, Jeon and Croft 2008, word by word, in dictionaries."""
    tables = models.opened("translation")
    weights, shares, total = Weights(), models.corpus.shares, 0.0
    sides = (
        (post, tables.to_comments_by_target, weights.post, weights.post_translated),
        (comment, tables.to_posts_by_target, weights.comment, weights.comment_translated),
    )
    for word in query:
        mixed = 0.0
        for text, table, by_word, translated in sides:
            row = slice(table.starts[word], table.starts[word + 1])
            chance = dict(zip(table.targets[row].tolist(), table.probabilities[row].tolist(), strict=True))
            own = sum(token == word for token in text) / max(len(text), 1)
            other = sum(chance.get(token, 0.0) for token in text) / max(len(text), 1)
            mixed += by_word * own + translated * (weights.own * own + (1 - weights.own) * other)
        total += np.log((1 - weights.collection) * mixed + weights.collection * shares[word])
    return float(total / len(query))


def test_translm_is_that_of_the_mean_probability_over_the_posts_of_the_comment(
    opened: InvertedIndex, models: OpenModels
) -> None:
    """Over all its posts, and none of the takedown list but the post of the candidate itself."""
    query, numbers = query_of(opened, "考试 顺利 紧张 海"), np.arange(len(opened.comments))
    found = Candidates(numbers, best_posts(query, numbers), np.zeros(len(numbers)))
    links, corpus = opened.links, models.corpus
    words = corpus.numbers(query.text).tolist()
    own_posts = [
        links.comment_posts[links.comment_starts[comment] : links.comment_starts[comment + 1]].tolist()
        for comment in found.comments.tolist()
    ]
    assert max(map(len, own_posts)) > 1
    comments = [corpus.numbers(opened.comments.texts.text_of(comment)).tolist() for comment in found.comments.tolist()]
    every = np.arange(len(opened.posts))
    for takedown, allowed in ((None, own_posts), (every, [[post] for post in found.posts.tolist()])):
        by_pair = [
            [
                plain_translm(words, corpus.numbers(opened.posts.texts.text_of(post)).tolist(), comment, models)
                for post in posts
            ]
            for posts, comment in zip(allowed, comments, strict=True)
        ]
        expected = [float(np.log(np.exp(np.array(logs) * len(words)).mean()) / len(words)) for logs in by_pair]
        assert translm(Batch(query, found, models, takedown)).tolist() == pytest.approx(expected, abs=1e-5)
