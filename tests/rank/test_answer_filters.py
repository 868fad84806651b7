"""What is not an answer: a comment that repeats the query, in any order."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kaiwa.nouns.normalise import overlap
from kaiwa.ranking.replies import NO_FILTERS, Filters, NearTexts, Screen

WORDS = st.sampled_from(
    ["今天", "天气", "真", "好", "博主", "辛苦", "了", "ハワイ", "の", "初日", "day", "Hawaii", "I", "2026"]
)
REPEATS = {"identical", "repeat", "reordered"}


@st.composite
def reordered(draw: st.DrawFn) -> tuple[str, str]:
    """A text of several words, and the same words in another order, with other punctuation and width."""
    words = draw(st.lists(WORDS, min_size=2, max_size=12))
    between = draw(st.sampled_from([" ", "，", "　", "! "]))
    return " ".join(words), between.join(draw(st.permutations(words))) + draw(st.sampled_from(["", "！！", "…"]))


@given(reordered())
def test_the_words_of_the_query_in_any_order_are_no_answer(texts: tuple[str, str]) -> None:
    """A law: no permutation of the query's words passes."""
    query, echo = texts
    assert Screen(query, Filters()).refuses(echo) in REPEATS
    assert Screen(query, NO_FILTERS).refuses(echo) is None


@given(reordered(), st.sampled_from(["也", "yes", "海"]))
def test_a_comment_with_a_word_of_its_own_is_not_a_reordered_one(texts: tuple[str, str], new: str) -> None:
    """Also a law: one new word is an answer to this filter; the bigrams may still refuse it."""
    query, echo = texts
    assert Screen(query, Filters()).refuses(f"{echo} {new}") != "reordered"


@pytest.mark.parametrize(
    ("query", "comment", "reason"),
    [
        ("博主辛苦了", "辛苦博主了", "reordered"),
        ("今天天气真好", "真好，今天天气", "repeat"),
        ("I do so", "so I do", "reordered"),
        ("今日は雨", "雨は今日", "reordered"),
        ("你爱我吗", "我爱你", None),
        ("你看到了我的秘密", "我看到了", None),
        ("我想去看海", "我也想去看海", None),
        ("Do you love me", "I love you", None),
        ("😀", "😀 ", "identical"),
    ],
)
def test_an_echo_is_refused_and_an_answer_in_the_same_words_is_kept(
    query: str, comment: str, reason: str | None
) -> None:
    """The words of a question in another order can be its answer, if some are left out."""
    assert Screen(query, Filters(min_chars=0)).refuses(comment) == reason


@given(
    st.lists(st.frozensets(st.sampled_from("abcdefghij"), max_size=8), max_size=12),
    st.sampled_from([0.1, 0.3, 1 / 3, 0.5, 0.6, 2 / 3, 0.75, 0.8, 0.9, 1.0, 2.0]),
)
def test_a_near_text_is_found_as_by_comparing_with_all(sets: list[frozenset[str]], share: float) -> None:
    """A law: comparing with the sets that share a first element finds what comparing with every set finds."""
    texts, added = NearTexts(share), list[frozenset[str]]()
    for own in sets:
        is_near = any(overlap(own, other) >= share for other in added)
        assert texts.has_near(own) == is_near
        if not is_near:
            texts.add(own)
            added.append(own)


@pytest.mark.parametrize(
    ("word", "comment", "reason"),
    [
        ("ad", "An AD!", "blocked"),
        ("ad", "I had a day", None),
        ("ad", "ads", None),
        ("ad", "ad_block", "blocked"),
        ("ad", "この ad です", "blocked"),
        ("ad", "广告ad位", "blocked"),
        ("click here", "Please click here now", "blocked"),
        ("click here", "click hereafter", None),
        ("广告", "广告位", "blocked"),
        ("c++", "learn C++ today", "blocked"),
        ("!!", "buy!!", "blocked"),
        ("a.b", "a-b", None),
    ],
)
def test_a_blocked_word_is_a_whole_word_where_words_have_spaces(word: str, comment: str, reason: str | None) -> None:
    """Chinese and Japanese write no spaces, so there any occurrence counts."""
    assert Screen("x", Filters(blocked=(word,))).refuses(comment) == reason
