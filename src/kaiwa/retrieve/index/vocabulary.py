"""The vocabulary of an index while it is built: growing tables of distinct tokens and of their terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.retrieve.index.token_table import (
    empty_table,
    joined_tokens,
    keep_terms,
    read_block,
    table_lines,
    tokens_from,
    with_capacity,
)

if TYPE_CHECKING:
    from kaiwa.model.ids import IntArray
    from kaiwa.retrieve.index.document_terms import Terms
    from kaiwa.retrieve.index.token_keys import Bytes
    from kaiwa.retrieve.text.tokenisers import Tokeniser

NO_TERM = -1


class Vocabulary:
    r"""From blocks of tokens to the numbers of their terms, in the order of first occurrence; other tokens are dropped.

    >>> from kaiwa.retrieve.text.tokenisers import tokeniser
    >>> words = Vocabulary(tokeniser("en"))
    >>> words.numbers(b"day days ! sun\n\nsun\n"), words.terms()
    ((array([0, 0, 1, 1], dtype=int32), array([3, 0, 1])), ['day', 'sun'])
    """

    def __init__(self, tokeniser: Tokeniser) -> None:
        self.tokeniser = tokeniser
        self._tokens, self._terms = empty_table(), empty_table()
        self._term_of = np.zeros(0, dtype=np.int32)  # per distinct token, -1 for one without a term

    def __len__(self) -> int:
        return self._terms.known

    def numbers(self, block: bytes) -> tuple[Terms, IntArray]:
        """The terms of the texts in a block (one text per line, spaces between tokens), and their number per text."""
        known = self._tokens.known
        numbers, text_ends, self._tokens = read_block(block, self._tokens)
        if self._tokens.known > known:
            self._add_terms(tokens_from(self._tokens, known), known)
        counts = keep_terms(numbers, text_ends, self._term_of)
        return numbers[: counts.sum()], counts

    def _add_terms(self, tokens: list[str], first: int) -> None:
        """Find the terms of new tokens, numbered from ``first``; one line for each, empty for one without a term."""
        lines = "\n".join([*map(self.tokeniser.term, tokens), ""]).encode()
        numbers, ends, self._terms = read_block(lines, self._terms)
        has_term = np.diff(ends, prepend=0) > 0
        self._term_of = with_capacity(self._term_of, first + len(tokens))
        self._term_of[first : first + len(tokens)] = NO_TERM
        self._term_of[first + np.flatnonzero(has_term)] = numbers - 1

    def terms(self) -> list[str]:
        """The terms in the order of their numbers."""
        return tokens_from(self._terms, 0)

    def encoded(self) -> tuple[Bytes, IntArray]:
        """The terms as joined bytes, and where each starts, and the end."""
        return joined_tokens(self._terms)

    def lines(self) -> bytes:
        """The terms in the order of their numbers, each followed by a line end."""
        return table_lines(self._terms)


class MergedTerms:
    r"""The terms of several vocabularies, numbered as one vocabulary of all their texts would number them.

    The vocabularies are added in the order of their texts, so that a term keeps the place of its first occurrence.

    >>> merged = MergedTerms()
    >>> merged.add(b"day\nsun\n"), merged.add(b"sea\nday\n"), len(merged)
    (array([0, 1], dtype=int32), array([2, 0], dtype=int32), 3)
    """

    def __init__(self) -> None:
        self._terms = empty_table()

    def __len__(self) -> int:
        return self._terms.known

    def add(self, lines: bytes) -> Terms:
        """The numbers of the terms of one vocabulary, in the order of its own numbers."""
        numbers, _, self._terms = read_block(lines, self._terms)
        return numbers - np.int32(1)

    def encoded(self) -> tuple[Bytes, IntArray]:
        """The terms as joined bytes, and where each starts, and the end."""
        return joined_tokens(self._terms)
