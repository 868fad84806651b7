"""The words that the query and the comment share: how many, how rare, and how close together.

A sum over shared words, as in tf-idf or BM25, cannot say whether one rare word or several common ones are shared, nor
whether they are neighbours. The rarity of a word is the log of 1 / its share of all tokens.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from kaiwa.rank.features.feature import Feature
from kaiwa.stats.compiled import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kaiwa.model.ids import FloatArray, IntArray
    from kaiwa.rank.features.batch import Batch
    from kaiwa.rank.texts.token_lists import Tokens

_COLUMNS = {
    "shared-count": "number of different words that the query and the comment share",
    "shared-rarity": "sum of the rarities of these words",
    "shared-rarest": "rarity of the rarest of these words",
    "shared-part": "share of the comment's rarity that its words of the query have",
    "shared-stretch": "largest sum of rarities of neighbouring words of the comment that the query has",
}


def shared_word(batch: Batch, *, column: int) -> FloatArray:
    """One of the numbers about shared words."""
    return batch.once(_all_numbers)[:, column]


def _all_numbers(batch: Batch) -> FloatArray:
    corpus = batch.models.corpus
    is_asked = np.zeros(len(corpus.counts), dtype=np.bool_)
    is_asked[batch.words] = True
    last_text = np.full(len(corpus.counts), -1, dtype=np.int64)
    return shared_numbers(*batch.comments, is_asked, corpus.log_shares, last_text)


@kernel
def shared_numbers(
    starts: IntArray, tokens: Tokens, is_asked: NDArray[np.bool_], log_shares: FloatArray, last_text: IntArray
) -> FloatArray:
    """The numbers of each text ("texts x numbers"); ``last_text`` is -1 for every word."""
    found = np.zeros((len(starts) - 1, 5))
    for text in range(len(starts) - 1):
        of_all, of_asked, stretch = 0.0, 0.0, 0.0
        for place in range(starts[text], starts[text + 1]):
            word = tokens[place]
            rarity = -log_shares[word]
            of_all += rarity
            if not is_asked[word]:
                stretch = 0.0
                continue
            of_asked += rarity
            stretch += rarity
            found[text, 4] = max(found[text, 4], stretch)
            if last_text[word] != text:
                last_text[word] = text
                found[text, 0] += 1.0
                found[text, 1] += rarity
                found[text, 2] = max(found[text, 2], rarity)
        if of_all > 0.0:
            found[text, 3] = of_asked / of_all
    return found


SHARED_FEATURES = {
    name: Feature(partial(shared_word, column=column), description, ("tokens",), family="shared")
    for column, (name, description) in enumerate(_COLUMNS.items())
}
