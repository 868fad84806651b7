import tracemalloc

import numpy as np
import pytest

from kaiwa.comparison.variance import pooled_variance, variance_components
from kaiwa.errors import InputError
from kaiwa.stats.anova import two_way_anova, within_run_variance

RNG = np.random.default_rng(1)
FIRST, SECOND = RNG.random((20, 5)), RNG.random((9, 3))


def test_one_matrix_gives_its_own_variances() -> None:
    """Pooling one matrix changes nothing."""
    found = pooled_variance([FIRST], rng=np.random.default_rng(1))
    assert found.v_e == pytest.approx(within_run_variance(FIRST))
    assert found.v_e2 == pytest.approx(two_way_anova(FIRST).v_e2)


def test_pooling_weighs_by_degrees_of_freedom() -> None:
    """V_E by m(n-1), V_E2 by (m-1)(n-1)."""
    found = pooled_variance([FIRST, SECOND], rng=np.random.default_rng(1))
    v_e = (95 * within_run_variance(FIRST) + 24 * within_run_variance(SECOND)) / 119
    v_e2 = (76 * two_way_anova(FIRST).v_e2 + 16 * two_way_anova(SECOND).v_e2) / 92
    assert (found.v_e, found.v_e2) == pytest.approx((v_e, v_e2))


def test_limits_enclose_the_estimate() -> None:
    """Bootstrap limits over topics lie around both variances."""
    found = pooled_variance([FIRST, SECOND], rng=np.random.default_rng(1))
    assert found.v_e_limits
    assert found.v_e2_limits
    assert found.v_e_limits[0] < found.v_e < found.v_e_limits[1]
    assert found.v_e2
    assert found.v_e2_limits[0] < found.v_e2 < found.v_e2_limits[1]


def test_one_run_has_no_residual_variance() -> None:
    """V_E of a single run is its variance over topics; V_E2 is undefined."""
    found = pooled_variance([FIRST[:, :1]], rng=np.random.default_rng(1))
    assert found.v_e == pytest.approx(FIRST[:, 0].var(ddof=1))
    assert found.v_e2 is None


def test_components_recover_what_made_the_scores() -> None:
    """Scores built from topic, run and residual effects of known variance give them back."""
    rng = np.random.default_rng(7)
    values = rng.normal(0, 0.3, (4000, 1)) + rng.normal(0, 0.2, (1, 400)) + rng.normal(0, 0.1, (4000, 400))
    found = variance_components(values)
    assert (found.topic, found.run, found.residual) == pytest.approx((0.09, 0.04, 0.01), rel=0.15)


def test_generalisability_is_hoyts_reliability_and_dependability_is_brennans_phi() -> None:
    """Hoyt 1941: 1 - MS residual / MS runs; Brennan 2001: run / (run + (topic + residual) / n), n = 20 topics."""
    by_topic = FIRST + np.linspace(0, 1, 5) + np.linspace(0, 2, 20)[:, None]
    found, table = variance_components(by_topic), two_way_anova(by_topic)
    assert found.generalisability == pytest.approx(1 - table.residual.ms / table.runs.ms)
    run, topic = (table.runs.ms - table.residual.ms) / 20, (table.topics.ms - table.residual.ms) / 5
    assert topic > 0
    assert found.dependability == pytest.approx(run / (run + (topic + table.residual.ms) / 20))


def test_a_negative_component_is_reported_as_zero() -> None:
    """Runs alike up to noise: the estimate would be negative."""
    assert variance_components(np.array([[0.0, 1.0], [1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])).run == 0


def test_equal_scores_have_no_variance_and_no_coefficient() -> None:
    """Nothing over nothing is undefined, not a warning."""
    found = variance_components(np.full((4, 3), 0.5))
    assert (found.topic, found.run, found.residual, found.generalisability) == (0, 0, 0, None)


def test_many_topics_take_memory_in_proportion() -> None:
    """Twenty thousand topics need megabytes, not a square of them."""
    tracemalloc.start()
    pooled_variance([np.random.default_rng(1).random((20_000, 2))], trials=200, rng=np.random.default_rng(1))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100e6


def test_one_topic_is_refused() -> None:
    """One topic has no variance."""
    with pytest.raises(InputError, match="1 topic;"):
        pooled_variance([FIRST[:1]], rng=np.random.default_rng(1))


def test_a_seed_gives_the_same_limits_again() -> None:
    """The variances as printed by version 0.1.0; the limits as printed since draws are keyed."""
    chance = np.random.default_rng(11)
    by_topic = chance.beta(1, 2, (15, 1)) * 0.5 + chance.random((15, 4)) * 0.5 + np.array([0, 0.1, 0.2, 0.3])
    found = pooled_variance([by_topic], trials=500, rng=np.random.default_rng(1))
    assert (found.v_e, found.v_e2) == pytest.approx((0.04379256221968421, 0.024937033485146188), rel=1e-12)
    assert found.v_e_limits == pytest.approx((0.03213589965558908, 0.07942746927417861), rel=1e-12)
    assert found.v_e2_limits == pytest.approx((0.0181302131395491, 0.03075822767348338), rel=1e-12)


def test_limits_take_three_topics_and_two_have_none() -> None:
    """Two topics deviate alike from their mean, so their deviations do not vary."""
    assert pooled_variance([FIRST[:3]], rng=np.random.default_rng(1)).v_e_limits is not None
    assert pooled_variance([FIRST[:2]], rng=np.random.default_rng(1)).v_e_limits is None


def test_scores_without_variance_have_limits_of_0() -> None:
    """Nothing varies in any draw."""
    assert pooled_variance([np.full((4, 3), 0.5)], rng=np.random.default_rng(1)).v_e_limits == (0.0, 0.0)


@pytest.mark.parametrize("factor", [2.0**-24, 2.0**24])
def test_limits_grow_with_the_square_of_the_scores(factor: float) -> None:
    """Whatever the unit of the scores; a power of 2 keeps every bit."""
    usual, scaled = (pooled_variance([x], rng=np.random.default_rng(1)) for x in (FIRST, factor * FIRST))
    for before, after in ((usual.v_e_limits, scaled.v_e_limits), (usual.v_e2_limits, scaled.v_e2_limits)):
        assert before is not None
        assert after == pytest.approx(tuple(factor**2 * limit for limit in before), rel=1e-12, abs=0)


def test_limits_take_2000_draws_unless_told() -> None:
    """The same limits as with that number, and others with one more."""
    usual, told, more = (
        pooled_variance([FIRST], rng=np.random.default_rng(1), **draws).v_e_limits
        for draws in ({}, {"trials": 2000}, {"trials": 2001})
    )
    assert usual == told
    assert usual != more
