"""The mixed model against lme4, against dense matrices, and against the analysis of variance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from kaiwa.comparison.variance import variance_components
from kaiwa.stats.reml import (
    ANSWER,
    ASSESSOR,
    ASSESSOR_RUN,
    ASSESSOR_TOPIC,
    TERMS,
    TOPIC,
    TOPIC_RUN,
    MixedEquations,
    reml,
)

if TYPE_CHECKING:
    from kaiwa.nouns.ids import FloatArray, IntArray

PENICILLIN = """
27 27 25 26 25 24 24 26 24 24 26 25 26 26 26 25 25 25 24 26 25 25 24 24
23 23 21 23 22 22 20 22 21 21 23 22 24 23 23 22 21 22 21 23 21 22 21 21
26 26 25 25 26 25 23 26 24 24 26 26 26 26 25 25 24 24 23 26 24 25 24 24
23 23 24 23 22 23 21 24 22 23 24 24 24 23 24 23 23 23 21 24 22 22 22 22
23 23 24 23 23 22 22 24 22 22 24 24 25 23 24 23 23 23 21 24 22 22 24 21
21 21 20 20 20 19 19 21 20 19 21 20 22 20 22 20 20 19 19 21 18 20 19 18
"""
"""Diameters, samples x plates: Davies & Goldsmith (eds.), Statistical methods in research and production, 1972, an
example of crossed effects in Bates et al., Fitting linear mixed-effects models using lme4, 2015."""


def coded(*columns: IntArray) -> IntArray:
    """One code for each combination."""
    found: IntArray = np.unique(np.stack(columns), axis=1, return_inverse=True)[1].ravel()
    return found


def panel() -> tuple[FloatArray, IntArray, dict[str, IntArray]]:
    """Scores of 3 runs on 6 topics by 3 assessors in 2 repeats, of which 17 are missing, and their codes.

    R, with expand.grid(k=1:2, a=1:3, r=1:3, t=1:6), computes the same scores and leaves out the same rows.
    """
    t, r, a, k = (
        axis.ravel() for axis in np.meshgrid(range(1, 7), range(1, 4), range(1, 4), range(1, 3), indexing="ij")
    )
    y = 5 + t % 4 + r * 0.7 + (t * r * 7 % 5) * 0.6 + np.array([1.5, -0.4, -1.1])[a - 1] + (t * a * 3 % 4) * 0.3
    y = y + ((t * 5 + r * 3 + k * 11) % 7) * 0.25 + ((t * 13 + r * 29 + a * 17 + k * 31) % 11) * 0.2
    kept = ((t * 7 + r * 5 + a * 3 + k * 2) % 9 != 0) & ~((t == 2) & (r == 3))
    t, r, a, k = (axis[kept] - 1 for axis in (t, r, a, k))
    codes = {
        TOPIC: t,
        TOPIC_RUN: coded(t, r),
        ANSWER: coded(t, r, k),
        ASSESSOR: a,
        ASSESSOR_TOPIC: coded(a, t),
        ASSESSOR_RUN: coded(a, r),
    }
    return y[kept], r, codes


def test_two_crossed_effects_have_the_variances_that_lme4_prints() -> None:
    """lme4 1.1.31: lmer(diameter ~ 1 + (1|plate) + (1|sample), Penicillin); the book prints .7169, 3.7311, .3024."""
    diameters = np.array([line.split() for line in PENICILLIN.split("\n") if line], dtype=float)
    sample, plate = (axis.ravel() for axis in np.indices(diameters.shape))
    fit = reml(diameters.ravel(), 0 * plate, {TOPIC: plate, ASSESSOR: sample}, plate)
    assert fit.variances[TOPIC] == pytest.approx(0.7169051410, rel=1e-4)
    assert fit.variances[ASSESSOR] == pytest.approx(3.7311318423, rel=1e-4)
    assert fit.residual == pytest.approx(0.3024149562, rel=1e-5)
    assert fit.found.criterion == pytest.approx(330.860589, abs=1e-5)
    assert fit.means[0] == pytest.approx(22.97222222)
    assert fit.mean_covariance[0, 0] ** 0.5 == pytest.approx(0.8085953614, rel=1e-4)
    assert fit.effects(ASSESSOR)[0] == pytest.approx(
        [2.18705840, -1.01047635, 1.93789985, -0.09689499, -0.01384214, -3.00374477], abs=1e-5
    )


def test_six_terms_with_missing_cells_have_the_variances_that_lme4_prints() -> None:
    """lme4 1.1.31: y ~ 0+r + (1|t) + (1|t:r) + (1|t:r:k) + (1|a) + (1|a:t) + (1|a:r), bobyqa, rhoend 1e-10."""
    values, run, codes = panel()
    assert (len(values), values.sum()) == (91, pytest.approx(1017.45))
    fit = reml(values, run, codes, codes[TOPIC])
    printed = {TOPIC: 1.533871495, TOPIC_RUN: 0.6350639189, ANSWER: 0.2147300870, ASSESSOR: 1.718837229}
    for term, variance in printed.items():
        assert fit.variances[term] == pytest.approx(variance, rel=1e-4), term
    assert (fit.variances[ASSESSOR_TOPIC], fit.variances[ASSESSOR_RUN]) == (0.0, 0.0)
    assert fit.residual == pytest.approx(0.4459913904, rel=1e-5)
    assert fit.found.criterion == pytest.approx(253.320617, abs=1e-5)
    assert fit.means == pytest.approx([10.44733278, 11.61562663, 11.86175048], abs=1e-5)
    assert fit.effects(ASSESSOR)[0] == pytest.approx([1.465943035, -0.429850294, -1.036092741], abs=1e-4)


def test_differences_have_the_errors_and_degrees_of_freedom_of_lmertest() -> None:
    """The package lmerTest 3.1.3 on the same model: contest1D with Satterthwaite's method."""
    values, run, codes = panel()
    errors, freedom = reml(values, run, codes, codes[TOPIC]).differences()
    assert [errors[0, 1], errors[0, 2], errors[1, 2]] == pytest.approx([0.52538386, 0.56058663, 0.56086685], rel=1e-4)
    assert [freedom[0, 1], freedom[0, 2], freedom[1, 2]] == pytest.approx([8.9415, 9.0821, 9.1070], rel=1e-3)


def test_complete_scores_have_the_components_of_the_analysis_of_variance() -> None:
    """If the table is complete and its estimates positive, REML equals the expected mean squares."""
    scores = np.random.default_rng(2).normal(0, 1, (12, 4)) + np.arange(12)[:, None] / 4
    topic, run = (axis.ravel() for axis in np.indices(scores.shape))
    fit, table = reml(scores.ravel(), run, {TOPIC: topic}, topic), variance_components(scores)
    assert fit.variances[TOPIC] == pytest.approx(table.topic, rel=1e-4)
    assert fit.residual == pytest.approx(table.residual)
    errors, freedom = fit.differences()
    assert errors[0, 1] == pytest.approx((2 * table.residual / 12) ** 0.5)
    assert freedom[0, 1] == pytest.approx(11 * 3, rel=1e-3)
    assert fit.means == pytest.approx(scores.mean(axis=0))


@pytest.mark.parametrize(
    "terms",
    [TERMS, (TOPIC,), (TOPIC, TOPIC_RUN), (TOPIC, ANSWER, ASSESSOR), (TOPIC, ASSESSOR, ASSESSOR_RUN), (ASSESSOR,)],
)
def test_criterion_and_gradient_are_those_of_dense_matrices(terms: tuple[str, ...]) -> None:
    """The elimination computes what the written-out covariance matrix gives."""
    values, run, codes = panel()
    chosen = {term: codes[term] for term in terms}
    ratios = {term: 0.3 + 0.1 * place for place, term in enumerate(terms)}
    found = MixedEquations(values, run, chosen, codes[TOPIC]).evaluate(ratios)
    assert found.criterion == pytest.approx(_dense(values, run, chosen, ratios))
    order = [term for term in TERMS if term in terms]
    for place, term in enumerate(order):
        sides = [_dense(values, run, chosen, {**ratios, term: ratios[term] + step}) for step in (1e-5, -1e-5)]
        assert found.gradient[place] == pytest.approx((sides[0] - sides[1]) / 2e-5, abs=1e-5)


def _dense(values: FloatArray, run: IntArray, codes: dict[str, IntArray], ratios: dict[str, float]) -> float:
    """-2 log REML of the scores, with the covariance matrix written out."""
    covariance = np.eye(len(values))
    for term, ratio in ratios.items():
        covariance += ratio * (codes[term][:, None] == codes[term])
    runs = np.eye(int(run.max()) + 1)[run]
    weights = np.linalg.inv(covariance)
    normal = runs.T @ weights @ runs
    left = values - runs @ np.linalg.solve(normal, runs.T @ weights @ values)
    rss, freedom = left @ weights @ left, len(values) - runs.shape[1]
    determinants = np.linalg.slogdet(covariance)[1] + np.linalg.slogdet(normal)[1]
    return float(determinants + freedom * (np.log(2 * np.pi * rss / freedom) + 1))


def test_start_from_a_sample_of_topics_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A sample of topics only speeds up the search."""
    rng = np.random.default_rng(5)
    topic, run, repeat = (axis.ravel() for axis in np.indices((90, 3, 2)))
    cell = coded(topic, run)
    values = rng.normal(0, 1, 90)[topic] + rng.normal(0, 0.5, 270)[cell] + rng.normal(0, 0.7, len(repeat))
    codes = {TOPIC: topic, TOPIC_RUN: cell}
    whole = reml(values, run, codes, topic)
    monkeypatch.setattr("kaiwa.stats.reml._SAMPLE_SCORES", 200)
    sampled = reml(values, run, codes, topic)
    assert sampled.variances == pytest.approx(whole.variances, rel=1e-4)
