"""Dialogues as lists of turns, in JSON: every turn is a post, and the next turn is its comment."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from kaiwa.errors import InputError
from kaiwa.formats.collection.pair_files import JSONL, clean_cell, in_batches, is_id, kind_of
from kaiwa.formats.text.head import Match
from kaiwa.formats.text.json_values import json_values
from kaiwa.model.pair import Pair

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from kaiwa.formats.collection.pair_files import Batch
    from kaiwa.formats.text.head import Head

LISTS = ("turns", "dialogue", "dialog", "conversation", "conversations", "messages", "utterances")
TEXTS = ("text", "content", "message", "utterance", "value")
_IDS = ("id", "dialogue_id", "dialog_id", "conversation_id")
_ROLES = ("role", "speaker", "from")
_NOT_SAID = ("system", "tool")
_SHAPE = f"a dialogue is a list of turns, or an object with the list under {', '.join(LISTS)}"


def is_dialogues(head: Head) -> Match:
    """Whether the first value of a JSON file is a dialogue."""
    if head.is_folder or kind_of(head.path) not in JSONL:
        return Match.NO
    try:
        _, first = next(json_values(head.path), (0, None))
    except InputError:
        return Match.NO
    turns = _turns(first)
    return Match.SURE if turns and all(_text(turn) is not None for turn in turns) else Match.NO


def read_dialogues(path: Path, *, first: int = 1) -> Iterator[Batch]:
    """The pairs of neighbouring turns, batch by batch; ``first`` is the number of the first dialogue."""
    return in_batches(_pairs(path, first))


def dialogue_count(path: Path) -> int:
    """The number of dialogues in a file."""
    return sum(1 for _ in json_values(path))


def _pairs(path: Path, first: int) -> Iterator[Pair]:
    for number, (line, dialogue) in enumerate(json_values(path), start=first):
        turns = _turns(dialogue)
        if turns is None:
            raise InputError.at(path, "is not a dialogue", _SHAPE, line=line)
        name = _name(dialogue) or f"{number}"
        said = [(f"{name}-{place}", _said(turn, path, line, place)) for place, turn in enumerate(turns, start=1)]
        kept = [(turn_id, text) for turn_id, text in said if text is not None]
        yield from (Pair(*post, *comment, line=line) for post, comment in pairwise(kept))


def _turns(value: Any) -> list[Any] | None:  # Any: JSON values
    if isinstance(value, dict):
        value = next((value[name] for name in LISTS if isinstance(value.get(name), list)), None)
        return value if isinstance(value, list) else None
    is_flat = isinstance(value, list) and not any(isinstance(turn, list) for turn in value)
    return value if is_flat else None


def _name(dialogue: Any) -> str:  # Any: JSON values
    """The id of the dialogue; empty if it has none that can be part of an id."""
    found = next((dialogue[name] for name in _IDS if name in dialogue), "") if isinstance(dialogue, dict) else ""
    return f"{found}" if isinstance(found, str | int) and is_id(f"{found}") else ""


def _said(turn: Any, path: Path, line: int, place: int) -> str | None:  # Any: JSON values
    """The text of a turn; None for a turn of the system or a tool."""
    if isinstance(turn, dict) and any(turn.get(name) in _NOT_SAID for name in _ROLES):
        return None
    text = _text(turn)
    if text is None:
        what = f"turn {place} has no text"
        raise InputError.at(path, what, f"give a string, or an object with {' or '.join(TEXTS)}", line=line)
    return clean_cell(text)


def _text(turn: Any) -> str | None:  # Any: JSON values
    """The text of a turn: a string, an object with a text, or a list of speaker and text; None if it has none."""
    if isinstance(turn, dict):
        turn = next((turn[name] for name in TEXTS if name in turn), None)
    elif isinstance(turn, list):
        turn = turn[-1] if len(turn) == 2 else None  # noqa: PLR2004  speaker and text
    return turn if isinstance(turn, str) else None
