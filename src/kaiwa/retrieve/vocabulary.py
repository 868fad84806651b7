"""The terms of an index: a growing table while it is built, a sorted one that is searched on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kaiwa.model import IntArray
    from kaiwa.retrieve.tokens import Tokeniser

DROPPED = -1


class Vocabulary(dict[str, int]):
    """From a surface to the number of its term, made when first met; -1 for what is no word.

    >>> from kaiwa.retrieve.tokens import tokeniser
    >>> words = Vocabulary(tokeniser("en"))
    >>> [words[surface] for surface in ("day", "days", "!", "sun")], words.terms()
    ([0, 0, -1, 1], ['day', 'sun'])
    """

    def __init__(self, tokeniser: Tokeniser) -> None:
        super().__init__()
        self._term = tokeniser.term
        self._numbers: dict[str, int] = {}

    def __missing__(self, surface: str) -> int:
        term = self._term(surface)
        number = self._numbers.setdefault(term, len(self._numbers)) if term else DROPPED
        self[surface] = number
        return number

    def terms(self) -> list[str]:
        """The terms in the order of their numbers."""
        return list(self._numbers)


class TermTable:
    """Terms in byte order, as one run of bytes and the place where each starts.

    >>> table = TermTable(np.frombuffer("daysun".encode(), dtype=np.uint8), np.array([0, 3, 6]))
    >>> table.find("sun"), table.find("moon")
    (1, -1)
    """

    def __init__(self, text: NDArray[np.uint8], starts: IntArray) -> None:
        self._text = text
        self._starts = starts

    def __len__(self) -> int:
        return len(self._starts) - 1

    def find(self, term: str) -> int:
        """The number of the term, or -1."""
        wanted = term.encode(errors="replace")
        low, high = 0, len(self)
        while low < high:
            middle = (low + high) // 2
            if self._bytes(middle) < wanted:
                low = middle + 1
            else:
                high = middle
        return low if low < len(self) and self._bytes(low) == wanted else DROPPED

    def text_of(self, number: int) -> str:
        """The term of a number."""
        return self._bytes(number).decode(errors="replace")

    def _bytes(self, number: int) -> bytes:
        return self._text[self._starts[number] : self._starts[number + 1]].tobytes()


def sorted_terms(terms: list[str]) -> tuple[bytes, IntArray, IntArray]:
    """The terms' bytes in byte order, where each starts, and the new number of each old one."""
    encoded = [term.encode(errors="replace") for term in terms]
    order = sorted(range(len(encoded)), key=encoded.__getitem__)
    renumbered = np.empty(len(order), dtype=np.int64)
    renumbered[order] = np.arange(len(order))
    starts = np.concatenate(([0], np.cumsum([len(encoded[at]) for at in order], dtype=np.int64))).astype(np.int64)
    return b"".join(encoded[at] for at in order), starts, renumbered
