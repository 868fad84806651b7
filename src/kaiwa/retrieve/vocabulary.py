"""The terms of an index: a growing table while it is built, one that is searched on disk."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.retrieve.surfaces import empty_table, find_term, keep_terms, read_block, surfaces_from, with_room

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kaiwa.model import IntArray
    from kaiwa.retrieve.invert import Tokens
    from kaiwa.retrieve.tokens import Tokeniser

DROPPED = -1


class Vocabulary:
    r"""From blocks of tokens to the numbers of their terms, made when first met; what is no word is left out.

    >>> from kaiwa.retrieve.tokens import tokeniser
    >>> words = Vocabulary(tokeniser("en"))
    >>> words.numbers(b"day days ! sun\n\nsun\n"), words.terms()
    ((array([0, 0, 1, 1], dtype=int32), array([3, 0, 1])), ['day', 'sun'])
    """

    def __init__(self, tokeniser: Tokeniser) -> None:
        self._term = tokeniser.term
        self._numbers: dict[str, int] = {}
        self._table = empty_table()
        self._term_of = np.zeros(0, dtype=np.int32)  # per surface, -1 for what is no word

    def numbers(self, block: bytes) -> tuple[Tokens, IntArray]:
        """The terms of the texts in a block (one a line, spaces between tokens), and how many each text has."""
        met = self._table.known
        numbers, text_ends, self._table = read_block(block, self._table)
        self._meet(surfaces_from(self._table, met), met)
        counts = keep_terms(numbers, text_ends, self._term_of)
        return numbers[: counts.sum()], counts

    def _meet(self, surfaces: list[str], first: int) -> None:
        """Find the terms of new surfaces, which are numbered from ``first``."""
        self._term_of = with_room(self._term_of, first + len(surfaces))
        numbers = self._numbers
        self._term_of[first : first + len(surfaces)] = [
            numbers.setdefault(term, len(numbers)) if term else DROPPED for term in map(self._term, surfaces)
        ]

    def terms(self) -> list[str]:
        """The terms in the order of their numbers."""
        return list(self._numbers)


class TermTable:
    """Terms as one run of bytes and the place where each starts, searched through their byte order.

    They are numbered as they were met, so that the frequent ones, met early, stand close together in every array.

    >>> table = TermTable(np.frombuffer("sunday".encode(), dtype=np.uint8), np.array([0, 3, 6]), np.array([1, 0]))
    >>> table.find("sun"), table.find("day"), table.find("moon")
    (0, 1, -1)
    """

    def __init__(self, text: NDArray[np.uint8], starts: IntArray, order: IntArray) -> None:
        self._text = text
        self._starts = starts
        self._order = order

    def __len__(self) -> int:
        return len(self._order)

    def find(self, term: str) -> int:
        """The number of the term, or -1."""
        wanted = np.frombuffer(term.encode(errors="replace"), dtype=np.uint8)
        return int(find_term(self._text, self._starts, self._order, wanted))

    def text_of(self, number: int) -> str:
        """The term of a number."""
        return self._text[self._starts[number] : self._starts[number + 1]].tobytes().decode(errors="replace")


def term_arrays(terms: list[str]) -> dict[str, NDArray[Any]]:  # Any: of their own kinds
    """What a table of the terms consists of."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = pa.array(terms, pa.large_string())
    _, starts, text = column.buffers()
    return {
        "text": np.frombuffer(text or b"", dtype=np.uint8),
        "starts": np.frombuffer(starts, dtype=np.int64)[: len(terms) + 1] if terms else np.zeros(1, dtype=np.int64),
        "order": pc.sort_indices(column).to_numpy().astype(np.int64),
    }
