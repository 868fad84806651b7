"""The families of systems at NTCIR-12 STC: each against a plain computation of what it says."""

from __future__ import annotations

import shutil
from collections import Counter
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import kaiwa
from kaiwa.errors import InputError
from kaiwa.ranking.answering import Bot
from kaiwa.ranking.features.batch import Batch
from kaiwa.ranking.features.translation import strongest_translations
from kaiwa.ranking.models.bigram_language_model import (
    BigramLanguageModel,
    bigram_keys,
    mean_log_probabilities,
    probability,
    smoothed,
)
from kaiwa.ranking.models.character_ngrams import ngram_scores
from kaiwa.ranking.models.convolution import (
    LONGEST,
    batch_slopes,
    initial_convolution,
    match_scores,
    opened_convolution,
    pooled,
    products_of,
)
from kaiwa.ranking.models.dense_codes import cells_of, coded, nearest, nearest_in_cells, products
from kaiwa.ranking.models.text_factors import (
    MISSING,
    PENALTY,
    folding,
    least_squares,
    rarity_cells,
    text_factors,
    turned,
)
from kaiwa.ranking.models.topic_words import ALPHA, BETA, Documents, sampled_topics
from kaiwa.ranking.models.translation import Translation
from kaiwa.ranking.system import Asked, answering_words, further_terms, ranked, word_strengths
from kaiwa.ranking.system_table import SYSTEMS
from kaiwa.ranking.text_networks import DAMPING, visit_rates
from kaiwa.ranking.texts import token_lists
from kaiwa.retrieval.matching import comment_similarities, post_similarities, query_of
from kaiwa.retrieval.tokenisers import is_function_word, is_word, tokeniser
from kaiwa.retrieval.topk import best_first

if TYPE_CHECKING:
    from kaiwa.ranking.models.table import OpenModels
    from kaiwa.retrieval.inverted_index import InvertedIndex
    from kaiwa.retrieval.matching import Query

WORDS = 6


def language_model(texts: list[list[int]]) -> BigramLanguageModel:
    """The model of these texts."""
    keys, counts = np.unique(bigram_keys(*token_lists(texts), WORDS + 1), return_counts=True)
    return smoothed(keys, counts, WORDS + 1)


def plain_kneser_ney(texts: list[list[int]], before: int, word: int) -> float:
    """Interpolated Kneser-Ney (Chen and Goodman 1999) in dictionaries."""
    counts = Counter(pair for text in texts for pair in pairwise([WORDS, *text, WORDS]))
    once, twice = (sum(count == times for count in counts.values()) for times in (1, 2))
    discount = once / (once + 2 * twice) if once else 0.5
    preceding = Counter(after for _, after in counts)
    uniform = discount * len(preceding) / len(counts) / (WORDS + 1)
    continuation = max(preceding[word] - discount, 0) / len(counts) + uniform
    row = {after: count for (first, after), count in counts.items() if first == before}
    if not row:
        return continuation
    share = max(row.get(word, 0) - discount, 0) / sum(row.values())
    return share + discount * len(row) / sum(row.values()) * continuation


TEXTS = st.lists(st.lists(st.integers(0, WORDS - 1), max_size=6), min_size=1, max_size=15)


@given(TEXTS)
def test_the_language_model_is_that_of_plain_kneser_ney(texts: list[list[int]]) -> None:
    """Every probability, to single precision; after each word they sum to 1."""
    model = language_model(texts)
    for before in range(WORDS + 1):
        row = [probability(model, before, word) for word in range(WORDS + 1)]
        assert row == pytest.approx([plain_kneser_ney(texts, before, word) for word in range(WORDS + 1)], abs=1e-6)
        assert sum(row) == pytest.approx(1.0, abs=1e-6)


def test_the_mean_log_probability_counts_the_end_of_the_text() -> None:
    """Two words and the end."""
    texts = [[0, 1], [0, 2], [1]]
    model = language_model(texts)
    steps = [plain_kneser_ney(texts, *pair) for pair in pairwise([WORDS, 0, 1, WORDS])]
    assert mean_log_probabilities(token_lists([[0, 1]]), model)[0] == pytest.approx(np.log(steps).mean(), abs=1e-6)


@pytest.mark.parametrize("text", ["考试顺利 紧张", "去青岛看海 海鲜", "今天天气真好", "zzzz", ""])
@pytest.mark.parametrize(("name", "each"), [("post-then-comment", 99), ("best-comment", 1), ("longest-comment", 99)])
def test_posts_first_is_the_order_of_all_posts_then_of_their_comments(
    opened: InvertedIndex, name: str, each: int, text: str
) -> None:
    """Compared with a sort of all posts and comments."""
    query = query_of(opened, text)
    similar = post_similarities(query, "tfidf", np.arange(len(opened.posts)))
    near = comment_similarities(query, "tfidf", np.arange(len(opened.comments)))
    texts = opened.comments.texts
    length = np.array([len(texts.text_of(one)) for one in range(len(opened.comments))])
    order, found = length if name == "longest-comment" else near, dict[int, int]()
    for post in sorted(np.flatnonzero(similar).tolist(), key=lambda one: (-similar[one], one)):
        low, high = opened.links.post_starts[post : post + 2]
        own = [one for one in opened.links.post_comments[low:high].tolist() if one not in found]
        found |= dict.fromkeys(sorted(own, key=lambda one: (-order[one], one))[:each], post)
    ranking = ranked(query, SYSTEMS[name], k=1000)
    assert list(zip(ranking.comments.tolist(), ranking.posts.tolist(), strict=True)) == list(found.items())


VECTORS = st.lists(st.lists(st.integers(-9, 9), min_size=3, max_size=3), min_size=1, max_size=40)


@given(VECTORS, st.lists(st.integers(-9, 9), min_size=3, max_size=3), st.integers(1, 50))
def test_the_nearest_codes_are_those_of_a_sort_of_all(vectors: list[list[int]], asked: list[int], k: int) -> None:
    """Exact products of the coded vectors, positive ones only, ties by number."""
    texts, query = coded(np.array(vectors, dtype=np.float32)), coded(np.array([asked], dtype=np.float32))
    plain = (texts.codes.astype(int) @ query.codes[0].astype(int)) * (texts.factors * query.factors[0]).astype(float)
    order = [row for row in np.lexsort((np.arange(len(plain)), -plain)).tolist() if plain[row] > 0][:k]
    scores, rows, _ = best_first(nearest(texts, query, min(k, len(plain))))
    assert rows.tolist() == order
    assert scores.tolist() == plain[order].tolist()
    assert products(texts, query).tolist() == plain.tolist()


def test_codes_differ_from_the_vectors_by_half_a_step() -> None:
    """Of 127 steps to the largest value of the row."""
    vectors = np.random.default_rng(1).standard_normal((50, 8)).astype(np.float32)
    made = coded(vectors)
    assert (np.abs(made.codes * made.factors[:, None] - vectors) <= 0.501 * made.factors[:, None]).all()


def test_dense_candidates_are_the_nearest_of_all_comments(opened: InvertedIndex, models: OpenModels) -> None:
    """By the towers in single precision, up to the rounding to eight bits."""
    query = query_of(opened, "考试顺利 紧张")
    found = ranked(query, SYSTEMS["towers"], k=len(opened.comments), models=models)
    towers, corpus = models.opened("towers"), models.corpus
    words = corpus.numbers(query.text)
    own = towers.encoded(token_lists([words.tolist()]), 0)[0]
    cosines = towers.encoded(corpus.comments, 1) @ own
    assert found.scores == pytest.approx(cosines[found.comments], abs=0.02)
    assert cosines[np.setdiff1d(np.arange(len(cosines)), found.comments)].max(initial=-1) < 0.02


def test_hybrid_has_the_candidates_of_both(opened: InvertedIndex, models: OpenModels) -> None:
    """A query without a term of the index still has dense candidates, if the models know a word of it."""
    query = query_of(opened, "考试顺利 紧张")
    both = set(ranked(query, SYSTEMS["hybrid"], k=1000, models=models).comments.tolist())
    for name in ("run2", "towers"):
        assert both.issuperset(ranked(query, SYSTEMS[name], k=1000, models=models).comments.tolist())


@given(VECTORS, st.lists(st.integers(-9, 9), min_size=3, max_size=3), st.integers(1, 50))
def test_all_cells_together_are_an_exact_search(vectors: list[list[int]], asked: list[int], k: int) -> None:
    """Every vector is in one cell; with fewer cells the found ones have their exact products."""
    texts, query = coded(np.array(vectors, dtype=np.float32)), coded(np.array([asked], dtype=np.float32))
    cells = cells_of(texts, np.random.default_rng(1))
    assert sorted(cells.members.tolist()) == list(range(len(vectors)))
    assert len(cells.starts) == len(cells.centres) + 1
    k = min(k, len(vectors))
    exact = best_first(nearest(texts, query, k))
    for found, expected in zip(best_first(nearest_in_cells(texts, cells, query, k, probes=99)), exact, strict=True):
        assert found.tolist() == expected.tolist()
    scores, rows, _ = best_first(nearest_in_cells(texts, cells, query, k, probes=1))
    assert scores.tolist() == products(texts, query)[rows].tolist()


def test_cells_hold_the_vectors_nearest_to_their_centres() -> None:
    """Two far groups of vectors: a query of one group finds all of it in few cells."""
    rng = np.random.default_rng(2)
    groups = np.array([[1.0, 0, 0], [0, 1, 0]]) + rng.normal(scale=0.05, size=(200, 2, 3))
    texts = coded(groups.transpose(1, 0, 2).reshape(400, 3).astype(np.float32))
    cells = cells_of(texts, rng)
    query = coded(np.array([[1.0, 0, 0]], dtype=np.float32))
    _, rows, _ = best_first(nearest_in_cells(texts, cells, query, 100, probes=len(cells.centres) // 2))
    assert len(rows) == 100
    assert rows.max() < 200


def test_cells_of_other_vectors_are_refused(index: Path, models_folder: Path, tmp_path: Path) -> None:
    """Their members would be other texts."""
    copy = shutil.copytree(models_folder, tmp_path / "models")
    kaiwa.models(index, copy, names=["towers", "dense"], seed=2, again=True)
    with pytest.raises(InputError, match="cells: was trained with other towers than those here; train it again"):
        Bot(index, models=copy).reply("考试", system="hybrid-approximate")
    kaiwa.models(index, copy, names=["cells"])
    assert Bot(index, models=copy).reply("考试", system="hybrid-approximate")


def test_vectors_of_other_towers_are_refused(index: Path, models_folder: Path, tmp_path: Path) -> None:
    """They would be compared with a query that they were not trained with."""
    copy = shutil.copytree(models_folder, tmp_path / "models")
    kaiwa.models(index, copy, names=["towers"], seed=2, again=True)
    with pytest.raises(InputError, match="dense: was trained with other towers than those here; train it again"):
        Bot(index, models=copy).reply("考试", system="hybrid")
    assert kaiwa.models(index, copy, names=["dense"]).kept == ("tokens", "towers")
    assert Bot(index, models=copy).reply("考试", system="hybrid")


@given(st.integers(2, 8), st.integers(0, 10**6))
def test_visit_rates_solve_the_equations_of_the_walk(nodes: int, seed: int) -> None:
    """The equations are x = d x P + (1 - d) r, where a node without links leads back to r; x sums to 1."""
    rng = np.random.default_rng(seed)
    weights = rng.random((nodes, nodes)) * (rng.random((nodes, nodes)) < 0.5)
    starts = rng.random(nodes) + 0.01
    totals, restart = weights.sum(axis=1), starts / starts.sum()
    steps = np.array([row / total if total else restart for row, total in zip(weights, totals, strict=True)])
    solved = np.linalg.solve(np.eye(nodes) - DAMPING * steps.T, (1 - DAMPING) * restart)
    rates = visit_rates(weights, starts)
    assert rates.tolist() == pytest.approx(solved.tolist(), abs=1e-8)
    assert rates.sum() == pytest.approx(1.0)


def test_a_random_walk_orders_the_candidates_of_run2(opened: InvertedIndex) -> None:
    """The same comments, and one that many texts resemble gains."""
    query = query_of(opened, "考试顺利 紧张")
    walked, searched = (ranked(query, SYSTEMS[name], k=200) for name in ("random-walk", "run2"))
    assert sorted(walked.comments.tolist()) == sorted(searched.comments.tolist())
    assert 0 < walked.scores.sum() < 1


def test_a_walk_over_words_visits_them_as_the_network_of_all_texts_says(opened: InvertedIndex) -> None:
    """The network as a dense matrix, and the equations of the walk solved for it."""
    query = query_of(opened, "考试顺利 紧张")
    walked = ranked(query, SYSTEMS["lexical-walk"], k=200)
    posts = np.unique(walked.posts).tolist()
    written = [opened.posts.texts.text_of(one) for one in posts]
    written += [opened.comments.texts.text_of(one) for one in walked.comments.tolist()]
    terms = [Counter(tokeniser(opened.tokeniser).terms(text)) for text in [query.text, *written]]
    known = sorted({term for own in terms[1:] for term in own})
    numbers = opened.terms.numbers(known)
    texts_with = opened.posts.documents_with(numbers) + opened.comments.documents_with(numbers)
    rows = np.array([[own[term] for term in known] for own in terms]) * np.log1p(
        (len(opened.posts) + len(opened.comments)) / texts_with
    )
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    network = rows[1:].T @ rows[1:]
    np.fill_diagonal(network, 0.0)
    totals, restart = network.sum(axis=1), rows[0] / rows[0].sum()
    steps = np.array([row / total if total > 1e-9 else restart for row, total in zip(network, totals, strict=True)])
    solved = np.linalg.solve(np.eye(len(known)) - DAMPING * steps.T, (1 - DAMPING) * restart)
    visits = rows[1:] @ solved
    by_post = [visits[posts.index(post)] for post in walked.posts.tolist()]
    assert walked.scores.tolist() == pytest.approx((by_post + visits[len(posts) :]).tolist(), abs=1e-8)


def test_further_words_are_those_that_the_translation_prefers() -> None:
    """T(1 | 0) = .5 with P = .1; T(2 | 0) = .5 with P = .5 is no more than chance; word 3 is unknown to the model."""
    model = Translation(
        np.array([0, 2, 2, 2]), np.array([1, 2], dtype=np.int32), np.array([0.5, 0.5], dtype=np.float32), np.zeros(3)
    )
    strengths = word_strengths(np.array([0, 0, 3], dtype=np.int32), model, np.array([0.3, 0.1, 0.5, 0.1]))
    assert strengths.tolist() == pytest.approx([0.0, 2 * 0.5 * np.log(5), 0.0, 0.0])


def test_an_expanded_search_has_the_query_and_further_terms(opened: InvertedIndex, models: OpenModels) -> None:
    """At most five, none of them the query's own."""
    asked = Asked(query_of(opened, "考试顺利 紧张"), 10, given=models)
    further = further_terms(asked, answering_words)
    assert 0 < len(further) <= 5
    assert not set(further) & set(asked.query.words)


def plain_gibbs(documents: list[tuple[int, int]], topics: int, sweeps: int, seed: int) -> list[int]:
    """The topics of all tokens by Griffiths and Steyvers 2004, Eq. 5, counted anew for each token."""
    rng = np.random.default_rng(seed)
    topic = rng.integers(0, topics, len(documents)).tolist()
    for _ in range(sweeps):
        for token, chance in enumerate(rng.random(len(documents)).tolist()):
            document, word = documents[token]
            others = [(*one, topic[at]) for at, one in enumerate(documents) if at != token]
            shares = [
                (sum(one[0] == document and one[2] == t for one in others) + ALPHA)
                * (sum(one[1] == word and one[2] == t for one in others) + BETA)
                / (sum(one[2] == t for one in others) + WORDS * BETA)
                for t in range(topics)
            ]
            topic[token] = int(np.searchsorted(np.cumsum(shares) / sum(shares), chance, side="right"))
    return topic


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, WORDS - 1)), min_size=1, max_size=20), st.integers(0, 99))
def test_topics_are_those_of_plain_gibbs_sampling(tokens: list[tuple[int, int]], seed: int) -> None:
    """The same draws give the same topics, counted by word."""
    document, word = (np.array(part) for part in zip(*tokens, strict=True))
    counts = sampled_topics(Documents(document, word), WORDS, np.random.default_rng(seed), topics=3, sweeps=2)
    expected = Counter(zip(word.tolist(), plain_gibbs(tokens, 3, 2, seed), strict=True))
    assert counts.words.tolist() == [[expected[one, topic] for topic in range(3)] for one in range(WORDS)]


def test_topics_find_words_that_occur_together() -> None:
    """Two kinds of documents, with three words each."""
    rng = np.random.default_rng(3)
    document = np.repeat(np.arange(60), 10)
    word = rng.integers(0, 3, 600) + 3 * (document % 2)
    counts = sampled_topics(Documents(document, word), WORDS, rng, topics=2, sweeps=50)
    best = counts.words.argmax(axis=1).tolist()
    assert best in ([0, 0, 0, 1, 1, 1], [1, 1, 1, 0, 0, 0])


def _loss(matrix: np.ndarray, words: np.ndarray, texts: np.ndarray) -> float:
    """The weighted squared error and the penalty (Guo and Diab 2012, Eq. 2)."""
    weights = np.where(matrix != 0, 1.0, MISSING)
    return float((weights * (matrix - texts @ words.T) ** 2).sum() + PENALTY * ((words**2).sum() + (texts**2).sum()))


def test_least_squares_solves_each_weighted_regression() -> None:
    """Against dense matrices, text by text; the loss never rises, because each half of a round is a minimum."""
    rng = np.random.default_rng(6)
    lists = token_lists([rng.integers(0, WORDS, 4).tolist() for _ in range(9)] + [[]])
    cells = rarity_cells(lists, rng.random(WORDS) * 20, WORDS)
    matrix = np.zeros((10, WORDS))
    matrix[np.repeat(np.arange(10), np.diff(cells.starts)), cells.columns] = cells.values
    words = rng.standard_normal((WORDS, 2))
    texts = least_squares(cells, words)
    for row, own in enumerate(matrix):
        weights = np.diag(np.where(own != 0, 1.0, MISSING))
        solved = np.linalg.solve(words.T @ weights @ words + PENALTY * np.eye(2), words.T @ weights @ own)
        assert texts[row].tolist() == pytest.approx(solved.tolist(), abs=1e-9)
    before = _loss(matrix, words, texts)
    words = least_squares(turned(cells, WORDS), texts)
    assert _loss(matrix, words, texts) <= before
    assert _loss(matrix, words, least_squares(cells, words)) <= _loss(matrix, words, texts)


def test_texts_are_folded_in_by_the_same_least_squares() -> None:
    """Texts with fewer words than dimensions, with more, and none; of length 1."""
    rng = np.random.default_rng(7)
    lists = token_lists([rng.integers(0, WORDS, count).tolist() for count in (1, 3, 20, 9, 0)])
    vectors, rarity = rng.standard_normal((WORDS, 5)).astype(np.float32), rng.random(WORDS) * 20
    solved = least_squares(rarity_cells(lists, rarity, WORDS), vectors.astype(np.float64))
    lengths = np.sqrt((solved**2).sum(axis=1))
    expected = solved / np.where(lengths > 0, lengths, 1.0)[:, None]
    found = text_factors(lists, {"rarity": rarity, **folding(vectors)})
    assert found.ravel().tolist() == pytest.approx(expected.ravel().tolist(), abs=1e-9)


@pytest.mark.parametrize("text", ["考试顺利 紧张", "Hawaii beaches", "考", ""])
def test_ngram_scores_are_those_of_plain_bm25(models: OpenModels, text: str) -> None:
    """Over the characters of the tokens, k1 = 1.2, b = 0.75, in dictionaries of strings."""
    corpus = models.corpus

    def grams(tokens: np.ndarray) -> Counter[str]:
        joined = "".join(corpus.words.text_of(one) for one in tokens.tolist())
        return Counter(joined[at : at + n] for n in (2, 3) for at in range(len(joined) - n + 1))

    sides = [
        [grams(side.of(np.array([one])).tokens) for one in range(len(side))] for side in (corpus.posts, corpus.comments)
    ]
    every = [one for side in sides for one in side]
    mean = sum(one.total() for one in every) / len(every)
    words = corpus.numbers(text)
    expected = [
        sum(
            times
            * np.log1p((len(every) - having + 0.5) / (having + 0.5))
            * one[gram]
            * 2.2
            / (one[gram] + 1.2 * (0.25 + 0.75 * one.total() / mean))
            for gram, times in grams(words).items()
            if one[gram] and (having := sum(gram in other for other in every))
        )
        for one in sides[1]
    ]
    scores = ngram_scores(words, corpus.comments, models.opened("ngrams"))
    assert scores.tolist() == pytest.approx(expected, rel=1e-9)


def test_the_match_from_stored_products_is_that_of_the_network() -> None:
    """For empty, short and very long texts, and unknown words."""
    rng = np.random.default_rng(9)
    query = token_lists([[0, 5, 9]])
    texts = token_lists([[5], [6, 1, 9], [], rng.integers(0, 9, LONGEST + 5).tolist(), [8, 9]])
    model = initial_convolution(rng.standard_normal((7, 2)), rng, filters=3)
    model = model._replace(match=rng.standard_normal((3, 3)), biases=rng.standard_normal((2, 3)))
    matching = opened_convolution({**model._asdict(), "products": products_of(model)})
    expected = pooled(query, model, 0).values[0] @ model.match @ pooled(texts, model, 1).values.T
    assert match_scores(query, texts, matching).tolist() == pytest.approx(expected.tolist(), abs=1e-12)


@pytest.mark.parametrize("part", ["filters", "biases", "match"])
def test_the_gradient_of_the_convolution_is_that_of_differences(part: str) -> None:
    """By every parameter, in double precision; an empty text and a false pair that may be true are in the batch."""
    rng = np.random.default_rng(8)
    texts = token_lists([[0, 1], [2], [3, 4, 4], []]), token_lists([[5], [6, 1, 9], [2, 2], [0]])
    model = initial_convolution(rng.standard_normal((7, 2)), rng, filters=3)
    model = model._replace(match=rng.standard_normal((3, 3)), biases=rng.standard_normal((2, 3)))
    same = np.eye(4, dtype=bool)
    same[0, 2] = True
    slopes, values, step = getattr(batch_slopes(model, texts, same), part), getattr(model, part), 1e-6
    for place in np.ndindex(values.shape):
        change = np.zeros_like(values)
        change[place] = step
        above, below = (
            batch_slopes(model._replace(**{part: moved}), texts, same).loss
            for moved in (values + change, values - change)
        )
        assert slopes[place] == pytest.approx((above - below) / (2 * step), abs=1e-7)


@pytest.mark.parametrize("name", sorted(SYSTEMS))
def test_no_system_finds_a_comment_through_a_post_of_the_takedown_list(
    opened: InvertedIndex, models: OpenModels, name: str
) -> None:
    """Its candidates name other posts, unless the comment has no other."""
    query = query_of(opened, "考试顺利 紧张")
    best = ranked(query, SYSTEMS["run0"], k=1).posts
    links = opened.links
    for comment, post in zip(*_found(query, name, best, models), strict=True):
        own = links.comment_posts[links.comment_starts[comment] : links.comment_starts[comment + 1]].tolist()
        assert post not in best or own == [post]


def _found(query: Query, name: str, takedown: np.ndarray, models: OpenModels) -> tuple[list[int], list[int]]:
    found = ranked(query, SYSTEMS[name], k=20, takedown_posts=takedown, models=models)
    return found.comments.tolist(), found.posts.tolist()


@pytest.mark.parametrize("name", sorted(SYSTEMS))
def test_every_system_ranks_each_comment_once_by_falling_scores(
    opened: InvertedIndex, models: OpenModels, name: str
) -> None:
    """And says where it comes from; a query without known words has no candidates, or dense ones."""
    for text in ("考试顺利 紧张", "zzzz", ""):
        found = ranked(query_of(opened, text), SYSTEMS[name], k=15, models=models)
        assert len(set(found.comments.tolist())) == len(found)
        assert (np.diff(found.scores) <= 0).all()
    assert SYSTEMS[name].origin


@pytest.mark.parametrize("name", list(SYSTEMS)[list(SYSTEMS).index("language-model") :])
def test_the_page_says_what_a_family_ranks_by_and_needs(name: str) -> None:
    """As the table of systems has it."""
    page = (Path(__file__).parents[2] / "docs" / "retrieve.md").read_text(encoding="utf-8")
    system = SYSTEMS[name]
    needs = ", ".join(system.models) or "index"
    assert f"| `{name}` | {system.description} | {needs} | {system.origin} |" in page


def test_translations_are_cells_of_the_model_between_query_and_pair(opened: InvertedIndex, models: OpenModels) -> None:
    """A word of the query, and another word of the post or of the comment with a probability for it."""
    query = query_of(opened, "明天要考试了")
    batch = Batch(query, ranked(query, SYSTEMS["run2"], k=5), models)
    corpus, model = models.corpus, models.opened("translation")
    found = strongest_translations(batch)
    assert any(found)
    for place, pairs in enumerate(found):
        shown = [is_word(word) and not is_function_word(word, "zh") for pair in pairs for word in pair]
        assert all(shown) or not all(shown[:2])  # pairs with a particle only where there are no others
        for own, other in pairs:
            target, source = corpus.words.numbers([own, other]).tolist()
            assert own != other
            assert target in batch.words
            sides = (batch.posts, model.to_comments_by_target), (batch.comments, model.to_posts_by_target)
            assert any(
                source in texts.of(np.array([place])).tokens
                and source in table.targets[table.starts[target] : table.starts[target + 1]]
                for texts, table in sides
            )


def test_replies_without_translm_have_no_translations(index: Path, models_folder: Path) -> None:
    """The field is empty; with TransLM it is not."""
    bot = Bot(index, models=models_folder)
    assert not any(one.translations for one in bot.reply("明天要考试了", system="run4"))
    assert any(one.translations for one in bot.reply("明天要考试了", system="run3"))
