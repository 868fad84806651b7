"""Keyword expansion: the search with further words that answer the words of the query.

PolyU at NTCIR-12 STC. A further word e is one that the translation model prefers given the query's words w, as in the
relevance models of Lavrenko and Croft 2001: the sum over w of T(e | w) log(T(e | w) / P(e)).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kaiwa.retrieve.search.matching import Matcher, query_from, search
from kaiwa.retrieve.text.tokenisers import tokeniser

if TYPE_CHECKING:
    from kaiwa.model.ids import FloatArray
    from kaiwa.rank.models.translation import Translation
    from kaiwa.rank.sources.source import Asked
    from kaiwa.rank.texts.token_lists import Tokens
    from kaiwa.retrieve.search.matching import Candidates

FURTHER = 5
_REPEATED = 2  # how often each term of the query itself counts beside one further word


def expanded_search(asked: Asked) -> Candidates:
    """The best pairs by Q2P + Q2C for the query and its further words."""
    index = asked.query.index
    own = tokeniser(index.tokeniser).terms(asked.query.text.encode(errors="replace").decode())
    query = query_from(index, [*(list(own) * _REPEATED), *further_terms(asked)], asked.query.text)
    return search(query, Matcher("tfidf", 1.0, 1.0), k=asked.k, takedown_posts=asked.takedown_posts)


def further_terms(asked: Asked, *, count: int = FURTHER) -> list[str]:
    """The terms of the strongest further words that the index's tokeniser keeps, and that the query does not have."""
    corpus, chosen = asked.models.corpus, tokeniser(asked.query.index.tokeniser)
    strengths = word_strengths(
        corpus.numbers(asked.query.text), asked.models.opened("translation").to_comments, corpus.shares
    )
    known, further = set(asked.query.words), list[str]()
    for word in np.argsort(-strengths, kind="stable")[: 20 * count].tolist():
        if strengths[word] <= 0 or len(further) >= count:
            break
        further += [term for term in chosen.terms(corpus.words.text_of(word)) if term not in known.union(further)]
    return further[:count]


def word_strengths(words: Tokens, model: Translation, shares: FloatArray) -> FloatArray:
    """Per word e the sum over the given words w of T(e | w) log(T(e | w) / P(e)), where it is positive."""
    strengths = np.zeros(len(shares))
    for word in words[words + 1 < len(model.starts)].tolist():
        row = slice(model.starts[word], model.starts[word + 1])
        targets, chances = model.targets[row], model.probabilities[row].astype(np.float64)
        strengths[targets] += np.maximum(chances * np.log(chances / shares[targets]), 0.0)
    return strengths
