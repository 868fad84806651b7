"""The next round's number of topics, from score tables and a requirement alone."""

from __future__ import annotations

import numpy as np
import pytest

import kaiwa
from kaiwa.stats.anova import residual_variance, within_run_variance
from kaiwa.topicset.sizes import answer_to

ASKED = {"systems": 5, "min_diff": 0.1, "power": 0.8, "alpha": 0.05}


def _values(spread: float) -> np.ndarray:
    return np.random.default_rng(1).normal(0.5, spread, (20, 4))


def _scores(measure: str, values: np.ndarray) -> kaiwa.Scores:
    return kaiwa.Scores.from_matrix(measure, range(20), "ABCD", values)


def test_each_measure_is_designed_from_its_own_variance() -> None:
    """The one-way design is that of V_E."""
    values = _values(0.2)
    found = kaiwa.design(_scores("M", values), test="anova", **ASKED)  # type: ignore[arg-type]
    asked = answer_to(variance=within_run_variance(values), systems=5, min_diff=0.1, power=0.8, alpha=0.05)
    assert (found.plug_in_n, found.variance) == (asked.n, asked.variance)


def test_the_next_round_gets_the_assured_number_of_topics() -> None:
    """Of 20 topics and 4 runs the plug-in number has less than the required power on average, the assured has it."""
    scores = _scores("M", _values(0.2))
    for test in ("robust", "hsd"):
        one = kaiwa.design(scores, test=test, **ASKED)  # type: ignore[arg-type]
        assert one.n == one.assured_n > (one.plug_in_n or 0)
        assert (one.plug_in_power or 1) < 0.8 <= (one.power or 0)
        assert one.n == kaiwa.design(variance=kaiwa.variance(scores), test=test, **ASKED).n  # type: ignore[arg-type]


def test_the_measure_that_needs_most_topics_decides() -> None:
    """A design that serves every measure."""
    scores = kaiwa.Scores([_scores("calm", _values(0.1)), _scores("noisy", _values(0.3))])
    found = kaiwa.design(scores, **ASKED)  # type: ignore[arg-type]
    assert found.measure == "noisy"
    assert found.n == max(one.answer.n for one in found.measures.values())


def test_a_paired_requirement_is_designed_from_the_residual_variance() -> None:
    """Topics that are hard for all do not count; one-way ANOVA, for which they do, is beside it."""
    values = _values(0.1)
    hard = np.random.default_rng(2).normal(0, 0.3, (20, 1))
    found = kaiwa.design(_scores("M", values + hard), test="hsd", **ASKED)  # type: ignore[arg-type]
    assert found.variance == pytest.approx(residual_variance(values))
    assert found.one_way is not None
    assert found.one_way.n > 3 * found.n
