"""The terms of an index while it is built: a table that grows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.retrieve.surfaces import empty_table, keep_terms, read_block, surfaces_from, with_room

if TYPE_CHECKING:
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
