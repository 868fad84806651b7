"""The texts of an index as lists of token numbers on disk, the first of the models: all others are trained on them."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.ambient import share
from kaiwa.files.spill import TemporaryArray
from kaiwa.ranking.texts import TokenLists
from kaiwa.retrieval.byte_lookup import joined_bytes, term_arrays
from kaiwa.retrieval.posting_lists import blocks, token_lines
from kaiwa.retrieval.tokenisers import all_tokens
from kaiwa.retrieval.vocabulary import Vocabulary

if TYPE_CHECKING:
    from kaiwa.ambient import Progress
    from kaiwa.files.array_folder import ArrayWriter
    from kaiwa.nouns.ids import IntArray
    from kaiwa.ranking.texts import Tokens
    from kaiwa.retrieval.inverted_index import InvertedIndex, Side
    from kaiwa.retrieval.takedown_ids import Takedown


_TEXTS = 1 << 14  # tokenised at a time
_LISTS = 1 << 18  # put in order at a time


def write_tokens(index: InvertedIndex, takedown: Takedown, writer: ArrayWriter, progress: Progress) -> None:
    """Write the tokens of both sides, by the numbers of their posts and comments, and the words with their counts.

    A text of the takedown list has none.
    Words are numbered by their frequency in posts and comments together, ties in the order of first occurrence.
    """
    vocabulary = Vocabulary(all_tokens(index.language))
    sides = [index.posts, index.comments]
    done = len(index.posts) / max(len(index.posts) + len(index.comments), 1)
    with (
        closing(TemporaryArray(writer.folder, np.int32)) as posts,
        closing(TemporaryArray(writer.folder, np.int32)) as comments,
    ):
        starts = [
            _tokenise(side, hidden, vocabulary, array, share(progress, low, high))
            for side, hidden, array, low, high in zip(
                sides, (takedown.posts, takedown.comments), (posts, comments), (0, done), (done, 1), strict=True
            )
        ]
        counts = _counts(len(vocabulary), posts) + _counts(len(vocabulary), comments)
        in_pairs = _pair_counts(len(vocabulary), comments, starts[1], _posts_by_row(index))
        order = np.argsort(-counts, kind="stable")
        number_of = np.empty(len(order), dtype=np.int32)
        number_of[order] = np.arange(len(order), dtype=np.int32)
        for side, array, own in zip(sides, (posts, comments), starts, strict=True):
            _write_side(side, array, own, number_of, writer)
    terms = vocabulary.terms()
    for part, values in term_arrays(*joined_bytes([terms[number] for number in order.tolist()])).items():
        writer.save(f"words.{part}", values)
    writer.save("words.counts", counts[order])
    writer.save("words.comment_counts", in_pairs[order])


def _tokenise(
    side: Side, hidden: IntArray, vocabulary: Vocabulary, array: TemporaryArray, progress: Progress
) -> IntArray:
    """Append the tokens of all texts, in the order of their rows; where the tokens of each row start."""
    chosen = vocabulary.tokeniser
    hidden_rows = set(side.texts.row[hidden].tolist())
    lengths = [np.zeros(1, dtype=np.int64)]
    for low in range(0, len(side), _TEXTS):
        high = min(low + _TEXTS, len(side))
        texts = ["" if row in hidden_rows else text for row, text in enumerate(side.texts.rows(low, high), start=low)]
        for block in blocks(token_lines(texts, chosen)):
            numbers, counts = vocabulary.numbers(block)
            array.add(numbers)
            lengths.append(counts)
        progress(high, len(side))
    return np.cumsum(np.concatenate(lengths))


def _counts(words: int, array: TemporaryArray) -> IntArray:
    counts = np.zeros(words, dtype=np.int64)
    for low in range(0, len(array), _LISTS):
        counts += np.bincount(array.read(low, min(low + _LISTS, len(array))), minlength=words)
    return counts


def _posts_by_row(index: InvertedIndex) -> IntArray:
    """The number of posts of the comment in each row."""
    often = np.zeros(len(index.comments), dtype=np.int64)
    often[np.asarray(index.comments.texts.row, dtype=np.int64)] = np.diff(index.links.comment_starts.astype(np.int64))
    return often


def _pair_counts(words: int, comments: TemporaryArray, starts: IntArray, often: IntArray) -> IntArray:
    """The count of each word where a comment counts once for each of its posts."""
    counts = np.zeros(words)
    for low in range(0, len(often), _LISTS):
        own = starts[low : low + _LISTS + 1]
        weights = np.repeat(often[low : low + _LISTS], np.diff(own))
        counts += np.bincount(comments.read(int(own[0]), int(own[-1])), weights, minlength=words)
    return counts.astype(np.int64)


def _write_side(side: Side, array: TemporaryArray, starts: IntArray, number_of: Tokens, writer: ArrayWriter) -> None:
    """Write the lists of one side by the numbers of its texts."""
    rows = np.asarray(side.texts.row, dtype=np.int64)
    lists = TokenLists(starts, number_of[array.read()] if len(array) else np.zeros(0, dtype=np.int32))
    with writer.growing(f"{side.name}.tokens", np.int32) as tokens:
        for low in range(0, len(rows), _LISTS):
            tokens.add(lists.of(rows[low : low + _LISTS]).tokens)
    lengths = starts[rows + 1] - starts[rows]
    writer.save(f"{side.name}.starts", np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(lengths))))
