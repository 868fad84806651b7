"""The next round's number of topics, from score tables and a requirement alone."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from kaiwa.model.scores import Scores
from kaiwa.stats.anova import residual_variance, within_run_variance
from kaiwa.studies.next_round import next_round
from kaiwa.topicset import design
from kaiwa.topicset.requirement import Requirement

ASKED = Requirement(1.0, systems=5, min_diff=0.1, power=0.8, alpha=0.05)


def _table(measure: str, spread: float) -> Scores:
    values = np.random.default_rng(1).normal(0.5, spread, (20, 4))
    return Scores(measure, tuple(map(str, range(20))), tuple("ABCD"), values)


def test_each_measure_is_designed_from_its_own_variance() -> None:
    """The requirement's variance is a stand-in."""
    table = _table("M", 0.2)
    found = next_round([table], ASKED).by_measure["M"].raw
    asked = design(variance=within_run_variance(table.values), systems=5, min_diff=0.1, power=0.8, alpha=0.05)
    assert (found.n, found.variance) == (asked.n, asked.variance)


def test_the_measure_that_needs_most_topics_decides() -> None:
    """A design that serves every measure."""
    found = next_round([_table("calm", 0.1), _table("noisy", 0.3)], ASKED)
    assert found.measure == "noisy"
    assert found.largest.n == max(one.raw.n for one in found.by_measure.values())


def test_a_paired_requirement_is_designed_from_the_residual_variance() -> None:
    """Topics that are hard for all do not count; one-way ANOVA, for which they do, is beside it."""
    table = _table("M", 0.1)
    hard = np.random.default_rng(2).normal(0, 0.3, (20, 1))
    found = next_round([replace(table, values=table.values + hard)], replace(ASKED, test="randomised-hsd"))
    one = found.by_measure["M"]
    assert one.raw.variance == pytest.approx(residual_variance(table.values))
    assert one.one_way is not None
    assert one.one_way.n > 3 * one.raw.n
