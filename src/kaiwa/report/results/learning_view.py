"""A learned ranker: its cross-validated scores beside a random order and single features, and what each family adds."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from kaiwa.errors import counted
from kaiwa.rank.learning.learning_study import TRIALS
from kaiwa.rank.learning.ranker import LEARNERS
from kaiwa.rank.learning.training_set import MEASURES
from kaiwa.report.text_tables import PValue, table

if TYPE_CHECKING:
    from pathlib import Path

    from kaiwa.rank.learning.learning_study import LearningStudy
    from kaiwa.report.text_tables import Cell


@dataclass(frozen=True)
class LearningView:
    """The study, and the folder of the ranker if it was written."""

    study: LearningStudy
    output: Path | None = None

    def text(self) -> str:
        """The scores, the families, the weights, and where the ranker is."""
        study = self.study
        name = LEARNERS[study.ranker.learner].description
        size = f"{counted(study.items, 'label')}, {counted(study.topics, 'topic')}, {counted(len(study.folds), 'fold')}"
        parts = [f"{name} on {size}", self._scores(), self._weights()]
        if study.ablations:
            parts.insert(2, self._ablations())
        if self.output is not None:
            size = counted(len(study.ranker.features), "feature")
            parts.append(f"{self.output}: a ranker of {size} for the candidates of {study.ranker.candidates}")
        return "\n\n".join(parts)

    def _scores(self) -> str:
        study = self.study
        rows: list[list[Cell]] = [["random order", *study.random.values()]]
        ranked = sorted(study.single.items(), key=lambda item: item[1][MEASURES[0]])
        rows += [[f"{feature} alone", *means.values()] for feature, means in ranked]
        rows += [[f"fold {place}", *one.means.values()] for place, one in enumerate(study.folds, start=1)]
        rows.append(["all features, mean", *study.means.values()])
        rows += [["  95% interval, low", *(low for low, _ in study.intervals.values())]]
        rows += [["  95% interval, high", *(high for _, high in study.intervals.values())]]
        rows.append(["V_E", *study.v_e.values()])
        return table(["ranking", *MEASURES], rows)

    def _ablations(self) -> str:
        rows: list[list[Cell]] = [
            [f"without {one.name}", *one.means.values(), one.diff, PValue(one.p, smallest=1 / (TRIALS + 1))]
            for one in self.study.ablations
        ]
        return table(["ranking", *MEASURES, f"difference of {MEASURES[0]}", "p (robust test)"], rows)

    def _weights(self) -> str:
        weights = sorted(self.study.ranker.weights.items(), key=lambda item: -abs(item[1]))
        return table(["feature", "weight"], list(weights))

    def fields(self) -> dict[str, Any]:  # Any: JSON values
        """The study as JSON fields."""
        study = self.study
        ranker = study.ranker
        return {
            "learner": ranker.learner,
            "parameter": {LEARNERS[ranker.learner].parameter: ranker.parameter},
            "topics": study.topics,
            "labels": study.items,
            "left_out": study.left_out,
            "folds": [{"fold": place, **asdict(one)} for place, one in enumerate(study.folds, start=1)],
            "means": study.means,
            "intervals": study.intervals,
            "random": study.random,
            "features": list(ranker.features),
            "candidates": ranker.candidates,
            "weights": ranker.weights,
            "single": study.single,
            "best_single": None if study.best_single is None else asdict(study.best_single),
            "ablations": [asdict(one) for one in study.ablations],
            "critical_difference": study.critical_difference,
            "v_e": study.v_e,
            "warnings": study.warnings,
            "model": None if self.output is None else str(self.output),
        }
