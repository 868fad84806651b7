"""Names: a read-only table that answers an unknown name with "did you mean"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TypeVar

from kaiwa.errors import UnknownName

T = TypeVar("T")


class Names(Mapping[str, T]):
    """A read-only table from names to values of one kind.

    >>> schemes = Names("scheme", {"mean": 1, "sum": 2})
    >>> schemes["sum"]
    2
    >>> schemes["men"]
    Traceback (most recent call last):
    kaiwa.errors.UnknownName: unknown scheme 'men'; did you mean 'mean'?
    """

    def __init__(self, kind: str, values: Mapping[str, T]) -> None:
        self.kind = kind
        self._values = dict(values)

    def __getitem__(self, name: str) -> T:
        if name not in self._values:
            raise UnknownName.among(self.kind, name, self._values)
        return self._values[name]

    def __contains__(self, name: object) -> bool:
        return name in self._values

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)
