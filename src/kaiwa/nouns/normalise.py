"""Text normalised for comparison: width, case, elongation and invisible characters make no difference."""

from __future__ import annotations

import re
import unicodedata
from hashlib import blake2b

_RUN = re.compile(r"(\D)\1{2,}")
_INVISIBLE = re.compile(
    "[\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u206f\ufe00-\ufe0f\ufeff\U0001f3fb-\U0001f3ff]+"
)
_CONTROLS = re.compile("[\x00-\x08\x0e-\x1b\x7f]+")  # those that are not white space
_NOT_WORD = re.compile(r"[\W_]+")
_LONG_MARKS = "ー〜~"
_LONG_VOWEL = re.compile("(?<=[ぁ-ゖァ-ヺ])[ー〜~]+")


def normalise(text: str) -> str:
    """The text with normalised width, case and elongation, without skin tones, control and invisible characters.

    Three or more of the same character in a row become two, so "soooo" and "sooooooo" are equal; digits stay.

    >>> normalise("ＳＯＯＯＯ　ｇｏｏｄ！！！！")
    'soo good!!'
    >>> normalise("すごーーーい 哈哈哈哈哈")
    'すごーい 哈哈'
    """
    if not text.isprintable():
        text = _CONTROLS.sub("", text)
    if not text.isascii():
        text = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text))
        if any(mark in text for mark in _LONG_MARKS):
            text = _LONG_VOWEL.sub("ー", text)
    return _RUN.sub(lambda run: run[1] * 2, text.lower())


def skeleton(text: str) -> str:
    """The text's letters and digits alone; the normalised text without spaces if it has none.

    Texts with one skeleton are near-duplicates: they differ in punctuation, spacing, width, case,
    elongation or emoji only.

    >>> skeleton("Wow, so  COOOL!!") == skeleton("wow so coool")
    True
    """
    plain = normalise(text)
    return _NOT_WORD.sub("", plain) or "".join(plain.split())


def fingerprint(text: str) -> int:
    """A 64-bit number for a text; two different texts of ten million share one with a probability of 1 in 370,000.

    >>> fingerprint("a") == fingerprint("a") != fingerprint("b")
    True
    """
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "little")


def bigrams(text: str) -> frozenset[str]:
    """The pairs of neighbouring characters in the text's skeleton; a single character is kept.

    >>> sorted(bigrams("北京，好！"))
    ['京好', '北京']
    """
    letters = skeleton(text)
    return frozenset({letters} if len(letters) == 1 else (letters[at : at + 2] for at in range(len(letters) - 1)))


def overlap(one: frozenset[str], other: frozenset[str]) -> float:
    """Jaccard's coefficient of two sets; 0 if both are empty.

    >>> overlap(bigrams("abcd"), bigrams("abce"))
    0.5
    """
    return len(one & other) / len(one | other) if one or other else 0.0
