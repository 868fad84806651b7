"""Verdicts on simulated sets against scipy and printed tables, on sets that have few degrees of freedom."""

from __future__ import annotations

import numpy as np
from scipy.stats import f_oneway, ttest_rel

from kaiwa.stats.anova import two_way_anova
from kaiwa.topicset.simulation import f_test_one_way, f_test_two_way, hsd_one_way, hsd_two_way

SETS = np.random.default_rng(7).normal([0.0, 1.5, 3.0], 1.0, (100, 3, 3))


def test_one_way_verdicts_are_those_of_f_oneway() -> None:
    """Three groups of three: 6 degrees of freedom for the error."""
    expected = [float(f_oneway(*one.T).pvalue < 0.05) for one in SETS]
    assert f_test_one_way(SETS, alpha=0.05).tolist() == expected
    assert 0 < sum(expected) < 100


def test_two_way_verdicts_are_those_of_the_table_and_of_the_paired_t_test() -> None:
    """Three systems on the same topics; with two systems F is t squared."""
    expected = [float((two_way_anova(one).runs.p or 0.0) < 0.05) for one in SETS]
    assert f_test_two_way(SETS, alpha=0.05).tolist() == expected
    pairs = SETS[:, :, [0, 2]]
    by_pair = [float(ttest_rel(*one.T).pvalue < 0.05) for one in pairs]
    assert f_test_two_way(pairs, alpha=0.05).tolist() == by_pair
    assert hsd_two_way(pairs, alpha=0.05).tolist() == by_pair


def test_hsd_verdicts_are_those_of_the_printed_tables() -> None:
    """The range of the first and the last system in standard errors, above q(.05; 3, df).

    q is 4.339 for the 6 degrees of freedom of separate topics, and 5.040 for the 4 of shared ones.
    """
    apart = np.abs((SETS[:, :, 0] - SETS[:, :, 2]).mean(axis=1))
    separate = apart / np.sqrt(SETS.var(axis=1, ddof=1).mean(axis=1) / 3)
    shared = apart / np.sqrt([two_way_anova(one).v_e2 / 3 for one in SETS])
    assert hsd_one_way(SETS, alpha=0.05).tolist() == (separate > 4.339).tolist()
    assert hsd_two_way(SETS, alpha=0.05).tolist() == (shared > 5.040).tolist()
    assert all(0 < (values > q).sum() < len(SETS) for values, q in ((separate, 4.339), (shared, 5.040)))
