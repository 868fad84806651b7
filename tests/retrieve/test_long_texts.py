"""Texts of any length are tokenised: a native library gets them in bounded pieces."""

from __future__ import annotations

import pytest

from kaiwa.retrieval.tokenisers import TOKENISERS, tokeniser

LONG = 1_000_000


@pytest.mark.parametrize("name", [*TOKENISERS, "zh+bigrams"])
@pytest.mark.parametrize("unit", ["ab", "あい", "今天", "x1"])
def test_a_long_text_without_a_blank_is_tokenised(name: str, unit: str) -> None:
    """No library crashes."""
    assert tokeniser(name).terms(unit * (LONG // 2))


@pytest.mark.parametrize("name", ["zh", "ja"])
def test_a_long_text_with_blanks_has_the_words_of_its_parts(name: str) -> None:
    """It is cut at blanks, so that no word is cut."""
    split = tokeniser(name).terms
    sentence = "今日は天気がいい "
    assert split(sentence * 2000) == split(sentence) * 2000
