"""Texts to numbers of terms: the half of a build that begins where the tokeniser ends.

The numbers are set aside on disk in streams, by the numbers of their documents: memory holds the vocabulary.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.retrieve.index.document_streams import dealt
from kaiwa.retrieve.index.postings import SMALL
from kaiwa.retrieve.index.term_table import term_arrays

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kaiwa.disk.document_parts import DocumentParts
    from kaiwa.formats.collection.index_folder import IndexWriter
    from kaiwa.model.ids import IntArray
    from kaiwa.retrieve.index.vocabulary import Vocabulary


_PIECE = 1 << 19
_STREAM_BYTES = 1 << 25  # of text, about, in a stream
_MOST_STREAMS = 100  # of one side; all of them are open at a time


def documents_in_stream(documents: int, text_bytes: int) -> int:
    """How many documents go into one stream: few enough to hold it in memory, enough to hold all streams open.

    >>> documents_in_stream(1_000_000, 60_000_000), documents_in_stream(1_000_000, 2_000_000_000)
    (65535, 16777)
    """
    by_bytes = documents * _STREAM_BYTES // max(text_bytes, 1)
    return max(min(by_bytes, SMALL - 1), -(-documents // _MOST_STREAMS), 1)


class TokenRun:
    """Takes blocks of tokens (one text a line, spaces between tokens) and sets the numbers of their terms aside."""

    def __init__(self, vocabulary: Vocabulary, streams: DocumentParts) -> None:
        self._vocabulary, self._streams = vocabulary, streams

    def add(self, block: bytes, numbers: IntArray) -> None:
        """Append the texts of a block, which are the documents of these numbers."""
        done = 0
        for piece in _pieces(block):
            tokens, lengths = self._vocabulary.numbers(piece)
            streams, starts = dealt(tokens, lengths, numbers[done : done + len(lengths)], self._streams.each)
            self._streams.add(streams, starts, lengths)
            done += len(lengths)


def _pieces(block: bytes) -> Iterator[bytes]:
    """The block's lines in pieces that fit the processor's cache."""
    low = 0
    while low < len(block):
        high = block.find(b"\n", low + _PIECE) + 1 or len(block)
        yield block[low:high]
        low = high


def write_terms(vocabulary: Vocabulary, writer: IndexWriter) -> int:
    """Write the terms; how many there are."""
    for part, values in term_arrays(*vocabulary.encoded()).items():
        writer.save(f"terms.{part}", values)
    return len(vocabulary)
