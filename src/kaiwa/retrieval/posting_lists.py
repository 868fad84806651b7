"""Term numbers to postings on disk: each part is inverted alone, then the postings of all parts are joined by term."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kaiwa.files.spill import TemporaryArray
from kaiwa.nouns.normalise import normalise
from kaiwa.retrieval.documents import (
    HEADER,
    counted_documents,
    document_counts,
    find_documents,
    partitioned,
    term_arrays,
)
from kaiwa.retrieval.query import SIMILARITIES, norm_weights
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kaiwa.files.array_folder import ArrayWriter
    from kaiwa.files.spill import DocumentParts
    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.retrieval.documents import Part
    from kaiwa.retrieval.inverted_index import Shapes
    from kaiwa.retrieval.tokenisers import Tokeniser
    from kaiwa.retrieval.vocabulary import MergedTerms, Vocabulary


# Postings while an index is built: those of each part of the documents, then joined term by term.


Counts = NDArray[np.uint16]  # or 32 bits wide, with large parts
Packed = NDArray[np.uint32]  # or 64 bits wide, if shapes or parts are many
SMALL = 1 << 16


class Packing(NamedTuple):
    """How the postings of a part are packed: the dtype of a posting, and the number of its bits for the shape."""

    dtype: Any  # Any: a dtype
    bits: int
    shape_dtype: Any  # Any: as above


def packing(shapes: int, each: int) -> Packing:
    """The packing for a number of shapes, and of documents per part.

    >>> packing(1000, 65_535).bits, packing(100_000, 65_535).bits
    (16, 32)
    """
    shape_dtype = np.uint16 if shapes <= SMALL else np.uint32
    return Packing(np.uint32, 16, shape_dtype) if max(shapes, each) <= SMALL else Packing(np.uint64, 32, shape_dtype)


@kernel
def raise_peaks(
    counts: Counts, postings: Packed, bits: int, by_shape: FloatArray, inverse_norms: NDArray[np.float32],
    peaks: FloatArray,
) -> None:  # fmt: skip
    """Raise, per term, the highest weight of a posting; ``inverse_norms`` is empty for a similarity without norms."""
    shape_bits = (1 << bits) - 1
    start = 0
    for term in range(len(counts)):
        peak = peaks[term]
        if len(inverse_norms):
            for at in range(start, start + counts[term]):
                posting = np.int64(postings[at])
                peak = max(peak, by_shape[posting & shape_bits] * inverse_norms[posting >> bits])
        else:
            for at in range(start, start + counts[term]):
                peak = max(peak, by_shape[np.int64(postings[at]) & shape_bits])
        peaks[term] = peak
        start += counts[term]


@kernel
def join(
    postings: Packed, counts: Counts, each: int, bits: int, starts: IntArray, docs: NDArray[np.uint32], shapes: Shapes
) -> None:
    """Join packed postings, which are sorted by part, within a part by term.

    ``counts`` is parts x terms, the number of postings; a part has ``each`` documents; ``starts`` is where the joined
    postings of each term start.
    """
    shape_bits = (1 << bits) - 1
    cursors = starts.copy()
    at = 0
    for part in range(len(counts)):
        for term in range(counts.shape[1]):
            cursor = cursors[term]
            for _ in range(counts[part, term]):
                posting = np.int64(postings[at])
                docs[cursor] = part * each + (posting >> bits)
                shapes[cursor] = posting & shape_bits
                cursor += 1
                at += 1
            cursors[term] = cursor


Norms = NDArray[np.float32]  # 0 for an empty document
Whole = NDArray[np.uint32]
_SQUARE = float(1 << 24)  # squares are multiples of 1 / this, so that their sum does not depend on their order


class TermState(NamedTuple):
    """The state of each term, in adjacent bytes for one memory access: two integers and a float."""

    places: NDArray[np.int32]  # the cursor; the last document with the term, plus one; two columns for the float
    squares: FloatArray  # the same bytes as floats, of which the second is the term's squared weight


class ShapeTable(NamedTuple):
    """The shapes so far: per length and frequency, the shape's number plus one; per number, frequency and length."""

    starts: IntArray  # per length, in ``code``
    code: IntArray
    frequency: Whole
    length: Whole


class Inverter:
    """Turns parts into postings, part by part, ``each`` documents per part.

    ``weights`` are those of the terms in document vectors, for the norms; ``most`` is the highest frequency of a term
    in a document of each length.
    """

    def __init__(self, weights: FloatArray, most: IntArray, each: int) -> None:
        squares = np.zeros((len(weights), 2), dtype=np.float64)
        squares[:, 1] = np.rint(weights**2 * _SQUARE)
        self._state = TermState(squares.view(np.int32), squares)
        starts = np.concatenate(([0], np.cumsum(most)))
        code, frequency, length = (np.zeros(starts[-1], dtype=dtype) for dtype in (np.int64, np.uint32, np.uint32))
        self._shapes = ShapeTable(starts, code, frequency, length)
        self._known = 0
        self.packing = packing(len(code), each)

    @property
    def shapes(self) -> tuple[Whole, Whole]:
        """Per shape so far: the frequency of the term in the document, and the number of terms of the document."""
        return self._shapes.frequency[: self._known], self._shapes.length[: self._known]

    def inverted(self, part: Part, documents: range, counts: Counts) -> tuple[Packed, Norms]:
        """The postings of a part with the documents of a range, and per document 1 / the length of its vector.

        ``counts`` is the number of these documents in which each term occurs.
        """
        places = np.zeros(len(documents), dtype=np.int64)
        find_documents(part, documents.start, places)
        postings = np.empty(set_cursors(counts, self._state), dtype=self.packing.dtype)
        norms = np.empty(len(documents), dtype=np.float32)
        first, bits = documents.start, self.packing.bits
        self._known = fill(part, places, first, self._state, self._shapes, self._known, bits, postings, norms)
        return postings, norms


@kernel
def set_cursors(counts: Counts, state: TermState) -> int:
    """Set the cursor of each term to where its postings start; the number of postings."""
    size = 0
    for term in range(len(counts)):
        state.places[term, 0] = size
        size += counts[term]
    return size


@kernel
def fill(
    part: Part, places: IntArray, first: int, state: TermState, shapes: ShapeTable, known: int, bits: int,
    postings: Packed, inverse_norms: Norms,
) -> int:  # fmt: skip
    """Write each posting at its term's cursor, documents in their order; the number of known shapes.

    The posting of a term that occurs again in a document is just before the cursor; no document is sorted.
    """
    cursors, squares = state
    shape_bits = (1 << bits) - 1
    for step in range(len(places)):
        mark = np.int32(first + step + 1)
        length = int(part[places[step] + 1])
        low = places[step] + HEADER
        known = number_shape(shapes, 1, length, known)
        once = (step << bits) | shape_of(shapes, 1, length)
        total = 0.0
        for at in range(low, low + length):
            term = part[at]
            cursor = cursors[term, 0]
            if cursors[term, 1] != mark:
                postings[cursor] = once
                cursors[term, 0], cursors[term, 1] = cursor + 1, mark
                total += squares[term, 1]
            else:
                frequency = int(shapes.frequency[np.int64(postings[cursor - 1]) & shape_bits]) + 1
                known = number_shape(shapes, frequency, length, known)
                postings[cursor - 1] = (step << bits) | shape_of(shapes, frequency, length)
                total += (2 * frequency - 1) * squares[term, 1]
        inverse_norms[step] = inverse_norm(total)
    return known


@kernel
def shape_of(shapes: ShapeTable, frequency: int, length: int) -> int:
    """The number of a shape; -1 if it has none yet."""
    return int(shapes.code[shapes.starts[length] + frequency - 1]) - 1


@kernel
def number_shape(shapes: ShapeTable, frequency: int, length: int, known: int) -> int:
    """Number the shape if it is new; the number of known shapes."""
    if shape_of(shapes, frequency, length) >= 0:
        return known
    shapes.code[shapes.starts[length] + frequency - 1] = known + 1
    shapes.frequency[known], shapes.length[known] = frequency, length
    return known + 1


@kernel
def inverse_norm(total: float) -> np.float32:
    """1 / sqrt of a sum of squares, rounded down, so that the product of two unit vectors is at most 1; 0 if empty."""
    if total == 0.0:
        return np.float32(0.0)
    return np.float32(1.0 / np.sqrt(total / _SQUARE)) * np.float32(1.0 - 2.0**-23)


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
