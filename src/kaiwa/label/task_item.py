"""An item as assessors judge it: a post and a comment with their texts, and the hash of what was shown."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

_UNWRITABLE = {0: "\ufffd", **dict.fromkeys(range(0xD800, 0xE000), "\ufffd")}


KINDS = ("pool", "training", "gold")


@dataclass(frozen=True, slots=True)
class TaskItem:
    """A post and a comment of the task, as its files have them; ``kind`` is pool, training or gold."""

    topic: str
    comment: str
    post: str
    text: str
    kind: str = "pool"
    answer: int | None = None
    feedback: str = ""

    @property
    def shown(self) -> str:
        """The hash of the texts as they are delivered."""
        return shown_hash(writable(self.post), writable(self.text))


def writable(text: str) -> str:
    r"""The text as it is delivered and stored: what UTF-8 or a database cannot hold becomes U+FFFD.

    >>> writable("a\x00b\ud800")
    'a\ufffdb\ufffd'
    """
    return text.translate(_UNWRITABLE)


def shown_hash(post: str, text: str) -> str:
    """The hash of a post and a comment as they are delivered; the length of the first keeps them apart."""
    first = post.encode()
    return sha256(len(first).to_bytes(8, "big") + first + text.encode()).hexdigest()
