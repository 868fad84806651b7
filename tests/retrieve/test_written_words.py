"""Words as somebody wrote them: their places in the text, and those that a reply shares with a query."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kaiwa.nouns.normalise import normalise
from kaiwa.retrieval.tokenisers import FUNCTION_WORDS, SharedWords, tokeniser, written_words

TOKENS = ["zh", "ja", "en", "bigrams", "zh+bigrams", "ja+bigrams", "en+bigrams"]
TEXT = st.text(
    st.sampled_from(
        "今天天气真好的了ハワイの初日です、，。 　\u00a0\u200d😀👩Days-running'sＡＢ１２\ud800é\u0301ー\x02\x1f"
    ),
    max_size=30,
)


@pytest.mark.parametrize("name", TOKENS)
@given(TEXT)
def test_every_written_word_is_a_part_of_the_text(name: str, text: str) -> None:
    """A law: places are inside the text, in order, and not empty."""
    words = written_words(tokeniser(name), text)
    assert all(0 <= word.start < word.end <= len(text) for word in words)
    if "+" not in name:
        assert [word.start for word in words] == sorted(word.start for word in words)


@pytest.mark.parametrize("name", TOKENS)
@given(TEXT)
def test_the_terms_of_the_written_words_are_those_of_the_text(name: str, text: str) -> None:
    """A law: no term of the index is without its word."""
    chosen = tokeniser(name)
    replaced = text.replace("\ud800", "?")
    assert [word.term for word in written_words(chosen, text) if word.term] == chosen.terms(replaced)


@pytest.mark.parametrize("name", TOKENS)
@given(TEXT)
def test_a_written_word_has_the_term_of_its_own_text(name: str, text: str) -> None:
    """A law: the part of the text that is shown contains, normalised, the letters of the term's token."""
    chosen = tokeniser(name)
    words = written_words(chosen, text)
    tokens = chosen.split(normalise(text.replace("\ud800", "?")))
    for word, token in zip(words, tokens, strict=True):
        assert token.removeprefix("\x02") in normalise(text[word.start : word.end].replace("\ud800", "?"))


@given(st.text(st.sampled_from("今天天气真好的我day X"), min_size=1, max_size=20), st.sampled_from(TOKENS), st.data())
def test_shared_words_are_parts_of_the_query(query: str, name: str, data: st.DataObject) -> None:
    """A law: whatever is shared, each word shown can be found in the query, and none is shown twice."""
    terms = data.draw(st.dictionaries(st.sampled_from(tokeniser(name).terms(query) or ["x"]), st.floats(0.1, 9)))
    added = {term: amount for term, amount in terms.items() if term != "x"}
    words = SharedWords(tokeniser(name), query, "zh").shared(added, query)
    assert all(word in query for word in words)
    assert len(set(words)) == len(words)
    assert bool(words) == bool(added)


@pytest.mark.parametrize(
    ("name", "query", "text", "words"),
    [
        ("en", "When do Bakeries OPEN?", "the bakery opens at six", ("Bakeries", "OPEN")),
        ("zh", "ＡＢＣ的天气", "abc的天气", ("ＡＢＣ", "天气")),
        ("zh", "哈哈哈哈哈哈，天气", "哈哈 天气", ("哈哈哈哈哈哈", "天气")),
        ("ja", "ｽｺﾞｲ天気ですね", "スゴイ天気です", ("ｽｺﾞｲ", "天気")),
        ("zh", "株㈱，天气", "株 天气", ("株", "天气")),
        ("en", "ΟΔΟΣ café", "οδος café", ("ΟΔΟΣ", "café")),
        ("en", "cafe\u0301s", "café", ("cafe\u0301s",)),
        ("bigrams", "今天天气真好", "明天天气真好", ("天天气真好",)),
        ("zh+bigrams", "今天天气真好", "天气不错", ("天气",)),
        ("zh+bigrams", "我要考试了", "要考试了", ("考试",)),
        ("zh+bigrams", "明天的会议", "的会议", ("会议",)),
        ("bigrams", "我的天气", "我的天气", ("天气",)),
        ("zh+bigrams", "今天天气真好", "今天下雨，天气不好", ("今天", "天气")),
    ],
)
def test_words_are_shown_as_they_are_written_in_the_query(
    name: str, query: str, text: str, words: tuple[str, ...]
) -> None:
    """Not stems, not normalised, and bigrams joined to what both texts have."""
    chosen = tokeniser(name)
    added = dict.fromkeys(set(chosen.terms(query)) & set(chosen.terms(text)), 1.0)
    shown = SharedWords(chosen, query, "ja" if name == "ja" else "zh" if name != "en" else "en").shared(added, text)
    assert sorted(shown) == sorted(words)


def test_the_strongest_word_is_first_and_particles_are_left_out() -> None:
    """By what a word adds to the score; equal ones in the order of the query."""
    words = SharedWords(tokeniser("zh"), "我的考试和天气", "zh")
    assert words.shared({"我": 5.0, "的": 4.0, "考试": 1.0, "天气": 2.0}, "我的天气，考试") == ("天气", "考试")
    assert words.shared({"考试": 1.0, "天气": 1.0}, "天气考试") == ("考试", "天气")


def test_particles_are_shown_if_nothing_else_is_shared() -> None:
    """A reason is never empty."""
    assert SharedWords(tokeniser("zh"), "我的考试", "zh").shared({"我": 1.0, "的": 2.0}, "我的") == ("的", "我")


@pytest.mark.parametrize("language", FUNCTION_WORDS)
def test_function_words_are_normalised_words(language: str) -> None:
    """They are compared with normalised text; an emoji or a space among them would never match."""
    assert all(word == word.lower().strip() and word for word in FUNCTION_WORDS[language])
