"""Scores by other tools' names of our measures, and a comparison, beside what these tools print.

Printed by ranx 0.3.21, ir_measures 0.4.3 with pytrec_eval-terrier 0.5.11, and pyterrier 1.1.2, for the data of
``_data``, with numpy 2.4.6::

    ranx.evaluate(ranx.Qrels(qrels), ranx.Run(run), name)
    ir_measures.calc_aggregate([measure], qrels, run)[measure]
    pyterrier.Experiment(systems, topics, qrels, ["ndcg_cut_5", "recip_rank"], names=list(runs), baseline=0,
                         correction="holm")
"""

from __future__ import annotations

import ir_measures
import numpy as np
import pytest

import kaiwa
from kaiwa.irmeasures import provider

TOPICS = [f"q{number}" for number in range(1, 25)]


def _data() -> tuple[dict[str, dict[str, dict[str, float]]], dict[str, dict[str, int]]]:
    """Three runs of different skill and graded judgements of eight comments per topic; no two scores tie."""
    rng = np.random.default_rng(7)
    qrels = {topic: {f"d{number}": int(rng.integers(0, 3)) for number in range(1, 9)} for topic in TOPICS}

    def system(skill: float) -> dict[str, dict[str, float]]:
        return {
            topic: {comment: round(skill * grade + float(rng.normal()), 4) for comment, grade in own.items()}
            for topic, own in qrels.items()
        }

    return {"bm25": system(0.3), "dense": system(0.9), "hybrid": system(1.4)}, qrels


RUNS, QRELS = _data()


@pytest.mark.parametrize(
    ("name", "printed"),
    [
        ("map", [0.790835, 0.943705, 0.968223]),
        ("ndcg", [0.811877, 0.948087, 0.965561]),
        ("ndcg@5", [0.69324, 0.906828, 0.942941]),
        ("mrr", [0.788194, 1.0, 1.0]),
        ("precision@5", [0.75, 0.866667, 0.9]),
        ("recall@5", [0.662847, 0.781101, 0.814435]),
        ("hit_rate@1", [0.625, 1.0, 1.0]),
    ],
)
def test_a_name_of_ranx_has_the_value_of_ranx(name: str, printed: list[float]) -> None:
    """To the last printed digit."""
    assert _means(name) == pytest.approx(printed, abs=5e-7)


def test_rbp_of_ranx_is_ours_times_gmax() -> None:
    """The note says so; ranx printed .901725, 1.050698 and 1.073721 with a highest grade of 2."""
    assert [2 * mean for mean in _means("rbp.80")] == pytest.approx([0.901725, 1.050698, 1.073721], abs=2e-6)


def test_ap_with_a_depth_is_ap_with_a_cutoff_of_the_others() -> None:
    """Divided by R; ranx's map@2 and the AP@2 of ir_measures."""
    scored = kaiwa.score(RUNS, QRELS, "AP", depth=2).means()
    assert [own["AP"] for own in scored.values()] == pytest.approx([0.215526, 0.344246, 0.362996], abs=5e-7)


def test_the_err_of_ir_measures_has_the_levels_that_its_note_names() -> None:
    """Beside our provider of ir_measures, which is tested against gdeval."""
    scored = kaiwa.score(RUNS, QRELS, "ERR@5", levels={1: 1, 2: 3, 3: 7, 4: 15}, max_gain=15).means()
    for name, run in RUNS.items():
        found = provider.calc_aggregate([ir_measures.ERR @ 5], QRELS, run)[ir_measures.ERR @ 5]
        assert scored[name]["ERR@5"] == pytest.approx(found, rel=1e-12)


@pytest.mark.parametrize(
    ("measure", "printed"),
    [
        (ir_measures.AP, [0.790835, 0.943705, 0.968223]),
        (ir_measures.nDCG, [0.811877, 0.948087, 0.965561]),
        (ir_measures.nDCG @ 5, [0.69324, 0.906828, 0.942941]),
        (ir_measures.RR, [0.788194, 1.0, 1.0]),
        (ir_measures.P @ 5, [0.75, 0.866667, 0.9]),
        (ir_measures.R @ 5, [0.662847, 0.781101, 0.814435]),
        (ir_measures.Success @ 1, [0.625, 1.0, 1.0]),
        (ir_measures.Bpref, [0.588864, 0.877984, 0.923065]),
    ],
    ids=str,
)
def test_a_measure_of_ir_measures_has_its_value(measure: ir_measures.Measure, printed: list[float]) -> None:
    """To the last printed digit."""
    assert _means(measure) == pytest.approx(printed, abs=5e-7)


@pytest.mark.parametrize(
    ("measure", "printed"),
    [(ir_measures.AP, [0.538404, 0.769674, 0.836759]), (ir_measures.RR, [0.598611, 0.883333, 0.916667])],
    ids=str,
)
def test_levels_and_zero_are_what_ir_measures_calls_rel(measure: ir_measures.Measure, printed: list[float]) -> None:
    """The values of AP(rel=2) and RR(rel=2): a topic without such an item counts 0 there, and is left out here."""
    scored = kaiwa.score(RUNS, QRELS, measure, levels={1: 0, 2: 1}, no_relevant="zero")  # type: ignore[arg-type]
    assert [mean for own in scored.means().values() for mean in own.values()] == pytest.approx(printed, abs=5e-7)


def test_a_t_test_against_a_baseline_has_the_corrected_p_values_of_pyterrier() -> None:
    """Columns "ndcg_cut_5 p-value corrected" and "recip_rank p-value corrected"."""
    scores = kaiwa.score(RUNS, QRELS, ["ndcg_cut_5", "recip_rank"])
    compared = scores.compare(baseline="bm25", test="t")
    found = compared.to_pandas("pairs").set_index(["measure", "a"])["p"]
    assert found["RR", "dense"] == pytest.approx(0.002775, abs=5e-7)
    assert found["RR", "hybrid"] == pytest.approx(0.002775, abs=5e-7)
    assert found["nDCG@5", "dense"] == pytest.approx(0.000027, abs=5e-7)
    assert found["nDCG@5", "hybrid"] == pytest.approx(0.00001, abs=5e-7)


def _means(measure: object) -> list[float]:
    scored = kaiwa.score(RUNS, QRELS, measure)  # type: ignore[arg-type]
    return [mean for own in scored.means().values() for mean in own.values()]
