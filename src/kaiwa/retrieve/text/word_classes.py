"""The class of a word, such as noun or verb, by the dictionary of its tokeniser.

Chinese by rjieba, Japanese by fugashi with unidic-lite. The tokeniser of English has no dictionary, so all its words
are of class ``other``.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from kaiwa.errors import needs_extra

if TYPE_CHECKING:
    from collections.abc import Callable

WORD_CLASSES = ("other", "name", "noun", "verb", "adjective")
_OF_CHINESE_TAG = {"n": "noun", "v": "verb", "a": "adjective"}  # by the first letter
_CHINESE_NAMES = ("nr", "ns", "nt", "nz")  # of persons, places, organisations, others
_OF_JAPANESE_TAG = {"名詞": "noun", "動詞": "verb", "形容詞": "adjective", "形状詞": "adjective"}


def word_class(word: str, language: str) -> str:
    """The class of a word without its context, one of ``WORD_CLASSES``; that of its last part if it has several.

    >>> [word_class(word, "zh") for word in ("北京", "天气", "喜欢", "漂亮", "吧")]
    ['name', 'noun', 'verb', 'adjective', 'other']
    """
    return _CLASS_OF.get(language, _unknown)()(word)


@cache
def _chinese() -> Callable[[str], str]:
    with needs_extra("zh"):
        import rjieba

    def class_of(word: str) -> str:
        tags = [tag for _, tag in rjieba.tag(word)] or [""]
        return "name" if tags[-1].startswith(_CHINESE_NAMES) else _OF_CHINESE_TAG.get(tags[-1][:1], "other")

    return class_of


@cache
def _japanese() -> Callable[[str], str]:
    with needs_extra("ja"):
        import fugashi

    tagger = fugashi.Tagger()

    def class_of(word: str) -> str:
        parts = tagger(word)
        tag = parts[-1].feature if parts else None
        if tag is None:
            return "other"
        return "name" if tag.pos2 == "固有名詞" else _OF_JAPANESE_TAG.get(tag.pos1, "other")

    return class_of


@cache
def _unknown() -> Callable[[str], str]:
    return lambda _word: "other"


_CLASS_OF: dict[str, Callable[[], Callable[[str], str]]] = {"zh": _chinese, "ja": _japanese}
