"""A bridge of dialogues: the comments most similar to the replies that posts like the query had elsewhere."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from kaiwa.rank.models.bridge_dialogues import nearest_replies
from kaiwa.rank.sources.source import best_posts
from kaiwa.retrieve.search.matching import Matcher, query_from, search
from kaiwa.retrieve.text.tokenisers import tokeniser

if TYPE_CHECKING:
    from kaiwa.rank.sources.source import Asked
    from kaiwa.retrieve.search.matching import Candidates

REPLIES = 5


def bridged_search(asked: Asked) -> Candidates:
    """The best comments by Q2C for the words of the nearest replies together."""
    corpus, index = asked.models.corpus, asked.query.index
    replies = nearest_replies(corpus.numbers(asked.query.text), asked.models.opened("bridge"), REPLIES)
    terms = tokeniser(index.tokeniser).terms
    words = [term for reply in replies for word in reply.tolist() for term in terms(corpus.words.text_of(word))]
    query = query_from(index, words, asked.query.text)
    found = search(query, Matcher("tfidf", 0.0, 1.0), k=asked.k, takedown_posts=asked.takedown_posts)
    return replace(found, posts=best_posts(asked.query, found.comments, takedown_posts=asked.takedown_posts))
