"""Tokens to postings on disk: the half of a build that begins where the tokeniser ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.retrieve import bm25, tfidf
from kaiwa.retrieve.invert import Documents, Tokens, inverted, peaks_of
from kaiwa.retrieve.terms import term_arrays

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from kaiwa.files.index import IndexWriter
    from kaiwa.model import IntArray
    from kaiwa.retrieve.vocabulary import Vocabulary


_PIECE = 1 << 19


@dataclass(frozen=True)
class Tokenised:
    """The tokens of one side in the order of its rows, and where each row's tokens start."""

    tokens: Tokens
    starts: IntArray


class TokenRun:
    """Takes blocks of tokens (one text a line, spaces between tokens) and keeps four bytes of each token."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._tokens = np.empty(_PIECE, dtype=np.int32)
        self._size = 0
        self._starts = np.zeros(_PIECE, dtype=np.int64)
        self._texts = 0

    def add(self, block: bytes) -> None:
        """Append the texts of a block."""
        for piece in _pieces(block):
            numbers, counts = self._vocabulary.numbers(piece)
            _grow(self._tokens, self._size + len(numbers))
            _grow(self._starts, self._texts + len(counts) + 1)
            self._tokens[self._size : self._size + len(numbers)] = numbers
            self._starts[self._texts + 1 : self._texts + len(counts) + 1] = np.cumsum(counts) + self._size
            self._size += len(numbers)
            self._texts += len(counts)

    def close(self) -> Tokenised:
        """What was added."""
        return Tokenised(self._tokens[: self._size], self._starts[: self._texts + 1])


def _grow(values: NDArray[Any], room: int) -> None:  # Any: of whatever kind
    """Make room for so many values, in place; by a quarter, because all of it is written to at once."""
    if room > len(values):
        values.resize(max(room, len(values) * 5 // 4), refcheck=False)


def _pieces(block: bytes) -> Iterator[bytes]:
    """The block's lines in pieces that fit the processor's cache."""
    low = 0
    while low < len(block):
        high = block.find(b"\n", low + _PIECE) + 1 or len(block)
        yield block[low:high]
        low = high


def write_terms(vocabulary: Vocabulary, writer: IndexWriter) -> int:
    """Write the terms; how many there are."""
    terms = vocabulary.terms()
    for part, values in term_arrays(terms).items():
        writer.save(f"terms.{part}", values)
    return len(terms)


def write_side(name: str, order: IntArray, tokenised: Tokenised, terms: int, writer: IndexWriter) -> int:
    """Write the postings of one side and the weights that follow from them; how many tokens it has."""
    postings, cosines = inverted(
        Documents(tokenised.tokens, tokenised.starts, order), terms, tfidf.inverse_document_frequency,
        new_array=lambda part, kind, size: writer.array(f"{name}.{part}", kind, size),
    )  # fmt: skip
    for part in ("starts", "often", "length"):
        writer.save(f"{name}.{part}", getattr(postings, part))
    by_bm25 = peaks_of(postings.starts, postings.shapes, bm25.by_shape(postings))
    for similarity, peaks in (("bm25", by_bm25), ("tfidf", cosines.peaks)):
        writer.save(f"{name}.{similarity}_peaks", np.nextafter(peaks.astype(np.float32), np.float32(np.inf)))
    return postings.tokens
