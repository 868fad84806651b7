"""Words that carry little meaning: those that an English index leaves out, and those that are no reason for a reply."""

from __future__ import annotations


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
