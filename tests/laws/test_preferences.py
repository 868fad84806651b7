"""Preference measures and GAP against the definitions written out item by item."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kaiwa.measures.judgements import judge
from kaiwa.measures.scoring import score
from kaiwa.nouns.qrels import Qrels
from kaiwa.nouns.run import Run

NAMES = ["bpref", "bpref_R", "bpref_N", "bpref_relative", "rpref_N", "rpref_relative", "rpref_relative2", "GAP"]
TOP = 4.0


def spelled_out(pool: list[float], answer: list[int | None]) -> dict[str, float]:
    """Each measure by loops over ranks; ``answer`` holds places in the pool, None where unjudged."""
    judged = [pool[place] for place in answer if place is not None]
    relevant, nonrelevant = sum(gain > 0 for gain in pool), sum(gain == 0 for gain in pool)
    total = sum(pool)
    sums = dict.fromkeys(NAMES, 0.0)
    for rank, gain in enumerate(judged, start=1):
        if gain == 0:
            continue
        above = judged[: rank - 1]
        zeros = above.count(0.0)
        capped = min(zeros, relevant)
        penalty = sum((gain - other) / gain for other in above if other < gain)
        sums["bpref"] += 1 - (capped / min(relevant, nonrelevant) if nonrelevant else 0)
        sums["bpref_R"] += 1 - capped / relevant
        sums["bpref_N"] += 1 - (zeros / nonrelevant if nonrelevant else 0)
        sums["bpref_relative"] += 1 - zeros / (rank - 1) if rank > 1 else 0
        worst = relevant + nonrelevant - total / TOP
        sums["rpref_N"] += gain * (1 - (penalty / worst if worst > 0 else 0))
        sums["rpref_relative"] += gain * (1 - penalty / (rank - 1)) if rank > 1 else 0
        sums["rpref_relative2"] += gain * (1 - penalty / rank)
    whole = [0.0 if place is None else pool[place] for place in answer]
    for rank, gain in enumerate(whole, start=1):
        shared = [min(gain, other) for other in whole[:rank]]
        sums["GAP"] += sum(m * (m + 1) for m in shared) / rank
    ideal = sum(gain * (gain + 1) for gain in pool)
    return {
        name: value / (ideal if name == "GAP" else total if name.startswith("r") else relevant)
        for name, value in sums.items()
    }


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[float], list[int | None]]:
    """A pool of gains with something relevant, and a list of some of its items and unjudged ones."""
    gains = st.sampled_from([0.0, 0.0, 0.5, 1.0, 2.0, 4.0])
    pool = draw(st.lists(gains, min_size=1, max_size=10).filter(lambda pool: max(pool) > 0))
    items: list[int | None] = [*range(len(pool)), *([None] * draw(st.integers(0, 4)))]
    return pool, draw(st.permutations(items))[: draw(st.integers(0, len(items)))]


@given(cases())
@settings(max_examples=150)
def test_preferences_and_gap_are_their_definitions(case: tuple[list[float], list[int | None]]) -> None:
    """Direct gains, so GAP is over gains as well."""
    pool, answer = case
    judged = judge(Qrels.from_lists({"q": {f"d{place}": gain for place, gain in enumerate(pool)}}, top=TOP))
    items = [(f"u{rank}" if place is None else f"d{place}", 0.0) for rank, place in enumerate(answer)]
    found = score([Run.from_lists("r", {"q": items})], judged, NAMES)
    expected = spelled_out(pool, answer)
    ours = np.array([found[name].values[0, 0] for name in NAMES])
    assert ours == pytest.approx([expected[name] for name in NAMES], abs=1e-12)
