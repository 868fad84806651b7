"""The JSON values of a file, one per line or all in one array, read block by block."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from kaiwa.errors import InputError
from kaiwa.formats.text.blocks import MAX_LINE_BYTES, read_blocks

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_SPACE = re.compile(r"[ \t\n]*")
_SPACE_OR_COMMA = re.compile(r"[ \t\n]*,?[ \t\n]*")
_decode = json.JSONDecoder().raw_decode


def json_values(path: Path) -> Iterator[tuple[int, Any]]:  # Any: JSON values
    """Each value with its line; the values of an array that spans the whole file one by one."""
    text, line, in_array = "", 1, None
    for block in read_blocks(path):
        text += block.data.decode()
        if in_array is None:
            in_array = _is_array_of_values(text)
            text = text.replace("[", "", 1) if in_array else text
        between = _SPACE_OR_COMMA if in_array else _SPACE
        place = 0
        while (start := _end_of(between, text, place)) < len(text):
            try:
                value, end = _decode(text, start)
            except (ValueError, RecursionError):
                break
            line += text.count("\n", place, start)
            yield line, value
            line += text.count("\n", start, end)
            place = end
        text = text[place:]
        if len(text) > 2 * MAX_LINE_BYTES:
            break
    rest = text.strip()
    if rest != ("]" if in_array else ""):
        lead = len(text) - len(text.lstrip(" \t\n,"))
        fault = line + text.count("\n", 0, lead)
        raise InputError.at(path, "is not JSON", "put one JSON value on each line, or all in one array", line=fault)


def _is_array_of_values(text: str) -> bool:
    """Whether the file is one array: its first line is not a complete value, or is an array of arrays or objects."""
    first = text.lstrip(" \t\n").partition("\n")[0]
    if not first.startswith("["):
        return False
    try:
        value = json.loads(first)
    except (ValueError, RecursionError):
        return True
    return bool(value) and isinstance(value[0], list | dict) and not _is_turn(value[0])


def _is_turn(value: object) -> bool:
    return isinstance(value, dict) and not any(isinstance(part, list) for part in value.values())


def _end_of(pattern: re.Pattern[str], text: str, place: int) -> int:
    found = pattern.match(text, place)
    return found.end() if found else place
