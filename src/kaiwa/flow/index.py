"""A repository to an index: texts streamed through the tokeniser, postings sorted, arrays sealed."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.errors import InputError
from kaiwa.files.index import IndexWriter, open_index_files, writing_index
from kaiwa.files.repository import Repository, open_repository
from kaiwa.model.text import normalise
from kaiwa.retrieve import bm25, tfidf
from kaiwa.retrieve.index import Index, index_from
from kaiwa.retrieve.invert import Postings, inverted, norms_of, peaks_of
from kaiwa.retrieve.tokens import Tokeniser, language_of, tokeniser
from kaiwa.retrieve.vocabulary import Vocabulary, sorted_terms

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from kaiwa.model import IntArray

    Progress = Callable[[int, int], None]

_SAMPLE = 1000
_SIDES = ("posts", "comments")


def build_index(
    source: Path, target: Path, *, language: str | None, tokens: str | None, progress: Progress
) -> dict[str, Any]:  # Any: the index's facts, JSON values
    """Index a repository; the facts of the index that now stands at ``target``."""
    repository = open_repository(source)
    language = language or repository.manifest.language or _language_of(repository)
    chosen = tokeniser(tokens or language)
    facts: dict[str, Any] = {"language": language, "tokeniser": chosen.name, "k1": bm25.K1, "b": bm25.B}
    with writing_index(target, facts) as writer:
        orders = _write_pairs(repository, writer, facts)
        vocabulary = Vocabulary(chosen)
        streamed = _stream(repository, writer, vocabulary, chosen, progress)
        text, starts, renumbered = sorted_terms(vocabulary.terms())
        writer.save("terms.text", np.frombuffer(text, dtype=np.uint8))
        writer.save("terms.starts", starts)
        facts["terms"] = len(renumbered)
        for name, order, tokenised in zip(_SIDES, orders, streamed, strict=True):
            facts[f"{name}_tokens"] = _write_side(name, order, tokenised, renumbered, writer)
    return facts


def open_index(path: Path) -> Index:
    """The index in a folder, ready to be searched."""
    files = open_index_files(path)
    return index_from(files.arrays, files.facts, files.check)


def _language_of(repository: Repository) -> str:
    for _, texts in repository.comments():
        return language_of(texts[:_SAMPLE])
    return "en"


def _write_pairs(repository: Repository, writer: IndexWriter, facts: dict[str, Any]) -> list[IntArray]:  # Any: JSON
    """Write who answered whom, posts and comments numbered by id; the row of each number, per side."""
    ids = [repository.ids(name) for name in _SIDES]
    orders = [_by_id(column) for column in ids]
    numbers = []
    for order, rows in zip(orders, repository.pair_rows(*ids), strict=True):
        number = np.empty(len(order), dtype=np.int64)
        number[order] = np.arange(len(order))
        numbers.append(number[rows])
    facts.update(zip(_SIDES, map(len, orders), strict=True))
    for name, order in zip(_SIDES, orders, strict=True):
        writer.save(f"{name}.row", order.astype(np.uint32))
    post, comment = numbers
    facts["pairs"] = _write_links(writer, ("post_starts", "post_comments"), (post, comment), len(orders[0]))
    _write_links(writer, ("comment_starts", "comment_posts"), (comment, post), len(orders[1]))
    if not np.bincount(comment, minlength=len(orders[1])).all():
        raise InputError.at(repository.path, "a comment stands under no post", "give every comment a pair")
    return orders


def _by_id(ids: Any) -> IntArray:  # Any: a pyarrow array
    import pyarrow.compute as pc

    order: IntArray = pc.sort_indices(ids).to_numpy().astype(np.int64)
    return order


def _write_links(writer: IndexWriter, names: tuple[str, str], sides: tuple[IntArray, IntArray], size: int) -> int:
    """Write, for each on the first side, the numbers of the other side it goes with; how many links there are."""
    first, second = (side.astype(np.uint64) for side in sides)
    joined = np.sort(first << np.uint64(32) | second)
    joined = joined[np.concatenate((joined[:1] == joined[:1], joined[1:] != joined[:-1]))]
    counts = np.bincount((joined >> np.uint64(32)).astype(np.int64), minlength=size)
    writer.save(f"pairs.{names[0]}", np.concatenate(([0], np.cumsum(counts))).astype(np.uint32))
    writer.save(f"pairs.{names[1]}", (joined & np.uint64(0xFFFFFFFF)).astype(np.uint32))
    return len(joined)


@dataclass(frozen=True)
class _Tokenised:
    """The tokens of one side, on disk in the order of the rows, and where each row's tokens start."""

    path: Path
    starts: IntArray


def _stream(
    repository: Repository, writer: IndexWriter, vocabulary: Vocabulary, chosen: Tokeniser, progress: Progress
) -> list[_Tokenised]:
    total = repository.manifest.posts + repository.manifest.comments
    streamed = []
    done = 0
    for name in _SIDES:
        texts, ids = _Run(writer, f"{name}.text", "text"), _Run(writer, f"{name}.ids", "id")
        path = writer.folder / f"{name}.tokens"
        lengths: list[IntArray] = []
        with path.open("wb") as out:
            for batch_ids, batch_texts in repository.table(name):
                ids.add(batch_ids)
                texts.add(batch_texts)
                lengths.append(_tokenise(batch_texts, vocabulary, chosen, out))
                done += len(batch_ids)
                progress(done, total)
        texts.close(f"{name}.text_starts")
        ids.close(f"{name}.id_starts")
        starts = np.concatenate([np.zeros(1, dtype=np.int64), *lengths]).cumsum()
        streamed.append(_Tokenised(path, starts))
    return streamed


def _tokenise(texts: list[str], vocabulary: Vocabulary, chosen: Tokeniser, out: Any) -> IntArray:  # Any: a binary file
    surfaces = [chosen.split(normalise(text)) for text in texts]
    counts = np.fromiter(map(len, surfaces), dtype=np.int64, count=len(surfaces))
    flat = map(vocabulary.__getitem__, chain.from_iterable(surfaces))
    numbers = np.fromiter(flat, dtype=np.int32, count=int(counts.sum()))
    kept = numbers >= 0
    per_text = np.add.reduceat(np.append(kept, False), _firsts(counts), dtype=np.int64) if len(texts) else counts
    per_text[counts == 0] = 0
    numbers[kept].tofile(out)
    return per_text


def _firsts(counts: IntArray) -> IntArray:
    return np.concatenate(([0], np.cumsum(counts)[:-1])).astype(np.int64)


class _Run:
    """Strings written one after the other, as one array of bytes and the places where each starts."""

    def __init__(self, writer: IndexWriter, name: str, what: str) -> None:
        self._writer, self._name, self._what = writer, name, what
        self._path = writer.folder / f"{name}.bytes"
        self._out = self._path.open("wb")
        self._lengths: list[IntArray] = []

    def add(self, strings: list[str]) -> None:
        """Append the strings."""
        encoded = [string.encode() for string in strings]
        self._out.write(b"".join(encoded))
        self._lengths.append(np.fromiter(map(len, encoded), dtype=np.int64, count=len(encoded)))

    def close(self, starts: str) -> None:
        """Turn what was written into arrays."""
        self._out.close()
        places = np.concatenate([np.zeros(1, dtype=np.int64), *self._lengths]).cumsum()
        self._writer.save(starts, places)
        run = self._writer.array(self._name, np.uint8, int(places[-1]))
        with self._path.open("rb") as source:
            at = 0
            while chunk := source.read(1 << 22):
                run[at : at + len(chunk)] = np.frombuffer(chunk, dtype=np.uint8)
                at += len(chunk)
        self._path.unlink()


def _write_side(name: str, order: IntArray, tokenised: _Tokenised, renumbered: IntArray, writer: IndexWriter) -> int:
    """Write the postings of one side and the weights that follow from them; how many tokens it has."""
    tokens = np.fromfile(tokenised.path, dtype=np.int32)
    tokenised.path.unlink()
    tokens = renumbered.astype(np.int32)[tokens]
    postings = inverted(
        tokens, tokenised.starts, order, len(renumbered),
        new_array=lambda part, kind, size: writer.array(f"{name}.{part}", kind, size),
    )  # fmt: skip
    for part in ("starts", "often", "length"):
        writer.save(f"{name}.{part}", getattr(postings, part))
    documents_with = np.diff(postings.starts).astype(np.float64)
    idf = tfidf.inverse_document_frequency(documents_with, postings.documents)
    norms = norms_of(tokens, tokenised.starts, order, idf**2)
    writer.save(f"{name}.inverse_norms", norms)
    _write_peaks(f"{name}.bm25_peaks", postings, bm25.by_shape(postings), np.zeros(0, dtype=np.float32), writer)
    _write_peaks(f"{name}.tfidf_peaks", postings, tfidf.by_shape(postings), norms, writer)
    return postings.tokens


def _write_peaks(name: str, postings: Postings, by_shape: Any, norms: Any, writer: IndexWriter) -> None:  # Any: arrays
    peaks = peaks_of(postings.starts, postings.docs, postings.shapes, by_shape, norms)
    writer.save(name, np.nextafter(peaks.astype(np.float32), np.float32(np.inf)))
