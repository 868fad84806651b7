"""Rules on words: comments that speak of another time than the query, and short comments of agreement.

In the families of BUPT and OKSAT at NTCIR-12 STC. The words are lists, of each language its own.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.nouns.normalise import normalise, skeleton
from kaiwa.ranking.system import best_posts, by_keys, ordered
from kaiwa.retrieval.matching import Candidates, Matcher, post_similarities, query_from, search
from kaiwa.retrieval.tokenisers import tokeniser

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kaiwa.ranking.system import Asked, Source

    Times = Mapping[str, frozenset[str]]  # by kind: the times that a text names


# The rule of time. Pairs and topics have no dates, so it reads the words that name a time.


TIMES = {
    "part of the day": {
        "morning": "早上 早晨 清晨 上午 早安 今早 早餐 今朝 朝ごはん 朝食 おはよう morning breakfast sunrise",
        "noon": "中午 午安 正午 午饭 午餐 昼休み 昼ごはん お昼 昼食 noon midday lunch",
        "afternoon": "下午 午后 午後 afternoon",
        "evening": "傍晚 晚上 夜里 夜晚 今晚 晚安 晚饭 晚餐 深夜 半夜 夕方 今夜 今晩 夜中 晩ごはん 夕食 おやすみ "
        "こんばんは evening tonight night midnight dinner supper sunset",
    },
    "day of the week": {
        "monday": "星期一 周一 礼拜一 月曜 monday",
        "tuesday": "星期二 周二 礼拜二 火曜 tuesday",
        "wednesday": "星期三 周三 礼拜三 水曜 wednesday",
        "thursday": "星期四 周四 礼拜四 木曜 thursday",
        "friday": "星期五 周五 礼拜五 金曜 friday",
        "saturday": "星期六 周六 礼拜六 周末 土曜 週末 saturday weekend",
        "sunday": "星期日 星期天 周日 礼拜天 周末 日曜 週末 sunday weekend",
    },
    "season": {
        "spring": "春天 春季 开春 春先 花見 springtime",
        "summer": "夏天 夏季 盛夏 夏休み 真夏 summer",
        "autumn": "秋天 秋季 深秋 秋晴れ 紅葉 autumn",
        "winter": "冬天 冬季 寒冬 冬休み 真冬 winter",
    },
}
"""The words that name a time, by its kind. One that names nothing else often: of English, spring and fall do."""


@cache
def _patterns() -> dict[str, dict[str, re.Pattern[str]]]:
    """A pattern of each time; a word of letters is a whole word, as English writes it."""
    return {
        kind: {time: re.compile("|".join(map(_pattern, words.split()))) for time, words in times.items()}
        for kind, times in TIMES.items()
    }


def _pattern(word: str) -> str:
    return rf"\b{word}s?\b" if word.isascii() else re.escape(normalise(word))


def times_of(text: str) -> Times:
    """The times that a text names, by kind.

    >>> {kind: sorted(times) for kind, times in times_of("Good morning, see you on Sunday").items()}
    {'part of the day': ['morning'], 'day of the week': ['sunday']}
    """
    plain = normalise(text)
    found = {
        kind: frozenset(time for time, pattern in times.items() if pattern.search(plain))
        for kind, times in _patterns().items()
    }
    return {kind: times for kind, times in found.items() if times}


def conflicts(one: Times, other: Times) -> int:
    """In how many kinds two texts name times, none of them the same.

    >>> conflicts(times_of("早安"), times_of("晚安")), conflicts(times_of("周末"), times_of("星期天早上"))
    (1, 0)
    """
    return sum(not times & other[kind] for kind, times in one.items() if kind in other)


def at_its_time(asked: Asked, *, source: Source) -> Candidates:
    """The candidates of a source, whose scores are at most 1: one less for each kind of time that conflicts."""
    found, own = source(asked), times_of(asked.query.text)
    if not own:
        return found
    texts = asked.query.index.comments.texts
    lost = [conflicts(own, times_of(texts.text_of(comment))) for comment in found.comments.tolist()]
    return ordered(found, found.scores - np.array(lost, dtype=np.float64))


# Short comments of agreement.


AGREEMENTS = {
    "zh": (
        "同意 赞同 同感 确实 的确 没错 对啊 对呀 对的 是啊 是呀 是的 说得对 说的对 有道理 好的 我也是 我也觉得 必须的",
        "嗯嗯",
    ),
    "ja": (
        "うん そうそう そうだね そうですね そうだよね だよね ですよね 確かに たしかに なるほど 同感 わかる わかります",
        "その通り そのとおり 本当に ほんとに ほんとそれ それな 私も 俺も 僕も いいね いいですね",
    ),
    "en": (
        "yes yeah yep exactly indeed totally agreed absolutely definitely right true so_true me_too i_agree same_here",
        "of_course you_are_right you're_right that's_right that's_true sounds_good i_think_so uh_huh",
    ),
}
"""How a comment of agreement begins, by language."""
MOST_LETTERS = {"zh": 8, "ja": 10, "en": 18}
"""Of a short comment, by language."""


def agreements_of(language: str) -> list[str]:
    """The phrases of a language; none of a language without a list."""
    return [phrase.replace("_", " ") for line in AGREEMENTS.get(language, ()) for phrase in line.split()]


@cache
def _agreement(language: str) -> re.Pattern[str]:
    phrases = (re.escape(normalise(one)) + (r"\b" if one.isascii() else "") for one in agreements_of(language))
    return re.compile(rf"\W*(?:{'|'.join(phrases)})")


def is_short_agreement(text: str, language: str) -> bool:
    """Whether a text is short and begins with a phrase of agreement.

    >>> texts = ("うん、そうだね！", "そうだねえ、でも昨日の雨はひどかったよ", "雨だね")
    >>> [is_short_agreement(text, "ja") for text in texts]
    [True, False, False]
    """
    if language not in AGREEMENTS or len(skeleton(text)) > MOST_LETTERS[language]:
        return False
    return _agreement(language).match(normalise(text)) is not None


def short_agreements(asked: Asked) -> Candidates:
    """The short comments of agreement: those whose post is most similar to the query first, then the shortest."""
    index = asked.query.index
    terms = [term for phrase in agreements_of(index.language) for term in tokeniser(index.tokeniser).terms(phrase)]
    query = query_from(index, sorted(set(terms)), asked.query.text)
    found = search(query, Matcher("tfidf", 0.0, 1.0), k=asked.k, takedown_posts=asked.takedown_posts)
    texts = [index.comments.texts.text_of(comment) for comment in found.comments.tolist()]
    kept = np.array([is_short_agreement(text, index.language) for text in texts], dtype=np.bool_)
    comments = found.comments[kept]
    posts = best_posts(asked.query, comments, takedown_posts=asked.takedown_posts)
    lengths = np.array([len(skeleton(text)) for text, is_kept in zip(texts, kept, strict=True) if is_kept], dtype=float)
    similar = post_similarities(asked.query, "tfidf", posts)
    return by_keys(Candidates(comments, posts, np.zeros(len(comments))), similar, -lengths)
