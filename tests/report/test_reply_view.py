"""Replies on the terminal: reasons, and the old post cut at a word around what matched."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kaiwa.ranking.replies import Replies, Reply, excerpt
from kaiwa.retrieval.tokenisers import tokeniser, written_words
from kaiwa.show.text import width

LONG = "We were stuck in traffic for hours and nobody knew why, then the whole bakery was open and we had warm bread"
CHINESE = "不开心是一天，开心也是一天，生活中总有许多事情让人烦恼，但是今天天气真好，我们一起去公园散步吧，然后回家做饭"


@pytest.mark.parametrize(
    ("text", "words", "tokens", "shown"),
    [
        (LONG, ("bakeries",), "en", "…knew why, then the whole bakery was open and we had warm…"),
        (LONG, ("bread",), "en", "…why, then the whole bakery was open and we had warm bread"),
        (LONG, ("traffic",), "en", "We were stuck in traffic for hours and nobody knew why,…"),
        (LONG, (), "en", "We were stuck in traffic for hours and nobody knew why,…"),
        (LONG, ("sushi", "hours"), "en", "We were stuck in traffic for hours and nobody knew why,…"),
        ("short", ("sushi",), "en", "short"),
    ],
)
def test_a_long_post_is_cut_at_a_word_around_the_match(
    text: str, words: tuple[str, ...], tokens: str, shown: str
) -> None:
    """With a mark where something is left out, at the beginning, at the end, or at both."""
    assert excerpt(text, words, tokens=tokens, columns=60) == shown


@pytest.mark.parametrize("tokens", ["zh", "zh+bigrams", "bigrams"])
def test_a_chinese_post_is_cut_between_words_around_the_match(tokens: str) -> None:
    """Columns are counted as the terminal counts them; a word of the dictionary is not cut."""
    shown = excerpt(CHINESE, ("天气",) if tokens != "zh" else ("今天天气",), tokens=tokens, columns=40)
    assert "今天天气真好" in shown
    assert (shown[0], shown[-1]) == ("…", "…")
    assert width(shown) <= 40
    ends = {word.end for word in written_words(tokeniser("zh"), CHINESE)}
    at = CHINESE.index(shown.strip("…"))
    assert tokens == "bigrams" or {at, at + len(shown.strip("…"))} <= ends


@given(
    st.text(st.sampled_from("今天天气真好，。 　running dogs\u200d👩💻🏽\ufe0f\u0301"), max_size=120),
    st.sampled_from(["zh", "en", "bigrams", "zh+bigrams"]),
    st.lists(st.sampled_from(["天气", "run", "真好", "👩"]), max_size=2),
    st.integers(12, 60),
)
def test_an_excerpt_fits_and_is_a_part_of_the_post(text: str, tokens: str, words: list[str], columns: int) -> None:
    """A law: not wider than asked, nothing but the post and the marks, never half of a character."""
    shown = excerpt(text, words, tokens=tokens, columns=columns)
    part = shown.removeprefix("…").removesuffix("…")
    assert width(shown) <= columns
    assert part in text
    assert (shown == text) == (width(text) <= columns)
    assert bool(part) == bool(text)
    assert not part.endswith("\u200d") or text.strip().endswith(part)


def test_a_word_wider_than_the_line_is_cut_inside() -> None:
    """A link of a hundred letters."""
    shown = excerpt("x" * 100 + " and more", ("x" * 100,), tokens="en", columns=20)
    assert shown == "x" * 18 + "…"


def test_ids_and_texts_cannot_control_the_terminal() -> None:
    """Spaces and joiners stay as they are."""
    reply = Reply("c\x1b1", "好　👩\u200d💻\u202e", 1.0, "p\x9b1", "a\u00a0b\x1b", ("w\x1b",), {"q2p": 1.0})
    text = str(Replies([reply], post="post", system="run2", tokens="zh"))
    assert not set(text) & set("\x1b\x9b\u202e")
    assert "好　👩\u200d💻\\u202e" in text
    assert "a\u00a0b\\x1b" in text


def test_of_many_features_the_line_shows_those_of_the_largest_weights() -> None:
    """JSON has all of them."""
    features = {f"f{place}": float(place) for place in range(9)}
    weights = {name: (-1) ** place * value for place, (name, value) in enumerate(features.items())}
    view = Replies([Reply("c1", "text", 1.0, "p1", "post", (), features)], post="p", system="ranker", weights=weights)
    reasons = str(view).splitlines()[1]
    assert reasons.startswith("    1.0000 (f8 8.0000 (+8.000), f7 7.0000 (-7.000), f6 6.0000 (+6.000), f5")
    assert reasons.endswith("f3 3.0000 (-3.000) and 3 more features (--json)) c1")
    assert json.loads(view.to_json())["replies"][0]["features"] == features
