"""Words of Chinese, Japanese and English, and character bigrams of any of them.

A tokeniser splits normalised text into tokens and maps each distinct token to a term once, so that
stemming and removing punctuation cost nothing per occurrence. The choices are measured in docs/decisions/words.md.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass
from functools import cache, lru_cache
from math import fsum
from typing import TYPE_CHECKING, NamedTuple

from kaiwa.errors import InputError, Names, needs_extra
from kaiwa.nouns.normalise import normalise

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping


# Words that carry little meaning: those that an English index leaves out, and those that are no reason for a reply.


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ENGLISH_STOP_WORDS = _words(
    """
    a an and are as at be been but by for from had has have he her his i if in into is it its me my no not of on or
    our she so that the their them then there these they this to was we were what which who will with you your
    """
)
"""An English index has no terms for them."""

_ENGLISH_AUXILIARIES = _words(
    """
    am do does did doing don't doesn't didn't i'm i've i'd i'll it's that's there's you're you've we're they're isn't
    aren't wasn't can't can could should would won't wouldn't may might must shall how when where why whom whose than
    too very just also about any some such him us mine yours
    """
)

_CHINESE = _words(
    """
    的 了 着 过 地 得 之 所 等 吗 呢 吧 啊 呀 哦 噢 喔 嘛 啦 哇 呐 嗯 哎 唉 么 们 把 被 给 让 叫 对 对于 从 由 向 往
    到 在 于 为 为了 以 用 按 跟 和 与 及 或 或者 而 而且 且 但 但是 可是 不过 然而 因为 所以 因此 如果 虽然 即使 就
    就是 都 也 还 还是 又 再 才 只 却 很 太 更 最 不 没 没有 别 是 有 要 会 能 可以 可 应该 将 已 已经 正在 这 那 哪
    这个 那个 哪个 这些 那些 这样 那样 这么 那么 这里 那里 什么 怎么 怎样 怎么样 为什么 谁 多少 几 我 你 您 他 她 它
    我们 咱们 你们 他们 她们 自己 一 个 一个 些 一些 种 次 上 下 里 中 时 时候 后 前 说
    """
)

_JAPANESE = _words(
    """
    の は が を に へ と で も や か ね よ な わ ぞ ぜ さ し て た だ です ます まし ました ませ でし でした でしょう
    だっ だろ だろう ない なかっ なく ん う たい たかっ たく れる られる れ られ せる させる せ させ いる い ある あっ
    あり する おる てる ちゃ じゃ なら ば ながら から まで より だけ しか など なんか くらい ぐらい ほど って ので
    のに けど けれど けれども でも こと もの よう そう これ それ あれ どれ この その あの どの ここ そこ あそこ どこ
    何 なに なん 私 わたし 僕 ぼく 俺 おれ あなた 君 彼 彼女 さん ちゃん
    """
)

FUNCTION_WORDS = {"en": ENGLISH_STOP_WORDS | _ENGLISH_AUXILIARIES, "zh": _CHINESE, "ja": _JAPANESE}
"""Per language: particles, pronouns, auxiliaries, conjunctions; they are not shown as reasons for a reply."""


def is_function_word(text: str, language: str) -> bool:
    """Whether normalised text is a function word of the language, or Chinese made of such words only.

    >>> [is_function_word(*pair) for pair in (("的", "zh"), ("我的", "zh"), ("天气", "zh"), ("does", "en"))]
    [True, True, False, True]
    """
    words = FUNCTION_WORDS.get(language, frozenset())
    return text in words or (language == "zh" and all(char in words for char in text))


CJK = "\u3005\u3007\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"
_RUNS = re.compile(rf"[{CJK}]+|[^\W{CJK}]+")
_IS_CJK = re.compile(f"[{CJK}]").match
_WORDS = re.compile(r"[^\W_]+(?:['’][^\W_]+)*|[^\w\s]")
_KANA = re.compile("[\u3041-\u30ff]")
_HAN = re.compile("[\u3400-\u9fff]")
_HANGUL_OR_LETTER = re.compile(r"[^\W\d_]")
_MOST_CHARACTERS = 4096  # that a native library gets at once; MeCab crashes on some 100,000 without a blank
_PIECE = re.compile(rf"(?s:.{{1,{_MOST_CHARACTERS}}}(?=\s|\Z)|.{{1,{_MOST_CHARACTERS}}})")
_LONGEST_WORD = 256  # that is stemmed
_BIGRAM_MARK = "\x02"  # distinguishes a bigram from the word of the same two characters; in no normalised text


@dataclass(frozen=True)
class Tokeniser:
    """A name, how text is split into tokens, and the term of a token ("" if it is not a word)."""

    name: str
    split: Callable[[str], list[str]]
    term: Callable[[str], str]

    def terms(self, text: str) -> list[str]:
        """The text's terms, in order.

        >>> tokeniser("en").terms("The FIRST days in Hawaii!!!")
        ['first', 'day', 'hawaii']
        """
        return [term for token in self.split(normalise(text)) if (term := self.term(token))]


def tokeniser(name: str) -> Tokeniser:
    """The tokeniser of a language, of ``bigrams``, or of both: ``zh+bigrams``."""
    words, plus, more = name.partition("+")
    made = TOKENISERS[words]()
    if not plus:
        return made
    if words == more:
        raise InputError(f"the tokeniser {name!r} is the same twice; give {words!r}")
    bigrams = TOKENISERS[more]()
    return Tokeniser(
        name,
        lambda text: made.split(text) + [_BIGRAM_MARK + token for token in bigrams.split(text)],
        lambda token: token if token[0] == _BIGRAM_MARK else made.term(token),
    )


def all_tokens(language: str) -> Tokeniser:
    """The tokens of a language as they are: function words and punctuation marks too, and no stems.

    >>> all_tokens("en").terms("Is it? The FIRST days.")
    ['is', 'it', '?', 'the', 'first', 'days', '.']
    """
    return Tokeniser(f"{language}, all tokens", tokeniser(language).split, str.strip)


def default_tokens(language: str) -> str:
    """The tokeniser of a language unless another is asked for; for Chinese, measured in docs/decisions/words.md.

    >>> [default_tokens(language) for language in ("zh", "ja", "en")]
    ['zh+bigrams', 'ja', 'en']
    """
    return "zh+bigrams" if language == "zh" else language


def shown(term: str) -> str:
    """The term without the mark of a bigram."""
    return term.removeprefix(_BIGRAM_MARK)


def language_of(texts: Iterable[str]) -> str:
    """The language that most of the texts are in: ``ja`` if there is kana, ``zh`` if there is Han, else ``en``.

    >>> [language_of([text]) for text in ("今天天气好", "今日は雨です", "it rains")]
    ['zh', 'ja', 'en']
    """
    joined = "".join(texts)
    kana, han = len(_KANA.findall(joined)), len(_HAN.findall(joined))
    letters = len(_HANGUL_OR_LETTER.findall(joined))
    if kana > 0.1 * (kana + han):
        return "ja"
    return "zh" if han > 0.2 * letters else "en"


def is_word(token: str) -> bool:
    """Whether the token has a letter, a digit, or a symbol such as an emoji.

    >>> [is_word(token) for token in ("雨", "7", "😀", "。", " ")]
    [True, True, True, False, False]
    """
    return any(char.isalnum() or unicodedata.category(char) == "So" for char in token)


def _word_or_nothing(token: str) -> str:
    if token.isalnum():
        return token
    token = token.strip()
    return token if is_word(token) else ""


def _bigrams_of(text: str) -> list[str]:
    tokens = []
    for run in _RUNS.findall(text):
        if len(run) > 1 and _IS_CJK(run[0]):
            tokens.extend([run[at : at + 2] for at in range(len(run) - 1)])
        else:
            tokens.append(run)
    return tokens


def words_and_characters(text: str) -> list[str]:
    """The words of a text of any language, without a dictionary: of Chinese and Japanese, each character is one.

    >>> words_and_characters("OK, 天气 is good!")
    ['ok', '天', '气', 'is', 'good']
    """
    parts: list[str] = []
    for run in _RUNS.findall(normalise(text)):
        parts.extend(run if _IS_CJK(run[0]) else [run])
    return parts


def in_pieces(split: Callable[[str], list[str]]) -> Callable[[str], list[str]]:
    """A native splitter that gets a long text in pieces of bounded size, cut at blanks where there are any.

    >>> [len(piece) for piece in in_pieces(lambda text: [text])("a" * 10_000)]
    [4096, 4096, 1808]
    """

    def bounded(text: str) -> list[str]:
        if len(text) <= _MOST_CHARACTERS:
            return split(text)
        return [token for piece in _PIECE.findall(text) for token in split(piece)]

    return bounded


@cache
def _chinese() -> Tokeniser:
    with needs_extra("zh"):
        import rjieba

    return Tokeniser("zh", in_pieces(rjieba.cut), _word_or_nothing)


@cache
def _japanese() -> Tokeniser:
    with needs_extra("ja"):
        import fugashi

    parse = fugashi.Tagger("-Owakati").parse
    return Tokeniser("ja", in_pieces(lambda text: parse(text).split()), _word_or_nothing)


@cache
def _english() -> Tokeniser:
    with needs_extra("search"):
        import snowballstemmer

    stem = snowballstemmer.stemmer("english").stemWord

    @lru_cache(1 << 16)  # words repeat, and stemming one takes 50 microseconds
    def term(token: str) -> str:
        if token in ENGLISH_STOP_WORDS or not is_word(token):
            return ""
        return str(stem(token.replace("’", "'"))) if len(token) <= _LONGEST_WORD else token

    return Tokeniser("en", _WORDS.findall, term)


@cache
def _bigrams() -> Tokeniser:
    return Tokeniser("bigrams", _bigrams_of, _word_or_nothing)


TOKENISERS: Names[Callable[[], Tokeniser]] = Names(
    "tokeniser", {"zh": _chinese, "ja": _japanese, "en": _english, "bigrams": _bigrams}
)


# Words of a text as somebody wrote them: where they are, and the terms that they became.


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
def _chinese_class() -> Callable[[str], str]:
    with needs_extra("zh"):
        import rjieba

    def class_of(word: str) -> str:
        tags = [tag for _, tag in rjieba.tag(word)] or [""]
        return "name" if tags[-1].startswith(_CHINESE_NAMES) else _OF_CHINESE_TAG.get(tags[-1][:1], "other")

    return class_of


@cache
def _japanese_class() -> Callable[[str], str]:
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


_CLASS_OF: dict[str, Callable[[], Callable[[str], str]]] = {"zh": _chinese_class, "ja": _japanese_class}
