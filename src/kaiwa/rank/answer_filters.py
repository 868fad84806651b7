"""Filters of answers, independent of their scores."""

from __future__ import annotations

from dataclasses import dataclass

from kaiwa.model.normalise import bigrams, normalise, overlap, skeleton


@dataclass(frozen=True)
class Filters:
    """What is not an answer: a comment that is short, repeats the query or a better answer, or has a blocked word.

    A comment repeats the query (the task's non-repetitive criterion) if at least the share ``repeat`` of its character
    bigrams also occurs in the query. Of two answers whose bigrams overlap by ``near`` or more (Jaccard), the lower one
    is dropped.

    >>> import kaiwa
    >>> kaiwa.Filters(min_chars=5).blocked
    ()
    """

    min_chars: int = 2
    repeat: float = 0.8
    near: float = 0.8
    blocked: tuple[str, ...] = ()


NO_FILTERS = Filters(min_chars=0, repeat=2.0, near=2.0)


class Screen:
    """Takes comments in rank order and returns the reason why one is refused.

    >>> screen = Screen("今天天气真好", Filters(blocked=("广告",)))
    >>> [screen.refuses(text) for text in ("今天天气真好！", "天气真好", "嗯", "去爬山吧", "去爬山吧!!", "广告位")]
    ['identical', 'repeat', 'short', None, 'near', 'blocked']
    """

    def __init__(self, query: str, filters: Filters) -> None:
        self._filters = filters
        self._query = skeleton(query)
        self._query_bigrams = bigrams(query)
        self._blocked = tuple(normalise(word) for word in filters.blocked)
        self._answers: list[frozenset[str]] = []

    def refuses(self, text: str) -> str | None:
        """The reason why the comment is not an answer; None if it is one."""
        compared, own = skeleton(text), bigrams(text)
        reason = self._reason(text, compared, own)
        if reason is None:
            self._answers.append(own)
        return reason

    def _reason(self, text: str, compared: str, own: frozenset[str]) -> str | None:
        filters = self._filters
        if len(compared) < filters.min_chars:
            return "short"
        if filters.repeat <= 1 and compared == self._query:
            return "identical"
        if own and len(own & self._query_bigrams) / len(own) >= filters.repeat:
            return "repeat"
        if self._blocked and any(word in normalise(text) for word in self._blocked):
            return "blocked"
        near = any(overlap(own, answer) >= filters.near for answer in self._answers)
        return "near" if near else None
