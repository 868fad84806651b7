"""Dense candidates: the comments nearest to the query by vectors of all texts, and the comments of the nearest posts.

The search is exact, or reads only the cells nearest to the query.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kaiwa.ranking.models.dense_codes import Coded, coded, nearest, nearest_in_cells, products
from kaiwa.ranking.texts import TokenLists
from kaiwa.retrieval.matching import Candidates
from kaiwa.retrieval.topk import best_first

if TYPE_CHECKING:
    from collections.abc import Callable

    from kaiwa.nouns.ids import FloatArray, IntArray
    from kaiwa.ranking.models.dense_codes import DenseCodes, VectorCells
    from kaiwa.ranking.models.onnx_encoder import EncoderCodes
    from kaiwa.ranking.models.towers import Towers
    from kaiwa.ranking.system import Asked
    from kaiwa.retrieval.topk import TopK

    Near = Callable[[Asked, "Space", str, int], TopK]  # the texts of a side that are nearest to the query


class Space(NamedTuple):
    """Vectors of posts and of comments, and the vector of a query beside them."""

    codes: Callable[[Asked], DenseCodes | EncoderCodes]
    query: Callable[[Asked], Coded]


def exact(asked: Asked, space: Space, side: str, k: int) -> TopK:
    """The k nearest of all texts of a side."""
    texts: Coded = getattr(space.codes(asked), side)
    return nearest(texts, space.query(asked), min(k, len(texts.codes)))


def approximate(asked: Asked, space: Space, side: str, k: int) -> TopK:
    """The k nearest of the texts of a side that are in the cells nearest to the query."""
    texts: Coded = getattr(space.codes(asked), side)
    cells: VectorCells = asked.models.opened("cells")
    return nearest_in_cells(texts, getattr(cells, side), space.query(asked), min(k, len(texts.codes)))


def tower_codes(asked: Asked) -> DenseCodes:
    """The coded vectors."""
    codes: DenseCodes = asked.models.opened("dense")
    return codes


def tower_query(asked: Asked) -> Coded:
    """The query, encoded as a post."""
    towers: Towers = asked.models.opened("towers")
    words = asked.models.corpus.numbers(asked.query.text)
    return coded(towers.encoded(TokenLists(np.array([0, len(words)]), words), 0))


def encoder_codes(asked: Asked) -> EncoderCodes:
    """The coded vectors by an encoder given as a file."""
    codes: EncoderCodes = asked.models.opened("encoder")
    return codes


def encoder_query(asked: Asked) -> Coded:
    """The query by that encoder."""
    return encoder_codes(asked).encoder.query(asked.query.text)


TOWERS = Space(tower_codes, tower_query)
ENCODER = Space(encoder_codes, encoder_query)


def nearest_comments(asked: Asked, *, space: Space = TOWERS, near: Near = exact) -> Candidates:
    """The comments with the highest cosine to the query, each with its nearest post."""
    scores, comments, _ = best_first(near(asked, space, "comments", asked.k))
    return Candidates(comments, _nearest_posts(asked, space, comments), scores)


def comments_of_nearest_posts(asked: Asked, *, space: Space = TOWERS, near: Near = exact) -> Candidates:
    """The comments of the posts with the highest cosine to the query; the score is that of the post."""
    hidden = frozenset[int]() if asked.takedown_posts is None else frozenset(asked.takedown_posts.tolist())
    scores, posts, _ = best_first(near(asked, space, "posts", asked.k + len(hidden)))
    links = asked.query.index.links
    found: dict[int, tuple[int, float]] = {}
    for post, score in zip(posts.tolist(), scores.tolist(), strict=True):
        if post in hidden:
            continue
        for comment in links.post_comments[links.post_starts[post] : links.post_starts[post + 1]].tolist():
            found.setdefault(comment, (post, score))
        if len(found) >= asked.k:
            break
    chosen = list(found.items())[: asked.k]
    numbers = np.array([(comment, post) for comment, (post, _) in chosen], dtype=np.int64).reshape(-1, 2)
    return Candidates(numbers[:, 0], numbers[:, 1], np.array([score for _, (_, score) in chosen], dtype=np.float64))


def _nearest_posts(asked: Asked, space: Space, comments: IntArray) -> IntArray:
    """The post of each comment that is nearest to the query; one of the takedown list only if there is no other."""
    links, texts = asked.query.index.links, space.codes(asked).posts
    starts, ends = (links.comment_starts[comments + one].astype(np.int64) for one in (0, 1))
    found = np.zeros(len(comments), dtype=np.int64)
    query = space.query(asked)
    for place, (low, high) in enumerate(zip(starts.tolist(), ends.tolist(), strict=True)):
        own = links.comment_posts[low:high].astype(np.int64)
        found[place] = own[0] if high - low == 1 else own[int(np.argmax(_cosines(asked, texts, query, own)))]
    return found


def _cosines(asked: Asked, texts: Coded, query: Coded, posts: IntArray) -> FloatArray:
    """The cosine of the query and some posts; below all others for a post of the takedown list."""
    scores = products(texts.of(posts), query)
    if asked.takedown_posts is not None:
        scores[np.isin(posts, asked.takedown_posts)] = -2.0
    return scores
