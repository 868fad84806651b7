"""The features of many candidates at once: each fast way against a plain computation of the same values."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kaiwa.ranking.features.batch import FIRST_DEPTH, FIRST_STAGE, Batch
from kaiwa.ranking.features.characters import bigram_overlaps, is_mark, mark_overlaps, text_characters
from kaiwa.ranking.features.signals import SHARED_FEATURES
from kaiwa.ranking.features.table import FEATURES
from kaiwa.ranking.features.translation import WEIGHTS
from kaiwa.ranking.models.bigram_language_model import first_logs, following_logs, mean_log_probabilities
from kaiwa.ranking.models.decoder import Decoder, mean_log_scores
from kaiwa.ranking.models.pattern_pairs import pair_odds, patterns_of
from kaiwa.ranking.models.text_factors import text_factors
from kaiwa.ranking.models.topic_words import topic_weights
from kaiwa.ranking.models.word_vectors import text_vectors
from kaiwa.ranking.system import best_posts
from kaiwa.ranking.texts import TokenLists, joined, token_lists
from kaiwa.ranking.words import LENGTHS
from kaiwa.retrieval.matching import Candidates, post_similarities, query_of, search

if TYPE_CHECKING:
    from kaiwa.ranking.models.table import OpenModels
    from kaiwa.retrieval.inverted_index import InvertedIndex

QUERY = "考试 顺利 紧张 海 Hawaii 考试"
SIDES = ("posts", "comments")


@pytest.fixture(scope="module")
def batch(opened: InvertedIndex, models: OpenModels) -> Batch:
    """A query and all comments, each with its best post."""
    query, numbers = query_of(opened, QUERY), np.arange(len(opened.comments))
    return Batch(query, Candidates(numbers, best_posts(query, numbers), np.zeros(len(numbers))), models)


def mean_of_posts(batch: Batch, values: list[float]) -> list[float]:
    """The mean over the posts of each candidate, from the values of the distinct posts."""
    posts, starts = batch.every_post
    value_of = dict(zip(np.unique(posts).tolist(), values, strict=True))
    ends = [*starts.tolist()[1:], len(posts)]
    own = ([value_of[post] for post in posts[low:high].tolist()] for low, high in zip(starts, ends, strict=True))
    return [float(np.mean(values)) for values in own]


def same(batch: Batch, name: str, posts: list[float], comments: list[float], tolerance: float) -> None:
    """Both features of a family have these values, of the distinct posts and of the comments; they are not all 0."""
    assert np.ptp(comments) > 0
    assert FEATURES[f"{name}-q2p"].values(batch).tolist() == pytest.approx(mean_of_posts(batch, posts), abs=tolerance)
    assert FEATURES[f"{name}-q2c"].values(batch).tolist() == pytest.approx(comments, abs=tolerance)


class Foreign(Batch):
    """A batch of texts of which the models have stored nothing."""

    def is_stored(self, side: str, vectors: object) -> bool:  # noqa: ARG002  as in Batch
        """No."""
        return False


def query_lists(batch: Batch) -> TokenLists:
    """The query as the only text."""
    return token_lists([batch.words.tolist()])


def test_topic_word_cosines_are_those_of_the_weights_of_words(batch: Batch, models: OpenModels) -> None:
    """The cosine of two dictionaries, to 1e-9."""
    model = models.opened("topicword")

    def weights(texts: TokenLists) -> list[dict[int, float]]:
        words, pi = topic_weights(texts, model)
        places = [slice(*words.starts[one : one + 2]) for one in range(len(words))]
        return [dict(zip(words.tokens[own].tolist(), pi[own].tolist(), strict=True)) for own in places]

    def cosine(one: dict[int, float], other: dict[int, float]) -> float:
        product = sum(value * other.get(word, 0.0) for word, value in one.items())
        lengths = [np.sqrt(sum(value**2 for value in own.values())) for own in (one, other)]
        return product / (lengths[0] * lengths[1]) if product else 0.0

    asked = weights(query_lists(batch))[0]
    posts, comments = (
        [cosine(asked, one) for one in weights(texts)] for texts in (batch.distinct_posts, batch.comments)
    )
    same(batch, "topicword", posts, comments, 1e-9)


@pytest.mark.parametrize(("name", "model"), [("vectors", "vectors"), ("lda", "topics")])
def test_vector_cosines_are_those_of_the_texts_vectors(batch: Batch, models: OpenModels, name: str, model: str) -> None:
    """In single precision, to 1e-6."""
    arrays = models.opened(model)
    asked = text_vectors(query_lists(batch), arrays)[0]
    values = [(text_vectors(texts, arrays) @ asked).tolist() for texts in (batch.distinct_posts, batch.comments)]
    assert {len(arrays[LENGTHS[side]]) for side in SIDES} == {len(getattr(models.corpus, side)) for side in SIDES}
    for own in (batch, Foreign(batch.query, batch.candidates, models)):
        same(own, name, *values, tolerance=1e-6)


def test_stored_factors_are_those_of_the_equations_to_half_precision(batch: Batch, models: OpenModels) -> None:
    """To 1e-3; and to 1e-9 if the vectors are not those of the batch's texts."""
    arrays = models.opened("factors")
    asked = text_factors(query_lists(batch), arrays)[0]
    values = [(text_factors(texts, arrays) @ asked).tolist() for texts in (batch.distinct_posts, batch.comments)]
    assert all(len(arrays[side]) == len(getattr(models.corpus, side)) for side in SIDES)
    same(batch, "wtmf", *values, tolerance=1e-3)

    same(Foreign(batch.query, batch.candidates, models), "wtmf", *values, tolerance=1e-9)


def test_tower_cosines_are_those_of_the_encoded_texts(batch: Batch, models: OpenModels) -> None:
    """Up to the rounding of stored vectors to eight bits; to 1e-6 if the vectors are not those of the batch's texts."""
    towers = models.opened("towers")
    asked = towers.encoded(query_lists(batch), 0)[0]
    texts = (batch.distinct_posts, batch.comments)
    values = [(towers.encoded(one, side) @ asked).tolist() for side, one in enumerate(texts)]
    same(batch, "towers", *values, tolerance=0.02)
    same(Foreign(batch.query, batch.candidates, models), "towers", *values, tolerance=1e-6)


def test_fluency_is_that_of_whole_texts(batch: Batch, models: OpenModels) -> None:
    """The comment alone, and after the query as one text; with an empty query too, and with nothing stored."""
    model = models.opened("language")
    assert len(model.following) == len(models.corpus.comments)
    empty = query_of(batch.query.index, "zzzz")
    kinds = [kind(query, batch.candidates, models) for kind in (Batch, Foreign) for query in (batch.query, empty)]
    for own in kinds:
        query = token_lists([own.words.tolist()] * len(own.candidates))
        alone, after = own.comments, joined(query, own.comments)
        for name, texts in (("language-comment", alone), ("language-pair", after)):
            expected = mean_log_probabilities(texts, model).tolist()
            assert FEATURES[name].values(own).tolist() == pytest.approx(expected, rel=1e-6)


def test_a_long_text_of_improbable_words_has_a_finite_fluency(models: OpenModels) -> None:
    """A product of their probabilities would be 0."""
    model, rare = models.opened("language"), len(models.corpus.words) - 1
    texts = token_lists([[rare] * 2000])
    total = first_logs(*texts, model, model.edge) + following_logs(*texts, model)
    assert (total / 2001).tolist() == pytest.approx(mean_log_probabilities(texts, model).tolist(), rel=1e-9)


@pytest.mark.parametrize("scale", [0.1, 3.0, 30.0])
def test_decoder_scores_are_those_of_tanh(scale: float) -> None:
    """To 1e-5, also where tanh is nearly 1: a small network with large weights."""
    rng = np.random.default_rng(3)
    rows, hidden = 8, 16
    tables = [(scale * rng.standard_normal((rows, hidden))).astype(np.float32) for _ in range(3)]
    output = rng.standard_normal((rows, hidden)).astype(np.float32)
    bias, shift = rng.standard_normal(hidden).astype(np.float32), rng.standard_normal(rows).astype(np.float32)
    model = Decoder(*tables, bias, output, shift, shift, np.zeros(1, dtype=np.float32))
    source, targets = [0, 3], [[1, 2], [], [4, 4, 5]]
    edge, encoding = rows - 1, tables[0][source].astype(np.float64).mean(axis=0)
    expected = []
    for target in targets:
        words, scores = [edge, edge, *target, edge], []
        for at in range(2, len(words)):
            inner = encoding + tables[1][words[at - 1]] + tables[2][words[at - 2]] + bias
            scores.append(output[words[at]] @ np.tanh(inner) + shift[words[at]])
        expected.append(np.mean(scores))
    found = mean_log_scores(token_lists([source]), token_lists(targets), model)
    assert found.tolist() == pytest.approx(expected, abs=1e-5)
    for target, value in zip(targets, expected, strict=True):
        alone = mean_log_scores(token_lists([source, source]), token_lists([target]), model)
        assert alone.tolist() == pytest.approx([value, value], abs=1e-5)


def test_pattern_odds_are_the_sum_over_all_pairs_of_patterns(batch: Batch, models: OpenModels) -> None:
    """Pair by pair, to 1e-9."""
    model, words = models.opened("patterns"), len(models.corpus.words)
    asked = patterns_of(query_lists(batch), model.posts, words).tokens
    texts = patterns_of(batch.comments, model.comments, words)
    expected = [
        sum(float(model.weights[one, other]) for one in asked for other in texts.list_of(text))
        for text in range(len(texts))
    ]
    assert np.ptp(expected) > 0
    found = pair_odds(words, query_lists(batch), batch.comments, model)
    assert found.tolist() == pytest.approx(expected, abs=1e-9)


CHARACTERS = st.text("abc?!。、考试　", max_size=12)


def plain_bigrams(points: list[int]) -> set[tuple[int, ...]]:
    """The pairs of neighbouring letters; a single letter alone."""
    letters = [point for point in points if not is_mark(point)]
    return set(pairwise(letters)) or {(one,) for one in letters}


@given(st.lists(CHARACTERS, min_size=1, max_size=6), CHARACTERS)
def test_overlaps_of_characters_are_those_of_sets(texts: list[str], query: str) -> None:
    """Of bigrams and of marks; the table of one text is free for the next."""
    lists = token_lists([text_characters(text).tokens.tolist() for text in texts])
    asked = text_characters(query).tokens
    own, own_marks = plain_bigrams(asked.tolist()), set(filter(is_mark, asked.tolist()))
    bigrams, marks = [], []
    for text in range(len(lists)):
        points = lists.list_of(text).tolist()
        other, other_marks = plain_bigrams(points), set(filter(is_mark, points))
        bigrams.append(len(own & other) / len(own | other) if own | other else 0.0)
        marks.append(len(own_marks & other_marks) / len(own_marks | other_marks) if own_marks | other_marks else 1.0)
    assert bigram_overlaps(*lists, asked).tolist() == pytest.approx(bigrams)
    assert mark_overlaps(*lists, asked).tolist() == pytest.approx(marks)


def test_translation_probabilities_are_means_over_words(batch: Batch, models: OpenModels) -> None:
    """The query given the comment, and the comment given the query, cell by cell; to 1e-6."""
    table, shares, rest = models.opened("translation"), models.corpus.shares, WEIGHTS.collection

    def cells(rows: object, number: int) -> dict[int, float]:
        own = slice(*rows.starts[number : number + 2])
        return dict(zip(rows.targets[own].tolist(), rows.probabilities[own].tolist(), strict=True))

    given_comment, given_query = [], []
    for place in range(len(batch.candidates)):
        text = batch.comments.list_of(place).tolist()
        explained = [sum(cells(table.to_posts_by_target, word).get(one, 0.0) for one in text) for word in batch.words]
        given_comment.append(np.mean(np.log((1 - rest) * np.array(explained) / len(text) + rest * shares[batch.words])))
        answered = [
            float(table.to_comments.empty[word])
            + sum(cells(table.to_comments, int(source)).get(word, 0.0) for source in batch.words)
            for word in text
        ]
        given_query.append(
            np.mean(np.log((1 - rest) * np.array(answered) / (len(batch.words) + 1) + rest * shares[text]))
        )
    for name, expected in (("query-given-comment", given_comment), ("comment-given-query", given_query)):
        assert np.ptp(expected) > 0.01
        assert FEATURES[name].values(batch).tolist() == pytest.approx(expected, abs=1e-6)


def test_the_first_rank_is_that_of_the_search(batch: Batch) -> None:
    """With the search done already, and without; a comment that it lacks has one rank more than its depth."""
    found = search(batch.query, FIRST_STAGE, k=FIRST_DEPTH)
    rank_of = {comment: rank for rank, comment in enumerate(found.comments.tolist(), start=1)}
    expected = [-np.log(rank_of.get(comment, FIRST_DEPTH + 1)) for comment in batch.candidates.comments.tolist()]
    assert 0 < len(rank_of) < len(expected)
    again = Batch(batch.query, batch.candidates, batch.given, searched={FIRST_STAGE: found})
    for own in (batch, again):
        assert FEATURES["first-rank"].values(own).tolist() == pytest.approx(expected)


def test_many_documents_have_the_scores_of_each(opened: InvertedIndex) -> None:
    """To the last bit, whether they are looked up or read from the scores of all; repeated ones too."""
    query, posts = query_of(opened, QUERY), np.arange(len(opened.posts))
    for similarity in ("tfidf", "bm25"):
        each = np.concatenate([post_similarities(query, similarity, posts[one : one + 1]) for one in posts])
        assert np.ptp(each) > 0
        for times in (1, 200):
            assert post_similarities(query, similarity, np.tile(posts, times)).tolist() == each.tolist() * times


def test_shared_words_are_counted_as_in_a_plain_loop(batch: Batch, models: OpenModels) -> None:
    """Number, sum of rarities, rarest, part of the comment, and the largest stretch of neighbours, to 1e-9."""
    corpus, asked = models.corpus, set(batch.words.tolist())
    rarity = [-float(np.log(count / corpus.counts.sum())) for count in corpus.counts.tolist()]
    expected: dict[str, list[float]] = {name: [] for name in SHARED_FEATURES}
    for place in range(len(batch.candidates)):
        words = batch.comments.list_of(place).tolist()
        shared = {word for word in words if word in asked}
        stretches = [0.0] + [
            sum(rarity[word] for word in words[low:high])
            for low in range(len(words))
            for high in range(low + 1, len(words) + 1)
            if asked.issuperset(words[low:high])
        ]
        total = sum(rarity[word] for word in words)
        part = sum(rarity[word] for word in words if word in asked) / total if total else 0.0
        numbers = (len(shared), sum(rarity[one] for one in shared), max((rarity[one] for one in shared), default=0.0))
        for name, value in zip(expected, (*numbers, part, max(stretches)), strict=True):
            expected[name].append(value)
    assert any(expected["shared-count"])
    for name, values in expected.items():
        assert FEATURES[name].values(batch).tolist() == pytest.approx(values, abs=1e-9)
