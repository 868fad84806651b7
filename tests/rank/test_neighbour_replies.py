"""What people reply in such a case: a comment beside the comments of the pairs nearest to the query."""

from __future__ import annotations

from math import log1p
from typing import TYPE_CHECKING

import numpy as np
import pytest

from kaiwa.ranking.features.batch import FIRST_STAGE, Batch
from kaiwa.ranking.features.matches import mean_lifts, neighbour_vectors, neighbour_words, word_shares
from kaiwa.ranking.models.word_vectors import WINDOW, text_vectors, together
from kaiwa.ranking.texts import token_lists
from kaiwa.retrieval.matching import query_of, search

if TYPE_CHECKING:
    from kaiwa.ranking.models.table import OpenModels
    from kaiwa.ranking.texts import Corpus
    from kaiwa.retrieval.inverted_index import InvertedIndex


def tokens_of(corpus: Corpus, comment: int) -> list[int]:
    """The tokens of one comment."""
    low, high = corpus.comments.starts[comment : comment + 2].tolist()
    return corpus.comments.tokens[low:high].tolist()


def test_a_lift_by_hand() -> None:
    """Replies [0, 1] of weight 3/4 and [1] of weight 1/4: the shares are 3/8 and 5/8, beside usual ones of 1/2."""
    replies = token_lists([[0, 1], [1]])
    shares = word_shares(*replies, np.array([0.75, 0.25]), 3)
    assert shares.tolist() == [0.375, 0.625, 0.0]
    usual, asked = np.full(3, 0.5), token_lists([[0, 1], [2], [], [1]])
    found = mean_lifts(*asked, shares, usual, np.array([0.0, 0.0, 0.0, 0.25]), 2.0)
    without_itself = 0.375 / 0.75  # the last text is the second reply: the first one alone is left
    assert found.tolist() == pytest.approx([(log1p(1.5) + log1p(2.5)) / 2, 0.0, 0.0, log1p(2 * without_itself / 0.5)])


def test_the_only_neighbour_tells_nothing_about_itself() -> None:
    """Nothing is left without it."""
    replies = token_lists([[0, 1, 1]])
    shares = word_shares(*replies, np.ones(1), 2)
    assert mean_lifts(*replies, shares, np.full(2, 0.5), np.ones(1), 0.2).tolist() == [0.0]


@pytest.mark.parametrize("text", ["考试 海 Hawaii", "今天天气真好"])
def test_the_neighbours_of_a_comment_are_all_found_pairs_but_itself(
    opened: InvertedIndex, models: OpenModels, text: str
) -> None:
    """Comment by comment, in plain Python, from the search of run2."""
    query, corpus, vectors = query_of(opened, text), models.corpus, models.opened("vectors")
    found = search(query, FIRST_STAGE, k=200)
    batch = Batch(query, found, models)
    words, cosines = neighbour_words(batch), neighbour_vectors(batch)
    assert len(found) > 3
    for place, comment in enumerate(found.comments.tolist()):
        others = [(one, score) for one, score in zip(found.comments.tolist(), found.scores.tolist(), strict=True)
                  if one != comment and score > 0]  # fmt: skip
        total, own = sum(score for _, score in others), tokens_of(corpus, comment)
        shares = dict.fromkeys(own, 0.0)
        for one, score in others:
            near = tokens_of(corpus, one)
            for word in shares:
                shares[word] += score / total * near.count(word) / len(near)
        lifts = [log1p(0.2 * shares[word] / max(corpus.shares[word], 1e-7)) for word in own]
        assert words[place] == pytest.approx(sum(lifts) / len(lifts), abs=1e-9)
        mean = sum(score * text_vectors(token_lists([tokens_of(corpus, one)]), vectors)[0] for one, score in others)
        cosine = mean @ text_vectors(token_lists([own]), vectors)[0] / np.linalg.norm(mean)
        assert cosines[place] == pytest.approx(cosine, abs=1e-6)


def test_a_takedown_post_gives_no_neighbour(opened: InvertedIndex, models: OpenModels) -> None:
    """Its comment is not read by any feature."""
    query = query_of(opened, "考试 海 Hawaii")
    found = search(query, FIRST_STAGE, k=200)
    hidden = found.posts[:1]
    own = Batch(query, found, models, hidden).neighbours
    again = search(query, FIRST_STAGE, k=200, takedown_posts=hidden)
    assert own.comments.tolist() == again.comments[again.scores > 0].tolist()
    assert own.weights.sum() == pytest.approx(1.0)


def test_words_of_a_post_and_its_comment_occur_together(models: OpenModels) -> None:
    """Counted pair by pair in plain Python."""
    corpus, words = models.corpus, len(models.corpus.words)
    counts = np.zeros((words, words))
    for post, comment in zip(corpus.bitext.source_of.tolist(), corpus.bitext.target_of.tolist(), strict=True):
        low, high = corpus.posts.starts[post : post + 2].tolist()
        text = corpus.posts.tokens[low:high].tolist() + tokens_of(corpus, comment)
        for at, word in enumerate(text):
            for other in text[at + 1 : at + 1 + WINDOW]:
                counts[word, other] += 1
                counts[other, word] += 1
    assert together(corpus, words, np.random.default_rng(1)).toarray().tolist() == counts.tolist()
