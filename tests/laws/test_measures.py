"""Laws that hold for every measure in the table; each exception is named and pinned by its counterexample."""

from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement, permutations
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kaiwa.measures.judgements import Scale, judge
from kaiwa.measures.scoring import Reading, score
from kaiwa.measures.table import MEASURES
from kaiwa.nouns.qrels import Qrels
from kaiwa.nouns.run import Run

if TYPE_CHECKING:
    from kaiwa.nouns.ids import FloatArray

SCALE = Scale({1.0: 1.0, 2.0: 3.0})
UNJUDGED = -1

ON_LISTS = {name: measure for name, measure in MEASURES.items() if measure.uses == "lists"}
WHOLE = [name + {"1": "@1", "k": "@3"}.get(measure.cutoff or "", "") for name, measure in ON_LISTS.items()]
CUT = [f"{name}@3" for name, measure in ON_LISTS.items() if measure.cutoff is None and name != "P"]
SPECIAL = ["P-measure@3", "nDCG(b=2)", "nDCG(b=2)@3", "RBP(p=0.8)", "Q(beta=10)", "NCUgu,P(s=1:2)"]
ALL = [*WHOLE, *CUT, *SPECIAL]

NOT_NORMALISED = {"RBP", "RBP(p=0.8)", "ERR", "EBR", "iRBU", "NCUrb,IE", "Prec"}
FIRST_RANK_IGNORED = {"bpref_relative", "rpref_relative"}
RECALL_LIKE = {"Recall@3", "bpref@3", "bpref_R@3", "bpref_N@3"}

SWAP_UP_MAY_HURT = {
    "P+": ((2, 1, 1), (1, UNJUDGED, 1, 2), (1, UNJUDGED, 2, 1)),
    "P": ((2, 1), (UNJUDGED, 1, 2), (UNJUDGED, 2, 1)),
    "P-measure@3": ((2, 1), (UNJUDGED, 1, 2), (UNJUDGED, 2, 1)),
    "NCUgu,P": ((2, 1), (UNJUDGED, 1, 2), (UNJUDGED, 2, 1)),
    "NCUgu,P@3": ((2, 1), (UNJUDGED, 1, 2), (UNJUDGED, 2, 1)),
    "NCUgu,P(s=1:2)": ((2, 1), (UNJUDGED, 1, 2), (UNJUDGED, 2, 1)),
    "NCUgu,BR": ((2, 1), (UNJUDGED, 1, 2), (UNJUDGED, 2, 1)),
    "NCUgu,BR@3": ((2, 1), (UNJUDGED, 1, 2), (UNJUDGED, 2, 1)),
    "EBR": ((2, 1), (UNJUDGED, 1, 2), (UNJUDGED, 2, 1)),
    "EBR@3": ((2, 1), (UNJUDGED, 1, 2), (UNJUDGED, 2, 1)),
    "nEBR": ((2, 1), (UNJUDGED, 1, 2), (UNJUDGED, 2, 1)),
    "nEBR@3": ((2, 1), (UNJUDGED, 1, 2), (UNJUDGED, 2, 1)),
}
"""Pool, list, and the list after a better item moved up, which scores less: the reader of these measures stops
later, at a rank where more has been collected."""

Levels = tuple[int, ...]


def score_all(pool: Levels, lists: list[Levels], names: list[str], **reading: bool) -> FloatArray:
    """The scores of several lists over one pool, measures x lists; a list names levels, or UNJUDGED."""
    judged = {f"d{place}": level for place, level in enumerate(pool)}
    runs = [Run.from_lists(str(number), {"q": _items(pool, levels)}) for number, levels in enumerate(lists)]
    found = score(runs, judge(Qrels.from_lists({"q": judged}), SCALE), names, reading=Reading(**reading))
    return np.array([found[name].values[0] for name in names])


def _items(pool: Levels, levels: Levels) -> list[tuple[str, float]]:
    left = {level: [f"d{place}" for place, own in enumerate(pool) if own == level] for level in set(pool)}
    left[UNJUDGED] = [f"u{place}" for place in range(len(levels))]
    return [(left[level].pop(), 0.0) for level in levels]


@cache
def small_worlds() -> list[tuple[Levels, list[Levels], FloatArray]]:
    """Every pool of up to four items, every list of up to four from it and an unjudged item, and all scores."""
    worlds = []
    for size in range(1, 5):
        for pool in combinations_with_replacement((2, 1, 0), size):
            if max(pool):
                bag = (*pool, UNJUDGED)
                lists = sorted({levels for length in range(5) for levels in permutations(bag, min(length, len(bag)))})
                worlds.append((pool, lists, score_all(pool, lists, ALL)))
    return worlds


pools = st.lists(st.integers(0, 2), min_size=1, max_size=12).filter(lambda pool: max(pool) > 0).map(tuple)


@st.composite
def answers(draw: st.DrawFn) -> tuple[Levels, Levels]:
    """A pool with something relevant in it, and a list of some of its items and some unjudged ones."""
    pool = draw(pools)
    answer = draw(st.permutations([*pool, *([UNJUDGED] * draw(st.integers(0, 6)))]))
    return pool, tuple(answer[: draw(st.integers(0, len(answer)))])


@given(answers())
@settings(max_examples=60)
def test_scores_lie_between_0_and_1(answer: tuple[Levels, Levels]) -> None:
    """Every measure, condensed or not."""
    pool, levels = answer
    for condensed in (False, True):
        found = score_all(pool, [levels], ALL, condensed=condensed)
        assert found.min() >= 0
        assert found.max() <= 1 + 1e-12


@given(pools)
@settings(max_examples=60)
def test_the_ideal_list_scores_1(pool: Levels) -> None:
    """Every normalised measure; at a cutoff too, unless it counts against all relevant items."""
    ideal = tuple(sorted((level for level in pool if level), reverse=True))
    exempt = NOT_NORMALISED | FIRST_RANK_IGNORED
    names = [name for name in ALL if name.partition("@")[0] not in exempt and name not in RECALL_LIKE]
    assert score_all(pool, [ideal], names) == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("measure", sorted(NOT_NORMALISED | FIRST_RANK_IGNORED | RECALL_LIKE))
def test_an_exempt_measure_gives_some_ideal_list_less_than_1(measure: str) -> None:
    """The exceptions are real: each measure that is exempt needs to be."""
    name = f"{measure}@3" if measure == "Prec" else measure
    assert score_all((2, 1, 1, 1), [(2, 1, 1, 1), (1,)], [name]).min() < 1


@given(pools)
@settings(max_examples=30)
def test_an_empty_list_scores_0(pool: Levels) -> None:
    """And so does a list of nothing but unjudged items."""
    assert (score_all(pool, [(), (UNJUDGED, UNJUDGED)], ALL) == 0).all()


@given(answers(), st.integers(1, 5))
@settings(max_examples=60)
def test_an_unjudged_tail_changes_nothing(answer: tuple[Levels, Levels], tail: int) -> None:
    """Items that nobody judged, below all others, neither help nor hurt."""
    pool, levels = answer
    found = score_all(pool, [levels, levels + (UNJUDGED,) * tail], ALL)
    assert found[:, 0] == pytest.approx(found[:, 1], abs=1e-12)


@given(st.lists(answers(), min_size=2, max_size=5))
@settings(max_examples=40)
def test_the_order_of_topics_changes_nothing(topics: list[tuple[Levels, Levels]]) -> None:
    """In the run, and in the judgements."""
    judged = {str(n): {f"d{place}": level for place, level in enumerate(pool)} for n, (pool, _) in enumerate(topics)}
    lists = {str(n): _items(pool, levels) for n, (pool, levels) in enumerate(topics)}
    turned = dict(reversed(lists.items()))
    plain = score([Run.from_lists("r", lists)], judge(Qrels.from_lists(judged), SCALE), ALL)
    other = score([Run.from_lists("r", turned)], judge(Qrels.from_lists(dict(reversed(judged.items()))), SCALE), ALL)
    for name in ALL:
        assert plain[name].values[:, 0] == pytest.approx(other[name].values[::-1, 0], abs=1e-12)


@pytest.mark.parametrize("measure", [name for name in ALL if name not in SWAP_UP_MAY_HURT])
def test_moving_a_better_item_up_never_hurts(measure: str) -> None:
    """Exchanging neighbours so that the better is first; every small list."""
    row = ALL.index(measure)
    for _, lists, scores in small_worlds():
        value = dict(zip(lists, scores[row].tolist(), strict=True))
        for levels in lists:
            for place in range(len(levels) - 1):
                upper, lower = levels[place], levels[place + 1]
                if max(lower, 0) > max(upper, 0):
                    swapped = (*levels[:place], lower, upper, *levels[place + 2 :])
                    assert value[swapped] >= value[levels] - 1e-12


@pytest.mark.parametrize("measure", SWAP_UP_MAY_HURT)
def test_a_named_exception_falls_when_a_better_item_moves_up(measure: str) -> None:
    """Each measure exempt from the law above, with the lists that break it."""
    pool, before, after = SWAP_UP_MAY_HURT[measure]
    found = score_all(pool, [before, after], [measure])
    assert found[0, 1] < found[0, 0] - 1e-6


def test_several_small_runs_score_together_as_they_do_alone() -> None:
    """Runs that are scored in one portion do not touch each other."""
    pool, lists, scores = small_worlds()[-1]
    alone = np.hstack([score_all(pool, [levels], ALL) for levels in lists[::25]])
    assert alone == pytest.approx(scores[:, ::25], abs=1e-15)


@given(answers())
@settings(max_examples=60)
def test_ncu_with_equal_weights_is_ap_and_q(answer: tuple[Levels, Levels]) -> None:
    """With gamma 1 every relevant item is as likely to be the last one read (Sakai and Robertson 2008)."""
    pool, levels = answer
    found = score_all(pool, [levels], ["NCUrb,P(gamma=1)", "AP", "NCUrb,BR(gamma=1)@3", "Q@3"])[:, 0]
    assert found[[0, 2]] == pytest.approx(found[[1, 3]], abs=1e-12)
