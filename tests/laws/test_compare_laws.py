"""Laws of the comparisons, on scores of any shape."""

import json
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from kaiwa.comparison.allpairs import ALL_PAIRS, randomised_hsd
from kaiwa.comparison.baseline import PAIRED_TESTS, against_baseline
from kaiwa.comparison.leaderboard import compare_runs
from kaiwa.comparison.standardise import METHODS, standardisation_factors, standardised, variance_bound
from kaiwa.comparison.tau import rank_biased_overlap, tau_ap
from kaiwa.comparison.variance import pooled_variance
from kaiwa.errors import InputError
from kaiwa.formats.llm_logs import read_logs
from kaiwa.nouns.cells import complete_scores
from kaiwa.nouns.ids import FloatArray
from kaiwa.nouns.matrix import Matrix
from kaiwa.stats.anova import within_run_variance
from kaiwa.stats.kendall import kendall_tau
from kaiwa.stats.p_values import holm

if TYPE_CHECKING:
    from pathlib import Path

SHAPES = st.tuples(st.integers(2, 7), st.integers(2, 6))
ODD = st.sampled_from([0.0, 1.0, 1 / 3, 0.1, 1e-9, 1e9, -1.0, 1e99, 5e-324])
MATRICES = SHAPES.flatmap(lambda shape: arrays(np.float64, shape, elements=st.floats(0, 1) | ODD))
TAME = SHAPES.flatmap(lambda shape: arrays(np.float64, shape, elements=st.integers(0, 20).map(lambda k: k / 20)))


def scores(values: FloatArray) -> Matrix:
    """The matrix with names."""
    topics, runs = values.shape
    return Matrix("M", tuple(f"t{row}" for row in range(topics)), tuple(f"r{column}" for column in range(runs)), values)


@settings(max_examples=60, deadline=None)
@given(MATRICES, st.sampled_from(list(ALL_PAIRS)))
def test_any_finite_scores_are_compared_without_a_warning(values: FloatArray, test: str) -> None:
    """Ties, constants, huge and tiny scores: ranks from 1, p in (0, 1], intervals in order."""
    result = compare_runs(scores(values), test=test, trials=39, rng=np.random.default_rng(1))
    assert min(result.ranks.values()) == 1
    assert all(0 <= pair.p <= 1 and pair.low <= pair.diff <= pair.high for pair in result.pairs)


@settings(max_examples=40, deadline=None)
@given(MATRICES, st.sampled_from(list(PAIRED_TESTS)))
def test_any_finite_scores_meet_a_baseline_without_a_warning(values: FloatArray, test: str) -> None:
    """P in [0, 1] whatever the differences."""
    found = against_baseline(values, 0, test=test, trials=39, rng=np.random.default_rng(1))
    assert ((found.holm >= 0) & (found.holm <= 1)).all()


@settings(max_examples=60, deadline=None)
@given(TAME)
def test_a_larger_difference_never_has_a_larger_p(values: FloatArray) -> None:
    """P falls as the difference grows, as all pairs share one distribution."""
    hsd = randomised_hsd(values, trials=99, rng=np.random.default_rng(1))
    gaps = np.abs(hsd.means[:, None] - hsd.means).ravel()
    p = hsd.p_values().ravel()[np.argsort(gaps, kind="stable")]
    assert (np.diff(p) <= 1e-15).all()


@settings(max_examples=60, deadline=None)
@given(TAME, st.floats(-3, 3))
def test_harder_topics_change_no_p(values: FloatArray, shift: float) -> None:
    """A constant added to every run's score on a topic changes nothing: the test is matched on topics."""
    moved = values + shift * np.arange(len(values))[:, None]
    first, second = (
        randomised_hsd(each, trials=99, rng=np.random.default_rng(1)).p_values() for each in (values, moved)
    )
    assert np.array_equal(first, second)


@settings(max_examples=60, deadline=None)
@given(TAME)
def test_the_scale_of_scores_changes_no_p(values: FloatArray) -> None:
    """Scaling all scores leaves every p as it was."""
    first, second = (
        randomised_hsd(each, trials=99, rng=np.random.default_rng(1)).p_values() for each in (values, values * 1000)
    )
    assert np.array_equal(first, second)


@settings(max_examples=60, deadline=None)
@given(MATRICES, st.sampled_from(list(METHODS)))
def test_standardised_scores_keep_each_topics_order(values: FloatArray, method: str) -> None:
    """A better score never becomes a worse one, and std-AB and std-CDF stay within [0, 1]."""
    raw = scores(values)
    new = standardised(raw, standardisation_factors(raw), method=method).values
    for before, after in zip(values, new, strict=True):
        assert (np.diff(after[np.argsort(before, kind="stable")]) >= -1e-12).all()
    assert method == "std" or ((new >= 0) & (new <= 1)).all()


@settings(max_examples=60, deadline=None)
@given(MATRICES)
def test_std_ab_variance_never_exceeds_its_bound(values: FloatArray) -> None:
    """V_E <= A^2 n(m-1)/(m(n-1))."""
    raw = scores(values)
    after = within_run_variance(standardised(raw, standardisation_factors(raw)).values)
    assert after <= variance_bound(*values.shape) * (1 + 1e-9)


@settings(max_examples=60, deadline=None)
@given(TAME)
def test_variances_are_never_negative(values: FloatArray) -> None:
    """Nor are their limits, and nothing warns."""
    found = pooled_variance([values], trials=50, rng=np.random.default_rng(1))
    assert found.v_e >= 0
    assert found.v_e2 is not None
    assert found.v_e2 >= 0


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=2, max_size=12))
def test_tau_is_symmetric_and_bounded(rows: list[tuple[int, int]]) -> None:
    """tau(x, y) = tau(y, x), within [-1, 1]; reversing one list turns the sign."""
    x, y = np.array(rows, dtype=float).T
    if len(set(x)) < 2 or len(set(y)) < 2:
        with pytest.raises(InputError):
            kendall_tau(x, y)
        return
    tau = kendall_tau(x, y).tau
    assert tau == pytest.approx(kendall_tau(y, x).tau)
    assert tau == pytest.approx(-kendall_tau(-x, y).tau)
    assert -1 - 1e-12 <= tau <= 1 + 1e-12
    assert -1 - 1e-12 <= tau_ap(x, y) <= 1 + 1e-12
    assert 0 <= rank_biased_overlap(x, y) <= 1 + 1e-12


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_holm_lies_between_raw_and_bonferroni(raw: list[float]) -> None:
    """Never below the raw p, never above Bonferroni's."""
    p = np.array(raw)
    assert (holm(p) >= p - 1e-15).all()
    assert (holm(p) <= np.minimum(p * len(p), 1) + 1e-12).all()


JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=True) | st.integers(-5, 5) | st.sampled_from(["C", "x", ""]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "eval",
                    "samples",
                    "results",
                    "scores",
                    "value",
                    "id",
                    "score",
                    "success",
                    "provider",
                    "doc_id",
                    "metrics",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)


@settings(max_examples=150, deadline=None)
@given(JSON, st.sampled_from(["log.json", "samples_x.jsonl"]))
def test_any_json_is_a_log_or_refused_with_its_name(
    tmp_path_factory: pytest.TempPathFactory, tree: object, name: str
) -> None:
    """For any content, the reader gives cells or an error of one line."""
    path: Path = tmp_path_factory.getbasetemp() / name
    path.write_text(json.dumps(tree) + "\n", encoding="utf-8")
    try:
        complete_scores(read_logs([path]), missing="zero")
    except InputError as refusal:
        assert "\n" not in str(refusal)  # noqa: PT017  either outcome is lawful
