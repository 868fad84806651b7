"""An index: the postings of posts and comments, the pairs that link them, and the texts, as arrays in memory or mapped.

A posting is a document and the shape of the term in it: (frequency of the term, length of the document). There are few
shapes, so a posting takes six bytes, and every similarity is a table over shapes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from kaiwa.registry import Names
from kaiwa.retrieve.index.byte_lookup import TermTable, find_ids, joined_bytes
from kaiwa.retrieve.similarity import SIMILARITIES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from kaiwa.model.ids import FloatArray, IntArray

    Check = Callable[[str, int, int], None]  # array, first and last position: an error if it is damaged

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
    tokens: int


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
class Texts:
    """Texts and ids as joined bytes; ``row`` is the row of each number; numbers follow the byte order of the ids."""

    text: NDArray[np.uint8]
    text_starts: IntArray
    ids: NDArray[np.uint8]
    id_starts: IntArray
    row: NDArray[np.uint32]
    check: Check
    side: str

    def __len__(self) -> int:
        return len(self.row)

    def id_of(self, number: int) -> str:
        """The id of a post or comment."""
        return self._string("ids", "id_starts", number)

    def text_of(self, number: int) -> str:
        """The text of a post or comment."""
        return self._string("text", "text_starts", number)

    def find(self, wanted: Sequence[str]) -> IntArray:
        """The number of each id, -1 for an unknown one; numbers follow the ids' byte order."""
        for name, array in (("ids", self.ids), ("id_starts", self.id_starts), ("row", self.row)):
            self.check(f"{self.side}.{name}", 0, len(array))
        return find_ids(self.ids, self.id_starts, self.row, *joined_bytes(wanted))

    def _string(self, name: str, starts: str, number: int) -> str:
        row = int(self._checked("row", number, number + 1)[0])
        low, high = self._checked(starts, row, row + 2).tolist()
        return self._checked(name, low, high).tobytes().decode(errors="replace")

    def _checked(self, name: str, low: int, high: int) -> NDArray[Any]:  # Any: of the array's dtype
        """The values ``low:high`` of an array, which is refused if they are damaged."""
        self.check(f"{self.side}.{name}", low, high)
        values: NDArray[Any] = getattr(self, name)[low:high]
        return values


@dataclass(frozen=True)
class Side:
    """The posts or the comments of an index."""

    name: str
    postings: Postings
    texts: Texts
    weights: Names[Weights]  # by similarity
    check: Check

    def __len__(self) -> int:
        return self.postings.documents

    def documents_with(self, terms: IntArray) -> IntArray:
        """The number of documents in which each term occurs."""
        return self.postings.starts[terms + 1] - self.postings.starts[terms]

    def slices(self, terms: IntArray) -> IntArray:
        """Where the postings of each term are ("terms x (from, to)"), checked for damage."""
        slices = np.stack((self.postings.starts[terms], self.postings.starts[terms + 1]), axis=1)
        for low, high in slices.tolist():
            self.check(f"{self.name}.docs", low, high)
            self.check(f"{self.name}.shapes", low, high)
        return slices


@dataclass(frozen=True)
class Index:
    """Posts, comments and their pairs, with the terms of both."""

    posts: Side
    comments: Side
    terms: TermTable
    tokeniser: str
    language: str
    links: Links
    merged: Merged


def index_from(arrays: Mapping[str, Any], facts: Mapping[str, Any], check: Check) -> Index:  # Any: arrays, JSON values
    """The index made of named arrays and facts."""
    posts, comments = (_side(name, arrays, facts, check) for name in SIDES)
    return Index(
        posts=posts,
        comments=comments,
        terms=TermTable(*(arrays[f"terms.{part}"] for part in ("text", "starts", "slots"))),
        tokeniser=facts["tokeniser"],
        language=facts["language"],
        links=Links(*(arrays[f"pairs.{part}"] for part in Links._fields)),
        merged=Merged(*(arrays[f"merged.{part}"] for part in Merged._fields)),
    )


def _side(name: str, arrays: Mapping[str, Any], facts: Mapping[str, Any], check: Check) -> Side:  # Any: as above
    def own(part: str) -> Any:  # Any: an array
        return arrays[f"{name}.{part}"]

    postings = Postings(
        starts=own("starts"),
        docs=own("docs"),
        shapes=own("shapes"),
        frequency=own("often"),
        length=own("length"),
        documents=facts[name],
        tokens=facts[f"{name}_tokens"],
    )
    texts = Texts(own("text"), own("text_starts"), own("ids"), own("id_starts"), own("row"), check, name)
    no_norms = np.zeros(0, dtype=np.float32)
    no_norms.flags.writeable = False  # as mapped arrays are, so that kernels are compiled once
    mean_length = postings.tokens / max(postings.documents, 1)
    weights = {
        similarity: Weights(
            by_shape=row.weights_by_shape(postings.frequency, postings.length, mean_length),
            inverse_norms=own("inverse_norms") if row.has_norms else no_norms,
            peaks=own(f"{similarity}_peaks"),
        )
        for similarity, row in SIMILARITIES.items()
        if f"{name}.{similarity}_peaks" in arrays  # an index built before the similarity was added opens without it
    }
    return Side(name, postings, texts, Names("similarity", weights), check)
