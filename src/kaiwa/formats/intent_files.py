"""Probabilities of the intents of each topic: ``topic intent chance``, and optionally the intent's type."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kaiwa.errors import InputError
from kaiwa.formats.text.delimited import number, read_spaced
from kaiwa.formats.text.head import Match, are_numbers

if TYPE_CHECKING:
    from pathlib import Path

    from kaiwa.formats.text.head import Head

_FORM = "topic intent chance [inf|nav]"
_TYPES = {"inf": False, "nav": True}
_SHORT, _LONG = 3, 4


@dataclass(frozen=True)
class IntentChances:
    """P(i|q) by (topic, intent), and the intents that one item satisfies (navigational)."""

    chances: dict[tuple[str, str], float]
    navigational: frozenset[tuple[str, str]]


def is_intent_chances(head: Head) -> Match:
    """Whether lines are a topic, an intent and a chance; surely if the intent's type follows."""
    if not head.fields or any(len(row) not in {_SHORT, _LONG} for row in head.fields):
        return Match.NO
    types = [row[3] for row in head.fields if len(row) == _LONG]
    if not are_numbers(row[2] for row in head.fields) or not set(types) <= set(_TYPES):
        return Match.NO
    return Match.SURE if types else Match.POSSIBLE


def read_intent_chances(path: Path) -> IntentChances:
    """The chances and types of a file's intents; an intent without a type is informational."""
    chances: dict[tuple[str, str], float] = {}
    navigational: set[tuple[str, str]] = set()
    for line, row in read_spaced(path):
        if len(row) not in {_SHORT, _LONG} or (len(row) == _LONG and row[3] not in _TYPES):
            raise InputError.at(path, "is not a line of an intent", f"a line reads: {_FORM}", line=line)
        intent = (row[0], row[1])
        if intent in chances:
            raise InputError.at(path, f"duplicate intent {row[1]!r} of topic {row[0]!r}", "keep one", line=line)
        chances[intent] = number(row[2], path, line, "chance")
        if chances[intent] < 0:
            raise InputError.at(path, f"chance {row[2]} is negative", "chances go from 0 to 1", line=line)
        if len(row) == _LONG and _TYPES[row[3]]:
            navigational.add(intent)
    return IntentChances(chances, frozenset(navigational))
