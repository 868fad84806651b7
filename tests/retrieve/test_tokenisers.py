"""Tokens of each language, and what normalising does to them."""

from __future__ import annotations

import pytest

from kaiwa.errors import InputError, UnknownName
from kaiwa.retrieval.tokenisers import language_of, tokeniser


@pytest.mark.parametrize(
    ("name", "text", "terms"),
    [
        ("zh", "今天我们去青岛看海！", ["今天", "我们", "去", "青岛", "看海"]),
        ("ja", "ハワイの初日です。", ["ハワイ", "の", "初日", "です"]),
        ("en", "She was running, and the DOGS' barking…", ["run", "dog", "bark"]),
        ("bigrams", "看海去 ok", ["看海", "海去", "ok"]),
        ("zh+bigrams", "看海", ["看海", "\x02看海"]),
    ],
)
def test_each_tokeniser_cuts_its_language(name: str, text: str, terms: list[str]) -> None:
    """Words, stems and bigrams, punctuation dropped."""
    assert tokeniser(name).terms(text) == terms


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ＡＢＣ１２３", "abc123"),
        ("哈哈哈哈哈", "哈哈哈"),
        ("sooooo good", "sooo good"),
        ("👍🏽", "👍"),
        ("ｽｺﾞｲ", "スゴイ"),
    ],
)
def test_the_same_words_in_other_clothes_are_the_same_terms(one: str, other: str) -> None:
    """Full width, elongation, skin tone, half-width kana."""
    for name in ("zh", "ja", "en", "bigrams"):
        assert tokeniser(name).terms(one) == tokeniser(name).terms(other)


def test_an_emoji_is_a_word() -> None:
    """A comment of one emoji can be found by it."""
    assert tokeniser("zh").terms("😀。") == ["😀"]


def test_language_is_found_by_script() -> None:
    """Kana makes Japanese, Han without kana Chinese, the rest English."""
    assert language_of(["ハワイの初日", "東京都"]) == "ja"
    assert language_of(["到青岛", "iPhone 真好"]) == "zh"
    assert language_of(["hello", "été"]) == "en"


def test_an_unknown_tokeniser_is_named_with_a_hint() -> None:
    """Did you mean."""
    with pytest.raises(UnknownName, match="did you mean 'bigrams'"):
        tokeniser("zh+bigram")


@pytest.mark.parametrize(
    ("name", "message"), [("en+en", "is the same twice; give 'en'"), ("zh+", "unknown tokeniser ''")]
)
def test_half_a_tokeniser_or_the_same_twice_is_refused(name: str, message: str) -> None:
    """A plus sign joins two."""
    with pytest.raises(InputError, match=message):
        tokeniser(name)
