"""The terms of an index while it is built: tables that grow, of surfaces and of the terms they stand for."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.retrieve.index.token_table import empty_table, keep_terms, read_block, run_of, surfaces_from, with_room

if TYPE_CHECKING:
    from kaiwa.model.ids import IntArray
    from kaiwa.retrieve.index.document_streams import Tokens
    from kaiwa.retrieve.index.token_keys import Bytes
    from kaiwa.retrieve.text.tokenisers import Tokeniser

DROPPED = -1


class Vocabulary:
    r"""From blocks of tokens to the numbers of their terms, made when first met; what is no word is left out.

    >>> from kaiwa.retrieve.text.tokenisers import tokeniser
    >>> words = Vocabulary(tokeniser("en"))
    >>> words.numbers(b"day days ! sun\n\nsun\n"), words.terms()
    ((array([0, 0, 1, 1], dtype=int32), array([3, 0, 1])), ['day', 'sun'])
    """

    def __init__(self, tokeniser: Tokeniser) -> None:
        self._term = tokeniser.term
        self._surfaces, self._terms = empty_table(), empty_table()
        self._term_of = np.zeros(0, dtype=np.int32)  # per surface, -1 for what is no word

    def __len__(self) -> int:
        return self._terms.known

    def numbers(self, block: bytes) -> tuple[Tokens, IntArray]:
        """The terms of the texts in a block (one a line, spaces between tokens), and how many each text has."""
        met = self._surfaces.known
        numbers, text_ends, self._surfaces = read_block(block, self._surfaces)
        if self._surfaces.known > met:
            self._meet(surfaces_from(self._surfaces, met), met)
        counts = keep_terms(numbers, text_ends, self._term_of)
        return numbers[: counts.sum()], counts

    def _meet(self, surfaces: list[str], first: int) -> None:
        """Find the terms of new surfaces, which are numbered from ``first``; a line for each, empty for no word."""
        lines = "\n".join([*map(self._term, surfaces), ""]).encode()
        numbers, ends, self._terms = read_block(lines, self._terms)
        is_word = np.diff(ends, prepend=0) > 0
        self._term_of = with_room(self._term_of, first + len(surfaces))
        self._term_of[first : first + len(surfaces)] = DROPPED
        self._term_of[first + np.flatnonzero(is_word)] = numbers - 1

    def terms(self) -> list[str]:
        """The terms in the order of their numbers."""
        return surfaces_from(self._terms, 0)

    def encoded(self) -> tuple[Bytes, IntArray]:
        """The terms as one run of bytes, and where each starts; and the end."""
        return run_of(self._terms)
