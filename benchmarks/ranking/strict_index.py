"""Models of a repository without the topics, and an index in which the labelled candidates are comments too.

A labelled candidate need not be a comment of the repository. It is added to a second index, as a comment of the posts
of the comments that are most similar to it, never of its own post: that would be the topic itself if the candidate is
the true reply. The models are those of the repository alone, so no model has seen a topic or its candidates.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import kaiwa
from kaiwa.nouns.qrels import Qrels
from kaiwa.ranking.model_folder import open_models
from kaiwa.retrieval.inverted_index import open_index
from kaiwa.retrieval.matching import Matcher, query_of, search

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from kaiwa.ranking.models.table import OpenModels
    from kaiwa.retrieval.inverted_index import InvertedIndex

NEIGHBOURS = 20
_POSTS_EACH = 5
_NO_POST = ("no-post", "…")


class Pair(NamedTuple):
    """A post and a comment, each with its id."""

    post: str
    post_text: str
    comment: str
    comment_text: str


class Candidate(NamedTuple):
    """A labelled comment of a topic."""

    comment: str
    text: str
    gain: float


@dataclass(frozen=True)
class LabelledTopics:
    """The topics' texts and their labelled candidates."""

    texts: Mapping[str, str]
    candidates: Mapping[str, Sequence[Candidate]]

    @cached_property
    def gains(self) -> Qrels:
        """The gain of each candidate."""
        return Qrels.from_lists(
            {topic: {one.comment: one.gain for one in own} for topic, own in self.candidates.items()}
        )

    @cached_property
    def comment_texts(self) -> dict[str, str]:
        """The text of each candidate by its id."""
        return {one.comment: one.text for own in self.candidates.values() for one in own}


@dataclass(frozen=True)
class Prepared:
    """The index with the candidates, the index of the repository without them, and the models of the latter."""

    index: InvertedIndex
    strict: InvertedIndex
    models: OpenModels


def prepare(
    pairs: Iterable[Pair],
    labelled: LabelledTopics,
    work: Path,
    *,
    language: str,
    seed: int,
    names: Sequence[str] = (),
) -> Prepared:
    """Make, or open, the indexes and the models, all or those of ``names``, in a work folder."""
    work.mkdir(parents=True, exist_ok=True)
    if not (work / "index").exists():
        _index(pairs, work, "index", language)
    kaiwa.models(work / "index", work / "models", names, seed=seed)
    strict = open_index(work / "index")
    if not (work / "with-candidates").exists():
        _index((*_read(work / "index.tsv"), *added_pairs(strict, labelled)), work, "with-candidates", language)
    return Prepared(open_index(work / "with-candidates"), strict, open_models(work / "models", strict))


def _index(pairs: Iterable[Pair], work: Path, name: str, language: str) -> None:
    path = work / f"{name}.tsv"
    with path.open("w", encoding="utf-8") as out:
        out.writelines("\t".join(pair) + "\n" for pair in pairs)
    kaiwa.clean(path, work / f"{name}-repository", rules="plain")
    kaiwa.index(work / f"{name}-repository", work / name, language=language)


def _read(path: Path) -> Iterator[Pair]:
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            yield Pair(*line.rstrip("\n").split("\t"))


def added_pairs(strict: InvertedIndex, labelled: LabelledTopics) -> Iterator[Pair]:
    """Each candidate as a comment of the posts of its nearest comments, by tf-idf cosine."""
    for comment, text in labelled.comment_texts.items():
        for post, post_text in neighbour_posts(strict, text) or [_NO_POST]:
            yield Pair(post, post_text, comment, text)


def neighbour_posts(strict: InvertedIndex, text: str) -> list[tuple[str, str]]:
    """The first posts of the comments that are most similar to a text."""
    links, texts = strict.links, strict.posts.texts
    found: dict[int, None] = {}
    for comment in search(query_of(strict, text), Matcher("tfidf", 0.0, 1.0), k=NEIGHBOURS).comments.tolist():
        own = links.comment_posts[links.comment_starts[comment] : links.comment_starts[comment + 1]]
        found |= dict.fromkeys(own[:_POSTS_EACH].tolist())
    return [(texts.id_of(post), texts.text_of(post)) for post in found]
