"""Kaiwa's provider and evaluator for ir_measures."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

import ir_measures
import numpy as np
from ir_measures.providers import Evaluator, Provider
from ir_measures.providers.base import NOT_PROVIDED, Choices
from ir_measures.providers.base import Any as Whatever
from ir_measures.util import Metric, QrelsConverter, RunConverter

from kaiwa.irmeasures.own import OWN
from kaiwa.irmeasures.plan import GainRule, Grades, judged_items, plan_for
from kaiwa.measure.chosen_measure import choose
from kaiwa.measure.scoring import Reading, score_together
from kaiwa.model.run import Run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ir_measures import Measure

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
