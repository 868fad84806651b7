"""What the terminal and the page show of a text: every character as it is, except those that control the display."""

from __future__ import annotations

import sys
import unicodedata

import pytest

from kaiwa.show.text import table, visible, width

BIDI_CONTROLS = {0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)}
"""Unicode 16.0, PropList.txt, property Bidi_Control."""

CONTROLS = {
    "Cc": "control characters",
    "Cs": "lone surrogates, which cannot be encoded",
    "Zl": "the line separator",
    "Zp": "the paragraph separator",
}


def test_of_all_of_unicode_only_control_and_bidi_characters_are_escaped() -> None:
    """Every code point, by its category; of the format characters (Cf) only those with the property Bidi_Control."""
    escaped = {number for number in range(sys.maxunicode + 1) if visible(chr(number)) != chr(number)}
    controls = {number for number in range(sys.maxunicode + 1) if unicodedata.category(chr(number)) in CONTROLS}
    assert escaped == controls | BIDI_CONTROLS


def test_what_is_escaped_is_plain_ascii() -> None:
    """An escape can be printed anywhere, and says which character it is."""
    assert visible("\\x1b") == "\\x1b"
    assert [visible(char) for char in "\x1b\x9b\u202e\u2028\ud800"] == [
        r"\x1b",
        r"\x9b",
        r"\u202e",
        r"\u2028",
        r"\ud800",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "今天　天气",  # full-width space
        "5\u00a0km",  # no-break space
        "10\u202f000",  # narrow no-break space
        "👨\u200d👩\u200d👧",  # a family: three people and two joiners
        "❤\ufe0f",  # emoji style
        "می\u200cخواهم",  # Persian, with a zero-width non-joiner
        "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",  # the flag of England: tag characters
        "\U0001fae9\U0001fadf",  # characters that this Python may not know yet
    ],
)
def test_spaces_and_joiners_are_printed_as_they_are(text: str) -> None:
    """They belong to the text that somebody wrote."""
    assert visible(text) == text


def test_marks_and_joiners_take_no_column() -> None:
    """Columns stay aligned beside a text that has them."""
    assert [width(text) for text in ("👩\u200d💻", "❤\ufe0f", "e\u0301", "今　天")] == [4, 1, 1, 6]
    rows = table(["text", "n"], [["❤\ufe0f", 1], ["ab", 2]]).splitlines()
    assert [width(row) for row in rows[1:]] == [7, 7, 7]
