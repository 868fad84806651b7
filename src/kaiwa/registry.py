"""Names: a read-only table whose unknown keys answer with "did you mean"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

from kaiwa.errors import UnknownName

T = TypeVar("T")


class Names(Mapping[str, T]):
    """A read-only table from a name to a thing of one kind.

    >>> schemes = Names("scheme", {"mean": 1, "sum": 2})
    >>> schemes["sum"]
    2
    >>> schemes["men"]
    Traceback (most recent call last):
    kaiwa.errors.UnknownName: unknown scheme 'men'; did you mean 'mean'?
    """

    def __init__(self, kind: str, things: Mapping[str, T]) -> None:
        self.kind = kind
        self._things = dict(things)

    def __getitem__(self, name: str) -> T:
        if name not in self._things:
            raise UnknownName.among(self.kind, name, self._things)
        return self._things[name]

    def __contains__(self, name: object) -> bool:
        return name in self._things

    def __iter__(self) -> Iterator[str]:
        return iter(self._things)

    def __len__(self) -> int:
        return len(self._things)
