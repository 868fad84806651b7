"""The changes that make a hostile file of an example: bits, parts, lines, numbers and names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from kaiwa.errors import Names

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Sequence

    Change = Callable[[random.Random, bytes], bytes]

_NUMBER = re.compile(rb"-?\d+(?:\.\d+)?")
_FIELD = re.compile(rb"[^\s,;\"]+")
_NUMBERS = [
    *(b"", b"-1", b"-0", b"1e999", b"1e-999", b"nan", b"inf", b"-inf", b"0x1", b"1_0", b"+1", b".", b"1.", b"1,5"),
    *(b"9" * 30, b"9" * 400, b"9" * 5000, b"0." + b"3" * 400, "２".encode(), "½".encode(), b"L2", b"NA", b"null"),
]
_NAMES = [
    *(
        b"",
        b" ",
        b"\t",
        b"\n",
        b"#",
        b'"',
        b"'",
        b",",
        b";",
        b"\x00",
        b"\x1b[31m",
        b"\xff",
        b"\xef\xbb\xbf",
        b"\xff\xfe",
    ),
    *("\u202e".encode(), "\u2028".encode(), b"\xed\xa0\x80", b"Q0", b"gmax=3", b"<SYSDESC>", b"</SYSDESC>", b"all"),
    *(b"x" * 600, b"../x", b"{}", b"[]", b"true", b"{" * 3000, b"[" * 3000, b"\\ud800", b"runid", b"AP=", b"topic"),
]


def _span(rng: random.Random, data: bytes) -> tuple[int, int]:
    low = rng.randrange(len(data) + 1)
    return low, min(len(data), low + rng.choice([1, 2, 8, 64, len(data)]))


def flipped(rng: random.Random, data: bytes) -> bytes:
    """The data with one to four bits flipped."""
    changed = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        if changed:
            changed[rng.randrange(len(changed))] ^= 1 << rng.randrange(8)
    return bytes(changed)


def truncated(rng: random.Random, data: bytes) -> bytes:
    """The data without its end."""
    return data[: rng.randrange(len(data) + 1)]


def removed(rng: random.Random, data: bytes) -> bytes:
    """The data without a part."""
    low, high = _span(rng, data)
    return data[:low] + data[high:]


def duplicated(rng: random.Random, data: bytes) -> bytes:
    """The data with a part repeated."""
    low, high = _span(rng, data)
    return data[:high] + data[low:high] * rng.choice([1, 1, 2, 9]) + data[high:]


def inserted(rng: random.Random, data: bytes) -> bytes:
    """The data with a few other bytes in it."""
    place = rng.randrange(len(data) + 1)
    other = rng.choice([rng.randbytes(rng.randint(1, 8)), rng.choice(_NAMES), rng.choice(_NUMBERS)])
    return data[:place] + other + data[place:]


def shuffled(rng: random.Random, data: bytes) -> bytes:
    """The data with its lines in another order."""
    lines = data.splitlines(keepends=True)
    rng.shuffle(lines)
    return b"".join(lines)


def renumbered(rng: random.Random, data: bytes) -> bytes:
    """The data with another number in the place of one."""
    return _exchanged(rng, data, _NUMBER, _NUMBERS)


def renamed(rng: random.Random, data: bytes) -> bytes:
    """The data with another name in the place of a field, or with two fields exchanged."""
    fields = _FIELD.findall(data)
    return _exchanged(rng, data, _FIELD, [*_NAMES, *rng.sample(fields, min(len(fields), len(_NAMES)))])


def _exchanged(rng: random.Random, data: bytes, pattern: re.Pattern[bytes], others: Sequence[bytes]) -> bytes:
    found = list(pattern.finditer(data))
    if not found:
        return data
    one = rng.choice(found)
    return data[: one.start()] + rng.choice(others) + data[one.end() :]


CHANGES: Names[Change] = Names(
    "change",
    {
        change.__name__: change
        for change in (flipped, truncated, removed, duplicated, inserted, shuffled, renumbered, renamed)
    },
)
