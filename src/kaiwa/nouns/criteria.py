"""Criteria: the answers that an assessor can give with one key, and the level that follows from them, as data."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kaiwa.errors import InputError
from kaiwa.nouns.votes import NA

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


MODES = ("first", "all", "levels")
"""The first criterion that fails (one key), every criterion that fails, or a level without criteria."""
COMMANDS = {
    "z": "undo",
    "s": "skip",
    "?": "unsure",
    "n": "note",
    "f": "flag",
    "g": "guidelines",
    "j": "next",
    "k": "previous",
    "h": "keys",
}
"""The keys of the page, which no answer can have."""
_CODES = {
    **{str(digit): (f"Digit{digit}", f"Numpad{digit}") for digit in range(10)},
    **{letter: (f"Key{letter.upper()}",) for letter in "abcdefghijklmnopqrstuvwxyz"},
}
"""The places on a keyboard (``event.code``) of each key: an input method does not change them."""
_HIGHEST_ALSO_SPACE = "Space"


@dataclass(frozen=True)
class Answer:
    """One answer: its key, its name, the level it gives, and the criterion that fails (empty: none)."""

    key: str
    name: str
    level: int
    failed: str = ""


@dataclass(frozen=True)
class Criteria:
    """The answers of a task and how they are combined.

    >>> ladder().level_of(["context"]), ladder().level_of([]), Criteria("all", LADDER).level_of(["context", "topic"])
    (1, 2, 0)
    """

    mode: str
    answers: tuple[Answer, ...]

    def level_of(self, failed: Sequence[str]) -> int:
        """The lowest level that one of the failed criteria gives; the highest if none fails."""
        levels = {answer.failed: answer.level for answer in self.answers if answer.failed}
        best = max(answer.level for answer in self.answers)
        return min([best, *(levels[one] for one in failed)])

    def allows(self, failed: Sequence[str], level: int) -> bool:
        """Whether an assessor can give this level with these failed criteria.

        >>> ladder().allows(["context"], 1), ladder().allows(["context"], 2), ladder().allows([], NA)
        (True, False, True)
        >>> ladder().allows(["topic", "context"], 0), ladder().allows(["wit"], 0)
        (False, False)
        """
        known = {answer.failed for answer in self.answers if answer.failed}
        if not failed and any(answer.level == level and not answer.failed for answer in self.answers):
            return True
        if self.mode == "levels" or not failed or not known.issuperset(failed) or len(set(failed)) < len(failed):
            return False
        return (self.mode == "all" or len(failed) == 1) and level == self.level_of(failed)

    def failures(self, failed: Sequence[str], level: int) -> dict[str, int]:
        """Which criteria fail (1) and which hold (0); NA where the vote does not say.

        >>> ladder().failures(["context"], 1)
        {'coherent': 0, 'topic': 0, 'context': 1, 'repeats': -1}
        """
        names = [answer.failed for answer in self.answers if answer.failed]
        is_best = level == max(answer.level for answer in self.answers)
        is_known = failed[0] in names if failed else is_best  # a level from elsewhere has no reason
        if level == NA or self.mode == "levels" or not is_known:
            return dict.fromkeys(names, NA)
        reached = len(names) if self.mode == "all" or not failed else names.index(failed[0]) + 1
        return {name: int(name in failed) if place < reached else NA for place, name in enumerate(names)}

    def fields(self) -> dict[str, object]:
        """The criteria as the page needs them: JSON."""
        return {
            "mode": self.mode,
            "answers": [self._fields_of(answer) for answer in self.answers],
            "commands": {command: key for key, command in COMMANDS.items()},
        }

    def _fields_of(self, answer: Answer) -> dict[str, object]:
        codes = [*_CODES[answer.key]]
        best = max(one.level for one in self.answers)
        if answer.level == best and self.mode != "levels":
            codes.append(_HIGHEST_ALSO_SPACE)
        return {
            "key": answer.key,
            "code": codes[0],
            "codes": codes,
            "name": answer.name,
            "level": "NA" if answer.level == NA else answer.level,
            "failed": answer.failed,
            "standard": answer in LADDER,
        }


LADDER = (
    Answer("1", "not coherent", 0, "coherent"),
    Answer("2", "coherent, not on topic", 0, "topic"),
    Answer("3", "on topic, needs other context", 1, "context"),
    Answer("4", "repeats the post", 1, "repeats"),
    Answer("5", "appropriate", 2),
    Answer("9", "cannot judge", NA),
)
"""The criteria of the Short Text Conversation task: press the first that fails."""


def ladder() -> Criteria:
    """The default: the ladder, one key per vote."""
    return Criteria("first", LADDER)


def criteria_of(mode: str, answers: Sequence[Answer], *, top: int) -> Criteria:
    """The criteria that a task declares; without answers, the ladder or the levels 0 to ``top``.

    >>> [(answer.key, answer.level) for answer in criteria_of("levels", (), top=2).answers]
    [('0', 0), ('1', 1), ('2', 2), ('9', -1)]
    """
    if mode == "levels" and not answers:
        answers = [*(Answer(str(level), f"L{level}", level) for level in range(top + 1)), Answer("9", "NA", NA)]
    elif not answers:
        answers = LADDER
    for answer in answers:
        _check(answer, top)
    if same := _repeated(answer.key for answer in answers):
        raise InputError(f"two answers have the key {same!r}; give each answer its own key")
    if same := _repeated(answer.failed for answer in answers if answer.failed):
        raise InputError(f"two answers have the failed criterion {same!r}; name each criterion once")
    return Criteria(mode, tuple(answers))


def _check(answer: Answer, top: int) -> None:
    if answer.key in COMMANDS:
        raise InputError(f"the key {answer.key!r} means {COMMANDS[answer.key]}; choose another")
    if answer.key not in _CODES:
        raise InputError(f"key = {answer.key!r}; write one digit or small letter")
    if not NA <= answer.level <= top:
        raise InputError(f'level = {answer.level}; write 0 to {top}, or "NA"')


def _repeated(names: Iterable[str]) -> str:
    listed = list(names)
    return next((name for place, name in enumerate(listed) if name in listed[:place]), "")


# An item as assessors judge it: a post and a comment with their texts, and the hash of what was shown.


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
    from hashlib import sha256  # loads OpenSSL, and few votes come with texts

    return sha256(len(first).to_bytes(8, "big") + first + text.encode()).hexdigest()
