"""What a check of a store can find, what each finding means, and what it does to the votes."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from kaiwa.errors import counted, option

if TYPE_CHECKING:
    from collections.abc import Iterable


REFUSED = "refused"
"""No vote is exported: it is not known which votes were given, or on which text."""
LEFT_OUT = "left out"
"""The vote, or the votes on the item, are not exported; the others are."""
OF_OTHERS = "left out if not served"
"""The votes on items that are not served are not exported, and told."""
UNAFFECTED = "not affected"
"""Every vote is exported."""


@dataclass(frozen=True)
class Kind:
    """A kind of finding: its code, what it means, and what happens to the votes."""

    code: str
    means: str
    votes: str


@dataclass(frozen=True)
class Finding:
    """Something that is not as it was stored: its kind and one line, and the row or the item if it is of one alone."""

    kind: Kind
    message: str
    row: int = 0
    item: str = ""

    @property
    def code(self) -> str:
        """The code of the kind."""
        return self.kind.code

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """The finding as JSON."""
        of_row = {"row": self.row} if self.row else {}
        return {
            "code": self.code,
            "message": self.message,
            **of_row,
            "means": self.kind.means,
            "votes": self.kind.votes,
        }


ROW = Kind("row", "rows of the log were removed: their votes are lost", REFUSED)
CHAIN = Kind("chain", "rows of the log were moved or removed", REFUSED)
HASH = Kind("hash", "a row was changed: the vote may not be the one that was given", REFUSED)
COUNT = Kind("count", "rows were removed from the end of the log, or added behind the server's back", REFUSED)
TAIL_HEAD = Kind("head", "the end of the log was replaced", REFUSED)
PUBLISHED = Kind("head", "the log is not the one of an earlier export", REFUSED)
VOTED_TEXT = Kind("text", "the text that the assessor saw is not in the store: what was judged is not known", REFUSED)
OTHER_TEXT = Kind("text", "no vote is on this text", UNAFFECTED)
TASK_TEXT = Kind("text", "the votes are on the text that was shown, not on the one in the files now", UNAFFECTED)
PERSON = Kind("person", "the store does not know who gave the vote", LEFT_OUT)
LEASE = Kind(
    "lease",
    "the store has no record that the item was given to the assessor; the row itself is as it was stored. An earlier "
    "Kaiwa left such rows when its database was killed: each is a vote that was given",
    LEFT_OUT,
)
KEY = Kind("key", "the row repeats a vote, or takes back one that was not given", LEFT_OUT)
ITEM = Kind("item", "which topic and comment the votes on the item are of is not known", LEFT_OUT)
ITEMS = Kind("item", "which items are served, and their known levels, may be wrong", OF_OTHERS)

EVERY_VOTE = option("despite_findings", python="True")
"""How all votes are asked for."""
_AFFECTS = {
    REFUSED: f"Votes are affected: kaiwa votes writes none without {EVERY_VOTE}.",
    LEFT_OUT: f"Only these votes are affected: kaiwa votes leaves them out without {EVERY_VOTE}.",
    OF_OTHERS: f"Votes on items that are not served are affected: kaiwa votes leaves them out without {EVERY_VOTE}.",
    UNAFFECTED: "No vote is affected.",
}


def summaries(findings: Iterable[Finding]) -> list[str]:
    """A line per kind: how often it was found, what it means, and what happens to the votes."""
    numbers = Counter(one.kind for one in findings)
    return [
        f"{kind.code} ({counted(number, 'finding')}): {kind.means}. {_AFFECTS[kind.votes]}"
        for kind, number in numbers.items()
    ]


@dataclass(frozen=True)
class LogCheck:
    """The rows and the head of a log, and what is wrong with it."""

    rows: int
    head: str
    findings: tuple[Finding, ...]
