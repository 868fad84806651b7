"""Kaiwa as a provider of ir_measures.

>>> import ir_measures, kaiwa.irmeasures
>>> _ = kaiwa.irmeasures.register()
>>> qrels, run = {"q1": {"d1": 2, "d2": 1}}, {"q1": {"d2": 2.0, "d1": 1.0}}
>>> measures = [ir_measures.AP, kaiwa.irmeasures.nERR @ 10]
>>> found = ir_measures.calc_aggregate(measures, qrels, run)
>>> {str(measure): round(found[measure], 4) for measure in measures}
{'AP': 1.0, 'nERR@10': 0.7692}

Measures that ir_measures knows follow its definitions, which are trec_eval's and gdeval's; docs/files.md lists
them with Kaiwa's own. ir_measures is not among Kaiwa's dependencies: install it to import this module.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import ir_measures
import numpy as np
from ir_measures.measures import Measure as measures_Measure
from ir_measures.measures import ParamInfo
from ir_measures.providers import Evaluator, Provider
from ir_measures.providers.base import NOT_PROVIDED, Choices
from ir_measures.providers.base import Any as Whatever
from ir_measures.util import Metric, QrelsConverter, RunConverter

from kaiwa.measures.judgements import judge
from kaiwa.measures.scoring import Reading, score_together
from kaiwa.measures.table import MEASURES, choose
from kaiwa.nouns.qrels import Qrels
from kaiwa.nouns.run import Run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ir_measures import Measure

    from kaiwa.measures.judgements import Judgements
    from kaiwa.nouns.ids import FloatArray


# Kaiwa's measures that ir_measures does not know, as measures of ir_measures.


NAMES = {
    "nG": "nG",
    "nERR": "nERR",
    "Pplus": "P+",
    "Q": "Q",
    "O": "O",
    "GAP": "GAP",
    "nRBP": "nRBP",
    "EBR": "EBR",
    "nEBR": "nEBR",
    "iRBU": "iRBU",
    "niRBU": "niRBU",
}
"""The name that ``ir_measures.parse_measure`` takes, to Kaiwa's name."""

_SHARED = {
    "cutoff": ParamInfo(dtype=int, desc="ranking cutoff threshold"),
    "gains": ParamInfo(dtype=dict, desc="gain of each grade (default: the grade itself)"),
    "judged_only": ParamInfo(dtype=bool, default=False, desc="remove unjudged items first"),
}


def _own(name: str, kaiwa_name: str) -> measures_Measure:
    """A measure of Kaiwa's as one of ir_measures', with its options as parameters."""
    measure = MEASURES[kaiwa_name]
    options = {key: ParamInfo(dtype=float, default=value, desc=key) for key, value in measure.options.items()}
    fields = {
        "__name__": name,
        "NAME": name,
        "PRETTY_NAME": kaiwa_name,
        "SHORT_DESC": measure.description,
        "SUPPORTED_PARAMS": _SHARED | options,
    }
    text = f"Kaiwa's {kaiwa_name}: {measure.description}."
    made: measures_Measure = type(f"_{name}", (measures_Measure,), {**fields, "__doc__": text})()
    return made


OWN = {name: _own(name, kaiwa_name) for name, kaiwa_name in NAMES.items()}
"""Kaiwa's measures by the name that ir_measures takes."""


# How Kaiwa computes a measure of ir_measures: the gain of each grade, how lists are read, and Kaiwa's name of it.


Grades = dict[str, dict[str, float]]

GDEVAL_TOP = 4
"""The highest grade of every collection in gdeval's ERR."""

_SAME = {"P": "Prec", "R": "Recall", "RR": "RR", "Success": "Hit", "Bpref": "bpref"}


class GainRule(NamedTuple):
    """The gain of a grade: 1 from ``rel`` on, 2^grade - 1 up to ``exponential_top``, or as in ``gains``."""

    rel: int | None = None
    exponential_top: int | None = None
    gains: tuple[tuple[float, float], ...] = ()

    def judgements(self, graded: Qrels) -> Judgements:
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


def judged_items(grades: Grades) -> Qrels:
    """The items with their grades; one with a negative grade counts as unjudged, as in trec_eval."""
    return Qrels.from_lists(
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


# Kaiwa's provider and evaluator for ir_measures.


_ANY, _NONE = Whatever(), Choices(NOT_PROVIDED)


class KaiwaProvider(Provider):
    """Kaiwa's measures in ir_measures: the NTCIR family, and those that both define in the same way."""

    NAME = "kaiwa"
    SUPPORTED_MEASURES: list[Measure] = [  # noqa: RUF012  ir_measures' own declaration
        ir_measures.P(cutoff=_ANY, rel=_ANY, judged_only=_ANY),
        ir_measures.R(cutoff=_ANY, rel=_ANY, judged_only=_ANY),
        ir_measures.RR(cutoff=_ANY, rel=_ANY, judged_only=_ANY),
        ir_measures.Success(cutoff=_ANY, rel=_ANY, judged_only=_ANY),
        ir_measures.AP(cutoff=_ANY, rel=_ANY, judged_only=Choices(False)),
        ir_measures.AP(cutoff=_NONE, rel=_ANY, judged_only=_ANY),
        ir_measures.nDCG(cutoff=_ANY, dcg=Choices("log2"), gains=_ANY, judged_only=_ANY),
        ir_measures.nDCG(cutoff=_ANY, dcg=Choices("exp-log2"), gains=_NONE, judged_only=_ANY),
        ir_measures.ERR(cutoff=_ANY),
        ir_measures.RBP(cutoff=_ANY, p=_ANY, rel=_ANY),
        ir_measures.Bpref(rel=_ANY),
        *OWN.values(),
    ]

    def _evaluator(self, measures: Iterable[Measure], qrels: Any) -> KaiwaEvaluator:  # Any: of ir_measures
        return KaiwaEvaluator(list(measures), QrelsConverter(qrels).as_dict_of_dict())


class KaiwaEvaluator(Evaluator):
    """Judgements prepared once for any number of runs."""

    def __init__(self, measures: list[Measure], grades: Grades) -> None:
        super().__init__(measures, set(grades))
        self._plans: dict[tuple[GainRule, Reading], list[tuple[Measure, str]]] = defaultdict(list)
        for measure in measures:
            plan = plan_for(measure)
            self._plans[plan.rule, plan.reading].append((measure, plan.name))
        graded = judged_items(grades)
        self._judged = {rule: rule.judgements(graded) for rule, _ in self._plans}

    def _iter_calc(self, run: Any) -> Iterator[Metric]:  # Any: of ir_measures
        lists = {
            topic: _ranked(items)
            for topic, items in RunConverter(run).as_dict_of_dict().items()
            if topic in self.qrel_qids and items
        }
        if not lists:
            return
        ranked = Run.from_lists("run", lists)
        for (rule, reading), asked in self._plans.items():
            judged = self._judged[rule]
            chosen = [choose(name) for _, name in asked]
            values = np.nan_to_num(score_together([ranked], judged, chosen, reading)[0].values)
            places = [place for place, topic in enumerate(judged.gains.topics) if topic in lists]
            for (measure, _), by_topic in zip(asked, values, strict=True):
                for place in places:
                    yield Metric(judged.gains.topics[place], measure, float(by_topic[place]))


def _ranked(items: Mapping[str, float]) -> list[tuple[str, float]]:
    """Best first: by score, and of equal scores the greater id first, as in trec_eval."""
    return sorted(((item, float(score)) for item, score in items.items()), key=lambda row: row[::-1], reverse=True)


provider = KaiwaProvider()
"""The provider, for use without ``register``: ``kaiwa.irmeasures.provider.calc_aggregate(measures, qrels, run)``."""


nG, nERR, Pplus, Q, O = (OWN[name] for name in ("nG", "nERR", "Pplus", "Q", "O"))  # noqa: E741, N816  the papers' names
GAP, nRBP, EBR = (OWN[name] for name in ("GAP", "nRBP", "EBR"))  # noqa: N816
nEBR, iRBU, niRBU = (OWN[name] for name in ("nEBR", "iRBU", "niRBU"))  # noqa: N816

__all__ = ["OWN", "KaiwaProvider", "provider", "register"]


def register() -> KaiwaProvider:
    """Make the functions of ir_measures ask Kaiwa first, and ``parse_measure`` know Kaiwa's measures."""
    ir_measures.providers.registry[provider.NAME] = provider
    for name, measure in OWN.items():
        ir_measures.measures.registry.setdefault(name, measure)
    pipeline = ir_measures.DefaultPipeline.providers
    if provider not in pipeline:
        pipeline.insert(0, provider)
    return provider
