"""Words of Chinese, Japanese and English, and character bigrams of any of them.

A tokeniser splits normalised text into tokens and maps each distinct token to a term once, so that
stemming and removing punctuation cost nothing per occurrence. The choices are measured in docs/decisions/words.md.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from kaiwa.errors import InputError, Names, needs_extra
from kaiwa.nouns.normalise import normalise

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


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
