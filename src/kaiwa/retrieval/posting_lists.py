"""Term numbers to postings on disk: each part is inverted alone, then the postings of all parts are joined by term."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kaiwa.files.spill import TemporaryArray
from kaiwa.nouns.normalise import normalise
from kaiwa.retrieval.documents import counted_documents, document_counts, partitioned, term_arrays
from kaiwa.retrieval.postings import SMALL, Inverter, join, raise_peaks
from kaiwa.retrieval.query import SIMILARITIES, norm_weights

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from kaiwa.files.array_folder import ArrayWriter
    from kaiwa.files.spill import DocumentParts
    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.retrieval.postings import Counts, Packed, Packing
    from kaiwa.retrieval.tokenisers import Tokeniser
    from kaiwa.retrieval.vocabulary import MergedTerms, Vocabulary


_JOINED = 1 << 20  # postings joined at a time, or one term's; and counts read at a time


class _Side(NamedTuple):
    """The input and output of one side."""

    name: str
    parts: DocumentParts
    writer: ArrayWriter
    counts: TemporaryArray  # parts x terms: the number of the part's documents in which the term occurs
    postings: TemporaryArray  # part after part, term by term


class _Peaks:
    """The highest weight of a posting per term, by every similarity."""

    def __init__(self, terms: int, mean_length: float) -> None:
        self.terms = terms
        self._mean_length = mean_length
        self._peaks = {similarity: np.zeros(terms, dtype=np.float64) for similarity in SIMILARITIES}

    def add(self, counts: Counts, postings: Packed, inverter: Inverter, norms: NDArray[np.float32]) -> None:
        """Raise the peaks by the postings of one part."""
        for similarity, peaks in self._peaks.items():
            row = SIMILARITIES[similarity]
            by_shape = row.weights_by_shape(*inverter.shapes, self._mean_length)
            raise_peaks(counts, postings, inverter.packing.bits, by_shape, norms if row.has_norms else norms[:0], peaks)

    def as_stored(self) -> dict[str, FloatArray]:
        """The peaks of each similarity as single floats, rounded up."""
        return {
            similarity: np.nextafter(peaks.astype(np.float32), np.float32(np.inf))
            for similarity, peaks in self._peaks.items()
        }


class SideStatistics(NamedTuple):
    """What weights depend on: the number of documents, of their tokens, and of documents with each term."""

    documents: int
    tokens: int
    documents_with: IntArray


def write_side(
    name: str, parts: DocumentParts, terms: int, writer: ArrayWriter, whole: SideStatistics | None = None
) -> None:
    """Write the postings of one side and the weights computed from them; its parts are deleted.

    The weights are by the statistics of the whole index, if they are given: the parts are then those of a shard.
    """
    counts = TemporaryArray(writer.folder, np.uint16 if parts.each < SMALL else np.uint32)
    with closing(parts), closing(counts):
        starts, most = _count(parts, terms, counts)
        whole = whole or SideStatistics(parts.documents, parts.tokens, np.diff(starts))
        weights = norm_weights(whole.documents_with.astype(np.float64), whole.documents)
        inverter = Inverter(weights, most, parts.each)
        with closing(TemporaryArray(writer.folder, inverter.packing.dtype)) as postings:
            side = _Side(name, parts, writer, counts, postings)
            cursors = _invert(side, inverter, _Peaks(terms, whole.tokens / max(whole.documents, 1)))
            _join(side, cursors, starts, inverter.packing)
    writer.save(f"{name}.starts", starts)


def _count(parts: DocumentParts, terms: int, counts: TemporaryArray) -> tuple[IntArray, IntArray]:
    """Where the postings of each term start; the highest frequency of a term in a document of each length."""
    starts, most = np.zeros(terms + 1, dtype=np.int64), np.zeros(parts.longest + 1, dtype=np.int64)
    state = document_counts(terms)
    for _, part in parts.parts():
        documents = counted_documents(part, state, most)
        counts.add(documents)
        starts[1:] += documents
    return np.cumsum(starts), most


def _invert(side: _Side, inverter: Inverter, peaks: _Peaks) -> IntArray:
    """Invert the parts and write norms, shapes and peaks; where the postings of each part start."""
    parts, writer, terms = side.parts, side.writer, peaks.terms
    starts = []
    with writer.growing(f"{side.name}.inverse_norms", np.float32) as norms:
        for number, (documents, part) in enumerate(parts.parts(last=True)):
            counts = side.counts.read(number * terms, (number + 1) * terms)
            postings, own_norms = inverter.inverted(part, documents, counts)
            peaks.add(counts, postings, inverter, own_norms)
            starts.append(len(side.postings))
            side.postings.add(postings)
            norms.add(own_norms)
    for name, values in zip(("often", "length"), inverter.shapes, strict=True):
        writer.save(f"{side.name}.{name}", values)
    for similarity, highest in peaks.as_stored().items():
        writer.save(f"{side.name}.{similarity}_peaks", highest)
    return np.array(starts, dtype=np.int64)


def _join(side: _Side, cursors: IntArray, starts: IntArray, packing: Packing) -> None:
    """Write the postings, some terms at a time; ``cursors`` is where the next postings of each part start."""
    terms = len(starts) - 1
    ranges = _term_ranges(starts, most=_JOINED // len(cursors) + 1) if len(cursors) else []
    room = max((int(starts[high] - starts[low]) for low, high in ranges), default=0)
    packed, docs, shapes = (np.empty(room, dtype=dtype) for dtype in (packing.dtype, np.uint32, packing.shape_dtype))
    with (
        side.writer.growing(f"{side.name}.docs", np.uint32) as all_docs,
        side.writer.growing(f"{side.name}.shapes", packing.shape_dtype) as all_shapes,
    ):
        for low, high in ranges:
            rows = range(0, len(side.counts), terms)
            counts = np.stack([side.counts.read(first + low, first + high) for first in rows])
            sizes = counts.sum(axis=1, dtype=np.int64)
            _gather(side.postings, cursors, sizes, packed)
            own_starts, size = starts[low:high] - starts[low], starts[high] - starts[low]
            join(packed, counts, side.parts.each, packing.bits, own_starts, docs, shapes)
            all_docs.add(docs[:size])
            all_shapes.add(shapes[:size])
            cursors = cursors + sizes


def _gather(source: TemporaryArray, cursors: IntArray, sizes: IntArray, packed: Packed) -> None:
    """Read ``sizes`` postings of each part, part by part."""
    at = 0
    for cursor, size in zip(cursors.tolist(), sizes.tolist(), strict=True):
        source.read_into(packed[at : at + size], cursor)
        at += size


def _term_ranges(starts: IntArray, most: int) -> list[tuple[int, int]]:
    """The terms in ranges of ``most`` terms, or fewer if they have too many postings, but at least one."""
    ranges, low = [], 0
    while low < len(starts) - 1:
        within = int(np.searchsorted(starts, starts[low] + _JOINED, side="right")) - 1
        high = max(min(within, low + most), low + 1)
        ranges.append((low, high))
        low = high
    return ranges


# Tokens to numbers of terms, the step of a build after the tokeniser.


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
