"""The search of one shard after others, in one call of compiled code.

A call from Python costs some microseconds for every array that it is given or returns, in each shard of a query.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kaiwa.retrieve.search.joint_topk import Floor, joint_topk
from kaiwa.retrieve.search.query_postings import QueryPostings, top_documents
from kaiwa.retrieve.search.shard_merging import Pairs, floor_of, merged, pairs_of
from kaiwa.retrieve.search.topk import TopK, ranked
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray
    from kaiwa.retrieve.index.document_texts import Numbers
    from kaiwa.retrieve.index.inverted_index import Links

TOP_POSTS = 64
MIN_COMMENTS = 64


@kernel
def best_pairs(
    found: Pairs, k: int, postings: QueryPostings, links: Links, post_scores: FloatArray,
    comment_numbers: Numbers, post_numbers: Numbers,
) -> Pairs:  # fmt: skip
    """The k best pairs of the shards before and of this one; the worst of those before is the floor of the search."""
    topk = shard_topk(k, postings, links, post_scores, floor_of(found, k, comment_numbers))
    if not topk.size[0]:
        return found
    return merged(found, pairs_of(topk, post_scores, comment_numbers, post_numbers), k)


@kernel
def shard_topk(k: int, postings: QueryPostings, links: Links, post_scores: FloatArray, floor: Floor) -> TopK:
    """The k best pairs of a shard that reach the floor, with as many top posts as the search needs to be exact.

    Comments of posts below the threshold are scored only if there is no floor yet: they give the first threshold.
    """
    count, least = TOP_POSTS, 0 if floor.score > 0 else MIN_COMMENTS
    while True:
        top = top_documents(post_scores, count)
        size = top.size[0]
        top_posts = top.comments[:size][ranked(top.scores[:size], top.comments[:size])[:count]]
        found, exact = joint_topk(k, postings, links, post_scores, top_posts, top.threshold[0], least, floor)
        if exact:
            return found
        count *= 8
