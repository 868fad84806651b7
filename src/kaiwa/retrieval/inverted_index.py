"""An index: the postings of posts and comments, the pairs that link them, and the texts, as arrays in memory or mapped.

A posting is a document and the shape of the term in it: (frequency of the term, length of the document). There are few
shapes, so a posting takes six bytes, and every similarity is a table over shapes.

The postings are in one shard or in several (docs/decisions/index.md). Terms, posts and comments have the same numbers
in the whole index; a shard numbers its own, in the same order.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kaiwa.errors import Names
from kaiwa.files.array_folder import ArrayFolder, described, open_arrays
from kaiwa.formats import takedown
from kaiwa.retrieval.documents import Numbers, Placed, ShardedTexts, TermTable, Texts, own_numbers
from kaiwa.retrieval.query import SIMILARITIES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from kaiwa.files.array_folder import ArrayFiles
    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.retrieval.documents import Check


SIDES = ("posts", "comments")
Shapes = NDArray[np.uint16]  # or 32 bits wide, in an index with very many shapes


@dataclass(frozen=True)
class Postings:
    """Per term a slice ``starts[t]:starts[t+1]`` of documents, ascending, and of their shapes."""

    starts: IntArray
    docs: NDArray[np.uint32]
    shapes: Shapes
    frequency: NDArray[np.uint32]  # per shape: how often the term occurs in the document
    length: NDArray[np.uint32]  # per shape: the number of terms of the document
    documents: int


class Links(NamedTuple):
    """The pairs: the comments of each post, and the posts of each comment."""

    post_starts: NDArray[np.uint32]
    post_comments: NDArray[np.uint32]
    comment_starts: NDArray[np.uint32]
    comment_posts: NDArray[np.uint32]


class Merged(NamedTuple):
    """The ids of comments that cleaning merged into another, in the order of their bytes, and the other's number."""

    ids: NDArray[np.uint8]
    id_starts: IntArray
    kept: NDArray[np.uint32]


@dataclass(frozen=True)
class Weights:
    """One similarity on one side: the weight of a posting by its shape, and the highest weight of each term."""

    by_shape: FloatArray
    inverse_norms: NDArray[np.float32]  # empty if the similarity has no norms
    peaks: NDArray[np.float32]


@dataclass(frozen=True)
class Side:
    """The posts or the comments of an index, by their numbers in the whole index."""

    name: str
    documents: int
    starts: IntArray  # where the postings of each term start if they are in one list
    texts: Texts | ShardedTexts

    def __len__(self) -> int:
        return self.documents

    def documents_with(self, terms: IntArray) -> IntArray:
        """The number of documents in which each term occurs."""
        return self.starts[terms + 1] - self.starts[terms]

    def by_shard(self, numbers: IntArray) -> dict[int, Placed]:
        """Some documents by shard; a comment of several shards is in the first of them."""
        if isinstance(self.texts, Texts):
            return {0: Placed(np.arange(len(numbers)), numbers)}
        return self.texts.placed(numbers)


@dataclass(frozen=True)
class ShardSide:
    """The postings of the posts or the comments of a shard, by the shard's own numbers."""

    name: str  # of its arrays
    postings: Postings
    weights: Names[Weights]  # by similarity
    check: Check
    terms: Numbers | None  # per term of the shard its number in the index; None if these are the same
    numbers: Numbers | None  # as above, per document

    def __len__(self) -> int:
        return self.postings.documents

    def own_terms(self, terms: IntArray) -> IntArray:
        """The shard's number of each term; -1 if no document of this side has it."""
        if self.terms is None:
            return np.where(self.postings.starts[terms + 1] > self.postings.starts[terms], terms, -1)
        return own_numbers(self.terms, terms)

    def in_index(self, own: IntArray) -> IntArray:
        """The numbers in the index of documents of the shard."""
        return own if self.numbers is None else self.numbers[own].astype(np.int64)

    def slices(self, own_terms: IntArray) -> IntArray:
        """Where the postings of each term are ("terms x (from, to)"), checked for damage."""
        starts = self.postings.starts
        slices = np.stack((starts[own_terms], starts[own_terms + 1]), axis=1)
        self.check_slices(own_terms, slices)
        return slices

    def check_slices(self, own_terms: IntArray, slices: IntArray) -> None:
        """Check the postings of terms for damage, unless they were checked before."""
        for low, high in slices[~self.checked[own_terms]].tolist():
            self.check(f"{self.name}.docs", low, high)
            self.check(f"{self.name}.shapes", low, high)
        self.checked[own_terms] = True

    @cached_property
    def term_table(self) -> Numbers:
        """The number in the index of each term of the shard; empty if these are the same."""
        return _NO_NUMBERS if self.terms is None else self.terms

    @cached_property
    def number_table(self) -> Numbers:
        """The number in the index of each document of the shard; empty if these are the same."""
        return _NO_NUMBERS if self.numbers is None else self.numbers

    @cached_property
    def checked(self) -> NDArray[np.bool_]:
        """Per term: whether its postings were checked before."""
        return np.zeros(len(self.postings.starts) - 1, dtype=np.bool_)


_NO_NUMBERS = np.zeros(0, dtype=np.uint32)
_NO_NUMBERS.flags.writeable = False  # as mapped arrays are, so that kernels are compiled once


class Shard(NamedTuple):
    """A part of the posts with all their comments, and the pairs of them, by the shard's own numbers."""

    posts: ShardSide
    comments: ShardSide
    links: Links


@dataclass(frozen=True)
class InvertedIndex:
    """Posts, comments and their pairs, with the terms of both; their postings are in the shards.

    If ``posts_are_candidates``, each post is also a comment, of itself.
    """

    posts: Side
    comments: Side
    terms: TermTable
    tokeniser: str
    language: str
    links: Links
    merged: Merged
    shards: tuple[Shard, ...]
    identity: str  # equal for equal indexes
    posts_are_candidates: bool = False

    @cached_property
    def written_pairs(self) -> Links:
        """The pairs that people wrote, from which models are trained: without those of a post with itself."""
        if not self.posts_are_candidates:
            return self.links
        own = self.comments.texts.find([self.posts.texts.id_of(number) for number in range(len(self.posts))])
        starts_of_posts: IntArray = self.links.post_starts.astype(np.int64)
        posts = np.repeat(np.arange(len(self.posts)), starts_of_posts[1:] - starts_of_posts[:-1])
        written = self.links.post_comments != own[posts]
        posts, comments = posts[written], self.links.post_comments[written]
        starts = (_starts(posts, len(self.posts)), _starts(comments, len(self.comments)))
        by_comment = posts[np.argsort(comments, kind="stable")]
        return Links(*(part.astype(np.uint32) for part in (starts[0], comments, starts[1], by_comment)))


def _starts(numbers: IntArray, size: int) -> IntArray:
    counts = np.bincount(numbers, minlength=size)
    return np.concatenate((np.zeros(1, dtype=np.int64), np.cumsum(counts)))


def index_from(
    arrays: Mapping[str, Any],  # Any: arrays
    facts: Mapping[str, Any],  # Any: JSON values
    check: Check,
    identity: str = "",
) -> InvertedIndex:
    """The index made of named arrays and facts."""
    files = _Files(arrays, facts, check)
    prefixes = [shard_prefix(number) for number in range(facts["shards"])] if "shards" in facts else [""]
    posts, comments = (_side(files, name, prefixes) for name in SIDES)
    return InvertedIndex(
        posts=posts,
        comments=comments,
        terms=TermTable(*(arrays[f"terms.{part}"] for part in ("text", "starts", "slots"))),
        tokeniser=facts["tokeniser"],
        language=facts["language"],
        links=_links(files, ""),
        merged=Merged(*(arrays[f"merged.{part}"] for part in Merged._fields)),
        shards=tuple(_shard(files, prefix) for prefix in prefixes),
        identity=identity,
        posts_are_candidates=facts.get("candidates") == "both",
    )


def shard_prefix(number: int) -> str:
    """How the names of a shard's arrays begin."""
    return f"shard-{number:03d}."


class _Files(NamedTuple):
    """Arrays by name, the facts about them, and the check for damage."""

    arrays: Mapping[str, Any]  # Any: arrays
    facts: Mapping[str, Any]  # Any: JSON values
    check: Check


def _shard(files: _Files, prefix: str) -> Shard:
    posts, comments = (_shard_side(files, name, prefix) for name in SIDES)
    return Shard(posts, comments, _links(files, prefix))


def _links(files: _Files, prefix: str) -> Links:
    return Links(*(files.arrays[f"{prefix}pairs.{part}"] for part in Links._fields))


def _side(files: _Files, name: str, prefixes: list[str]) -> Side:
    arrays, whole = files.arrays, _texts(files, name) if prefixes == [""] else None
    texts = whole or ShardedTexts(
        shards=tuple(_texts(files, f"{prefix}{name}") for prefix in prefixes),
        numbers=tuple(arrays[f"{prefix}{name}.numbers"] for prefix in prefixes),
        shard_of=arrays[f"{name}.shard"],
        row=arrays[f"{name}.row"],
        check=files.check,
        side=name,
    )
    return Side(name, files.facts[name], arrays[f"{name}.starts"], texts)


def _texts(files: _Files, name: str) -> Texts:
    text, text_starts, ids, id_starts, row = (
        files.arrays[f"{name}.{part}"] for part in ("text", "text_starts", "ids", "id_starts", "row")
    )
    return Texts(text, text_starts, ids, id_starts, row, files.check, name)


def _shard_side(files: _Files, name: str, prefix: str) -> ShardSide:
    def own(part: str) -> Any:  # Any: an array
        return files.arrays[f"{prefix}{name}.{part}"]

    numbers = own("numbers") if prefix else None
    documents = files.facts[name] if numbers is None else len(numbers)
    postings = Postings(own("starts"), own("docs"), own("shapes"), own("often"), own("length"), documents)
    weights = _weights(files, f"{prefix}{name}", postings, files.facts[f"{name}_tokens"] / max(files.facts[name], 1))
    terms = own("terms") if prefix else None
    return ShardSide(f"{prefix}{name}", postings, Names("similarity", weights), files.check, terms, numbers)


def _weights(files: _Files, name: str, postings: Postings, mean_length: float) -> dict[str, Weights]:
    """The weights by each similarity; an index built before one was added opens without it."""
    no_norms = np.zeros(0, dtype=np.float32)
    no_norms.flags.writeable = False  # as mapped arrays are, so that kernels are compiled once
    return {
        similarity: Weights(
            by_shape=row.weights_by_shape(postings.frequency, postings.length, mean_length),
            inverse_norms=files.arrays[f"{name}.inverse_norms"] if row.has_norms else no_norms,
            peaks=files.arrays[f"{name}.{similarity}_peaks"],
        )
        for similarity, row in SIMILARITIES.items()
        if f"{name}.{similarity}_peaks" in files.arrays
    }


# An index opened from its folder.


INDEX = ArrayFolder(
    "index",
    "an",
    version=4,
    verb="index",
    lazy=("docs", "shapes", "text", "ids", "text_starts", "id_starts", "row"),
    eager=("terms.",),
    carried=(takedown.NAME,),
)


def open_index(path: Path) -> InvertedIndex:
    """The index in a folder, ready to be searched."""
    with described(path, INDEX):
        files = open_index_files(path)
        return index_from(files.arrays, files.facts, files.check, files.identity)


def open_index_files(path: Path) -> ArrayFiles:
    """The arrays of the index in a folder."""
    return open_arrays(path, INDEX)
