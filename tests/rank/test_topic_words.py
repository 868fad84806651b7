"""TopicWord: the words that a text is about, by their class, their rarity and their places."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

import kaiwa
from kaiwa.ranking.model_folder import open_models
from kaiwa.ranking.models.topic_words import logistic_weights, topic_weights, written_names
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
        sentences = [
            float(word in one) for one in (plain_sentences(corpus, text)[0], plain_sentences(corpus, text)[-1])
        ]
        features = [1.0, rarity, rarity**2, np.log(len(written)), *classes, *places, *sentences]
        found[word] = float(np.dot(theta, features))
    return found


def plain_sentences(corpus: Corpus, text: list[int]) -> list[list[int]]:
    """The words of each sentence of a text; several marks in a row end one sentence."""
    found: list[list[int]] = [[]]
    for before, word in zip([None, *text], text, strict=False):
        ended = before is not None and set(corpus.words.text_of(before)) <= set(".?!。")
        if ended and not set(corpus.words.text_of(word)) <= set(".?!。"):
            found.append([])
        found[-1].append(word)
    return found


def plain_theta(corpus: Corpus) -> np.ndarray:
    """The weights by a logistic regression over every distinct word of every post."""
    rows, labels = [], []
    for post in range(len(corpus.posts)):
        linked = corpus.links.post_comments[slice(*corpus.links.post_starts[post : post + 2].tolist())]
        replies = {word for one in linked.tolist() for word in words_of(corpus.comments, one)}
        text = words_of(corpus.posts, post)
        units = [plain_odds(corpus, unit, text) for unit in np.eye(14)]
        for word in dict.fromkeys(text):
            rows.append([unit[word] for unit in units])
            labels.append(float(word in replies))
    return logistic_weights(np.array(rows), np.array(labels))


def words_of(texts: TokenLists, number: int) -> list[int]:
    """The tokens of one text."""
    return texts.of(np.array([number])).tokens.tolist()


def assert_defined(made: OpenModels, text: list[int]) -> None:
    """The log-odds of the words of a text are those of the definition, to 1e-6."""
    words, pi = topic_weights(token_lists([text]), made.opened("topicword"))
    expected = plain_odds(made.corpus, plain_theta(made.corpus), text)
    assert dict(zip(words.tokens.tolist(), np.log(pi / (1 - pi)).tolist(), strict=True)) == pytest.approx(
        expected, abs=1e-6
    )


def test_the_weights_of_words_are_those_of_the_definition(models: OpenModels) -> None:
    """The stored sum of each word's features and the features of its places."""
    corpus = models.corpus
    assert_defined(models, [*words_of(corpus.posts, 0), *words_of(corpus.posts, 1)] * 2)


def test_the_weights_of_words_in_several_sentences_are_those_of_the_definition(tmp_path: Path) -> None:
    """Of one to three sentences, with several marks at an end, marks at the beginning, and none at the end."""
    ends = ("。", "？！", "", "！")
    sentences = [f"{noun}{verb}" for noun, verb in zip(NOUNS, VERBS, strict=True)]
    texts = [
        f"{'！' * (at % 3)}{one}{ends[at % 2]}{sentences[at - 1]}{ends[at % 4]}{NOUNS[at - 2]}{ends[at % 3]}"
        for at, one in enumerate(sentences)
    ]
    made = made_model(tmp_path, [(text, f"{NOUNS[at]}{VERBS[at - 1]}") for at, text in enumerate(texts)], "zh")
    assert len({len(plain_sentences(made.corpus, words_of(made.corpus.posts, one))) for one in range(len(texts))}) > 1
    for one in range(len(texts)):
        assert_defined(made, words_of(made.corpus.posts, one))


def made_model(folder: Path, pairs: list[tuple[str, str]], language: str) -> OpenModels:
    """The model of these pairs."""
    lines = [f"p{at}\t{post}\tc{at}\t{comment}\n" for at, (post, comment) in enumerate(pairs)]
    (folder / "pairs.tsv").write_text("".join(lines), encoding="utf-8")
    kaiwa.clean([folder / "pairs.tsv"], folder / "repo", rules="none")
    build_index(folder / "repo", folder / "index", language=language, tokens=None, progress=lambda _done, _total: None)
    kaiwa.models(folder / "index", folder / "models", names=["topicword"])
    return open_models(folder / "models", open_index(folder / "index"))


def chances(made: OpenModels, text: str) -> dict[str, float]:
    """The probability that a text is about each of its words."""
    corpus = made.corpus
    words, pi = topic_weights(token_lists([corpus.numbers(text).tolist()]), made.opened("topicword"))
    return {corpus.words.text_of(word): chance for word, chance in zip(words.tokens.tolist(), pi.tolist(), strict=True)}


@pytest.mark.parametrize("answered", [0, 1])
def test_the_sentence_of_a_word_says_whether_a_text_is_about_it(tmp_path: Path, answered: int) -> None:
    """Comments repeat a word of the first sentence, or of the last; the order inside a sentence says nothing."""
    pairs = []
    for at, noun in enumerate(NOUNS):
        one, other = (f"{noun}{VERBS[at]}。", f"{VERBS[at - 1]}{NOUNS[at - 2]}？！")
        pairs += [(first + last, f"{at}{(first, last)[answered]}") for first, last in ((one, other), (other, one))]
    found = chances(made_model(tmp_path, pairs, "zh"), "音乐寻找！电影喜欢。")
    first, last = min(found["音乐"], found["寻找"]), max(found["电影"], found["喜欢"])
    assert (first > last) == (answered == 0)
    assert first != last


def test_a_name_of_english_is_a_word_that_texts_write_with_a_capital_letter(tmp_path: Path) -> None:
    """Comments repeat the names of their posts; of two words that no model has seen apart, the name counts more."""
    people, things = ("Tom", "Ann", "Bob", "Eve"), ("boat", "tree", "lamp", "ring")
    pairs = [(f"we saw {who} near a {what}", f"so {who} it was") for who in people for what in things]
    pairs += [(f"we saw Zoe near a {what}", "no idea") for what in things]
    pairs += [(f"we saw {who} near a yurt", "no idea") for who in people]
    found = chances(made_model(tmp_path, pairs, "en"), "zoe yurt")
    assert found["zoe"] > found["yurt"]


@pytest.mark.parametrize(
    ("texts", "names"),
    [
        (["we met Tom", "is that Tom"], {"tom"}),
        (["Tom left", "So Tom left"], set()),
        (["we met Tom", "is that Tom", "a tom cat", "the tom cat"], set()),
        (["WE MET TOM", "IS THAT TOM"], set()),
        (["said I. Then we left", "so I left", "do I know"], set()),
    ],
)
def test_a_capital_letter_names_only_inside_a_sentence_and_more_often_than_not(
    texts: list[str], names: set[str]
) -> None:
    """Once is not enough, and neither is a text in capitals, nor the pronoun I."""
    assert written_names(texts) == names


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
    by_word = chances(
        made_model(tmp_path, [(post, f"{at}{comment}") for at, (post, comment) in enumerate(pairs)], "zh"),
        "音乐老师参加准备",
    )
    assert min(by_word["音乐"], by_word["老师"]) > 0.5 > max(by_word["参加"], by_word["准备"])
