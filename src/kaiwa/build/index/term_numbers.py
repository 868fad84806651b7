"""Tokens to numbers of terms, the step of a build after the tokeniser.

The numbers are written to disk in parts, by the numbers of their documents; the vocabulary is in memory.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.model.normalise import normalise
from kaiwa.retrieve.index.byte_lookup import term_arrays
from kaiwa.retrieve.index.document_terms import partitioned
from kaiwa.retrieve.index.packed_postings import SMALL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kaiwa.build.array_writer import ArrayWriter
    from kaiwa.disk.document_parts import DocumentParts
    from kaiwa.model.ids import IntArray
    from kaiwa.retrieve.index.vocabulary import MergedTerms, Vocabulary
    from kaiwa.retrieve.text.tokenisers import Tokeniser


_BLOCK = 1 << 19
_PART_BYTES = 1 << 25  # about so much text in a part
_MOST_PARTS = 100  # of one side; all of them are open at the same time


def documents_in_part(documents: int, text_bytes: int) -> int:
    """The number of documents in a part: one part fits in memory, and all parts can be open.

    >>> documents_in_part(1_000_000, 60_000_000), documents_in_part(1_000_000, 2_000_000_000)
    (65535, 16777)
    """
    by_bytes = documents * _PART_BYTES // max(text_bytes, 1)
    return max(min(by_bytes, SMALL - 1), -(-documents // _MOST_PARTS), 1)


class TermNumbers:
    """Takes lines of tokens (one text per line, spaces between tokens) and writes the numbers of their terms."""

    def __init__(self, vocabulary: Vocabulary, parts: DocumentParts) -> None:
        self._vocabulary, self._parts = vocabulary, parts

    def add(self, lines: bytes, numbers: IntArray) -> None:
        """Append the texts of some lines; ``numbers`` are those of the documents."""
        done = 0
        for block in blocks(lines):
            terms, lengths = self._vocabulary.numbers(block)
            parts, starts = partitioned(terms, lengths, numbers[done : done + len(lengths)], self._parts.each)
            self._parts.add(parts, starts, lengths)
            done += len(lengths)


def token_lines(texts: list[str], chosen: Tokeniser) -> bytes:
    """The texts split into tokens, one text per line, spaces between tokens."""
    split = chosen.split
    lines = [" ".join(split(normalise(text.replace("\n", " ")))) for text in texts]
    return "\n".join([*lines, ""]).encode()


def blocks(lines: bytes) -> Iterator[bytes]:
    """The lines in blocks that fit the processor's cache."""
    low = 0
    while low < len(lines):
        high = lines.find(b"\n", low + _BLOCK) + 1 or len(lines)
        yield lines[low:high]
        low = high


def write_terms(vocabulary: Vocabulary | MergedTerms, writer: ArrayWriter) -> int:
    """Write the terms; the number of terms."""
    for part, values in term_arrays(*vocabulary.encoded()).items():
        writer.save(f"terms.{part}", values)
    return len(vocabulary)
