"""Replies to a post, each with its reasons."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import asdict, dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from kaiwa.errors import counted
from kaiwa.model.normalise import normalise
from kaiwa.report.text_tables import visible, width
from kaiwa.retrieve.text.tokenisers import tokeniser
from kaiwa.retrieve.text.written_words import stretches, written_words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kaiwa.rank.replies import Reply

_CUT = "…"
_JOINER = "\u200d"
POST_COLUMNS = 60
_MOST_FEATURES = 6  # on a line; JSON has all


@dataclass(frozen=True)
class ReplyView:
    """The replies of a system to a post, and the tokeniser of the index, which knows where a word ends.

    ``weights`` are those of the standardised features, if the system orders by them.
    """

    post: str
    system: str
    replies: Sequence[Reply]
    tokens: str
    weights: Mapping[str, float] | None = None

    def text(self) -> str:
        """Three lines for each reply: its text, its score and reasons, the post that it was written for."""
        lines = []
        for rank, one in enumerate(self.replies, start=1):
            old_post = excerpt(one.post_text, one.words, tokens=self.tokens, columns=POST_COLUMNS)
            lines.append(f"{rank:>2}  {visible(one.text)}")
            words = f"; words: {visible(' '.join(one.words))}" if one.words else ""
            if one.translations:
                words += f"; translated: {', '.join(visible(f'{own} <- {other}') for own, other in one.translations)}"
            lines.append(f"    {one.score:.4f} ({self._features(one)}{words}) {visible(one.comment)}")
            lines.append(f"    to {visible(one.post)}: {visible(old_post)}")
        return "\n".join(lines) or "no comment answers this post"

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """The post, the system and the replies as JSON fields."""
        weights = {} if self.weights is None else {"weights": dict(self.weights)}
        return {"post": self.post, "system": self.system, **weights, "replies": [asdict(one) for one in self.replies]}

    def _features(self, reply: Reply) -> str:
        """The features with their weights; of many, those of the largest weights."""
        names, weights = list(reply.features), self.weights
        if weights is not None and len(names) > _MOST_FEATURES:
            names.sort(key=lambda name: -abs(weights[name]))
        shown = ", ".join(f"{name} {reply.features[name]:.4f}{self._weight(name)}" for name in names[:_MOST_FEATURES])
        left = len(names) - _MOST_FEATURES
        return f"{shown} and {counted(left, 'more feature')} (--json)" if left > 0 else shown

    def _weight(self, name: str) -> str:
        return "" if self.weights is None else f" ({self.weights[name]:+.3f})"


def excerpt(text: str, words: Sequence[str], *, tokens: str, columns: int) -> str:
    """The part of the text around the first of the words that it has, cut between words, with a mark at each cut.

    >>> excerpt("It rained all day, then the sun came out", ["sun"], tokens="en", columns=20)
    '…the sun came out'
    """
    if width(text) <= columns:
        return text
    room = columns - 2 * width(_CUT)
    edges = _edges(text, tokens, room)
    first, last = _part(text, edges, _place(text, words, tokens), room)
    part = text[edges[first] : edges[last]].strip()
    return (_CUT if edges[first] else "") + part + (_CUT if edges[last] < len(text) else "")


def _place(text: str, words: Sequence[str], tokens: str) -> tuple[int, int]:
    """Where the text has the first of the words that it has; its beginning if it has none."""
    chosen = tokeniser(tokens)
    written = written_words(chosen, text)
    for word in words:
        if found := stretches(written, set(chosen.terms(word)), text, normalise(text)):
            longest = max(found, key=lambda one: one.end - one.start)
            return longest.start, longest.end
    return 0, 0


def _edges(text: str, tokens: str, room: int) -> list[int]:
    """The positions at which the text may be cut: between words, and anywhere in a word that is too wide."""
    words = written_words(tokeniser(tokens.partition("+")[0]), text)
    wanted = sorted({0, len(text), *(word.start for word in words), *(word.end for word in words)})
    for low, high in pairwise(wanted[:]):
        if width(text[low:high]) > room:
            wanted.extend(range(low + 1, high))
    return sorted(at for at in wanted if at in {0, len(text)} or not _is_joined(text[at - 1], text[at]))


def _is_joined(before: str, after: str) -> bool:
    """Whether two characters are drawn as one: a mark, a skin tone, or either side of a joiner."""
    return before == _JOINER or width(after) == 0 or "\U0001f3fb" <= after <= "\U0001f3ff"


def _part(text: str, edges: Sequence[int], place: tuple[int, int], room: int) -> tuple[int, int]:
    """The first and last edge of what is shown: the place, and as much as fits on both sides of it."""

    def fits(low: int, high: int) -> bool:
        return low >= 0 and high < len(edges) and width(text[edges[low] : edges[high]].strip()) <= room

    first = last = bisect_right(edges, place[0]) - 1
    while edges[last] < place[1] and fits(first, last + 1):
        last += 1
    if fits(0, last):
        first = 0
    while fits(first - 1, last) or fits(first, last + 1):
        if fits(first, last + 1):
            last += 1
        if fits(first - 1, last):
            first -= 1
    return first, last
