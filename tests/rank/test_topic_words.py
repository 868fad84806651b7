"""TopicWord: the words that a text is about, by their class, their rarity and their places."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import kaiwa
from kaiwa.ranking.model_folder import open_models
from kaiwa.ranking.models.topic_words import logistic_weights, topic_weights
from kaiwa.ranking.texts import TokenLists, token_lists
from kaiwa.retrieval.build import build_index
from kaiwa.retrieval.inverted_index import open_index
from kaiwa.retrieval.tokenisers import WORD_CLASSES, word_class

if TYPE_CHECKING:
    from pathlib import Path

    from kaiwa.ranking.models.table import OpenModels
    from kaiwa.ranking.texts import Corpus

NOUNS, VERBS = ("天气", "电影", "城市", "老师", "音乐", "早餐"), ("喜欢", "讨论", "学习", "参加", "寻找", "准备")
"""Each of two characters."""


def plain_odds(corpus: Corpus, theta: np.ndarray, text: list[int]) -> dict[int, float]:
    """The log-odds of each word of a text by all its features, one by one, as they were trained."""
    found = {}
    for word in set(text):
        written = corpus.words.text_of(word)
        rarity = -np.log(corpus.counts[word] / corpus.counts.sum()) / 10
        own = word_class(written, corpus.language)
        classes = [float(own == name) for name in WORD_CLASSES[1:]]
        first, last = text.index(word), text[::-1].index(word)
        places = [np.log(text.count(word)), first / len(text), last / len(text), np.log(len(text))]
        features = [1.0, rarity, rarity**2, np.log(len(written)), *classes, *places]
        found[word] = float(np.dot(theta, features))
    return found


def plain_theta(corpus: Corpus) -> np.ndarray:
    """The weights by a logistic regression over every distinct word of every post."""
    rows, labels = [], []
    for post in range(len(corpus.posts)):
        linked = corpus.links.post_comments[slice(*corpus.links.post_starts[post : post + 2].tolist())]
        replies = {word for one in linked.tolist() for word in words_of(corpus.comments, one)}
        text = words_of(corpus.posts, post)
        units = [plain_odds(corpus, unit, text) for unit in np.eye(12)]
        for word in dict.fromkeys(text):
            rows.append([unit[word] for unit in units])
            labels.append(float(word in replies))
    return logistic_weights(np.array(rows), np.array(labels))


def words_of(texts: TokenLists, number: int) -> list[int]:
    """The tokens of one text."""
    return texts.of(np.array([number])).tokens.tolist()


def test_the_weights_of_words_are_those_of_the_definition(models: OpenModels) -> None:
    """The stored sum of each word's features and the features of its places, to 1e-6."""
    corpus = models.corpus
    theta = plain_theta(corpus)
    text = [*words_of(corpus.posts, 0), *words_of(corpus.posts, 1)] * 2
    words, pi = topic_weights(token_lists([text]), models.opened("topicword"))
    expected = plain_odds(corpus, theta, text)
    assert dict(zip(words.tokens.tolist(), np.log(pi / (1 - pi)).tolist(), strict=True)) == pytest.approx(
        expected, abs=1e-6
    )


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("zh", {"北京": "name", "天气": "noun", "喜欢": "verb", "漂亮": "adjective", "吧": "other", "。": "other"}),
        ("ja", {"東京": "name", "大学": "noun", "行く": "verb", "美しい": "adjective", "は": "other", "": "other"}),
        ("en", {"London": "other", "run": "other"}),
    ],
)
def test_the_class_of_a_word_is_that_of_the_dictionary_of_its_language(language: str, words: dict[str, str]) -> None:
    """English has no dictionary."""
    assert {word: word_class(word, language) for word in words} == words


def test_words_of_a_class_that_recurs_in_comments_are_what_texts_are_about(tmp_path: Path) -> None:
    """Comments repeat the noun of their post and never its verb, all of equal frequency and length."""
    pairs = [(f"{verb}{noun}", f"{noun}！") for verb in VERBS for noun in NOUNS]
    lines = [f"p{at}\t{post}\tc{at}\t{at}{comment}\n" for at, (post, comment) in enumerate(pairs)]
    (tmp_path / "pairs.tsv").write_text("".join(lines), encoding="utf-8")
    kaiwa.clean([tmp_path / "pairs.tsv"], tmp_path / "repo", rules="none")
    build_index(tmp_path / "repo", tmp_path / "index", language="zh", tokens=None, progress=lambda _done, _total: None)
    kaiwa.models(tmp_path / "index", tmp_path / "models", names=["topicword"])
    made = open_models(tmp_path / "models", open_index(tmp_path / "index"))
    corpus = made.corpus
    words, pi = topic_weights(token_lists([corpus.numbers("音乐老师参加准备").tolist()]), made.opened("topicword"))
    by_word = {corpus.words.text_of(word): chance for word, chance in zip(words.tokens.tolist(), pi, strict=True)}
    assert min(by_word["音乐"], by_word["老师"]) > 0.5 > max(by_word["参加"], by_word["准备"])
