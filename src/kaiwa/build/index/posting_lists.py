"""Numbers of terms to postings on disk: each stream inverted by itself, the streams' postings joined term by term."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kaiwa.disk.arrays import TemporaryArray
from kaiwa.retrieve.index.document_streams import count_documents
from kaiwa.retrieve.index.inversion import Inverter
from kaiwa.retrieve.index.postings import SMALL, join, raise_peaks
from kaiwa.retrieve.similarity import bm25, tfidf

if TYPE_CHECKING:
    from kaiwa.disk.document_parts import DocumentParts
    from kaiwa.formats.collection.index_folder import IndexWriter
    from kaiwa.model.ids import IntArray
    from kaiwa.retrieve.index.postings import Packed, Packing

_JOINED = 1 << 20  # postings joined at a time, or one term's; and counts looked at


class _Side(NamedTuple):
    """What is made of the streams of one side, and where."""

    name: str
    streams: DocumentParts
    writer: IndexWriter
    counts: TemporaryArray  # streams x terms: in how many of the stream's documents the term stands
    postings: TemporaryArray  # stream after stream, term by term


def write_side(name: str, streams: DocumentParts, terms: int, writer: IndexWriter) -> None:
    """Write the postings of one side and the weights that follow from them; its streams are used up."""
    counts = TemporaryArray(writer.folder, np.uint16 if streams.each < SMALL else np.uint32)
    with closing(streams), closing(counts):
        starts, most = _count(streams, terms, counts)
        idf = tfidf.inverse_document_frequency(np.diff(starts).astype(np.float64), streams.documents)
        inverter = Inverter(idf, most, streams.each)
        with closing(TemporaryArray(writer.folder, inverter.packing.kind)) as postings:
            side = _Side(name, streams, writer, counts, postings)
            cursors = _invert(side, inverter, terms)
            _join(side, cursors, starts, inverter.packing)
    writer.save(f"{name}.starts", starts)


def _count(streams: DocumentParts, terms: int, counts: TemporaryArray) -> tuple[IntArray, IntArray]:
    """Where the postings of each term start; how often, at most, a term stands in a document of each length."""
    starts, most = np.zeros(terms + 1, dtype=np.int64), np.zeros(streams.longest + 1, dtype=np.int64)
    met = np.zeros((terms, 4), dtype=np.int32)
    for _, stream in streams.parts():
        met[:, 2] = 0
        count_documents(stream, met, most)
        counts.add(met[:, 2])
        starts[1:] += met[:, 2]
    return np.cumsum(starts), most


def _invert(side: _Side, inverter: Inverter, terms: int) -> IntArray:
    """Invert the streams, and write all that is not per posting; where each stream's postings start."""
    streams, writer = side.streams, side.writer
    mean_length = streams.tokens / max(streams.documents, 1)
    peaks = np.zeros((2, terms), dtype=np.float64)
    starts = []
    with writer.growing(f"{side.name}.inverse_norms", np.float32) as norms:
        for part, (documents, stream) in enumerate(streams.parts(last=True)):
            counts = side.counts.read(part * terms, (part + 1) * terms)
            postings, own_norms = inverter.inverted(stream, documents, counts)
            weights = np.stack((bm25.by_shape(*inverter.shapes, mean_length), tfidf.by_shape(inverter.shapes[0])))
            raise_peaks(counts, postings, inverter.packing.bits, own_norms, weights, *peaks)
            starts.append(len(side.postings))
            side.postings.add(postings)
            norms.add(own_norms)
    for name, values in zip(("often", "length"), inverter.shapes, strict=True):
        writer.save(f"{side.name}.{name}", values)
    for similarity, most in zip(("bm25", "tfidf"), peaks, strict=True):
        writer.save(f"{side.name}.{similarity}_peaks", np.nextafter(most.astype(np.float32), np.float32(np.inf)))
    return np.array(starts, dtype=np.int64)


def _join(side: _Side, cursors: IntArray, starts: IntArray, packing: Packing) -> None:
    """Write the postings, some terms at a time; ``cursors``: where the next postings of each stream stand."""
    terms = len(starts) - 1
    ranges = _term_ranges(starts, most=_JOINED // len(cursors) + 1) if len(cursors) else []
    room = max((int(starts[high] - starts[low]) for low, high in ranges), default=0)
    packed, docs, shapes = (np.empty(room, dtype=kind) for kind in (packing.kind, np.uint32, packing.shape_kind))
    with (
        side.writer.growing(f"{side.name}.docs", np.uint32) as all_docs,
        side.writer.growing(f"{side.name}.shapes", packing.shape_kind) as all_shapes,
    ):
        for low, high in ranges:
            rows = range(0, len(side.counts), terms)
            counts = np.stack([side.counts.read(first + low, first + high) for first in rows])
            sizes = counts.sum(axis=1, dtype=np.int64)
            _gather(side.postings, cursors, sizes, packed)
            own_starts, size = starts[low:high] - starts[low], starts[high] - starts[low]
            join(packed, counts, side.streams.each, packing.bits, own_starts, docs, shapes)
            all_docs.add(docs[:size])
            all_shapes.add(shapes[:size])
            cursors = cursors + sizes


def _gather(source: TemporaryArray, cursors: IntArray, sizes: IntArray, packed: Packed) -> None:
    """Read so many postings of each stream, one stream after the other."""
    at = 0
    for cursor, size in zip(cursors.tolist(), sizes.tolist(), strict=True):
        source.read_into(packed[at : at + size], cursor)
        at += size


def _term_ranges(starts: IntArray, most: int) -> list[tuple[int, int]]:
    """The terms in ranges of ``most`` terms, fewer where these have too many postings, but always one."""
    ranges, low = [], 0
    while low < len(starts) - 1:
        within = int(np.searchsorted(starts, starts[low] + _JOINED, side="right")) - 1
        high = max(min(within, low + most), low + 1)
        ranges.append((low, high))
        low = high
    return ranges
