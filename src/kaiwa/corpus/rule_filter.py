"""Pairs that pass a rule set, and an account of those that do not."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kaiwa.corpus.rules import RuleSet
    from kaiwa.model.pair import Pair

EXAMPLES = 3
EXAMPLE_CHARS = 60


class Account:
    """How many pairs each rule removed, with the first few texts it removed.

    >>> account = Account()
    >>> account.remove("short", "ok")
    >>> account.counts, account.examples
    ({'short': 1}, {'short': ['ok']})
    """

    def __init__(self) -> None:
        self.counts: dict[str, int] = {}
        self.examples: dict[str, list[str]] = {}

    def remove(self, why: str, text: str, *, times: int = 1) -> None:
        """Note that a text was removed."""
        self.counts[why] = self.counts.get(why, 0) + times
        shown = self.examples.setdefault(why, [])
        if text and len(shown) < EXAMPLES and text[:EXAMPLE_CHARS] not in shown:
            shown.append(text[:EXAMPLE_CHARS])


def passing(pairs: Iterable[Pair], rules: RuleSet, account: Account) -> list[Pair]:
    """The pairs whose post and comment both pass; the others go to the account under the first rule they break."""
    kept = []
    last: str | None = None
    verdict: str | None = None
    for pair in pairs:
        if pair.post != last:
            last, verdict = pair.post, rules.against("post", pair.post)
        why = verdict or rules.against("comment", pair.comment)
        if why is None:
            kept.append(pair)
        else:
            account.remove(why, pair.post if verdict else pair.comment)
    return kept
