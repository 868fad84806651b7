"""Words of a text as somebody wrote them: where they are, and the terms that they became."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cache
from math import fsum
from typing import TYPE_CHECKING, NamedTuple

from kaiwa.errors import needs_extra
from kaiwa.nouns.normalise import normalise
from kaiwa.retrieval.tokenisers import is_function_word, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from kaiwa.retrieval.tokenisers import Tokeniser


_LONGEST_CLUSTER = 4  # characters that become one when they are normalised


class WrittenWord(NamedTuple):
    """A word of a text: ``text[start:end]``, and its term ("" if it has none)."""

    start: int
    end: int
    term: str


@dataclass(frozen=True)
class Stretch:
    """A part of a text, ``text[start:end]``, without a gap between its words, and their terms."""

    start: int
    end: int
    terms: frozenset[str]


def written_words(tokens: Tokeniser, text: str) -> list[WrittenWord]:
    """The words and punctuation marks that the tokeniser finds in the text, with their places in it.

    >>> from kaiwa.retrieval.tokenisers import tokeniser
    >>> [tuple(word) for word in written_words(tokeniser("en"), "Two Ｄａｙｓ!")]
    [(0, 3, 'two'), (4, 8, 'day'), (8, 9, '')]
    """
    text = text.encode(errors="replace").decode()
    plain = normalise(text)
    origins = _origins(text, plain)
    found: list[WrittenWord] = []
    at, marked = 0, False
    for token in tokens.split(plain):
        word = shown(token)
        if word != token and not marked:  # the bigrams follow all the words
            at, marked = 0, True
        at = plain.find(word, at)
        end = bisect_right(origins, origins[at + len(word) - 1])
        found.append(WrittenWord(origins[at], origins[end], tokens.term(token)))
        at += 1 if marked or tokens.name == "bigrams" else len(word)
    return found


def _origins(text: str, plain: str) -> list[int]:
    """For each position of the normalised text and for its end, the position in the text that it comes from.

    A few characters may become one (a letter and its accent), and repeated or invisible ones none.

    >>> _origins("Ｓｏｏｏｏ!", "soo!")
    [0, 1, 2, 5, 6]
    """
    origins: list[int] = []
    at = 0
    while at < len(text) and len(origins) < len(plain):
        done = len(origins)
        pieces = ((size, normalise(text[at : at + size])) for size in range(1, _LONGEST_CLUSTER + 1))
        size, piece = next(((size, one) for size, one in pieces if one and plain.startswith(one, done)), (1, ""))
        replaced = not piece and normalise(text[at + 1 : at + 2]) == plain[done + 1 : done + 2]
        origins += [at] * (len(piece) or replaced)
        at += size
    return origins + [len(text)] * (len(plain) + 1 - len(origins))


def stretches(words: Iterable[WrittenWord], terms: Collection[str], text: str, within: str) -> list[Stretch]:
    """The parts of the text whose words are among the terms.

    Words overlap only if they are bigrams: those of 天气真 are 天气 and 气真. They are joined if the joined text occurs
    within another, normalised text.
    """
    joined: list[Stretch] = []
    for word in sorted(one for one in words if one.term in terms):
        last = joined[-1] if joined else Stretch(0, 0, frozenset())
        end = max(word.end, last.end)
        if word.start < last.end and (end == last.end or normalise(text[last.start : end]) in within):
            joined[-1] = Stretch(last.start, end, last.terms | {word.term})
        else:
            joined.append(Stretch(word.start, word.end, frozenset({word.term})))
    return joined


class SharedWords:
    """The words of a query as written, for the reasons of its replies.

    >>> from kaiwa.retrieval.tokenisers import tokeniser
    >>> words = SharedWords(tokeniser("en"), "Which Bakeries are open?", "en")
    >>> words.shared({"open": 0.2, "bakeri": 0.5}, "a bakery that opens at six")
    ('Bakeries', 'open')
    """

    def __init__(self, tokens: Tokeniser, query: str, language: str) -> None:
        self._query, self._language = query, language
        self._words = written_words(tokens, query)

    def shared(self, added: Mapping[str, float], text: str) -> tuple[str, ...]:
        """The words whose terms add something to the score of this text, those that add most first.

        Function words are left out, unless there are no others.
        """
        written: dict[frozenset[str], str] = {}
        for one in map(self._trimmed, stretches(self._words, added, self._query, normalise(text))):
            written.setdefault(one.terms, self._query[one.start : one.end].strip())
        ordered = sorted(written, key=lambda terms: -fsum(added[term] for term in terms))
        words = [written[terms] for terms in ordered]
        content = [word for word in words if not is_function_word(normalise(word), self._language)]
        return tuple(content or words)

    def _trimmed(self, joined: Stretch) -> Stretch:
        """The stretch of several words without the function words at its ends."""
        if len(joined.terms) == 1:
            return joined
        start, end = joined.start, joined.end
        words = sorted(word for word in self._words if word.start < end and start < word.end)
        for word in filter(self._is_function_word, words):
            if word.start <= start < word.end < end:
                start = word.end
        for word in filter(self._is_function_word, reversed(words)):
            if start < word.start < end <= word.end:
                end = word.start
        terms = joined.terms.intersection(word.term for word in words if start <= word.start and word.end <= end)
        return Stretch(start, end, terms) if terms else joined

    def _is_function_word(self, word: WrittenWord) -> bool:
        is_bigram = shown(word.term) != word.term  # of the end of one word and the beginning of the next
        return not is_bigram and is_function_word(normalise(self._query[word.start : word.end]), self._language)


# The class of a word, such as noun or verb, by the dictionary of its tokeniser.


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
