"""The k best pairs are those a full sort would put first, whatever the order they come in."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kaiwa.retrieval.topk import best_first, empty_topk, enters, push, raise_threshold

SCORES = st.lists(st.sampled_from([0.5, 1.0, 1.5, 2.0, 7.25]), max_size=80)


@given(SCORES.flatmap(lambda scores: st.permutations(list(enumerate(scores)))), st.integers(1, 12), st.integers(1, 9))
def test_the_top_k_are_those_of_a_full_sort(pairs: list[tuple[int, float]], k: int, raise_every: int) -> None:
    """Many ties, any order, the threshold raised at any time."""
    topk = empty_topk(k)
    for place, (comment, score) in enumerate(pairs):
        if enters(topk, score, comment):
            push(topk, score, comment, -comment)
        if place % raise_every == 0:
            raise_threshold(topk)
    expected = sorted((-score, comment) for comment, score in pairs)[:k]
    scores, comments, posts = best_first(topk)
    assert list(zip((-scores).tolist(), comments.tolist(), strict=True)) == expected
    assert (posts == -comments).all()
