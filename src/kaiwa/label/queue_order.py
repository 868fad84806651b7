"""The order in which an assessor sees posts and comments: random per assessor, the same after a restart."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

UNIT = 10
"""The comments of one post that are shown together."""


def own_order(names: Iterable[str], *, assessor: str, salt: str) -> list[str]:
    """The names in an order that depends on the assessor and the salt, and not on their order here.

    >>> own_order("abc", assessor="A1", salt="s") == own_order("cba", assessor="A1", salt="s")
    True
    """
    return sorted(names, key=lambda name: place_of(name, assessor=assessor, salt=salt))


def place_of(name: str, *, assessor: str, salt: str) -> str:
    """A number, as text, that is uniform over names, assessors and salts."""
    return sha256(f"{salt}\0{assessor}\0{name}".encode()).hexdigest()


def chance_of(name: str, *, assessor: str, salt: str) -> float:
    """A number from 0 to 1 for a name and an assessor: the same whenever it is asked for.

    >>> 0 <= chance_of("a", assessor="A1", salt="s") < 1
    True
    """
    return int(place_of(name, assessor=assessor, salt=salt)[:13], 16) / 16**13
