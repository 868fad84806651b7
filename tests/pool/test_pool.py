"""Pools: what is in them, in which order, and whose it is."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kaiwa.errors import InputError
from kaiwa.nouns.ids import unpack
from kaiwa.nouns.qrels import Qrels
from kaiwa.nouns.run import Run
from kaiwa.pooling.items import budget_pool, coverage, depth_pool, pool_sizes, run_shares, team_shares, without_team

RUNS = [
    Run.from_lists("T1-C-R1", {"q": [("c1", 2.0), ("c2", 1.0)], "r": [("c1", 1.0)]}),
    Run.from_lists("T1-C-R2", {"q": [("c3", 2.0), ("c1", 1.0)]}),
    Run.from_lists("T2-C-R1", {"q": [("c4", 2.0), ("c2", 1.0)]}),
]

lists = st.dictionaries(
    st.sampled_from(["q", "r", "s"]),
    st.lists(st.sampled_from("abcdefgh"), unique=True, min_size=1, max_size=6),
    min_size=1,
)


def _run(name: str, ranked: dict[str, list[str]]) -> Run:
    return Run.from_lists(
        name, {topic: [(comment, -place) for place, comment in enumerate(items)] for topic, items in ranked.items()}
    )


@given(st.lists(lists, min_size=1, max_size=4), st.integers(1, 5))
def test_a_depth_pool_is_the_union_of_the_first_ranks(made: list[dict[str, list[str]]], depth: int) -> None:
    """The same as a set comprehension; and so is the size of the pool at each depth."""
    runs = [_run(f"run{place}", ranked) for place, ranked in enumerate(made)]
    pool = depth_pool(runs, depth=depth)
    expected = {(topic, item) for ranked in made for topic, items in ranked.items() for item in items[:depth]}
    got = list(zip([pool.topics[code] for code in pool.topic], unpack(pool.comments), strict=True))
    assert len(got) == len(set(got)) == pool_sizes(runs, depth=depth)[-1]
    assert set(got) == expected


@given(st.lists(lists, min_size=1, max_size=4), st.integers(1, 30))
def test_a_budget_is_never_passed_and_always_used(made: list[dict[str, list[str]]], items: int) -> None:
    """The budget pool has the budget's size, or everything there is; topics differ by more than one only when empty."""
    runs = [_run(f"run{place}", ranked) for place, ranked in enumerate(made)]
    full, cut = depth_pool(runs, depth=9), budget_pool(runs, items=items)
    assert len(cut) == min(items, len(full))
    sizes = np.bincount(cut.topic, minlength=len(cut.topics))
    short = sizes < np.bincount(full.topic, minlength=len(full.topics))
    assert not short.any() or sizes.max() - sizes[short].min() <= 1


def test_a_budget_takes_priority_runs_first() -> None:
    """Within a rank, R1 runs come before R2 runs."""
    pool = budget_pool(RUNS, items=3)
    assert unpack(pool.comments) == ["c1", "c4", "c1"]


def test_shares_count_what_only_one_contributor_has() -> None:
    """Runs and teams, with their unique items."""
    pool = depth_pool(RUNS, depth=2)
    assert [(one.items, one.unique) for one in run_shares(pool, depth=2)] == [(3, 1), (2, 1), (2, 1)]
    assert [(one.name, one.items, one.unique) for one in team_shares(pool, depth=2)] == [("T1", 4, 3), ("T2", 2, 1)]
    assert unpack(pool.comments[without_team(pool, "T1", depth=2)]) == ["c4", "c2"]


def test_a_shuffle_keeps_topics_together_and_repeats_with_its_seed() -> None:
    """Same seed, same order; other seed, other order; no item lost."""
    runs = [_run(f"run{n}", {f"q{t}": [f"c{n}{t}{r}" for r in range(5)] for t in range(6)}) for n in range(3)]
    pool = depth_pool(runs, depth=5)
    one, two, three = (pool.shuffled(np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert np.array_equal(one.comments, two.comments)
    assert not np.array_equal(one.comments, three.comments)
    assert sorted(one.comments.tolist()) == sorted(pool.comments.tolist())
    assert (np.diff(one.topic) != 0).sum() == len(pool.topics) - 1


def test_coverage_counts_unjudged_comments_rank_by_rank() -> None:
    """Topics without judgements are left out of the count."""
    found = coverage(RUNS[0], Qrels.from_lists({"q": {"c1": 1.0}}), depth=3)
    assert (found.returned.tolist(), found.unjudged.tolist()) == ([1, 1, 0], [0, 1, 0])


def test_a_pool_of_nothing_is_refused() -> None:
    """No run, or depth 0."""
    with pytest.raises(InputError, match="no run to pool"):
        depth_pool([], depth=10)
    with pytest.raises(InputError, match="depth 0 pools nothing"):
        depth_pool(RUNS, depth=0)
