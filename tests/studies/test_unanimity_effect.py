"""The effect of unanimity-aware gains: none where the gains are the same."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kaiwa.comparison.unanimity import MeasureStudy, Ratings, Weighed, unanimity_studies
from kaiwa.labelling.gains import SCHEMES
from kaiwa.nouns.qrels import Qrels
from kaiwa.nouns.run import Run

MEASURES = ["nERR@10", "nG@1", "RBP", "Q@10"]
TOP = 3


def studied(counts: np.ndarray, *, p: float, seed: int = 1) -> list[MeasureStudy]:
    """The study of three runs that order the items of each of 6 topics at random; counts are items x levels."""
    topics, items = 6, len(counts) // 6
    rng = np.random.default_rng(seed)
    names = [f"d{item}" for item in range(items)]
    gains = Qrels.from_lists({f"t{topic}": dict.fromkeys(names, 1.0) for topic in range(topics)})
    runs = [
        Run.from_lists(
            f"R{run}",
            {
                f"t{topic}": [(names[item], float(-place)) for place, item in enumerate(rng.permutation(items))]
                for topic in range(topics)
            },
        )
        for run in range(3)
    ]
    return unanimity_studies(runs, Ratings(gains, counts), MEASURES, how=Weighed(p), seed=1, trials=99)


@settings(max_examples=25, deadline=None)
@given(st.data(), st.integers(2, 80), st.sampled_from([0.0, 0.2, 1.0]), st.integers(0, 99))
def test_equal_gains_have_no_effect(data: st.DataObject, assessors: int, p: float, seed: int) -> None:
    """UG = RawG on every item means tau 1, no changed pair, and the same p-values, whatever gmax and p are."""
    votes = st.lists(st.integers(0, TOP), min_size=assessors - 2, max_size=assessors - 2)
    full = st.one_of(st.just([0] * assessors), votes.map(lambda levels: [0, TOP, *levels]))  # no vote, or D = Dmax
    drawn = data.draw(st.lists(full, min_size=30, max_size=30).filter(lambda rows: any(map(any, rows))))
    counts = np.array([np.bincount(levels, minlength=TOP + 1) for levels in drawn])
    values = np.arange(TOP + 1.0)
    assert SCHEMES["sum"].gain(counts, values, p).tolist() == SCHEMES["unanimity"].gain(counts, values, p).tolist()
    for study in studied(counts, p=p, seed=seed):
        assert study.tau.tau == 1
        assert study.gained == study.lost == ()
        assert study.moved == 0
        assert study.raw.pairs == study.unanimity.pairs


def test_gains_that_differ_change_scores() -> None:
    """The study still sees unanimity: half of the items have five equal ratings."""
    rng = np.random.default_rng(1)
    levels = [[level] * 5 if item % 2 else rng.integers(0, 4, 5) for item, level in enumerate(rng.integers(0, 4, 60))]
    counts = np.array([np.bincount(row, minlength=TOP + 1) for row in levels])
    study = studied(counts, p=0.5)[0]
    means = ([standing.mean for standing in one.standings] for one in (study.raw, study.unanimity))
    assert next(means) != pytest.approx(next(means))
