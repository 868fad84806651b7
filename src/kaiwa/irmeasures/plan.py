"""How Kaiwa computes a measure of ir_measures: the gain of each grade, how lists are read, and Kaiwa's name of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from ir_measures.providers.base import NOT_PROVIDED

from kaiwa.irmeasures.own import NAMES
from kaiwa.measure import MEASURES
from kaiwa.measure.gain_scale import judge
from kaiwa.measure.scoring import Reading
from kaiwa.model.gains import Gains

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ir_measures import Measure

    from kaiwa.measure.judgements import Judgements
    from kaiwa.model.ids import FloatArray

Grades = dict[str, dict[str, float]]

GDEVAL_TOP = 4
"""The highest grade of every collection in gdeval's ERR."""

_SAME = {"P": "Prec", "R": "Recall", "RR": "RR", "Success": "Hit", "Bpref": "bpref"}


class GainRule(NamedTuple):
    """The gain of a grade: 1 from ``rel`` on, 2^grade - 1 up to ``exponential_top``, or as in ``gains``."""

    rel: int | None = None
    exponential_top: int | None = None
    gains: tuple[tuple[float, float], ...] = ()

    def judgements(self, graded: Gains) -> Judgements:
        """The judged items with these gains."""
        gains = self._gains(graded.gains)
        return judge(replace(graded, gains=gains, top=self._top(gains)))

    def _gains(self, grades: FloatArray) -> FloatArray:
        if self.rel is not None:
            return (grades >= self.rel).astype(np.float64)
        if self.exponential_top is not None:
            return 2.0**grades - 1.0
        gains = grades.copy()
        for grade, gain in self.gains:
            gains[grades == grade] = gain
        return gains

    def _top(self, gains: FloatArray) -> float:
        declared = 1.0 if self.rel is not None else max((gain for _, gain in self.gains), default=0.0)
        if self.exponential_top is not None:
            declared = 2.0**self.exponential_top - 1.0
        return max(float(gains.max(initial=0.0)), declared) or 1.0


def judged_items(grades: Grades) -> Gains:
    """The items with their grades; one with a negative grade counts as unjudged, as in trec_eval."""
    return Gains.from_lists(
        {topic: {item: grade for item, grade in items.items() if grade >= 0} for topic, items in grades.items()}
    )


class Plan(NamedTuple):
    """How Kaiwa computes a measure of ir_measures: the gains, how lists are read, and Kaiwa's name."""

    rule: GainRule
    reading: Reading
    name: str


def plan_for(measure: Measure) -> Plan:
    """How Kaiwa computes the measure."""
    name = str(measure.NAME)
    asked = {key: measure[key] for key in measure.SUPPORTED_PARAMS if measure[key] is not NOT_PROVIDED}
    at = f"@{asked['cutoff']}" if "cutoff" in asked else ""
    reading = Reading(condensed=asked.get("judged_only", False))
    if name in NAMES:
        options = ",".join(f"{key}={asked[key]}" for key in MEASURES[NAMES[name]].options)
        return Plan(_graded(asked), reading, f"{NAMES[name]}{f'({options})' if options else ''}{at}")
    if name == "AP":  # trec_eval's map_cut divides by R where our AP@k divides by min(k, R)
        return Plan(GainRule(rel=asked["rel"]), Reading(reading.condensed, asked.get("cutoff")), "AP")
    if name == "ERR":
        return Plan(GainRule(exponential_top=GDEVAL_TOP), reading, f"ERR{at}")
    if name == "nDCG":
        exponential = asked["dcg"] == "exp-log2"
        return Plan(GainRule(exponential_top=0) if exponential else _graded(asked), reading, f"nDCG{at}")
    if name == "RBP":
        return Plan(GainRule(rel=asked.get("rel")), reading, f"RBP(p={asked['p']}){at}")
    return Plan(GainRule(rel=asked["rel"]), reading, f"{_SAME[name]}{at}")


def _graded(asked: Mapping[str, Any]) -> GainRule:  # Any: the measure's parameters
    return GainRule(gains=tuple(sorted((float(grade), float(gain)) for grade, gain in asked.get("gains", {}).items())))
