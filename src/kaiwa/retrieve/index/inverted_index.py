"""An index: the postings of posts and comments, who answered whom, and the texts; arrays only, wherever they live."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from kaiwa.retrieve.index.id_bytes import find_ids, run_of_bytes
from kaiwa.retrieve.index.postings import Links, Postings
from kaiwa.retrieve.index.term_table import TermTable
from kaiwa.retrieve.similarity import bm25, tfidf

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from kaiwa.model.ids import FloatArray, IntArray

    Check = Callable[[str, int, int], None]  # array, first place, last place: refuses what is damaged

SIDES = ("posts", "comments")


@dataclass(frozen=True)
class Weights:
    """One similarity on one side: what a posting of each shape is worth, and the most it is worth per term."""

    by_shape: FloatArray
    inverse_norms: NDArray[np.float32]  # empty where the similarity divides by none
    peaks: NDArray[np.float32]


@dataclass(frozen=True)
class Texts:
    """Texts and ids as runs of bytes; ``row`` turns a number, which follows the ids' order, into a place."""

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
        return self._cut("ids", self.ids, self.id_starts, number)

    def text_of(self, number: int) -> str:
        """What the post or comment says."""
        return self._cut("text", self.text, self.text_starts, number)

    def find(self, wanted: Sequence[str]) -> IntArray:
        """The number of each id, -1 for one that is not there; numbers follow the ids' byte order."""
        for name, array in (("ids", self.ids), ("id_starts", self.id_starts), ("row", self.row)):
            self.check(f"{self.side}.{name}", 0, len(array))
        return find_ids(self.ids, self.id_starts, self.row, *run_of_bytes(wanted))

    def _cut(self, name: str, run: NDArray[np.uint8], starts: IntArray, number: int) -> str:
        row = int(self.row[number])
        low, high = int(starts[row]), int(starts[row + 1])
        self.check(f"{self.side}.{name}", low, high)
        return run[low:high].tobytes().decode(errors="replace")


@dataclass(frozen=True)
class Side:
    """The posts or the comments of a repository, ready to be searched."""

    name: str
    postings: Postings
    texts: Texts
    weights: Mapping[str, Weights]
    check: Check

    def __len__(self) -> int:
        return self.postings.documents

    def documents_with(self, terms: IntArray) -> IntArray:
        """In how many documents each term stands."""
        return self.postings.starts[terms + 1] - self.postings.starts[terms]

    def slices(self, terms: IntArray) -> IntArray:
        """Where the postings of each term stand ("terms x (from, to)"), checked for damage."""
        slices = np.stack((self.postings.starts[terms], self.postings.starts[terms + 1]), axis=1)
        for low, high in slices.tolist():
            self.check(f"{self.name}.docs", low, high)
            self.check(f"{self.name}.shapes", low, high)
        return slices


@dataclass(frozen=True)
class Index:
    """Posts, comments, and which stood under which, with the terms they share."""

    posts: Side
    comments: Side
    terms: TermTable
    tokeniser: str
    language: str
    links: Links


def index_from(arrays: Mapping[str, Any], facts: Mapping[str, Any], check: Check) -> Index:  # Any: arrays, JSON values
    """The index that named arrays and facts describe."""
    posts, comments = (_side(name, arrays, facts, check) for name in SIDES)
    return Index(
        posts=posts,
        comments=comments,
        terms=TermTable(*(arrays[f"terms.{part}"] for part in ("text", "starts", "slots"))),
        tokeniser=facts["tokeniser"],
        language=facts["language"],
        links=Links(*(arrays[f"pairs.{part}"] for part in Links._fields)),
    )


def _side(name: str, arrays: Mapping[str, Any], facts: Mapping[str, Any], check: Check) -> Side:  # Any: as above
    def own(part: str) -> Any:  # Any: an array
        return arrays[f"{name}.{part}"]

    postings = Postings(
        starts=own("starts"),
        docs=own("docs"),
        shapes=own("shapes"),
        often=own("often"),
        length=own("length"),
        documents=facts[name],
        tokens=facts[f"{name}_tokens"],
    )
    texts = Texts(own("text"), own("text_starts"), own("ids"), own("id_starts"), own("row"), check, name)
    no_norms = np.zeros(0, dtype=np.float32)
    no_norms.flags.writeable = False  # as mapped arrays are: one compiled form serves both similarities
    mean_length = postings.tokens / max(postings.documents, 1)
    weights = {
        "bm25": Weights(bm25.by_shape(own("often"), own("length"), mean_length), no_norms, own("bm25_peaks")),
        "tfidf": Weights(tfidf.by_shape(own("often")), own("inverse_norms"), own("tfidf_peaks")),
    }
    return Side(name, postings, texts, weights, check)
