"""Documents as streams of whole numbers: a document's number, how many tokens it has, its tokens; then the next one.

A stream holds the documents of a range of numbers, in any order, so that it can be worked on by itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from kaiwa.model.ids import IntArray

Tokens = NDArray[np.int32]
Stream = NDArray[np.int32]
HEAD = 2  # what stands before a document's tokens


def dealt(tokens: Tokens, lengths: IntArray, numbers: IntArray, each: int) -> tuple[Stream, IntArray]:
    """Documents as streams, one after the other, one for every ``each`` numbers; where each stream starts.

    >>> dealt(np.array([7, 8, 9], dtype=np.int32), np.array([2, 1]), np.array([5, 0]), 4)
    (array([0, 1, 9, 5, 2, 7, 8], dtype=int32), array([0, 3, 7]))
    """
    streams = np.empty(len(tokens) + HEAD * len(lengths), dtype=np.int32)
    starts = np.zeros(int(numbers.max(initial=-1)) // each + 2, dtype=np.int64)
    deal(tokens, lengths, numbers, each, streams, starts)
    return streams, starts


@kernel
def deal(tokens: Tokens, lengths: IntArray, numbers: IntArray, each: int, streams: Stream, starts: IntArray) -> None:
    """Fill the streams of :func:`dealt` and say where each starts."""
    for doc in range(len(numbers)):
        starts[numbers[doc] // each + 1] += HEAD + lengths[doc]
    for part in range(1, len(starts)):
        starts[part] += starts[part - 1]
    cursor = starts.copy()
    low = 0
    for doc in range(len(numbers)):
        part = numbers[doc] // each
        at = cursor[part]
        streams[at], streams[at + 1] = numbers[doc], lengths[doc]
        for step in range(lengths[doc]):
            streams[at + HEAD + step] = tokens[low + step]
        low += lengths[doc]
        cursor[part] = at + HEAD + lengths[doc]


@kernel
def count_documents(stream: Stream, met: NDArray[np.int32], most: IntArray) -> None:
    """Count the documents of each term; per length of a document, how often a term stands in one.

    ``met`` has per term the document last met in, plus one; how often there; and the number of documents.
    """
    at = 0
    while at < len(stream):
        doc, length = stream[at] + 1, stream[at + 1]
        most[length] = max(most[length], 1)
        for place in range(at + HEAD, at + HEAD + length):
            term = stream[place]
            if met[term, 0] == doc:
                met[term, 1] += 1
                most[length] = max(most[length], met[term, 1])
            else:
                met[term, 0], met[term, 1] = doc, 1
                met[term, 2] += 1
        at += HEAD + length


@kernel
def find_documents(stream: Stream, first: int, places: IntArray) -> None:
    """Find where in the stream each document stands, by its number from ``first`` on."""
    at = 0
    while at < len(stream):
        places[stream[at] - first] = at
        at += HEAD + stream[at + 1]
