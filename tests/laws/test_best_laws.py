"""The k best pairs are those a full sort would put first, whatever the order they come in."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kaiwa.retrieve.search.topk import best_first, enters, none_yet, push, raise_floor

SCORES = st.lists(st.sampled_from([0.5, 1.0, 1.5, 2.0, 7.25]), max_size=80)


@given(SCORES.flatmap(lambda scores: st.permutations(list(enumerate(scores)))), st.integers(1, 12), st.integers(1, 9))
def test_the_best_are_those_of_a_full_sort(pairs: list[tuple[int, float]], k: int, rest_after: int) -> None:
    """Many ties, any order, the floor raised at any time."""
    best = none_yet(k)
    for place, (comment, score) in enumerate(pairs):
        if enters(best, score, comment):
            push(best, score, comment, -comment)
        if place % rest_after == 0:
            raise_floor(best)
    expected = sorted((-score, comment) for comment, score in pairs)[:k]
    scores, comments, posts = best_first(best)
    assert list(zip((-scores).tolist(), comments.tolist(), strict=True)) == expected
    assert (posts == -comments).all()
