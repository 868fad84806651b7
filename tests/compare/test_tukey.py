import numpy as np
import pytest

from kaiwa.comparison.allpairs import tukey_hsd
from kaiwa.stats.anova import residual_variance
from kaiwa.stats.studentised_range import critical_range, range_tail


def test_a_pair_at_the_critical_difference_has_p_alpha() -> None:
    """The critical difference and the p-values come from the same distribution."""
    by_topic = np.random.default_rng(1).random((20, 4))
    result = tukey_hsd(by_topic, alpha=0.05)
    error = result.critical_difference / critical_range(0.05, 4, 57)
    assert range_tail(np.array([result.critical_difference / error]), 4, 57)[0] == pytest.approx(0.05)


def test_differences_of_topics_do_not_hide_those_of_runs() -> None:
    """If topics differ far more than runs, the matched test still finds the difference of the runs."""
    rng = np.random.default_rng(1)
    by_topic = rng.normal(0, 1, (50, 1)) + np.array([0.0, 0.1]) + rng.normal(0, 0.05, (50, 2))
    assert tukey_hsd(by_topic).p[0, 1] < 1e-6


def test_runs_a_constant_apart_differ_surely() -> None:
    """Without residual variance any difference is certain, and none is none."""
    found = tukey_hsd(np.array([[0.5, 0.5, 0.25], [0.75, 0.75, 0.5]]))
    assert found.p[0].tolist() == [1.0, 1.0, 0.0]
    assert found.critical_difference == 0.0


def test_the_critical_difference_is_the_critical_range_in_standard_errors() -> None:
    """q(.05; m, df) sqrt(V / n), with the residual variance of matched topics."""
    by_topic = np.random.default_rng(1).random((20, 4))
    matched = critical_range(0.05, 4, 57) * (residual_variance(by_topic) / 20) ** 0.5
    assert tukey_hsd(by_topic).critical_difference == pytest.approx(matched)
