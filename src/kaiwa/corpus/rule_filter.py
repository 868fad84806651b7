"""Pairs that pass a rule set, and counts of those that were removed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Set as AbstractSet

    from kaiwa.corpus.rules import RuleSet
    from kaiwa.model.pair import Pair

EXAMPLES = 3
EXAMPLE_CHARS = 60


class Removals:
    """How many pairs each rule removed, with the first few texts it removed.

    >>> removals = Removals()
    >>> removals.add("short", "ok")
    >>> removals.counts, removals.examples
    ({'short': 1}, {'short': ['ok']})
    """

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.examples: dict[str, list[str]] = {}

    def add(self, reason: str, text: str, *, times: int = 1) -> None:
        """Count a removed text."""
        self.counts[reason] = self.counts.get(reason, 0) + times
        shown = self.examples.setdefault(reason, [])
        if text and len(shown) < EXAMPLES and text[:EXAMPLE_CHARS] not in shown:
            shown.append(text[:EXAMPLE_CHARS])

    def include(self, later: Removals) -> None:
        """Add what was removed later in the same input."""
        for reason, count in later.counts.items():
            self.add(reason, "", times=count)
            for text in later.examples[reason]:
                self.add(reason, text, times=0)


def passing(pairs: Iterable[Pair], rules: RuleSet, removals: Removals, takedown: AbstractSet[str]) -> list[Pair]:
    """The pairs whose post and comment both pass; the others are counted by the first rule that removes them.

    A comment of a takedown passes, because its near-duplicates are still to be found; no example shows a takedown.
    """
    kept = []
    last: str | None = None
    post_reason: str | None = None
    for pair in pairs:
        if pair.post != last:
            last, post_reason = pair.post, rules.against("post", pair.post)
        reason = post_reason or rules.against("comment", pair.comment)
        if reason is None or pair.comment_id in takedown:
            kept.append(pair)
        else:
            removed, name = (pair.post, pair.post_id) if post_reason else (pair.comment, pair.comment_id)
            hidden = pair.post_id in takedown
            removals.add(reason, "" if hidden else removed if removed.strip() else f"{name} (empty)")
    return kept
